//! JSON with all byte ranges, keys that come twice, and as much as can be read of what is damaged.
//!
//! A document is a list of nodes in the order of the text; each knows where those inside it end, so a value is passed
//! over in one step. What the grammar of RFC 8259 does not allow is a [`JsonProblem`], and reading goes on behind it.

mod content;
mod parse;
mod problem_text;
mod quotes;
mod scan;
mod space;
mod strict;
mod string;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::Range;

pub use parse::{JsonProblem, JsonProblemKind};
pub use space::{is_any_space, plain_space};

/// The length of the quote at the start of a text, of JSON or of a word processor.
#[must_use]
pub fn quote_len(text: &[u8]) -> Option<usize> {
    quotes::quote_at(text).map(|(_, len)| len)
}
pub use strict::{Flaw, value_end, whole};

use mangle_syntax::text::{SegmentMap, TextRange, TextSize};

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JsonKind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, whose digits are in the text.
    Number,
    /// A string that is its own value, quotes apart
    Plain,
    /// A string with escapes, or with bytes that do not belong into one
    Escaped,
    /// An array; its elements are the children of the node.
    Array,
    /// An object: keys and values by turns
    Object,
    /// Something else where a value or a key belongs, or nothing at all
    Broken,
}

/// A value or a key: its place in the [`Json`] that it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u32);

#[derive(Debug, Clone, Copy)]
struct Node {
    kind: JsonKind,
    /// Of an object the bits of its keys ([`key_bit`]).
    keys: u16,
    start: u32,
    end: u32,
    /// The node behind this one and all that are inside it.
    next: u32,
}

/// A value with all that is inside it.
#[derive(Debug, Clone)]
pub struct Json<'t> {
    text: &'t [u8],
    nodes: Vec<Node>,
    /// Where the backslashes of escapes are, in the order of the text.
    escapes: Vec<u32>,
    /// What is wrong, in the order of the text.
    pub problems: Vec<JsonProblem>,
    /// True if there is one way only to tell which quotes begin and end strings.
    pub is_certain: bool,
    /// Where the value ends.
    end: u32,
    /// Where the part that was read ends.
    limit: u32,
    /// The part as text, if it is UTF-8, and where it begins.
    utf8: Option<(usize, &'t str)>,
}

/// A string literal, quotes included.
#[derive(Debug, Clone, Copy)]
struct Literal<'j, 't> {
    bytes: LiteralBytes<'t>,
    /// Where it begins in its text.
    start: u32,
    /// Where the backslashes of its escapes are in its text.
    escapes: &'j [u32],
}

/// The bytes of a literal.
#[derive(Debug, Clone, Copy)]
enum LiteralBytes<'t> {
    /// UTF-8
    Text(&'t str),
    /// Anything
    Bytes(&'t [u8]),
}

/// A member of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// Its key; [`JsonKind::Broken`] where there is none.
    pub key: NodeId,
    /// The value after the colon.
    pub value: NodeId,
}

impl<'t> Json<'t> {
    /// Reads the value that begins at the first byte of `text` that is not white space, and looks at nothing behind
    /// it. At most 4 GiB are read.
    #[must_use]
    pub fn parse(text: &'t [u8]) -> Self {
        parse::parse(text, 0..text.len())
    }

    /// Reads the value that begins in a part of `text`, as if nothing stood behind the part. Ranges count from the
    /// start of `text`.
    #[must_use]
    pub fn parse_part(text: &'t [u8], part: Range<usize>) -> Self {
        parse::parse(text, part)
    }

    /// [`Json::parse_part`] of a text that may be damaged: quotes without a backslash inside strings, quotes that are
    /// missing, and quotes of word processors are recognized by the text behind them. Takes several passes if it is.
    #[must_use]
    pub fn parse_damaged(text: &'t [u8], part: Range<usize>) -> Self {
        parse::parse_damaged(text, part)
    }

    /// Whether the part that was read is one value that RFC 8259 allows, and white space.
    #[must_use]
    pub fn is_valid_to_the_end(&self) -> bool {
        let rest = self.text.get(self.end as usize..self.limit as usize).unwrap_or(&[]);
        self.problems.is_empty() && rest.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
    }

    /// True if the value and all that is inside it ends before the text does.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        !self.problems.iter().any(|problem| problem.kind == JsonProblemKind::Unclosed)
    }

    /// The string or key around a place.
    #[must_use]
    pub fn string_around(&self, offset: TextSize) -> Option<NodeId> {
        let offset = u32::from(offset);
        let before = self.nodes.partition_point(|node| node.start <= offset).checked_sub(1)?;
        let node = self.nodes.get(before).filter(|node| node.end > offset)?;
        let is_string = matches!(node.kind, JsonKind::Plain | JsonKind::Escaped);
        is_string.then(|| NodeId(u32::try_from(before).unwrap_or(u32::MAX)))
    }

    /// The text that all ranges count from.
    #[must_use]
    pub fn text(&self) -> &'t [u8] {
        self.text
    }

    /// The value itself.
    #[must_use]
    pub fn root(&self) -> NodeId {
        NodeId(0)
    }

    /// Where the value ends.
    #[must_use]
    pub fn end(&self) -> TextSize {
        TextSize::new(self.end)
    }

    /// All keys and values, in the order of the text.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0u32..).take(self.nodes.len()).map(NodeId)
    }

    /// All keys and values inside a node, in the order of the text.
    pub fn nodes_in(&self, node: NodeId) -> impl Iterator<Item = NodeId> + use<> {
        (node.0 + 1..self.node(node).next).map(NodeId)
    }

    /// Whether all that was read is UTF-8.
    #[must_use]
    pub fn is_text(&self) -> bool {
        self.utf8.is_some()
    }

    /// What a node is.
    #[must_use]
    pub fn kind(&self, node: NodeId) -> JsonKind {
        self.node(node).kind
    }

    /// The bytes of a node, quotes and brackets included.
    #[must_use]
    pub fn range(&self, node: NodeId) -> TextRange {
        let Node { start, end, .. } = self.node(node);
        TextRange::new(start.into(), end.max(start).into())
    }

    /// The bytes of a node as they are written.
    #[must_use]
    pub fn raw(&self, node: NodeId) -> &'t [u8] {
        let Node { start, end, .. } = self.node(node);
        self.text.get(start as usize..end as usize).unwrap_or(&[])
    }

    /// The elements of an array; of anything else none.
    pub fn elements(&self, node: NodeId) -> impl Iterator<Item = NodeId> + use<'_, 't> {
        let is_array = self.kind(node) == JsonKind::Array;
        self.inside(node).filter(move |_| is_array)
    }

    /// The members of an object in their order, those that come twice included; of anything else none.
    pub fn members(&self, node: NodeId) -> impl Iterator<Item = Member> + use<'_, 't> {
        let is_object = self.kind(node) == JsonKind::Object;
        let mut inside = self.inside(node).filter(move |_| is_object);
        std::iter::from_fn(move || Some(Member { key: inside.next()?, value: inside.next()? }))
    }

    /// Whether an object may have a key: told by a look at one number. Keys with escapes may be any.
    #[must_use]
    pub fn may_have(&self, object: NodeId, key: &str) -> bool {
        self.node(object).keys & key_bit(key.as_bytes()) != 0
    }

    /// The value of a string or a key; a byte that is no part of a character, and a surrogate without its other half,
    /// are U+FFFD each. `None` for anything else.
    #[must_use]
    pub fn string(&self, node: NodeId) -> Option<Cow<'t, str>> {
        match (self.kind(node), self.written(node)) {
            (JsonKind::Plain, LiteralBytes::Text(text)) => {
                Some(text.get(1..text.len().saturating_sub(1)).unwrap_or("").into())
            }
            (JsonKind::Plain, LiteralBytes::Bytes(raw)) => {
                Some(String::from_utf8_lossy(raw.get(1..raw.len().saturating_sub(1)).unwrap_or(&[])))
            }
            (JsonKind::Escaped, _) => Some(string::value(self.literal(node)).into()),
            _ => None,
        }
    }

    /// The text of a key, also of one without quotes.
    #[must_use]
    pub fn key_text(&self, key: NodeId) -> Option<Cow<'t, str>> {
        match self.kind(key) {
            JsonKind::Broken => {
                let word = std::str::from_utf8(self.raw(key)).ok()?;
                (!word.is_empty()).then_some(word.into())
            }
            _ => self.string(key),
        }
    }

    /// Writes the value of a string or a key behind what is there; false for anything else.
    pub fn push_string(&self, node: NodeId, out: &mut String) -> bool {
        match (self.kind(node), self.written(node)) {
            (JsonKind::Plain, LiteralBytes::Text(text)) => {
                out.push_str(text.get(1..text.len().saturating_sub(1)).unwrap_or(""));
            }
            (JsonKind::Plain | JsonKind::Escaped, _) => string::push_value(self.literal(node), out),
            _ => return false,
        }
        true
    }

    /// Whether a node is a string with more than white space in it.
    #[must_use]
    pub fn says(&self, node: NodeId) -> bool {
        let inner = self.raw(node).get(1..).unwrap_or(&[]).trim_ascii_start();
        match (self.kind(node), inner.first()) {
            // So it is nearly always, and the rest of it does not matter.
            (JsonKind::Plain | JsonKind::Escaped, Some(first)) if first.is_ascii_alphanumeric() => true,
            _ => self.string(node).is_some_and(|text| !text.trim().is_empty()),
        }
    }

    /// Whether a node is the empty string.
    #[must_use]
    pub fn is_empty_string(&self, node: NodeId) -> bool {
        self.kind(node) == JsonKind::Plain && self.raw(node).len() == 2
    }

    /// The value of a string, and where each of its bytes comes from.
    #[must_use]
    pub fn string_with_map(&self, node: NodeId) -> Option<(String, SegmentMap)> {
        let (value, map) = self.bytes_with_map(node)?;
        // Pieces of text and whole characters are text.
        Some((String::from_utf8(value).unwrap_or_default(), map))
    }

    /// [`Json::string_with_map`], as bytes: they are UTF-8.
    #[must_use]
    pub fn bytes_with_map(&self, node: NodeId) -> Option<(Vec<u8>, SegmentMap)> {
        matches!(self.kind(node), JsonKind::Plain | JsonKind::Escaped)
            .then(|| string::value_with_map(self.literal(node)))
    }

    /// A string as it is written.
    fn literal(&self, node: NodeId) -> Literal<'_, 't> {
        let Node { start, end, .. } = self.node(node);
        let before = |place: u32| self.escapes.partition_point(|escape| *escape < place);
        let escapes = self.escapes.get(before(start)..before(end)).unwrap_or(&[]);
        Literal { bytes: self.written(node), start, escapes }
    }

    /// The bytes of a node, as text if all is.
    fn written(&self, node: NodeId) -> LiteralBytes<'t> {
        let Node { start, end, .. } = self.node(node);
        let as_text = |(from, text): (usize, &'t str)| {
            text.get((start as usize).checked_sub(from)?..(end as usize).checked_sub(from)?)
        };
        self.utf8.and_then(as_text).map_or_else(|| LiteralBytes::Bytes(self.raw(node)), LiteralBytes::Text)
    }

    /// The nodes directly inside one.
    fn inside(&self, node: NodeId) -> impl Iterator<Item = NodeId> + use<'_, 't> {
        let end = self.node(node).next;
        let mut at = node.0 + 1;
        std::iter::from_fn(move || {
            let found = (at < end).then_some(NodeId(at))?;
            at = self.node(found).next.max(at + 1);
            Some(found)
        })
    }

    fn node(&self, node: NodeId) -> Node {
        let nothing =
            Node { kind: JsonKind::Broken, keys: 0, start: self.end, end: self.end, next: node.0 + 1 };
        self.nodes.get(node.0 as usize).copied().unwrap_or(nothing)
    }
}

/// One of sixteen bits, by the length of a key and its first letter.
fn key_bit(key: &[u8]) -> u16 {
    let first = key.first().copied().unwrap_or(0);
    1 << ((usize::from(first) ^ (key.len() * 5)) % 16)
}
