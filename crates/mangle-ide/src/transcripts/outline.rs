//! Structural view of the replies in a record: parse result, envelopes with their members, and
//! outcomes of updates. Basis of hints, symbols, folds, references and the two-channel view.

use super::atom::MangleText;
use mangle_settings::TranscriptSettings;
use mangle_syntax::text::{Embedded, EmbeddedKind, SegmentMap, SegmentMapBuilder, TextRange, size};
use piggyback::envelope::account::{AccountEntry, Filters, UpdateFate};
use piggyback::envelope::json::{Json, JsonKind as Node, NodeId};
use piggyback::envelope::runtime::{DropReason, Stage, Warning};
use piggyback::envelope::{Object, Reply};
use piggyback::transcript::{TextKind, Turn, TurnRole};

/// A turn of a record. Ranges are relative to the start of the record.
#[derive(Debug)]
pub struct ReplyOutline {
    /// Index of the turn in the record.
    pub turn: usize,
    pub role: TurnRole,
    pub kind: TextKind,
    pub range: TextRange,
    /// Parse result. `None` if the turn is not parsed as a reply.
    pub outcome: Option<Outcome>,
    /// Text shown to the user.
    pub surface: String,
    /// Range of the surface in the record.
    pub surface_range: TextRange,
    /// Complete or incomplete envelopes.
    pub envelopes: Vec<EnvelopeOutline>,
}

/// Result of parsing a reply like the runtime.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Parse stage that found an envelope. `None` if strict mode rejects the reply.
    pub stage: Option<Stage>,
    /// Warnings of the runtime, as text.
    pub warnings: Vec<String>,
    /// Size in bytes of the surface, and of the control packet as written.
    pub bytes: (usize, usize),
}

#[derive(Debug)]
pub struct EnvelopeOutline {
    pub range: TextRange,
    /// True if the runtime takes this envelope.
    pub is_picked: bool,
    /// Members of the envelope and of its control packet, in source order.
    pub members: Vec<Member>,
    /// Updates.
    pub atoms: Vec<AtomOutline>,
    /// Other atoms, which are never asserted: both ends of the state transitions.
    pub others: Vec<MangleText>,
}

/// A member of an envelope, or of a nested object.
#[derive(Debug, Clone)]
pub struct Member {
    pub name: String,
    /// Short description of the value.
    pub detail: String,
    pub kind: Node,
    /// Range of the key with quotes.
    pub key: TextRange,
    pub value: TextRange,
    /// Nested members.
    pub members: Vec<Member>,
}

#[derive(Debug)]
pub struct AtomOutline {
    /// Index of the update in the envelope.
    pub index: usize,
    pub text: MangleText,
    /// Outcome according to the filters of the runtime; see
    /// [`TranscriptView::outcome`](super::TranscriptView::outcome).
    pub fate: UpdateFate,
}

/// Returns the outlines of the turns of a record.
pub(super) fn of_record(turns: &[Turn], bytes: &[u8], settings: &TranscriptSettings) -> Vec<ReplyOutline> {
    let numbered = turns.iter().enumerate();
    numbered.map(|(at, turn)| Outliner { turn, bytes, settings }.outline(at)).collect()
}

struct Outliner<'a> {
    turn: &'a Turn,
    bytes: &'a [u8],
    settings: &'a TranscriptSettings,
}

impl Outliner<'_> {
    fn outline(&self, at: usize) -> ReplyOutline {
        let text = self.turn.text(self.bytes);
        let whole = TextRange::up_to(size(text.len()));
        let mut outline = ReplyOutline {
            turn: at,
            role: self.turn.role,
            kind: self.turn.kind,
            range: self.turn.place(whole),
            outcome: None,
            surface: String::new(),
            surface_range: self.turn.place(whole),
            envelopes: Vec::new(),
        };
        match self.turn.kind {
            TextKind::Reply | TextKind::Object => self.reply(text, &mut outline),
            TextKind::Atom => outline.envelopes.push(self.lone_atom(text)),
            TextKind::Surface => outline.surface = String::from_utf8_lossy(text).into_owned(),
            TextKind::Prompt | TextKind::Skipped(_) => {}
        }
        outline
    }

    fn reply(&self, text: &[u8], outline: &mut ReplyOutline) {
        let reply = Reply::new(text, &self.turn.caps(self.settings));
        outline.outcome = Some(outcome(&reply));
        if let Ok(reading) = &reply.reading {
            outline.surface = String::from_utf8_lossy(reading.visible_text()).into_owned();
        }
        let account = Filters::new(self.settings, None).account(&reply);
        for (at, object) in reply.objects.iter().enumerate() {
            let account = if reply.accepted == Some(at) { Some(account.as_slice()) } else { None };
            let envelope = self.envelope(object, account);
            let surface = envelope.members.iter().find(|member| is_key(&member.name, "surface_response"));
            if let Some(surface) = surface.filter(|_| envelope.is_picked) {
                outline.surface_range = surface.value;
            }
            if !envelope.members.is_empty() {
                outline.envelopes.push(envelope);
            }
        }
    }

    /// Returns the outline of an envelope. Includes the outcomes of its updates if the runtime
    /// takes the envelope.
    fn envelope(&self, object: &Object<'_>, account: Option<&[AccountEntry]>) -> EnvelopeOutline {
        let json = &object.json;
        let mut members = self.members(json, json.root(), 2);
        let is_envelope = |member: &Member| KEYS.iter().any(|key| is_key(&member.name, key));
        if !members.iter().any(is_envelope) {
            members.clear();
        }
        let range = TextRange::new(size(object.range.start), size(object.range.end));
        let atoms = updates(json).into_iter().enumerate();
        let atoms = atoms.filter_map(|(at, node)| self.atom(json, node, at, account)).collect();
        let is_picked = account.is_some();
        let others = transitions(json).into_iter().filter_map(|node| self.mangle(json, node)).collect();
        EnvelopeOutline { range: self.turn.place(range), is_picked, members, atoms, others }
    }

    /// Returns the members of an object, nested up to `depth`.
    fn members(&self, json: &Json<'_>, node: NodeId, depth: u8) -> Vec<Member> {
        if depth == 0 {
            return Vec::new();
        }
        let member = |found: piggyback::envelope::json::Member| {
            let name = json.string(found.key).unwrap_or_default().into_owned();
            Member {
                detail: detail(json, found.value),
                kind: json.kind(found.value),
                key: self.turn.place(json.range(found.key)),
                value: self.turn.place(json.range(found.value)),
                members: self.members(json, found.value, depth - 1),
                name,
            }
        };
        json.members(node).take(MAX_MEMBERS).map(member).collect()
    }

    fn atom(
        &self,
        json: &Json<'_>,
        node: NodeId,
        index: usize,
        account: Option<&[AccountEntry]>,
    ) -> Option<AtomOutline> {
        let text = self.mangle(json, node)?;
        let entry = account.and_then(|account| account.get(index));
        let entry = entry.filter(|entry| entry.text == *text.embedded.text);
        let fate = entry.map_or(UpdateFate::NotTaken, |entry| entry.fate.clone());
        Some(AtomOutline { index, text, fate })
    }

    /// Returns a string of an envelope as Mangle text.
    fn mangle(&self, json: &Json<'_>, node: NodeId) -> Option<MangleText> {
        let (text, map) = json.string_with_map(node)?;
        let map = if map.is_identity() { copied(json.range(node)) } else { map };
        let map = if self.turn.map.is_identity() { map } else { map.within(&self.turn.map) };
        let node = json.range(node);
        let empty = self.turn.place(TextRange::empty(node.end() - size(1))).start();
        let embedded = Embedded { text: text.into(), map, kind: EmbeddedKind::Atom };
        Some(MangleText::new(embedded, self.turn.levels + 1, empty))
    }

    /// Returns an update without an envelope as an outline.
    fn lone_atom(&self, text: &[u8]) -> EnvelopeOutline {
        let text = String::from_utf8_lossy(text).into_owned();
        let whole = TextRange::up_to(size(text.len()));
        let map = if self.turn.map.is_identity() { copied(whole) } else { self.turn.map.clone() };
        let fate = Filters::new(self.settings, None).standalone_fate(&text, 0);
        let empty = self.turn.place(whole).start();
        let embedded = Embedded { text: text.into(), map, kind: EmbeddedKind::Atom };
        let text = MangleText::new(embedded, self.turn.levels, empty);
        let atoms = vec![AtomOutline { index: 0, text, fate }];
        let (members, others) = (Vec::new(), Vec::new());
        EnvelopeOutline { range: self.turn.place(whole), is_picked: true, members, atoms, others }
    }
}

/// Maximum number of shown members per object.
const MAX_MEMBERS: usize = 200;

/// Keys that identify an envelope.
pub(super) const KEYS: [&str; 2] = ["control_packet", "surface_response"];

/// True if the runtime accepts a key as `name`. The comparison ignores case.
pub(super) fn is_key(key: &str, name: &str) -> bool {
    key.eq_ignore_ascii_case(name)
}

/// Returns the map of a text that equals a range of its source.
fn copied(range: TextRange) -> SegmentMap {
    let mut map = SegmentMapBuilder::default();
    map.copy(range);
    map.finish()
}

/// Returns the last member with this name in an object.
fn member_of(json: &Json<'_>, object: NodeId, name: &str) -> Option<NodeId> {
    let is_it = |found: &piggyback::envelope::json::Member| {
        json.string(found.key).is_some_and(|key| is_key(&key, name))
    };
    json.members(object).filter(is_it).map(|found| found.value).last()
}

/// Returns the elements of a list in the control packet.
fn list(json: &Json<'_>, name: &str) -> Vec<NodeId> {
    let control = member_of(json, json.root(), "control_packet");
    let list = control.and_then(|control| member_of(json, control, name));
    list.map(|list| json.elements(list).collect()).unwrap_or_default()
}

/// Returns the elements of `control_packet.mangle_updates`.
pub(super) fn updates(json: &Json<'_>) -> Vec<NodeId> {
    list(json, "mangle_updates")
}

/// Returns both ends of the elements of `control_packet.state_transitions`.
fn transitions(json: &Json<'_>) -> Vec<NodeId> {
    let ends = |one: NodeId| ["from", "to"].into_iter().filter_map(move |end| member_of(json, one, end));
    list(json, "state_transitions").into_iter().flat_map(ends).collect()
}

fn outcome(reply: &Reply<'_>) -> Outcome {
    let mut outcome = Outcome { stage: None, warnings: Vec::new(), bytes: (0, 0) };
    let Ok(reading) = &reply.reading else { return outcome };
    outcome.stage = Some(reading.stage);
    if let Some(picked) = &reading.accepted {
        outcome.bytes =
            (reading.visible_text().len(), picked.range.len().saturating_sub(reading.visible_text().len()));
    }
    let words: Vec<_> = reading.warnings.iter().map(warning).collect();
    for group in words.chunk_by(|one, other| one == other) {
        if let Some(first) = group.first() {
            let times = if group.len() > 1 { format!(" ({} times)", group.len()) } else { String::new() };
            outcome.warnings.push(format!("{first}{times}"));
        }
    }
    outcome
}

/// Describes a warning of the runtime without text from the reply.
fn warning(warning: &Warning) -> &'static str {
    match warning {
        Warning::Extracted => "the envelope was found in mixed text",
        Warning::Fallback => "no envelope was found, and the raw text is shown",
        Warning::Recovered => "the surface of an incomplete envelope is shown",
        Warning::CutOff => "the reply was cut off before its surface, and a message is shown",
        Warning::SelfCorrection(_) => "the model corrects itself",
        Warning::SurfaceCut => "the surface was cut",
        Warning::UpdatesCut => "updates at the end were lost",
        Warning::Update(DropReason::Empty) => "an empty update was dropped",
        Warning::Update(DropReason::Long) => "an update was dropped because it is too long",
        Warning::Update(DropReason::Syntax(_)) => "an update was dropped: no parenthesis, or no full stop",
        Warning::Update(DropReason::Meta(_)) => "an update was dropped because of a shell character",
        Warning::MemoryCut => "memory operations at the end were lost",
        Warning::TraceCut => "the reasoning trace was cut",
        Warning::ToolsCut => "tool requests at the end were lost",
        Warning::KnowledgeCut => "knowledge requests at the end were lost",
    }
}

/// Maximum length of a shown value, in characters.
const WIDTH: usize = 60;

/// Describes a value.
fn detail(json: &Json<'_>, node: NodeId) -> String {
    match json.kind(node) {
        Node::Array => counted(json.elements(node).count(), "element"),
        Node::Object => counted(json.members(node).count(), "member"),
        Node::Plain | Node::Escaped => shortened(&json.string(node).unwrap_or_default()),
        Node::Null | Node::Bool(_) | Node::Number | Node::Broken => {
            shortened(&String::from_utf8_lossy(json.raw(node)))
        }
    }
}

pub(super) fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// Shortens a text to one line, and replaces control characters.
pub(super) fn shortened(text: &str) -> String {
    let head: String =
        text.chars().take(WIDTH * 4).map(|char| if char.is_control() { ' ' } else { char }).collect();
    let line = head.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(WIDTH) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or("")),
        None => line,
    }
}

/// Describes a parse stage.
pub(super) fn stage_words(stage: Stage) -> &'static str {
    match stage {
        Stage::Whole => "the reply contains only an envelope",
        Stage::Stream => "the reply is decoded from its first brace, and the text around it is ignored",
        Stage::Fenced => "the envelope is between fences",
        Stage::EmbeddedRich => "the last object in mixed text that has both keys",
        Stage::EmbeddedOther => "an object in mixed text that does not have both keys",
        Stage::Fallback => "no envelope: the raw text is shown, and the kernel receives nothing",
    }
}
