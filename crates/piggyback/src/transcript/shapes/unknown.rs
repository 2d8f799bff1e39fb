//! Replies in records of an unknown format: strings and objects with the keys of an envelope, at any depth, also in JSON
//! that is written in a string. Prompts, schemas and examples of envelopes are not replies.

use super::draft::envelope;
use super::finder::ValuePlace;
use super::message::role;
use super::string;
use super::value::ValueReader;
use crate::envelope::json::{Json, JsonKind as Node, NodeId};
use crate::transcript::turn::{TextKind, Turn, TurnRole};
use crate::transcript::words::{has_control_key, has_quoted_control_key, is_envelope, step};

/// How deep values are looked into.
const DEEPEST: usize = 64;

/// Keys below which a text is something that the model was given, or that describes a reply.
const NOT_SAID: [&str; 27] = [
    "system",
    "system_prompt",
    "systemprompt",
    "system_instruction",
    "systeminstruction",
    "user",
    "user_prompt",
    "prompt",
    "prompts",
    "input",
    "inputs",
    "request",
    "instruction",
    "instructions",
    "schema",
    "json_schema",
    "response_format",
    "properties",
    "parameters",
    "tools",
    "functions",
    "definitions",
    "$defs",
    "example",
    "examples",
    "template",
    "description",
];

/// The replies in a value.
pub(super) fn read(json: &Json<'_>, node: NodeId, pointer: &str) -> Vec<Turn> {
    if !may_hold_envelope(json.raw(node)) {
        return Vec::new();
    }
    let mut reading = ValueReader::new(json, 0);
    look(&mut reading, &ValuePlace::new(node, pointer), 0);
    for turn in &mut reading.turns {
        turn.may_repeat = true;
    }
    reading.turns
}

/// Whether a text may have a key of an envelope in it, perhaps with its letters escaped.
fn may_hold_envelope(raw: &[u8]) -> bool {
    has_control_key(raw) || memchr::memmem::find(raw, b"\\u00").is_some()
}

fn look(reading: &mut ValueReader<'_, '_>, place: &ValuePlace, depth: usize) {
    let json = reading.json();
    if depth > DEEPEST || !may_hold_envelope(json.raw(place.node)) {
        return;
    }
    match json.kind(place.node) {
        Node::Plain | Node::Escaped => text(reading, place),
        Node::Array => {
            for (at, element) in json.elements(place.node).enumerate() {
                look(reading, &ValuePlace::new(element, step(&place.pointer, at)), depth + 1);
            }
        }
        Node::Object if is_envelope(json, place.node) => {
            let mut turn = envelope(json, place.node, &place.pointer);
            turn.kind = TextKind::Object;
            reading.turns.push(turn);
        }
        Node::Object => members(reading, place, depth),
        _ => {}
    }
}

fn members(reading: &mut ValueReader<'_, '_>, place: &ValuePlace, depth: usize) {
    let json = reading.json();
    if role(&reading.finder, place)
        .is_some_and(|role| matches!(role, TurnRole::User | TurnRole::System | TurnRole::Tool))
    {
        return;
    }
    for member in json.members(place.node) {
        let Some(key) = json.string(member.key) else { continue };
        if !NOT_SAID.contains(&key.to_ascii_lowercase().as_str()) {
            look(reading, &ValuePlace::new(member.value, step(&place.pointer, &*key)), depth + 1);
        }
    }
}

fn text(reading: &mut ValueReader<'_, '_>, place: &ValuePlace) {
    let json = reading.json();
    if let Some(turns) = reading.inside(place, |inner, root| look(inner, root, 0)) {
        reading.turns.extend(turns);
        return;
    }
    let turn = string(json, place.node, place.pointer.clone(), TurnRole::Assistant, TextKind::Reply);
    if has_quoted_control_key(turn.text(json.text())) {
        reading.turns.push(turn);
    }
}
