//! Shapes from the settings (`[[transcripts.shape]]`): text whose turns begin at lines that match a
//! `pattern`, and JSON records with pointers to their texts.

use std::sync::Arc;

use regex::bytes::{Captures, Regex};

use super::chat::kind;
use super::finder::ValuePlace;
use super::value::ValueReader;
use super::{ShapedRecord, add_details, native_calls, read_with};
use crate::envelope::json::{Json, JsonKind as Node};
use crate::transcript::turn::{
    Details, Record, RecordShape, Skip, TextKind, Turn, TurnRole, up_to, without_line_end,
};
use crate::transcript::words::is_envelope;
use mangle_settings::{PointerPattern, Step, TranscriptShape};
use mangle_syntax::text::{TextRange, size};

/// Number of leading lines of a file that are searched for a match.
const MAX_LINES: usize = 64;

/// Shapes from the settings, with compiled patterns.
#[derive(Debug, Clone, Default)]
pub(in crate::transcript) struct CustomShapes {
    pub(in crate::transcript) shapes: Arc<[TranscriptShape]>,
    patterns: Vec<(Regex, usize)>,
}

/// A turn of a text. Offsets are in bytes of the text.
struct LineTurn {
    /// Start of the line that begins the turn.
    line: usize,
    /// Start of the turn's text.
    text: usize,
    /// End of the turn's text, if the pattern determines it.
    end: Option<usize>,
    role: TurnRole,
    details: Details,
}

impl CustomShapes {
    pub(in crate::transcript) fn new(shapes: Arc<[TranscriptShape]>) -> Self {
        let pattern =
            |(at, shape): (usize, &TranscriptShape)| Some((Regex::new(shape.pattern.as_deref()?).ok()?, at));
        let patterns = shapes.iter().enumerate().filter_map(pattern).collect();
        Self { shapes, patterns }
    }

    /// True if a pattern matches one of the first lines of a text.
    pub(in crate::transcript) fn matches(&self, head: &[u8]) -> bool {
        let mut lines = head.split(|byte| *byte == b'\n').take(MAX_LINES);
        !self.patterns.is_empty() && lines.any(|line| self.matching(without_line_end(line)).is_some())
    }

    fn matching<'l>(&self, line: &'l [u8]) -> Option<(&TranscriptShape, Captures<'l>)> {
        self.patterns.iter().find_map(|(regex, at)| Some((self.shapes.get(*at)?, regex.captures(line)?)))
    }

    /// Passes each turn of a text as a record to `each`. Returns false if no line begins a turn.
    pub(in crate::transcript) fn read(
        &self,
        text: &[u8],
        start: u64,
        each: &mut dyn FnMut(Record<'_>),
    ) -> bool {
        let found = self.turns(text);
        let ends = found.iter().skip(1).map(|next| next.line).chain([text.len()]);
        for ((at, one), next) in found.iter().enumerate().zip(ends) {
            let inner = text.get(one.line..next).unwrap_or(&[]);
            let mut record = Record::new(at as u64 + 1, start + one.line as u64, inner);
            let end = one.end.unwrap_or(next).clamp(one.text, next);
            let said = text.get(one.text..end).unwrap_or(&[]);
            let blank = said.len() - said.trim_ascii_start().len();
            let from = one.text - one.line + blank;
            let to = from + said.trim_ascii().len();
            record.turns = self.turns_of_text(inner, from.min(to)..to, one);
            each(record);
        }
        !found.is_empty()
    }

    fn turns(&self, text: &[u8]) -> Vec<LineTurn> {
        let (mut found, mut at) = (Vec::new(), 0);
        if self.patterns.is_empty() {
            return found;
        }
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            let start = at;
            at += line.len();
            let line = without_line_end(line);
            let Some((shape, groups)) = self.matching(line) else { continue };
            let word = |name: &str| {
                groups.name(name).map(|group| String::from_utf8_lossy(group.as_bytes()).into_owned())
            };
            let all = groups.get(0).map_or(0, |all| all.end());
            let said = groups.name("text");
            let end = said.map(|said| said.end()).filter(|end| *end < line.len());
            let details = Details { timestamp: word("time"), session: word("session"), ..Details::default() };
            found.push(LineTurn {
                line: start,
                text: start + said.map_or(all, |said| said.start()),
                end: end.map(|end| start + end),
                role: word("role").map_or(TurnRole::Assistant, |word| role_of(shape, &word)),
                details,
            });
        }
        found
    }

    /// Returns the turns in one text. A JSON record of a known shape can contain several; other
    /// texts are one turn.
    fn turns_of_text(&self, record: &[u8], range: std::ops::Range<usize>, found: &LineTurn) -> Vec<Turn> {
        let is_json = record.get(range.start).is_some_and(|byte| b"{[\"".contains(byte));
        let mut turns = Vec::new();
        if is_json && found.role == TurnRole::Assistant {
            let json = Json::parse_part(record, range.clone());
            if json.is_valid_to_the_end() && !is_envelope(&json, json.root()) {
                let shaped = read_with(&self.shapes, &json, json.root(), "", false);
                turns = shaped.map(|shaped| shaped.turns).unwrap_or_default();
                native_calls::mark(&json, json.root(), &mut turns);
            }
        }
        if turns.is_empty() {
            let kind = match found.role {
                _ if range.is_empty() && found.role == TurnRole::Assistant => TextKind::Skipped(Skip::Empty),
                role => kind(role),
            };
            let range = TextRange::new(size(range.start), size(range.end));
            turns.push(Turn::part(found.role, kind, range.intersect(up_to(record)).unwrap_or_default()));
        }
        for turn in turns.iter_mut().filter(|_| found.details != Details::default()) {
            let own = turn.details.get_or_insert_default();
            own.timestamp = own.timestamp.take().or_else(|| found.details.timestamp.clone());
            own.session = own.session.take().or_else(|| found.details.session.clone());
        }
        turns
    }
}

/// Reads the turns of a record with the first shape that finds any.
///
/// `is_element` is true if the record is an element of an array that is the whole file. Pointers to
/// records may then begin with `/*`.
pub(super) fn read_record(
    own: &[TranscriptShape],
    json: &Json<'_>,
    place: &ValuePlace,
    is_element: bool,
) -> Option<ShapedRecord> {
    let pointed = own.iter().filter(|shape| shape.pattern.is_none());
    let found = pointed.map(|shape| {
        let mut reading = ValueReader::new(json, 0);
        read_turns(shape, &mut reading, place, is_element);
        reading.turns
    });
    let turns = found.into_iter().find(|turns| !turns.is_empty())?;
    Some(ShapedRecord::new(RecordShape::Declared, turns))
}

fn read_turns(
    shape: &TranscriptShape,
    reading: &mut ValueReader<'_, '_>,
    place: &ValuePlace,
    is_element: bool,
) {
    let steps = shape.records.as_ref().map_or(&[][..], PointerPattern::steps);
    let steps = match steps {
        [Step::Each, rest @ ..] if is_element => rest,
        _ => steps,
    };
    for record in reading.finder.find(place, steps) {
        let inside = reading.inside(&record, |inner, root| read_turn(shape, inner, root));
        match inside {
            Some(turns) => reading.turns.extend(turns),
            None => read_turn(shape, reading, &record),
        }
    }
}

/// Reads one turn.
fn read_turn(shape: &TranscriptShape, reading: &mut ValueReader<'_, '_>, record: &ValuePlace) {
    let said = |reading: &ValueReader<'_, '_>, pattern: &Option<PointerPattern>| {
        let found = reading.finder.find(record, pattern.as_ref()?.steps());
        let place = found.into_iter().find(ValuePlace::is_value)?;
        match reading.finder.kind(&place) {
            Node::Number => Some(String::from_utf8_lossy(reading.json().raw(place.node)).into_owned()),
            _ => reading.json().string(place.node).map(std::borrow::Cow::into_owned),
        }
    };
    let role = match &shape.role {
        None => TurnRole::Assistant,
        Some(_) => said(reading, &shape.role).map_or(TurnRole::Other, |word| role_of(shape, &word)),
    };
    let before = reading.turns.len();
    for pattern in &shape.text {
        let texts = reading.finder.find(record, pattern.steps());
        if texts.is_empty() {
            continue;
        }
        texts_of(reading, &texts, role);
        break;
    }
    let details = Details {
        timestamp: said(reading, &shape.time),
        session: said(reading, &shape.session),
        ..Details::default()
    };
    add_details(&details, reading.turns.get_mut(before..).unwrap_or(&mut []));
}

/// Reads the texts of one turn. Several strings are joined into one text.
fn texts_of(reading: &mut ValueReader<'_, '_>, texts: &[ValuePlace], role: TurnRole) {
    if texts.len() > 1 && texts.iter().all(|text| reading.finder.is_string(text)) {
        reading.joined(texts, role);
        return;
    }
    for text in texts {
        let inside = reading.inside(text, |inner, root| inner.conversation(root));
        match inside {
            Some(turns) => reading.turns.extend(turns),
            None if role == TurnRole::Assistant && reading.is_blank(text) => reading.empty(text),
            None => reading.content(text, role),
        }
    }
}

/// Returns the role of a word in a container with this shape.
fn role_of(shape: &TranscriptShape, word: &str) -> TurnRole {
    match shape.assistant.iter().any(|own| own == word) {
        true => TurnRole::Assistant,
        false => TurnRole::of_export(word),
    }
}
