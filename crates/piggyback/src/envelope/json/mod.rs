//! A JSON parser that keeps byte ranges and duplicate keys, and recovers from syntax errors.
//!
//! A document is a list of nodes in the order of the text. Each node stores the index after its
//! last descendant, so a value can be skipped in one step. Each violation of RFC 8259 is recorded
//! as a [`JsonProblem`], and parsing continues after it.

mod parse;
mod problem;
mod quotes;
mod strict;
mod string;
#[cfg(test)]
mod tests;
mod tokens;

pub use problem::{JsonProblem, JsonProblemKind};
pub use strict::{Flaw, value_end, whole};
pub use tokens::{is_any_space, plain_space};

use std::borrow::Cow;
use std::ops::Range;

use mangle_syntax::text::{SegmentMap, TextRange, TextSize};

/// The kind of a JSON node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JsonKind {
    /// The literal `null`.
    Null,
    /// The literal `true` or `false`.
    Bool(bool),
    /// A number, stored only as text.
    Number,
    /// A string whose value equals the text between its quotes.
    Plain,
    /// A string with escapes or with bytes that JSON does not allow.
    Escaped,
    /// An array. The elements are the children of the node.
    Array,
    /// An object. Keys and values alternate as children of the node.
    Object,
    /// A missing or invalid value or key.
    Broken,
}

/// The identifier of a value or key in its [`Json`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u32);

#[derive(Debug, Clone, Copy)]
struct Node {
    kind: JsonKind,
    /// For an object, the union of the bits of its keys ([`key_bits`]).
    keys: u16,
    start: u32,
    end: u32,
    /// The index after this node and its descendants.
    next: u32,
}

/// A parsed JSON value with all nested values.
#[derive(Debug, Clone)]
pub struct Json<'t> {
    text: &'t [u8],
    nodes: Vec<Node>,
    /// Offsets of the backslashes of escapes, in the order of the text.
    escapes: Vec<u32>,
    /// All syntax errors, in the order of the text.
    pub problems: Vec<JsonProblem>,
    /// True if the roles of all quotes are unambiguous.
    pub is_certain: bool,
    /// The end offset of the value.
    end: u32,
    /// The end offset of the parsed part.
    limit: u32,
    /// The start offset and text of the parsed part, if it is UTF-8.
    utf8: Option<(usize, &'t str)>,
}

/// A string literal with its quotes.
#[derive(Debug, Clone, Copy)]
struct Literal<'j, 't> {
    bytes: LiteralBytes<'t>,
    /// The offset of the literal in the text.
    start: u32,
    /// Offsets in the text of the backslashes of its escapes.
    escapes: &'j [u32],
}

#[derive(Debug, Clone, Copy)]
enum LiteralBytes<'t> {
    Text(&'t str),
    Bytes(&'t [u8]),
}

/// A member of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// The key, or a [`JsonKind::Broken`] node if the key is missing.
    pub key: NodeId,
    /// The value after the colon.
    pub value: NodeId,
}

impl<'t> Json<'t> {
    /// Parses the first value of `text` and ignores the text after it. Leading white space is
    /// skipped.
    ///
    /// Text after the first 4 GiB is ignored.
    #[must_use]
    pub fn parse(text: &'t [u8]) -> Self {
        parse::parse(text, 0..text.len())
    }

    /// Parses a value in a part of `text`. Text after the part is ignored. Ranges are relative to
    /// the start of `text`.
    #[must_use]
    pub fn parse_part(text: &'t [u8], part: Range<usize>) -> Self {
        parse::parse(text, part)
    }

    /// Parses a value like [`Json::parse_part`], with recovery from wrong quotes.
    ///
    /// The text after a quote determines its role if quotes are unescaped, missing or typographic.
    /// Damaged text takes several passes.
    #[must_use]
    pub fn parse_damaged(text: &'t [u8], part: Range<usize>) -> Self {
        parse::parse_damaged(text, part)
    }

    /// True if the parsed part is one valid RFC 8259 value with optional white space.
    #[must_use]
    pub fn is_valid_to_the_end(&self) -> bool {
        let rest = self.text.get(self.end as usize..self.limit as usize).unwrap_or(&[]);
        self.problems.is_empty() && rest.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
    }

    /// True if the value and all nested values are closed.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        !self.problems.iter().any(|problem| problem.kind == JsonProblemKind::Unclosed)
    }

    /// Returns the string or key that contains an offset.
    #[must_use]
    pub fn string_around(&self, offset: TextSize) -> Option<NodeId> {
        let offset = u32::from(offset);
        let before = self.nodes.partition_point(|node| node.start <= offset).checked_sub(1)?;
        let node = self.nodes.get(before).filter(|node| node.end > offset)?;
        let is_string = matches!(node.kind, JsonKind::Plain | JsonKind::Escaped);
        is_string.then(|| NodeId(u32::try_from(before).unwrap_or(u32::MAX)))
    }

    /// The source text. All ranges are relative to its start.
    #[must_use]
    pub fn text(&self) -> &'t [u8] {
        self.text
    }

    /// The outermost value.
    #[must_use]
    pub fn root(&self) -> NodeId {
        NodeId(0)
    }

    /// The end offset of the value.
    #[must_use]
    pub fn end(&self) -> TextSize {
        TextSize::new(self.end)
    }

    /// All keys and values, in the order of the text.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0u32..).take(self.nodes.len()).map(NodeId)
    }

    /// All descendants of a node, in the order of the text.
    pub fn nodes_in(&self, node: NodeId) -> impl Iterator<Item = NodeId> + use<> {
        (node.0 + 1..self.node(node).next).map(NodeId)
    }

    /// True if the parsed part is UTF-8.
    #[must_use]
    pub fn is_text(&self) -> bool {
        self.utf8.is_some()
    }

    /// The kind of a node.
    #[must_use]
    pub fn kind(&self, node: NodeId) -> JsonKind {
        self.node(node).kind
    }

    /// The byte range of a node, including its quotes or brackets.
    #[must_use]
    pub fn range(&self, node: NodeId) -> TextRange {
        let Node { start, end, .. } = self.node(node);
        TextRange::new(start.into(), end.max(start).into())
    }

    /// The source bytes of a node.
    #[must_use]
    pub fn raw(&self, node: NodeId) -> &'t [u8] {
        let Node { start, end, .. } = self.node(node);
        self.text.get(start as usize..end as usize).unwrap_or(&[])
    }

    /// Elements of an array. Empty for other nodes.
    pub fn elements(&self, node: NodeId) -> impl Iterator<Item = NodeId> + use<'_, 't> {
        let is_array = self.kind(node) == JsonKind::Array;
        self.inside(node).filter(move |_| is_array)
    }

    /// Members of an object in source order, including duplicate keys. Empty for other nodes.
    pub fn members(&self, node: NodeId) -> impl Iterator<Item = Member> + use<'_, 't> {
        let is_object = self.kind(node) == JsonKind::Object;
        let mut inside = self.inside(node).filter(move |_| is_object);
        std::iter::from_fn(move || Some(Member { key: inside.next()?, value: inside.next()? }))
    }

    /// True if an object may have a key. Takes constant time. Objects with escaped keys may return
    /// false positives.
    #[must_use]
    pub fn may_have(&self, object: NodeId, key: &str) -> bool {
        self.node(object).keys & length_bit(key.as_bytes()) != 0
    }

    /// True if an object may have a key with a dot. Takes constant time. Objects with escaped keys
    /// may return false positives.
    #[must_use]
    pub fn may_have_dotted_key(&self, object: NodeId) -> bool {
        self.node(object).keys & DOTTED != 0
    }

    /// Returns the decoded value of a string or key, or `None` for other nodes.
    ///
    /// Each invalid byte and each unpaired surrogate becomes U+FFFD.
    #[must_use]
    pub fn string(&self, node: NodeId) -> Option<Cow<'t, str>> {
        match (self.kind(node), self.source_bytes(node)) {
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

    /// Returns the text of a key, which may be unquoted.
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

    /// Appends the value of a string or key to `out`. Returns false for other nodes.
    pub fn push_string(&self, node: NodeId, out: &mut String) -> bool {
        match (self.kind(node), self.source_bytes(node)) {
            (JsonKind::Plain, LiteralBytes::Text(text)) => {
                out.push_str(text.get(1..text.len().saturating_sub(1)).unwrap_or(""));
            }
            (JsonKind::Plain | JsonKind::Escaped, _) => string::push_value(self.literal(node), out),
            _ => return false,
        }
        true
    }

    /// True if a node is a string that is not blank.
    #[must_use]
    pub fn has_text(&self, node: NodeId) -> bool {
        let inner = self.raw(node).get(1..).unwrap_or(&[]).trim_ascii_start();
        match (self.kind(node), inner.first()) {
            // Fast path for the most common case.
            (JsonKind::Plain | JsonKind::Escaped, Some(first)) if first.is_ascii_alphanumeric() => true,
            _ => self.string(node).is_some_and(|text| !text.trim().is_empty()),
        }
    }

    /// True if a node is an empty string.
    #[must_use]
    pub fn is_empty_string(&self, node: NodeId) -> bool {
        self.kind(node) == JsonKind::Plain && self.raw(node).len() == 2
    }

    /// Returns the value of a string and a map from its bytes to the source.
    #[must_use]
    pub fn string_with_map(&self, node: NodeId) -> Option<(String, SegmentMap)> {
        let (value, map) = self.bytes_with_map(node)?;
        // All pieces are valid UTF-8.
        Some((String::from_utf8(value).unwrap_or_default(), map))
    }

    /// Returns the result of [`Json::string_with_map`] as bytes, which are valid UTF-8.
    #[must_use]
    pub fn bytes_with_map(&self, node: NodeId) -> Option<(Vec<u8>, SegmentMap)> {
        matches!(self.kind(node), JsonKind::Plain | JsonKind::Escaped)
            .then(|| string::value_with_map(self.literal(node)))
    }

    fn literal(&self, node: NodeId) -> Literal<'_, 't> {
        let Node { start, end, .. } = self.node(node);
        let before = |place: u32| self.escapes.partition_point(|escape| *escape < place);
        let escapes = self.escapes.get(before(start)..before(end)).unwrap_or(&[]);
        Literal { bytes: self.source_bytes(node), start, escapes }
    }

    /// Returns the source of a node, as text if the parsed part is UTF-8.
    fn source_bytes(&self, node: NodeId) -> LiteralBytes<'t> {
        let Node { start, end, .. } = self.node(node);
        let as_text = |(from, text): (usize, &'t str)| {
            text.get((start as usize).checked_sub(from)?..(end as usize).checked_sub(from)?)
        };
        self.utf8.and_then(as_text).map_or_else(|| LiteralBytes::Bytes(self.raw(node)), LiteralBytes::Text)
    }

    /// Returns the direct children of a node.
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

/// The bit of keys with a dot.
const DOTTED: u16 = 1 << 15;

/// Returns the bits of a key: [`length_bit`], and [`DOTTED`] if it has a dot.
fn key_bits(key: &[u8]) -> u16 {
    length_bit(key) | if key.contains(&b'.') { DOTTED } else { 0 }
}

/// Returns one of 15 bits that depends on the length and first byte of a key.
fn length_bit(key: &[u8]) -> u16 {
    let first = key.first().copied().unwrap_or(0);
    1 << ((usize::from(first) ^ (key.len() * 5)) % 15)
}

/// Returns the length in bytes of the quote at the start of a text. Accepts JSON quotes and
/// typographic quotes.
#[must_use]
pub fn quote_len(text: &[u8]) -> Option<usize> {
    quotes::quote_at(text).map(|(_, len)| len)
}

impl Json<'_> {
    /// True if both values have the same strings, numbers and words in the same arrays and objects.
    ///
    /// Spelling may differ: an unquoted word equals a string with the same text, and numbers are
    /// compared by value.
    #[must_use]
    pub fn has_content_of(&self, other: &Json<'_>) -> bool {
        self.nodes.len() == other.nodes.len()
            && self.nodes().zip(other.nodes()).all(|(one, another)| {
                self.node(one).next == other.node(another).next && self.is_same(one, other, another)
            })
    }

    /// True if two nodes have the same content, without their children.
    fn is_same(&self, one: NodeId, other: &Json<'_>, another: NodeId) -> bool {
        match (self.kind(one), other.kind(another)) {
            (JsonKind::Plain | JsonKind::Escaped, JsonKind::Plain | JsonKind::Escaped) => {
                // An apostrophe may have a backslash, which JSON does not allow.
                let plain = |json: &Json<'_>, node| json.string(node).map(|text| text.replace('\\', ""));
                plain(self, one) == plain(other, another)
            }
            (JsonKind::Broken, JsonKind::Plain | JsonKind::Escaped) => {
                other.string(another).is_some_and(|text| text.as_bytes() == self.raw(one))
            }
            (JsonKind::Broken, JsonKind::Number) => is_same_number(self.raw(one), other.raw(another)),
            (JsonKind::Broken, JsonKind::Null) => !self.raw(one).is_empty(),
            (JsonKind::Broken, JsonKind::Bool(value)) => {
                self.raw(one).eq_ignore_ascii_case(value.to_string().as_bytes())
            }
            (JsonKind::Broken | JsonKind::Number, JsonKind::Broken | JsonKind::Number) => {
                self.raw(one) == other.raw(another)
            }
            (kind, found) => kind == found,
        }
    }
}

/// True if two numbers have the same value.
fn is_same_number(one: &[u8], other: &[u8]) -> bool {
    let value = |text: &[u8]| std::str::from_utf8(text).ok()?.parse::<f64>().ok();
    value(one).is_some_and(|one| Some(one) == value(other))
}
