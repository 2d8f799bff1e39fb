//! The turns of an entry.

use std::borrow::Cow;
use std::ops::Range;

use super::border::{Borders, EntryForm, Line};
use super::envelope::{self, EnvelopePlace};
use super::prefix::Prefix;
use super::speaker;
use crate::envelope::json::Json;
use crate::transcript::turn::{Record, TextKind, Turn, TurnRole};
use mangle_syntax::text::{SegmentMap, SegmentMapBuilder, TextRange, size};

/// The text of an entry: its lines without what stands before them.
#[derive(Debug)]
pub(in crate::transcript) struct Text<'r> {
    record: &'r [u8],
    bytes: Cow<'r, [u8]>,
    /// Where its bytes are in the record.
    pieces: Vec<Range<usize>>,
    prefix: Option<Prefix>,
}

impl<'r> Text<'r> {
    /// The text of a record.
    fn of(record: &'r [u8], form: &EntryForm) -> Self {
        let (mut borders, mut at, mut prefix) = (Borders::default(), 0, None);
        let mut pieces: Vec<Range<usize>> = Vec::new();
        for line in record.split_inclusive(|byte| *byte == b'\n') {
            let start = at;
            at += line.len();
            let from = match borders.line(line, form) {
                Line::Begins(found) => {
                    prefix = prefix.or(found);
                    found.map_or(0, |found| found.end.min(line.trim_ascii_end().len()))
                }
                Line::Continues(from) => from,
            };
            match pieces.last_mut().filter(|last| last.end == start && from == 0) {
                Some(last) => last.end = at,
                None => pieces.push(start + from..at),
            }
        }
        let bytes = match pieces.as_slice() {
            [one] => Cow::Borrowed(record.get(one.clone()).unwrap_or(&[])),
            several => {
                several.iter().flat_map(|piece| record.get(piece.clone()).unwrap_or(&[])).copied().collect()
            }
        };
        Self { record, bytes, pieces, prefix }
    }

    /// What stands before a place of the text in the record, up to a line with a prefix of its own.
    fn before(&self, at: usize) -> &[u8] {
        let first = self.pieces.first().map_or(0, |piece| (piece.start + at).min(piece.end));
        self.record.get(..first).unwrap_or(&[])
    }

    /// The places in the record of a part of the text.
    fn places(&self, part: Range<usize>) -> Vec<TextRange> {
        let mut at = 0;
        let mut places = Vec::new();
        for piece in &self.pieces {
            let (from, to) = (part.start.max(at), part.end.min(at + piece.len()));
            if from < to {
                places.push(TextRange::at(size(piece.start + from - at), size(to - from)));
            }
            at += piece.len();
        }
        places
    }

    /// A turn with a part of the text.
    fn turn(&self, role: TurnRole, kind: TextKind, part: Range<usize>) -> Turn {
        match self.places(part.clone()).as_slice() {
            [one] => Turn::part(role, kind, *one),
            several => {
                let bytes = self.bytes.get(part).unwrap_or(&[]).to_vec();
                Turn::made(role, kind, bytes, map(several))
            }
        }
    }

    /// A turn with the value of a string of the text.
    fn quoted(&self, role: TurnRole, kind: TextKind, quote: usize) -> Option<Turn> {
        let json = Json::parse_part(&self.bytes, quote..self.bytes.len());
        let (value, inner) = json.string_with_map(json.root())?;
        let brace = value.find('{')?;
        // Words before the envelope are of the program.
        let mut rest = SegmentMapBuilder::default();
        rest.copy(TextRange::new(size(brace), size(value.len())));
        let whole = map(&self.places(0..self.bytes.len()));
        let made = rest.finish().within(&inner).within(&whole);
        let text = value.as_bytes().get(brace..)?.to_vec();
        let mut turn = Turn::made(role, kind, text, made);
        turn.levels = 1;
        Some(turn)
    }
}

fn map(places: &[TextRange]) -> SegmentMap {
    let mut map = SegmentMapBuilder::default();
    places.iter().for_each(|place| map.copy(*place));
    map.finish()
}

/// Reads an entry: its reply, or what the model was given. What is of the program alone is nothing.
pub(in crate::transcript) fn read(record: &Record<'_>, form: &EntryForm) -> Option<Turn> {
    let text = Text::of(record.bytes, form);
    let bytes: &[u8] = &text.bytes;
    let start = bytes.len() - bytes.trim_ascii_start().len();
    let end = bytes.trim_ascii_end().len().max(start);
    let said = text.prefix.and_then(|prefix| Some((prefix.role?, prefix.is_certain)));
    let found = envelope::find(bytes);
    let Some((role, is_certain)) = said else {
        return of_place(&text, found?, None);
    };
    let is_model = role == TurnRole::Assistant;
    match found {
        Some(EnvelopePlace::Quoted(quote)) => text.quoted(role, kind(role), quote),
        // A program may call itself so.
        Some(place) if is_model && !is_certain => of_place(&text, place, Some(role)),
        None if is_model && !is_certain && !envelope::is_cut(bytes.get(start..end)?) => None,
        None if role == TurnRole::System || role == TurnRole::Tool && !is_certain => None,
        _ => (start < end).then(|| text.turn(role, kind(role), start..end)),
    }
}

/// A turn of which nothing but its envelope says that it is one.
fn of_place(text: &Text<'_>, place: EnvelopePlace, role: Option<TurnRole>) -> Option<Turn> {
    let start = match &place {
        EnvelopePlace::Bare(range) => range.start,
        EnvelopePlace::Quoted(quote) => *quote,
    };
    let role = role.unwrap_or_else(|| speaker::of_words(text.before(start)));
    match place {
        EnvelopePlace::Bare(range) => Some(text.turn(role, kind(role), range)),
        EnvelopePlace::Quoted(quote) => text.quoted(role, kind(role), quote),
    }
}

fn kind(role: TurnRole) -> TextKind {
    if role == TurnRole::Assistant { TextKind::Reply } else { TextKind::Prompt }
}
