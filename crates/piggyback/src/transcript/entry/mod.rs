//! Entries of console logs: their boundaries, prefixes, speakers and envelopes.
//!
//! An entry begins with a line that has a prefix: a timestamp, a level, a container name, or a
//! speaker. A line with an envelope begins an entry only if the previous envelope is damaged,
//! because a reply can contain several envelopes.

mod border;
mod envelope;
mod literal;
mod prefix;
mod prefix_parts;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::Range;

use super::shapes::{self, Draft, native_calls};
use super::turn::{NonReplyPlace, Record, Skip, TextKind, Turn, TurnRole, without_line_end};
use super::words::{has_control_key, is_envelope, step};
use crate::envelope::json::{self, Json, JsonKind as Node};
use border::{Line, Wrapper};
use envelope::EnvelopePlace;
use mangle_syntax::text::{SegmentMap, SegmentMapBuilder, TextRange, size};

pub(super) use border::{Borders, EntryForm, parts};
pub(super) use envelope::{Nesting, begins_envelope, holds_envelope};
pub(super) use prefix::Prefix;

/// Text of an entry: its lines without their prefixes.
#[derive(Debug)]
pub(super) struct Text<'r> {
    record: &'r [u8],
    bytes: Cow<'r, [u8]>,
    /// Ranges of the text's bytes in the record.
    pieces: Vec<Range<usize>>,
    prefix: Option<Prefix>,
    /// The turn that contains the text, if the text is assembled from strings of the record.
    outer: Option<&'r Turn>,
}

impl<'r> Text<'r> {
    /// Extracts the text of a record.
    fn from_record(record: &'r [u8], form: &EntryForm) -> Self {
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
            // The line end after a partial line comes from the container runtime.
            let end = match borders.is_partial() {
                true => start + without_line_end(line).len(),
                false => at,
            };
            match pieces.last_mut().filter(|last| last.end == start && from == 0) {
                Some(last) => last.end = end,
                None => pieces.push(start + from..end.max(start + from)),
            }
        }
        let bytes = match pieces.as_slice() {
            [one] => Cow::Borrowed(record.get(one.clone()).unwrap_or(&[])),
            several => {
                several.iter().flat_map(|piece| record.get(piece.clone()).unwrap_or(&[])).copied().collect()
            }
        };
        Self { record, bytes, pieces, prefix, outer: None }
    }

    /// Extracts an assembled text. `outer` is the turn that contains the text.
    fn inside(text: &'r [u8], outer: &'r Turn, form: &EntryForm) -> Self {
        Self { outer: Some(outer), ..Self::from_record(text, form) }
    }

    /// Returns the map from the text to the record.
    fn map(&self) -> SegmentMap {
        let own = map(&self.places(0..self.bytes.len()));
        match self.outer {
            Some(outer) => own.within(&outer.map),
            None => own,
        }
    }

    /// Creates a turn from bytes that are derived from the text. `inner` maps these bytes to the
    /// text.
    fn made(&self, role: TurnRole, kind: TextKind, bytes: Vec<u8>, inner: &SegmentMap) -> Turn {
        let mut turn = Turn::from_decoded(role, kind, bytes, inner.within(&self.map()));
        if let Some(outer) = self.outer {
            (turn.levels, turn.path, turn.takes_edits) = (outer.levels, outer.path.clone(), false);
        }
        turn
    }

    /// Returns the record up to an offset of the text's first piece.
    fn before(&self, at: usize) -> &[u8] {
        let first = self.pieces.first().map_or(0, |piece| (piece.start + at).min(piece.end));
        self.record.get(..first).unwrap_or(&[])
    }

    /// Returns the ranges of the record for a range of the text.
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

    /// Creates a turn from a range of the text.
    fn turn(&self, role: TurnRole, kind: TextKind, part: Range<usize>) -> Turn {
        if self.outer.is_some() {
            return self.lines(role, kind, &[part]);
        }
        match self.places(part.clone()).as_slice() {
            [one] => Turn::part(role, kind, *one),
            several => {
                let bytes = self.bytes.get(part).unwrap_or(&[]).to_vec();
                Turn::from_decoded(role, kind, bytes, map(several))
            }
        }
    }

    /// Creates a turn from several ranges of the text.
    fn lines(&self, role: TurnRole, kind: TextKind, parts: &[Range<usize>]) -> Turn {
        let (mut inner, mut bytes) = (SegmentMapBuilder::default(), Vec::new());
        for part in parts {
            bytes.extend_from_slice(self.bytes.get(part.clone()).unwrap_or(&[]));
            inner.copy(TextRange::new(size(part.start), size(part.end)));
        }
        self.made(role, kind, bytes, &inner.finish())
    }

    /// Creates a turn from the value of a JSON string in the text.
    fn quoted(&self, role: TurnRole, kind: TextKind, quote: usize) -> Option<Turn> {
        let json = Json::parse_part(&self.bytes, quote..self.bytes.len());
        let (value, inner) = json.string_with_map(json.root())?;
        let mut turn = self.value(role, kind, value.as_bytes(), &inner)?;
        turn.levels += 1;
        Some(turn)
    }

    /// Creates a turn from the value of a literal in the text. Edits are not supported, because
    /// they would need the escapes of the literal.
    fn literal(&self, role: TurnRole, kind: TextKind, quote: usize) -> Option<Turn> {
        let found = literal::read(&self.bytes, quote)?;
        let mut turn = self.value(role, kind, &found.value, &found.map)?;
        turn.takes_edits = false;
        Some(turn)
    }

    /// Creates a turn from a value, starting at its first brace. Words before the envelope come
    /// from the logging program.
    fn value(&self, role: TurnRole, kind: TextKind, value: &[u8], inner: &SegmentMap) -> Option<Turn> {
        let brace = memchr::memchr(b'{', value)?;
        let mut rest = SegmentMapBuilder::default();
        rest.copy(TextRange::new(size(brace), size(value.len())));
        Some(self.made(role, kind, value.get(brace..)?.to_vec(), &rest.finish().within(inner)))
    }

    /// Returns the end of an envelope, to continue the search after it.
    fn end(&self, place: &EnvelopePlace) -> usize {
        match place {
            EnvelopePlace::Bare(range) => range.end,
            EnvelopePlace::Quoted(quote) => {
                Json::parse_part(&self.bytes, *quote..self.bytes.len()).end().into()
            }
            EnvelopePlace::Literal(quote) => {
                literal::read(&self.bytes, *quote).map_or(*quote + 1, |found| found.end)
            }
        }
    }
}

fn map(places: &[TextRange]) -> SegmentMap {
    let mut map = SegmentMapBuilder::default();
    places.iter().for_each(|place| map.copy(*place));
    map.finish()
}

/// Maximum number of envelopes of an entry that are read.
const MAX_ENVELOPES: usize = 1_000;

/// Reads the reply or the input of the model in an entry. Returns no turns for other entries.
pub(super) fn read(record: &Record<'_>, form: &EntryForm) -> Vec<Turn> {
    read_text(&Text::from_record(record.bytes, form))
}

/// Like [`read`], for an extracted text.
fn read_text(text: &Text<'_>) -> Vec<Turn> {
    let bytes: &[u8] = &text.bytes;
    let start = bytes.len() - bytes.trim_ascii_start().len();
    let end = bytes.trim_ascii_end().len().max(start);
    let said = text.prefix.and_then(|prefix| Some((prefix.role?, prefix.is_certain)));
    let found = envelope::find(bytes);
    let is_damaged = |place: &EnvelopePlace| match place {
        EnvelopePlace::Bare(range) => {
            bytes.get(range.clone()).is_some_and(|text| json::value_end(text).is_err())
        }
        _ => false,
    };
    if found.as_ref().is_none_or(is_damaged) && has_control_key(bytes) {
        let turns = turns_of_blocks(text);
        if !turns.is_empty() {
            return turns;
        }
    }
    let Some((role, is_certain)) = said else {
        return found.map(|place| turns_at_places(text, place, None)).unwrap_or_default();
    };
    let is_model = role == TurnRole::Assistant;
    let turn = match found {
        Some(EnvelopePlace::Quoted(quote)) => text.quoted(role, kind(role), quote),
        Some(EnvelopePlace::Literal(quote)) => text.literal(role, kind(role), quote),
        // A logging program may have the same name as the role.
        Some(place) if is_model && !is_certain => return turns_at_places(text, place, Some(role)),
        None if is_model && !is_certain && !bytes.get(start..end).is_some_and(envelope::is_cut) => None,
        None if role == TurnRole::System || role == TurnRole::Tool && !is_certain => None,
        _ => (start < end).then(|| text.turn(role, kind(role), start..end)),
    };
    turn.into_iter().collect()
}

/// Returns turns that are recognized only by their envelopes. Unquoted envelopes together are one
/// reply; each literal is a separate text.
fn turns_at_places(text: &Text<'_>, first: EnvelopePlace, role: Option<TurnRole>) -> Vec<Turn> {
    let (mut turns, mut next, mut end) = (Vec::new(), Some(first), 0);
    while let Some(place) = next.take().filter(|_| turns.len() < MAX_ENVELOPES) {
        let from = std::mem::replace(&mut end, text.end(&place));
        let is_literal = matches!(place, EnvelopePlace::Literal(_));
        let turn = turn_at_place(text, place, from, role);
        let is_reply = turn.as_ref().is_some_and(Turn::is_reply);
        turns.extend(turn);
        if is_literal || !is_reply {
            next = envelope::find_from(&text.bytes, end);
        }
    }
    turns
}

/// Returns a turn that is recognized only by its envelope. The words after `from` determine the
/// speaker.
fn turn_at_place(text: &Text<'_>, place: EnvelopePlace, from: usize, role: Option<TurnRole>) -> Option<Turn> {
    let start = match &place {
        EnvelopePlace::Bare(range) => range.start,
        EnvelopePlace::Quoted(quote) | EnvelopePlace::Literal(quote) => *quote,
    };
    let before = text.before(start);
    let before = match from {
        0 => before,
        from => before.get(before.len().saturating_sub(start - from.min(start))..).unwrap_or(before),
    };
    let role = role.unwrap_or_else(|| prefix_parts::speaker_of_words(before));
    let kind = match prefix_parts::is_thought(before) {
        true => TextKind::Skipped(Skip::NotReply(NonReplyPlace::Reasoning)),
        false => kind(role),
    };
    match place {
        EnvelopePlace::Bare(range) => Some(text.turn(role, kind, range)),
        EnvelopePlace::Quoted(quote) => text.quoted(role, kind, quote),
        EnvelopePlace::Literal(quote) => text.literal(role, kind, quote),
    }
}

/// Returns the turns of envelopes whose lines share a prefix.
fn turns_of_blocks(text: &Text<'_>) -> Vec<Turn> {
    let role = |prefix: Range<usize>| {
        let words = text.bytes.get(prefix).unwrap_or(&[]);
        let words =
            words.split(|byte| !byte.is_ascii_alphabetic()).filter_map(|word| std::str::from_utf8(word).ok());
        words.map(TurnRole::parse).find(|role| *role != TurnRole::Other).unwrap_or(TurnRole::Assistant)
    };
    let turn = |block: envelope::PrefixedBlock| {
        let role = role(block.prefix);
        text.lines(role, kind(role), &block.pieces)
    };
    envelope::prefixed_blocks(&text.bytes).into_iter().map(turn).collect()
}

/// Returns the turns of a text that is not a log but shows replies as literals or with a line
/// prefix. Empty if the text contains an unquoted, complete envelope.
pub(super) fn unwrapped(bytes: &[u8]) -> Vec<Turn> {
    let text = Text {
        record: bytes,
        bytes: Cow::Borrowed(bytes),
        pieces: std::iter::once(0..bytes.len()).collect(),
        prefix: None,
        outer: None,
    };
    match envelope::find(bytes) {
        Some(place @ EnvelopePlace::Literal(_)) => turns_at_places(&text, place, None),
        Some(EnvelopePlace::Bare(range))
            if bytes.get(range.clone()).is_some_and(|text| json::value_end(text).is_ok()) =>
        {
            Vec::new()
        }
        _ => turns_of_blocks(&text),
    }
}

fn kind(role: TurnRole) -> TextKind {
    if role == TurnRole::Assistant { TextKind::Reply } else { TextKind::Prompt }
}

/// Returns the turns of JSON records that hold the lines of one entry, as stored by container
/// runtimes and log collectors. `None` for a single record, which needs no joining.
///
/// Each line of a pretty-printed envelope is a separate record, and long lines are split.
pub(super) fn read_wrapped(record: &Record<'_>, wrapper: &Wrapper) -> Option<Vec<Turn>> {
    let (mut draft, mut at, mut count) = (Draft::default(), 0, 0);
    for line in record.bytes.split_inclusive(|byte| *byte == b'\n') {
        let start = at;
        at += line.len();
        if line.trim_ascii().is_empty() {
            continue;
        }
        let json = Json::parse_part(record.bytes, start..at);
        let text = wrapper.member(&json)?;
        draft.push(&json, text, step("", wrapper.name()));
        count += 1;
    }
    if count < 2 {
        return None;
    }
    let mut inner = draft.finish(TurnRole::Other, TextKind::Skipped(Skip::OtherRole));
    inner.takes_edits = false;
    Some(turns_of_joined_lines(&inner, record))
}

/// Returns the turns of a text that is assembled from members of several records.
fn turns_of_joined_lines(inner: &Turn, record: &Record<'_>) -> Vec<Turn> {
    let text = inner.text(record.bytes);
    let json = Json::parse(text);
    if json.is_valid_to_the_end()
        && json.kind(json.root()) == Node::Object
        && !is_envelope(&json, json.root())
    {
        let found = shapes::read(&json, json.root(), "").filter(|found| !found.turns.is_empty());
        let found = found.or_else(|| shapes::by_envelope(&json, json.root(), ""));
        let pointer = inner.path.first().map_or("", String::as_str);
        let outward = |turn: Turn| {
            let mut turn = turn.inside_string(text, &inner.map, pointer);
            turn.takes_edits = false;
            turn
        };
        let mut turns = found.map(|found| found.turns).unwrap_or_default();
        native_calls::mark(&json, json.root(), &mut turns);
        return turns.into_iter().map(outward).collect();
    }
    let form = EntryForm::of_log(text);
    read_text(&Text::inside(text, inner, &form))
}
