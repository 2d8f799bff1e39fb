//! Position in a transcript: the record, the reply, and the JSON path in the envelope.

use super::TranscriptView;
use super::records::Entry;
use mangle_settings::Profile;
use mangle_syntax::text::{TextRange, TextSize, size};
use piggyback::envelope::json::{Json, JsonKind, NodeId};
use piggyback::envelope::{Reply, profile};
use piggyback::transcript::Turn;

#[derive(Debug)]
pub(super) struct ReplyPosition<'a> {
    pub(super) entry: &'a Entry,
    pub(super) turn: &'a Turn,
    pub(super) reply: Reply<'a>,
    /// Offset in the reply.
    pub(super) offset: TextSize,
}

impl<'a> ReplyPosition<'a> {
    /// Returns the position in a reply at an offset of the file.
    pub(super) fn at(opened: TranscriptView<'a>, offset: TextSize) -> Option<Self> {
        let TranscriptView { records, settings, .. } = opened;
        records.touching(TextRange::empty(offset)).find_map(|entry| {
            let inside = offset.checked_sub(entry.start)?;
            let bytes = records.bytes(entry);
            entry.body.turns.iter().filter(|turn| turn.is_reply()).find_map(|turn| {
                let offset = turn.map.to_derived(inside)?;
                let text = turn.text(bytes);
                let is_inside = offset <= size(text.len());
                is_inside.then(|| ReplyPosition { entry, turn, reply: turn.reply(bytes, settings), offset })
            })
        })
    }

    /// Converts a range of the reply to a range of the file.
    pub(super) fn place(&self, range: TextRange) -> TextRange {
        self.entry.place(self.turn.place(range))
    }

    /// Returns the index of the object at the position, and the path inside the object.
    pub(super) fn way(&self) -> Option<(usize, JsonPath<'_, 'a>)> {
        let is_around = |range: &std::ops::Range<usize>| {
            size(range.start) <= self.offset && self.offset <= size(range.end)
        };
        let mut objects = self.reply.objects.iter().enumerate().rev();
        // An unclosed object contains the later ones, so the innermost is used.
        let (at, object) = objects.find(|(_, object)| is_around(&object.range))?;
        Some((at, JsonPath::to(&object.json, self.offset)))
    }
}

/// Infers the protocol version of the envelope at an offset of the file.
#[must_use]
pub fn profile_at(opened: TranscriptView<'_>, offset: TextSize) -> Option<Profile> {
    let spot = ReplyPosition::at(opened, offset)?;
    let (at, _) = spot.way()?;
    spot.reply.objects.get(at).map(|object| profile::infer(&object.json).0)
}

/// Path from the root of a JSON value to a position.
#[derive(Debug)]
pub(super) struct JsonPath<'j, 't> {
    pub(super) json: &'j Json<'t>,
    /// Keys on the path, without array indexes.
    pub(super) keys: Vec<String>,
    /// Innermost value at the position.
    pub(super) node: NodeId,
    /// Enclosing objects and arrays, root first.
    pub(super) around: Vec<NodeId>,
    /// Key at the position. If set, `node` is its value.
    pub(super) key: Option<NodeId>,
}

impl<'j, 't> JsonPath<'j, 't> {
    pub(super) fn to(json: &'j Json<'t>, offset: TextSize) -> Self {
        let mut way = Self { json, keys: Vec::new(), node: json.root(), around: Vec::new(), key: None };
        while way.step(offset) {}
        way
    }

    fn step(&mut self, offset: TextSize) -> bool {
        let json = self.json;
        let has = |node: NodeId| json.range(node).contains_inclusive(offset);
        match json.kind(self.node) {
            JsonKind::Object => {
                let found = json.members(self.node).find(|member| has(member.key) || has(member.value));
                let Some(member) = found else { return false };
                self.keys.push(json.string(member.key).unwrap_or_default().into_owned());
                self.around.push(self.node);
                self.node = member.value;
                if has(member.key) {
                    self.key = Some(member.key);
                    return false;
                }
                true
            }
            JsonKind::Array => {
                let Some(element) = json.elements(self.node).find(|element| has(*element)) else {
                    return false;
                };
                self.around.push(self.node);
                self.node = element;
                true
            }
            _ => false,
        }
    }

    /// Returns the keys on the path.
    pub(super) fn path(&self) -> Vec<&str> {
        self.keys.iter().map(String::as_str).collect()
    }

    /// True if the position is inside a string value.
    pub(super) fn is_in_string(&self) -> bool {
        matches!(self.json.kind(self.node), JsonKind::Plain | JsonKind::Escaped) && self.key.is_none()
    }
}
