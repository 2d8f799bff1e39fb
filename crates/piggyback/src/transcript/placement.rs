//! Places of findings in a transcript: conversion to findings about a record, and human-readable
//! addresses (a JSON pointer per level and a byte range).
//!
//! Ranges are mapped through all escapes. Edits are escaped once for each string around the reply,
//! and then verified.

use std::fmt;

use super::evidence;
use super::turn::{Record, Turn};
use crate::envelope::json::{Json, JsonKind, NodeId};
use crate::envelope::pointer::innermost;
use crate::envelope::{self, Reply};
use mangle_syntax::lint::{Anchor, Edit, Finding, Fix, Related, Span};
use mangle_syntax::text::{TextRange, TextSize, size};

/// A finding about a transcript.
#[derive(Debug, Clone)]
pub struct TranscriptFinding {
    /// Record number; 0 for the file as a whole.
    pub record: u64,
    /// Offset of the record in the file, in bytes. Ranges of the finding without another anchor are
    /// relative to this offset.
    pub start: u64,
    /// The finding. Ranges are relative to the start of the record.
    pub finding: Finding,
    /// Human-readable position.
    pub address: Address,
}

impl TranscriptFinding {
    /// Creates a finding about bytes of a record. Extends its ranges to whole characters.
    #[must_use]
    pub fn new(record: &Record<'_>, finding: Finding, address: Address) -> Self {
        let finding = finding.on_characters(record.bytes);
        Self { record: record.number, start: record.start, finding, address }
    }
}

/// Address of some bytes of a record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Address {
    /// JSON pointers, outermost first: to the string of the record that holds the reply, then into
    /// the envelope.
    pub path: Vec<String>,
    /// Byte range in the value of the string that the last pointer selects, if it selects a string.
    pub inner: Option<TextRange>,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "«{}", self.path.join(" ▸ "))?;
        if let Some(inner) = self.inner {
            let separator = if self.path.is_empty() { "" } else { " ▸ " };
            write!(f, "{separator}{}..{}", u32::from(inner.start()), u32::from(inner.end()))?;
        }
        f.write_str("»")
    }
}

/// Returns the address of a range of a reply. `outer` holds the pointers to the reply itself.
pub(super) fn address(outer: &[String], reply: &Reply<'_>, range: TextRange) -> Address {
    let start: usize = range.start().into();
    let holds = |object: &&envelope::Object<'_>| object.range.start <= start && start < object.range.end;
    match reply.objects.iter().rev().find(holds) {
        Some(object) => address_in(outer, &object.json, range),
        None => Address { path: outer.to_vec(), inner: None },
    }
}

/// Like [`address`], for a range of one JSON object of the reply.
pub(super) fn address_in(outer: &[String], json: &Json<'_>, range: TextRange) -> Address {
    let (pointer, node) = innermost(json, range);
    let mut path = outer.to_vec();
    path.extend((!pointer.is_empty()).then_some(pointer));
    Address { path, inner: range_in_string_value(json, node, range) }
}

/// Converts a range of a string literal to byte offsets in the value of the string.
fn range_in_string_value(json: &Json<'_>, node: NodeId, range: TextRange) -> Option<TextRange> {
    let literal = json.range(node);
    let quote = TextSize::new(1);
    let is_string = matches!(json.kind(node), JsonKind::Plain | JsonKind::Escaped);
    if !is_string || range.start() <= literal.start() || range.end() >= literal.end() {
        return None;
    }
    if json.kind(node) == JsonKind::Plain {
        return Some(range - literal.start() - quote);
    }
    let (_, map) = json.string_with_map(node)?;
    let (start, end) = (map.to_derived(range.start())?, map.to_derived(range.end())?);
    Some(TextRange::new(start, end.max(start)))
}

/// Number of bytes around an edit that are examined to choose an escape style.
const NEIGHBOURS: usize = 256;

/// Maximum number of additional ranges of one finding. A text can be split into any number of
/// pieces.
const PLACES: usize = 10;

/// Label for the additional ranges of a finding.
const CONTINUATION_LABEL: &str = "the same text continues here";

/// Converts a finding about the text of a turn to a finding about its record.
///
/// A fix that would change the evidence becomes a suggestion. A fix that cannot be converted is
/// dropped.
pub(super) fn finding(mut finding: Finding, turn: &Turn, record: &[u8]) -> Finding {
    finding = evidence::preserve(finding, turn.text(record));
    finding.fix = finding.fix.and_then(|one| map_fix_to_record(one, turn, record));
    let related = std::mem::take(&mut finding.related);
    let mut places = turn.places(finding.range).into_iter();
    finding.range = places.next().unwrap_or_default();
    let goes_on = |place: TextRange| Related { span: Span::here(place), message: CONTINUATION_LABEL.into() };
    finding.related.extend(places.take(PLACES).map(goes_on));
    finding.related.extend(related.into_iter().map(|mut related| {
        if !matches!(related.span.anchor, Anchor::Statement(..)) {
            related.span = Span::here(turn.place(related.span.range));
        }
        related
    }));
    finding
}

/// Converts a fix of the text of a turn to a fix of its record.
///
/// Returns `None` if the fix touches several places, or if the result would not decode to the
/// intended text.
#[must_use]
pub fn map_fix_to_record(mut fix: Fix, turn: &Turn, record: &[u8]) -> Option<Fix> {
    for edit in &mut fix.edits {
        if matches!(edit.span.anchor, Anchor::Statement(..)) {
            continue;
        }
        *edit = carry(edit, turn, record)?;
    }
    Some(fix)
}

fn carry(edit: &Edit, turn: &Turn, record: &[u8]) -> Option<Edit> {
    if !turn.takes_edits {
        return None;
    }
    let range = edit.span.range;
    let place = exact(range, turn)?;
    let text = turn.text(record);
    if turn.levels == 0 {
        // Removed indentation makes the position of a multi-line edit ambiguous.
        let is_one_line = || !edit.text.contains('\n') && !part(text, range).contains(&b'\n');
        let is_as_it_is = turn.is_verbatim() || is_one_line();
        return is_as_it_is.then(|| Edit { span: Span::here(place), text: edit.text.clone() });
    }
    let style = Style::near(record, place);
    let mut written = edit.text.clone();
    for _ in 0..turn.levels {
        written = style.escape(&written);
    }
    decodes_to(turn, record, range, &edit.text, &written)
        .then(|| Edit { span: Span::here(place), text: written })
}

/// Returns the bytes that produce exactly a range of the text, or `None` if no such range exists.
fn exact(range: TextRange, turn: &Turn) -> Option<TextRange> {
    if turn.seams_in(range).next().is_some() {
        return None;
    }
    let place = turn.map.to_source(range);
    let back = |offset: TextSize| turn.map.to_derived(offset);
    let is_exact =
        range.is_empty() || (back(place.start()) == Some(range.start()) && ends(turn, place, range));
    is_exact.then_some(place)
}

/// True if a place ends where a range of the text ends. If bytes of the record are omitted between
/// two parts, the end of the first part is not the start of the second.
fn ends(turn: &Turn, place: TextRange, range: TextRange) -> bool {
    let last = TextRange::new(range.end() - TextSize::new(1), range.end());
    turn.map.to_source(last).end() == place.end()
        && turn.map.to_derived(place.end()).is_none_or(|end| end == range.end())
}

/// True if the record, with `written` in place of the range, decodes to the text with `meant` in
/// its place. Only adjacent characters can interact with the new text.
fn decodes_to(turn: &Turn, record: &[u8], range: TextRange, meant: &str, written: &str) -> bool {
    let text = turn.text(record);
    let around = around(text, range, turn);
    let place = turn.map.to_source(range);
    let all = if around.is_empty() { place } else { turn.map.to_source(around) };
    let before = part(record, TextRange::new(all.start(), place.start().max(all.start())));
    let behind = part(record, TextRange::new(place.end().min(all.end()), all.end()));
    let new = [before, written.as_bytes(), behind].concat();
    let (start, end) = (around.start().min(range.start()), around.end().max(range.end()));
    let wanted = [
        part(text, TextRange::new(start, range.start())),
        meant.as_bytes(),
        part(text, TextRange::new(range.end(), end)),
    ]
    .concat();
    decoded(&new, turn.levels).is_some_and(|found| found == wanted)
}

/// Extends a range by one character on each side, within the same piece of the text.
fn around(text: &[u8], range: TextRange, turn: &Turn) -> TextRange {
    let is_inner = |at: usize| text.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
    let (mut start, mut end): (usize, usize) = (range.start().into(), range.end().into());
    if start > 0 && !turn.seams.contains(&range.start()) {
        start -= 1;
        while start > 0 && is_inner(start) {
            start -= 1;
        }
    }
    if end < text.len() && !turn.seams.contains(&range.end()) {
        end += 1;
        while is_inner(end) {
            end += 1;
        }
    }
    TextRange::new(size(start), size(end))
}

/// Decodes the inside of a JSON string, through `levels` nested strings.
fn decoded(bytes: &[u8], levels: u8) -> Option<Vec<u8>> {
    let mut bytes = bytes.to_vec();
    for _ in 0..levels {
        let literal = [b"\"", bytes.as_slice(), b"\""].concat();
        let json = Json::parse(&literal);
        if !json.is_valid_to_the_end() {
            return None;
        }
        bytes = json.string(json.root())?.into_owned().into_bytes();
    }
    Some(bytes)
}

fn part(text: &[u8], range: TextRange) -> &[u8] {
    text.get(range.start().into()..range.end().into()).unwrap_or(&[])
}

/// Escape style of a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Style {
    /// Uses `\u0022` instead of `\"`.
    by_number: bool,
    /// Escapes non-ASCII characters.
    is_ascii: bool,
}

impl Style {
    /// Detects the style around a place.
    fn near(record: &[u8], place: TextRange) -> Self {
        let (start, end): (usize, usize) = (place.start().into(), place.end().into());
        let near =
            record.get(start.saturating_sub(NEIGHBOURS)..(end + NEIGHBOURS).min(record.len())).unwrap_or(&[]);
        let has = |bytes: &[u8]| memchr::memmem::find(near, bytes).is_some();
        let by_number = (has(b"\\u0022") || has(b"\\u005c") || has(b"\\u005C")) && !has(b"\\\"");
        let is_letter = |digits: &[u8]| !digits.starts_with(b"00") || digits.get(2) >= Some(&b'8');
        let mut escapes = memchr::memmem::find_iter(near, b"\\u");
        let is_ascii = near.is_ascii() && escapes.any(|at| near.get(at + 2..at + 6).is_some_and(is_letter));
        Self { by_number, is_ascii }
    }

    /// Returns a text as the inside of a JSON string.
    fn escape(self, text: &str) -> String {
        let mut out = String::with_capacity(text.len() + 8);
        for char in text.chars() {
            match char {
                '"' | '\\' if self.by_number => number(char, &mut out),
                '"' | '\\' => out.extend(['\\', char]),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                '\0'..' ' => number(char, &mut out),
                _ if self.is_ascii && !char.is_ascii() => number(char, &mut out),
                _ => out.push(char),
            }
        }
        out
    }
}

/// Appends `\uXXXX`, or two of them for a surrogate pair.
fn number(char: char, out: &mut String) {
    for unit in char.encode_utf16(&mut [0; 2]) {
        out.push_str(&format!("\\u{unit:04x}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::envelope::pointer::MAX_DEPTH;
    use mangle_settings::Caps;
    use mangle_syntax::text::size;

    #[track_caller]
    fn check(text: &str, part: &str, expected: &str) {
        let reply = Reply::new(text.as_bytes(), &Caps::default());
        let start = text.find(part).unwrap_or_default();
        let range = TextRange::at(size(start), size(part.len()));
        assert_eq!(address(&["/content".into()], &reply, range).to_string(), expected);
    }

    #[test]
    fn members_elements_and_bytes_of_strings() {
        let text = r#"so {"a/b": [1, {"c": "x\"yz"}], "d": 3} on"#;
        check(text, "yz", "«/content ▸ /a~1b/1/c ▸ 2..4»");
        check(text, "\"d\"", "«/content ▸ /d»");
        check(text, "[1", "«/content ▸ /a~1b»");
        check(text, "so", "«/content»");
        check(text, "{\"a", "«/content»");
    }

    #[test]
    fn deep_places_are_cut() {
        let text = "{\"a\":".repeat(50) + "1" + &"}".repeat(50);
        check(&text, "1", &format!("«/content ▸ {}/…»", "/a".repeat(MAX_DEPTH)));
    }
}
