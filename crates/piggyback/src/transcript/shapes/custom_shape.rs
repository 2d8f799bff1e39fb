//! Records of the shapes in the settings.

use super::finder::ValuePlace;
use super::value::ValueReader;
use super::{ShapedRecord, add_details};
use crate::envelope::json::{Json, JsonKind as Node};
use crate::transcript::record_shape::RecordShape;
use crate::transcript::turn::{Details, TurnRole};
use mangle_settings::{PointerPattern, Step, TranscriptShape};

/// Reads the turns of a record with the first shape that finds any.
///
/// `is_element` is true if the record is an element of an array that is the whole file. Pointers to
/// records may then begin with `/*`.
pub(super) fn read(
    own: &[TranscriptShape],
    json: &Json<'_>,
    place: &ValuePlace,
    is_element: bool,
) -> Option<ShapedRecord> {
    let pointed = own.iter().filter(|shape| shape.pattern.is_none());
    let found = pointed.map(|shape| {
        let mut reading = ValueReader::new(json, 0);
        one(shape, &mut reading, place, is_element);
        reading.turns
    });
    let turns = found.into_iter().find(|turns| !turns.is_empty())?;
    Some(ShapedRecord::new(RecordShape::Declared, turns))
}

fn one(shape: &TranscriptShape, reading: &mut ValueReader<'_, '_>, place: &ValuePlace, is_element: bool) {
    let steps = shape.records.as_ref().map_or(&[][..], PointerPattern::steps);
    let steps = match steps {
        [Step::Each, rest @ ..] if is_element => rest,
        _ => steps,
    };
    for record in reading.finder.find(place, steps) {
        let inside = reading.inside(&record, |inner, root| turn(shape, inner, root));
        match inside {
            Some(turns) => reading.turns.extend(turns),
            None => turn(shape, reading, &record),
        }
    }
}

/// Reads one turn.
fn turn(shape: &TranscriptShape, reading: &mut ValueReader<'_, '_>, record: &ValuePlace) {
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
pub(in crate::transcript) fn role_of(shape: &TranscriptShape, word: &str) -> TurnRole {
    match shape.assistant.iter().any(|own| own == word) {
        true => TurnRole::Assistant,
        false => TurnRole::of_export(word),
    }
}
