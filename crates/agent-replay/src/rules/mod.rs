//! Lint rules of a replay: `PB501` to `PB523`, and rules about memory, recovery and limits that
//! depend on the kernel.
//!
//! The rules check a reply with its outcome (`Scene`) and place findings in its record.
//! [`policy_findings`] reports problems of the program that no session can change.

mod policy;
mod replies;
mod state;
mod verdicts;

use std::borrow::Cow;

use rustc_hash::FxHashSet;

use super::constitution::Constitution;
use super::options::ReplayOptions;
use super::turn::{RequestPlace, Turn};
use mangle_engine::kernel::Kernel;
use mangle_syntax::lint::{Finding, Rule};
use mangle_syntax::text::{TextRange, TextSize, size};
use piggyback::envelope::json::NodeId;
use piggyback::envelope::table::ENVELOPE;
use piggyback::envelope::view::View;
use piggyback::envelope::{Object, Reply};
use piggyback::transcript::{self, Record, TranscriptFinding};

pub use policy::{PolicyFinding, findings_of_program, policy_findings};
pub(super) use replies::injection;
pub(super) use verdicts::{PendingRequests, RequestOutcome, outcome};

/// All rules of a replay, one family after the other.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    [replies::RULES, verdicts::RULES, policy::RULES, state::RULES].into_iter().flatten().copied()
}

/// True if a rule depends on verdicts. Such a rule finds nothing if the policy permits nothing.
#[must_use]
pub fn needs_gate(rule: &Rule) -> bool {
    verdicts::RULES.contains(&rule) || replies::needs_gate(rule)
}

/// A reply in its record during the replay.
pub(super) struct Scene<'s> {
    pub(super) constitution: &'s Constitution,
    pub(super) options: ReplayOptions<'s>,
    record: &'s Record<'s>,
    turn: &'s transcript::Turn,
    reply: &'s Reply<'s>,
    /// True if an input of the model looks like an envelope.
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

    pub(super) fn before(&mut self, kernel: &Kernel) {
        state::before(self, kernel);
    }

    /// Adds the locations of the envelope and the requests to the report of a turn.
    pub(super) fn places(&self, report: &mut Turn) {
        let place = |range| self.turn.place(range);
        report.place = place(self.brace());
        for verdict in &mut report.verdicts {
            let request = verdict.index.and_then(|index| self.request(index));
            verdict.place =
                request.map(|(view, name)| RequestPlace { name: place(name), whole: place(view.range()) });
        }
    }

    pub(super) fn counts(&mut self, kernel: &Kernel, told: &mut FxHashSet<String>) {
        state::counts(self, kernel, told);
    }

    /// All findings about a replayed reply.
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

    fn object(&self) -> Option<&'s Object<'s>> {
        self.reply.picked_object()
    }

    fn envelope(&self) -> Option<View<'s>> {
        let object = self.object()?;
        Some(View::new(&object.json, &ENVELOPE, [object.json.root()]))
    }

    /// The members of the packet.
    fn control(&self) -> Option<View<'s>> {
        Some(self.envelope()?.object("control_packet"))
    }

    /// The text of the surface, its node, and its envelope.
    fn surface(&self) -> Option<(Cow<'s, str>, NodeId, View<'s>)> {
        let envelope = self.envelope()?;
        let node = envelope.get("surface_response")?.value;
        Some((envelope.json.string(node)?, node, envelope))
    }

    /// The range of the reply that corresponds to a range of the surface.
    fn in_surface(&self, range: TextRange) -> Option<TextRange> {
        let (_, node, envelope) = self.surface()?;
        let (_, map) = envelope.json.string_with_map(node)?;
        Some(map.to_source(range))
    }

    /// The range of the surface. Fallback: the brace of the envelope or the first byte of the
    /// reply.
    fn surface_range(&self) -> TextRange {
        let surface = self.surface().map(|(_, node, envelope)| envelope.json.range(node));
        surface.unwrap_or_else(|| self.brace())
    }

    /// The opening brace of the envelope. Fallback: the first byte of the reply.
    fn brace(&self) -> TextRange {
        let start = self.object().map_or(0, |object| object.range.start);
        TextRange::at(size(start), TextSize::from(u32::from(start < self.reply.raw.len())))
    }

    fn update(&self, index: usize) -> Option<TextRange> {
        let control = self.control()?;
        control.list("mangle_updates").get(index).map(|node| control.json.range(*node))
    }

    fn request(&self, index: usize) -> Option<(View<'s>, TextRange)> {
        let control = self.control()?;
        let node = *control.list("tool_requests").get(index)?;
        let view = control.objects("tool_requests").nth(index)?;
        let range = view.value_range("tool_name").unwrap_or_else(|| control.json.range(node));
        Some((view, range))
    }
}
