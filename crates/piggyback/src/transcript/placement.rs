//! What was found in a reply, as it is in its record: ranges through all escapes, edits escaped once more for each
//! string around the reply, and proven to say what was meant.

use super::evidence;
use super::turn::Turn;
use crate::envelope::json::Json;
use mangle_syntax::lint::{Anchor, Edit, Finding, Fix, Related, Span};
use mangle_syntax::text::{TextRange, TextSize, size};

/// How many bytes around an edit tell how its neighbours are escaped.
const NEIGHBOURS: usize = 256;

/// How many of the places of a finding are shown; a text may come in any number of pieces.
const PLACES: usize = 10;

/// What stands in the place of a finding that has several.
const GOES_ON: &str = "the same text continues here";

/// A finding about the text of a turn as one about its record. A fix that would change the evidence becomes a suggestion;
/// one that cannot be carried over is left out.
pub(super) fn finding(mut finding: Finding, turn: &Turn, record: &[u8]) -> Finding {
    finding = evidence::preserve(finding, turn.text(record));
    finding.fix = finding.fix.and_then(|one| fix(one, turn, record));
    let related = std::mem::take(&mut finding.related);
    let mut places = turn.places(finding.range).into_iter();
    finding.range = places.next().unwrap_or_default();
    let goes_on = |place: TextRange| Related { span: Span::here(place), message: GOES_ON.into() };
    finding.related.extend(places.take(PLACES).map(goes_on));
    finding.related.extend(related.into_iter().map(|mut related| {
        if !matches!(related.span.anchor, Anchor::Statement(..)) {
            related.span = Span::here(turn.place(related.span.range));
        }
        related
    }));
    finding
}

/// A fix of the text of a turn as one of its record; `None` where it would touch several places, or where what it
/// leaves would not be read as it was meant.
#[must_use]
pub fn fix(mut fix: Fix, turn: &Turn, record: &[u8]) -> Option<Fix> {
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
        // Lines that were moved to the left cannot be told from those that were not.
        let is_one_line = || !edit.text.contains('\n') && !part(text, range).contains(&b'\n');
        let is_as_it_is = turn.is_as_it_is() || is_one_line();
        return is_as_it_is.then(|| Edit { span: Span::here(place), text: edit.text.clone() });
    }
    let style = Style::near(record, place);
    let mut written = edit.text.clone();
    for _ in 0..turn.levels {
        written = style.escape(&written);
    }
    says(turn, record, range, &edit.text, &written).then(|| Edit { span: Span::here(place), text: written })
}

/// The bytes that make up a range of the text, and nothing but it; `None` where there are no such.
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

/// Whether a place ends where a range of the text does. Where bytes of the record are left out between two parts of
/// the text, the end of the first is not the start of the second.
fn ends(turn: &Turn, place: TextRange, range: TextRange) -> bool {
    let last = TextRange::new(range.end() - TextSize::new(1), range.end());
    turn.map.to_source(last).end() == place.end()
        && turn.map.to_derived(place.end()).is_none_or(|end| end == range.end())
}

/// Whether the record with `written` in the place of a range of the text is read as the text with `meant` there. Only
/// the characters beside the range can get mixed up with what is new.
fn says(turn: &Turn, record: &[u8], range: TextRange, meant: &str, written: &str) -> bool {
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

/// A range with the characters beside it, as far as they are of the same piece of the text.
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

/// What the inside of a JSON string says, through several strings.
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

/// How a string writes what it has to escape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Style {
    /// `\u0022`, not `\"`.
    by_number: bool,
    /// Letters beyond ASCII, too.
    is_ascii: bool,
}

impl Style {
    /// The style of what is near a place.
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

    /// A text as the inside of a JSON string.
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

/// `\uXXXX`, twice where it takes two.
fn number(char: char, out: &mut String) {
    for unit in char.encode_utf16(&mut [0; 2]) {
        out.push_str(&format!("\\u{unit:04x}"));
    }
}
