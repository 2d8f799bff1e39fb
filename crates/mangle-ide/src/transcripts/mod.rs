//! Transcripts: findings and suppression, shared by the language server and the command line, and
//! editor features.
//!
//! The input consists of records from `transcript` or a whole text, settings, and the related
//! programs. The output contains diagnostics and plain data with byte ranges of the file.
//!
//! A member `x_mangle_ls_ignore` silences findings in its object. A comment
//! `<!-- mangle-ls: ignore NAME -->` silences findings in the following block.
//!
//! [`Records`] caches the analysis of each record across edits, and [`outline`] extracts the
//! visible structure. Mangle text inside a transcript ([`MangleText`]) uses the features of Mangle
//! files.

mod atom;
mod checker;
mod comments;
pub mod completion;
pub mod hover;
pub mod links;
pub(super) mod members;
pub mod outline;
mod records;
mod silence;
pub mod split;
pub mod symbols;
#[cfg(test)]
mod tests;

use super::replays::TranscriptVerdicts;
use mangle_settings::{Profile, TranscriptSettings};
use mangle_syntax::text::{TextRange, TextSize, size};
use outline::{AtomOutline, ReplyOutline};
use piggyback::envelope::account::{Tally, UpdateFate};
use piggyback::envelope::atoms::Declarations;
use piggyback::envelope::json::{Json, JsonKind, NodeId};
use piggyback::envelope::{Reply, profile};
use piggyback::transcript::Turn;

pub use atom::{MangleText, NOWHERE, escaped, escaped_snippet, has_mangle};
pub use checker::{
    ExaminedRecord, RecordExaminer, RecordFindings, TranscriptChecker, TranscriptContext, diagnostics,
    diagnostics_of, of_fences,
};
pub use comments::{Comments, MAX_COMMENTED};
pub use records::{Entry, Records};
pub use silence::{Scope, silence};

/// A transcript, as passed to features. Cheap to copy.
#[derive(Debug, Clone, Copy)]
pub struct TranscriptView<'a> {
    pub records: &'a Records,
    pub settings: &'a TranscriptSettings,
    /// Declarations of the surrounding policies. `None` if missing or not requested.
    pub declarations: Option<&'a Declarations>,
    /// Verdicts of a replay.
    pub verdicts: Option<&'a TranscriptVerdicts>,
}

impl<'a> TranscriptView<'a> {
    /// Creates a transcript without policies.
    #[must_use]
    pub fn new(records: &'a Records, settings: &'a TranscriptSettings) -> Self {
        Self { records, settings, declarations: None, verdicts: None }
    }

    #[must_use]
    pub fn outcome(self, entry: &Entry, outline: &ReplyOutline, atom: &AtomOutline) -> UpdateFate {
        let fate = atom.fate.clone().with_declarations(self.declarations);
        let denial = self.verdicts.and_then(|verdicts| verdicts.denial(self.records, entry, outline.range));
        match denial {
            Some(is_replaced) => fate.denied(is_replaced),
            None => fate,
        }
    }

    /// Counts the outcomes of the updates in the envelope that the runtime takes from a turn.
    #[must_use]
    pub fn tally(self, entry: &Entry, outline: &ReplyOutline) -> Tally {
        let picked = outline.envelopes.iter().filter(|envelope| envelope.is_picked);
        let mut tally = Tally::default();
        picked.flat_map(|one| &one.atoms).for_each(|atom| tally.add(&self.outcome(entry, outline, atom)));
        tally
    }
}

/// Position in a transcript: the record, the reply, and the JSON path in the envelope.
#[derive(Debug)]
struct ReplyPosition<'a> {
    entry: &'a Entry,
    turn: &'a Turn,
    reply: Reply<'a>,
    /// Offset in the reply.
    offset: TextSize,
}

impl<'a> ReplyPosition<'a> {
    /// Returns the position in a reply at an offset of the file.
    fn at(opened: TranscriptView<'a>, offset: TextSize) -> Option<Self> {
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
    fn place(&self, range: TextRange) -> TextRange {
        self.entry.place(self.turn.place(range))
    }

    /// Returns the index of the object at the position, and the path inside the object.
    fn way(&self) -> Option<(usize, JsonPath<'_, 'a>)> {
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
struct JsonPath<'j, 't> {
    json: &'j Json<'t>,
    /// Keys on the path, without array indexes.
    keys: Vec<String>,
    /// Innermost value at the position.
    node: NodeId,
    /// Enclosing objects and arrays, root first.
    around: Vec<NodeId>,
    /// Key at the position. If set, `node` is its value.
    key: Option<NodeId>,
}

impl<'j, 't> JsonPath<'j, 't> {
    fn to(json: &'j Json<'t>, offset: TextSize) -> Self {
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
    fn path(&self) -> Vec<&str> {
        self.keys.iter().map(String::as_str).collect()
    }

    /// True if the position is inside a string value.
    fn is_in_string(&self) -> bool {
        matches!(self.json.kind(self.node), JsonKind::Plain | JsonKind::Escaped) && self.key.is_none()
    }
}
