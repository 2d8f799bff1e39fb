//! Formatted JSON view of an envelope: short values on one line, updates as Mangle, and values that
//! the runtime drops marked as lost.

use rustc_hash::{FxHashMap, FxHashSet};

use super::line_writer::{Glyph, LineWriter, PieceStyle, TurnText};
use mangle_report::conversation::PieceKind;
use mangle_syntax::text::{TextRange, TextSize, size};
use piggyback::envelope::Reply;
use piggyback::envelope::account::{AccountEntry, UpdateFate};
use piggyback::envelope::json::{Json, JsonKind, Member, NodeId};

/// Maximum depth of formatted values. Deeper values keep their source text.
const MAX_DEPTH: usize = 64;

/// Indentation per level, in columns.
const STEP: usize = 2;

/// Values of an envelope with special formatting.
#[derive(Debug)]
pub(super) struct EnvelopeParts<'a> {
    /// The surface text, which is shown above the envelope.
    pub(super) surface: Option<NodeId>,
    updates: Option<NodeId>,
    control: Option<NodeId>,
    /// Outcome of each update, by index.
    account: FxHashMap<usize, &'a AccountEntry>,
    /// Lists truncated by the runtime, with the number of kept elements.
    cut: Vec<(NodeId, usize)>,
}

impl<'a> EnvelopeParts<'a> {
    /// Finds the special values in the envelope that the runtime takes from a reply.
    pub(super) fn new(reply: &Reply<'_>, account: &'a [AccountEntry]) -> Self {
        let node = |path: &[&str]| reply.member(path).map(|(_, node)| node);
        let picked = reply.reading.as_ref().ok().and_then(|reading| reading.accepted.as_ref());
        let kept = picked.map(|picked| {
            let packet = &picked.packet;
            [
                ("memory_operations", packet.memory.as_slice().len()),
                ("tool_requests", packet.tools.as_slice().len()),
                ("knowledge_requests", packet.knowledge.as_slice().len()),
            ]
        });
        let cut = kept.into_iter().flatten();
        let cut = cut.filter_map(|(name, kept)| Some((node(&["control_packet", name])?, kept))).collect();
        Self {
            surface: node(&["surface_response"]),
            updates: node(&["control_packet", "mangle_updates"]),
            control: node(&["control_packet"]),
            account: account.iter().filter_map(|entry| Some((entry.index?, entry))).collect(),
            cut,
        }
    }
}

/// Writer of one envelope.
#[derive(Debug)]
pub(super) struct EnvelopeWriter<'a, 'w> {
    pub(super) text: &'a TurnText<'a>,
    pub(super) json: &'a Json<'a>,
    pub(super) parts: &'a EnvelopeParts<'a>,
    pub(super) out: &'w mut LineWriter,
}

impl EnvelopeWriter<'_, '_> {
    /// Appends a value to the current line. `indent` is the indentation of the line, `level` the
    /// nesting depth of the value.
    pub(super) fn value(&mut self, node: NodeId, indent: usize, level: usize, is_lost: bool) {
        let kind = self.json.kind(node);
        let room = self.out.room(indent + 24);
        if Some(node) == self.parts.surface && kind != JsonKind::Null {
            return self.shown_above(node);
        }
        match kind {
            JsonKind::Object | JsonKind::Array if level > MAX_DEPTH => {
                self.token(self.json.range(node), is_lost)
            }
            JsonKind::Array if Some(node) == self.parts.updates => self.updates(node, indent, is_lost),
            JsonKind::Object | JsonKind::Array if level > 1 && self.width(node, room).is_some() => {
                self.on_one_line(node, is_lost);
            }
            JsonKind::Object => self.object(node, indent, level, is_lost),
            JsonKind::Array => self.array(node, indent, level, is_lost),
            _ => self.token(self.json.range(node), is_lost),
        }
    }

    fn token(&mut self, range: TextRange, is_lost: bool) {
        self.text.write(range, PieceStyle::lost_if(PieceKind::Envelope, is_lost), self.out);
    }

    /// Writes the comma or colon between two values, if any.
    fn between(&mut self, start: TextSize, end: TextSize, is_lost: bool) {
        if start >= end {
            return;
        }
        let bytes = self.text.slice(TextRange::new(start, end));
        if let Some(at) = bytes.iter().position(|byte| matches!(byte, b',' | b':')) {
            self.token(TextRange::at(start + size(at), TextSize::new(1)), is_lost);
        }
    }

    fn space(&mut self, is_lost: bool) {
        self.out.put(Glyph::Char(' '), PieceStyle::lost_if(PieceKind::Envelope, is_lost), None);
    }

    /// Writes the opening or closing bracket of a value.
    fn bracket(&mut self, node: NodeId, is_first: bool, is_lost: bool) {
        let (range, one) = (self.json.range(node), TextSize::new(1));
        let start = if is_first { range.start() } else { range.end().checked_sub(one).unwrap_or_default() };
        self.token(TextRange::at(start, one), is_lost);
    }

    /// Writes the quotes of the surface with a placeholder for its text.
    fn shown_above(&mut self, node: NodeId) {
        self.bracket(node, true, false);
        self.out.say(PieceKind::Note, "… shown above …");
        self.bracket(node, false, false);
    }

    fn object(&mut self, node: NodeId, indent: usize, level: usize, is_lost: bool) {
        let members: Vec<Member> = self.json.members(node).collect();
        let replaced = self.replaced(node, &members);
        self.bracket(node, true, is_lost);
        for (at, member) in members.iter().enumerate() {
            let inner = indent + STEP;
            self.out.begin(inner, inner + STEP);
            let is_lost = is_lost || replaced.contains(&member.key);
            self.token(self.json.range(member.key), is_lost);
            let value = self.json.range(member.value);
            self.between(self.json.range(member.key).end(), value.start(), is_lost);
            self.space(is_lost);
            self.value(member.value, inner, level + 1, is_lost);
            self.between(
                value.end(),
                self.next_start(node, members.get(at + 1).map(|next| next.key)),
                is_lost,
            );
        }
        self.out.begin(indent, indent + STEP);
        self.bracket(node, false, is_lost);
    }

    /// Returns the start of the next part of a value, or the end of the value.
    fn next_start(&self, node: NodeId, next: Option<NodeId>) -> TextSize {
        next.map_or_else(|| self.json.range(node).end(), |next| self.json.range(next).start())
    }

    /// Returns the keys of members that a later member of the same name replaces. Duplicate objects
    /// are merged by the runtime, so their keys are not returned.
    fn replaced(&self, object: NodeId, members: &[Member]) -> FxHashSet<NodeId> {
        let (mut seen, mut replaced) = (FxHashSet::default(), FxHashSet::default());
        if object != self.json.root() && Some(object) != self.parts.control {
            return replaced;
        }
        for member in members.iter().rev() {
            let name = self.json.string(member.key).unwrap_or_default().to_ascii_lowercase();
            let is_later = !seen.insert(name);
            if is_later && self.json.kind(member.value) != JsonKind::Object {
                replaced.insert(member.key);
            }
        }
        replaced
    }

    fn array(&mut self, node: NodeId, indent: usize, level: usize, is_lost: bool) {
        let elements: Vec<NodeId> = self.json.elements(node).collect();
        let kept = self.parts.cut.iter().find(|(list, _)| *list == node).map(|(_, kept)| *kept);
        self.bracket(node, true, is_lost);
        for (at, element) in elements.iter().enumerate() {
            let inner = indent + STEP;
            self.out.begin(inner, inner + STEP);
            let is_lost = is_lost || kept.is_some_and(|kept| at >= kept);
            self.value(*element, inner, level + 1, is_lost);
            let end = self.json.range(*element).end();
            self.between(end, self.next_start(node, elements.get(at + 1).copied()), is_lost);
        }
        self.out.begin(indent, indent + STEP);
        self.bracket(node, false, is_lost);
    }

    /// Writes the updates, one per line: a mark for kept or lost, the atom, and its outcome.
    fn updates(&mut self, node: NodeId, indent: usize, is_lost: bool) {
        let elements: Vec<NodeId> = self.json.elements(node).collect();
        self.bracket(node, true, is_lost);
        for (at, element) in elements.iter().enumerate() {
            let inner = indent + STEP;
            self.out.begin(inner, inner + 2 * STEP);
            let entry = self.parts.account.get(&at);
            let Some((value, map)) = self.json.string_with_map(*element) else {
                self.out.say(PieceKind::Note, "- ");
                self.token(self.json.range(*element), true);
                continue;
            };
            let fate = entry.filter(|entry| entry.text == value).map(|entry| &entry.fate);
            update(self.text, &value, &map, fate, self.out);
        }
        if !elements.is_empty() {
            self.out.begin(indent, indent + STEP);
        }
        self.bracket(node, false, is_lost);
    }

    /// Writes a value on one line, with a space after each comma and colon.
    fn on_one_line(&mut self, node: NodeId, is_lost: bool) {
        match self.json.kind(node) {
            JsonKind::Object => {
                let members: Vec<Member> = self.json.members(node).collect();
                self.bracket(node, true, is_lost);
                for (at, member) in members.iter().enumerate() {
                    let (key, value) = (self.json.range(member.key), self.json.range(member.value));
                    self.token(key, is_lost);
                    self.between(key.end(), value.start(), is_lost);
                    self.space(is_lost);
                    self.on_one_line(member.value, is_lost);
                    self.comma(node, value.end(), members.get(at + 1).map(|next| next.key), is_lost);
                }
                self.bracket(node, false, is_lost);
            }
            JsonKind::Array => {
                let elements: Vec<NodeId> = self.json.elements(node).collect();
                self.bracket(node, true, is_lost);
                for (at, element) in elements.iter().enumerate() {
                    self.on_one_line(*element, is_lost);
                    let end = self.json.range(*element).end();
                    self.comma(node, end, elements.get(at + 1).copied(), is_lost);
                }
                self.bracket(node, false, is_lost);
            }
            _ => self.token(self.json.range(node), is_lost),
        }
    }

    fn comma(&mut self, node: NodeId, end: TextSize, next: Option<NodeId>, is_lost: bool) {
        self.between(end, self.next_start(node, next), is_lost);
        if next.is_some() {
            self.space(is_lost);
        }
    }

    /// Returns an upper bound for the width of a value on one line, in bytes. `None` if it exceeds
    /// `most`. Cost is proportional to `most`.
    fn width(&self, node: NodeId, most: usize) -> Option<usize> {
        let mut width = 0;
        let inside = self.json.nodes_in(node);
        for node in [node].into_iter().chain(inside) {
            width += match self.json.kind(node) {
                JsonKind::Object | JsonKind::Array => 2,
                _ => usize::from(self.json.range(node).len()) + 2,
            };
            if width > most {
                return None;
            }
        }
        Some(width)
    }
}

/// Writes an update: a mark for kept or lost, the atom, and its outcome. `map` maps the atom to the
/// text of its turn.
pub(super) fn update(
    text: &TurnText<'_>,
    atom: &str,
    map: &mangle_syntax::text::SegmentMap,
    fate: Option<&UpdateFate>,
    out: &mut LineWriter,
) {
    let is_kept = fate.is_none_or(UpdateFate::is_kept);
    out.say(PieceKind::Note, if is_kept { "+ " } else { "- " });
    text.write_value(atom, map, &|_| PieceStyle::lost_if(PieceKind::Update, !is_kept), out);
    match fate {
        None | Some(UpdateFate::Passed(_) | UpdateFate::Asserted { is_reply_denied: false, .. }) => {}
        Some(fate) => out.say(PieceKind::Note, &format!("  ({fate})")),
    }
}
