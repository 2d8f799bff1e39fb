//! What a replay shows: the rules `PB501` to `PB523`, and those about memory, recovery and limits that need the kernel.
//!
//! Takes a reply and what became of it (`Scene`); gives findings placed in its record. What the program itself says that
//! no session can change is [`policy_findings`].

mod policy;
mod replies;
mod state;
mod verdicts;

use std::borrow::Cow;

use rustc_hash::FxHashSet;

pub use policy::{PolicyFinding, findings_of_program, policy_findings};
pub(super) use replies::injection;
pub(super) use verdicts::outcome;

use super::constitution::Constitution;
use super::session::ReplayOptions;
use super::turn::Turn;
use super::verdict::RequestPlace;
use mangle_engine::kernel::Kernel;
use mangle_syntax::lint::{Finding, Rule};
use mangle_syntax::text::{TextRange, TextSize, size};
use piggyback::envelope::json::NodeId;
use piggyback::envelope::table::ENVELOPE;
use piggyback::envelope::view::View;
use piggyback::envelope::{Object, Reply};
use piggyback::transcript::{self, Record, TranscriptFinding};

/// All rules of a replay, a list a family.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    [replies::RULES, verdicts::RULES, policy::RULES, state::RULES].into_iter().flatten().copied()
}

/// Whether a rule needs verdicts: it finds nothing where no policy permits anything.
#[must_use]
pub fn needs_gate(rule: &Rule) -> bool {
    verdicts::RULES.contains(&rule) || replies::needs_gate(rule)
}

/// A reply in its record, while it is replayed.
pub(super) struct Scene<'s> {
    pub(super) constitution: &'s Constitution,
    pub(super) options: ReplayOptions<'s>,
    record: &'s Record<'s>,
    turn: &'s transcript::Turn,
    reply: &'s Reply<'s>,
    /// Whether somebody said something to the model that looks like an envelope.
    pub(super) is_quoting: bool,
    found: Vec<TranscriptFinding>,
}

impl<'s> Scene<'s> {
    pub(super) fn new(
        constitution: &'s Constitution,
        options: ReplayOptions<'s>,
        record: &'s Record<'s>,
        turn: &'s transcript::Turn,
        reply: &'s Reply<'s>,
    ) -> Self {
        Self { constitution, options, record, turn, reply, is_quoting: false, found: Vec::new() }
    }

    /// Looks at what the packet says of the state that it finds.
    pub(super) fn before(&mut self, kernel: &Kernel) {
        state::before(self, kernel);
    }

    /// Says where the envelope of a turn and its requests stand.
    pub(super) fn places(&self, report: &mut Turn) {
        let place = |range| self.turn.place(range);
        report.place = place(self.brace());
        for verdict in &mut report.verdicts {
            let request = verdict.index.and_then(|index| self.request(index));
            verdict.place =
                request.map(|(view, name)| RequestPlace { name: place(name), whole: place(view.range()) });
        }
    }

    /// Looks at how much the kernel holds.
    pub(super) fn counts(&mut self, kernel: &Kernel, told: &mut FxHashSet<String>) {
        state::counts(self, kernel, told);
    }

    /// All that is found, once the reply was replayed.
    pub(super) fn findings(
        mut self,
        report: &Turn,
        kernel: &Kernel,
        told: &mut FxHashSet<String>,
    ) -> Vec<TranscriptFinding> {
        replies::check(&mut self, report);
        verdicts::check(&mut self, report, kernel, told);
        state::check(&mut self, report, kernel);
        self.found
    }

    fn push(&mut self, finding: Finding) {
        self.found.push(transcript::place(self.record, self.turn, Some(self.reply), finding));
    }

    /// The envelope that the runtime takes.
    fn object(&self) -> Option<&'s Object<'s>> {
        self.reply.picked_object()
    }

    /// Its members.
    fn envelope(&self) -> Option<View<'s>> {
        let object = self.object()?;
        Some(View::of(&object.json, &ENVELOPE, [object.json.root()]))
    }

    /// The members of its packet.
    fn control(&self) -> Option<View<'s>> {
        Some(self.envelope()?.object("control_packet"))
    }

    /// The text of the surface, its place, and the places of its parts.
    fn surface(&self) -> Option<(Cow<'s, str>, NodeId, View<'s>)> {
        let envelope = self.envelope()?;
        let node = envelope.get("surface_response")?.value;
        Some((envelope.json.string(node)?, node, envelope))
    }

    /// The bytes of the reply that a range of the surface comes from.
    fn in_surface(&self, range: TextRange) -> Option<TextRange> {
        let (_, node, envelope) = self.surface()?;
        let (_, map) = envelope.json.string_with_map(node)?;
        Some(map.to_source(range))
    }

    /// The surface, else the envelope's brace, else the reply's first byte.
    fn surface_range(&self) -> TextRange {
        let surface = self.surface().map(|(_, node, envelope)| envelope.json.range(node));
        surface.unwrap_or_else(|| self.brace())
    }

    /// The brace of the envelope, else the reply's first byte.
    fn brace(&self) -> TextRange {
        let start = self.object().map_or(0, |object| object.range.start);
        TextRange::at(size(start), TextSize::from(u32::from(start < self.reply.raw.len())))
    }

    /// An update of the packet.
    fn update(&self, index: usize) -> Option<TextRange> {
        let control = self.control()?;
        control.list("mangle_updates").get(index).map(|node| control.json.range(*node))
    }

    /// A tool request of the packet.
    fn request(&self, index: usize) -> Option<(View<'s>, TextRange)> {
        let control = self.control()?;
        let node = *control.list("tool_requests").get(index)?;
        let view = control.objects("tool_requests").nth(index)?;
        let range = view.value_range("tool_name").unwrap_or_else(|| control.json.range(node));
        Some((view, range))
    }
}
