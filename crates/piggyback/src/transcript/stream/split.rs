//! Streams of unknown format: similar records in which one text member grows into an envelope.

use rustc_hash::FxHashMap;

use crate::envelope::json::{self, Json, JsonKind as Node, NodeId};
use crate::transcript::entry::{Nesting, begins_envelope, holds_envelope};
use crate::transcript::shapes::Draft;
use crate::transcript::turn::{TextKind, Turn, TurnRole};
use crate::transcript::words::{is_envelope, is_reasoning, is_string, member, step, text};

/// Maximum number of records that are examined to detect a stream.
const MAX_RECORDS: usize = 4096;

/// Maximum number of texts of a record that are examined.
const MAX_TEXTS: usize = 16;

/// Maximum nesting depth of a text in its record.
const MAX_DEPTH: usize = 12;

/// Minimum number of records of a stream.
const MIN_RECORDS: usize = 2;

/// Number of records that are examined first, for a complete envelope.
const FIRST_RECORDS: usize = 4;

/// Maximum length of a text that is tested for an envelope, in bytes.
const MAX_TESTED: usize = 1 << 20;

/// A record: its JSON, its value and the pointer to the value.
type Value<'j, 't> = (&'j Json<'t>, NodeId, String);

/// True if the lines of a text are records of a split stream.
pub(in crate::transcript) fn is_split_lines(head: &[u8], is_all: bool) -> bool {
    let end = if is_all { head.len() } else { memchr::memrchr(b'\n', head).unwrap_or(0) };
    let lines = head.get(..end).unwrap_or(head).split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let lines = lines.filter(|line| line.starts_with(b"{")).take(MAX_RECORDS);
    // Fast path: most files have a complete envelope in their first records.
    let is_piece = |line: &[u8]| {
        let json = Json::parse(line);
        !has_whole(&json, json.root())
    };
    if !lines.clone().take(FIRST_RECORDS).all(is_piece) {
        return false;
    }
    let values: Vec<_> = lines.map(Json::parse).collect();
    let values: Vec<_> = values.iter().map(|json| (json, json.root(), String::new())).collect();
    envelope_text_path(&values).is_some()
}

/// True if the elements of a list are records of a split stream.
pub(in crate::transcript) fn is_split_array(json: &Json<'_>) -> bool {
    let values: Vec<_> =
        json.elements(json.root()).take(MAX_RECORDS).map(|element| (json, element, String::new())).collect();
    envelope_text_path(&values).is_some()
}

/// Joins the growing texts of some records. Each joined text is an answer.
pub(super) fn read(values: &[Value<'_, '_>]) -> Vec<Turn> {
    let Some(path) = envelope_text_path(values) else { return Vec::new() };
    let (mut turns, mut draft, mut scanner) = (Vec::new(), Draft::default(), Nesting::default());
    for (json, node, pointer) in values {
        let Some((text, place)) = texts(json, *node, pointer)
            .into_iter()
            .find(|(_, place)| place.strip_prefix(pointer.as_str()) == Some(path.as_str()))
        else {
            continue;
        };
        let Some(said) = json.string(text) else { continue };
        if scanner.is_complete() && said.trim_start().starts_with(['{', '`']) {
            turns.push(std::mem::take(&mut draft).finish(TurnRole::Assistant, TextKind::Reply));
            scanner = Nesting::default();
        }
        scanner.read(said.as_bytes());
        draft.push(json, text, place);
    }
    if !draft.is_empty() {
        turns.push(draft.finish(TurnRole::Assistant, TextKind::Reply));
    }
    turns.retain(|turn| !turn.is_empty());
    turns
}

/// Returns the path of the text that grows into an envelope.
fn envelope_text_path(values: &[Value<'_, '_>]) -> Option<String> {
    if values.len() < MIN_RECORDS {
        return None;
    }
    let mut found: FxHashMap<String, (usize, Vec<u8>)> = FxHashMap::default();
    for (at, (json, node, pointer)) in values.iter().enumerate() {
        if has_whole(json, *node) {
            return None;
        }
        for (text, place) in texts(json, *node, pointer) {
            let Some(said) = json.string(text) else { continue };
            let path = place.strip_prefix(pointer.as_str()).unwrap_or(&place);
            if !found.contains_key(path) && (found.len() >= MAX_TEXTS || at > MIN_RECORDS) {
                continue;
            }
            let (count, all) = found.entry(path.to_owned()).or_default();
            *count += 1;
            if all.len() < MAX_TESTED {
                all.extend_from_slice(said.as_bytes());
            }
        }
    }
    let is_growing = |(count, all): &(usize, Vec<u8>)| {
        let brace = || memchr::memchr(b'{', all).and_then(|at| all.get(at..));
        *count >= MIN_RECORDS
            && *count * 2 >= values.len()
            && brace().is_some_and(|text| begins_envelope(text) && is_sound(text))
            || *count >= MIN_RECORDS && *count * 2 >= values.len() && is_whole(all)
    };
    let mut found: Vec<_> = found.into_iter().filter(|(_, text)| is_growing(text)).collect();
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    found.into_iter().next().map(|(path, _)| path)
}

/// True if a record contains a complete envelope, and is therefore not a piece of one.
fn has_whole(json: &Json<'_>, node: NodeId) -> bool {
    is_envelope(json, node)
        || texts(json, node, "").into_iter().any(|(text, _)| {
            json.string(text).is_some_and(|said| said.contains('{') && is_whole(said.as_bytes()))
        })
}

/// True if a text contains a closed envelope.
fn is_whole(text: &[u8]) -> bool {
    let brace = memchr::memchr(b'{', text).and_then(|at| text.get(at..));
    brace.is_some_and(|text| json::value_end(text).is_ok()) && holds_envelope(text)
}

/// True if a text is valid JSON, apart from missing closing brackets.
fn is_sound(text: &[u8]) -> bool {
    let json = Json::parse(text);
    json.problems.iter().all(|problem| problem.kind == json::JsonProblemKind::Unclosed)
}

/// Returns the strings of a record that may be text of the model, with their pointers.
fn texts(json: &Json<'_>, node: NodeId, pointer: &str) -> Vec<(NodeId, String)> {
    let mut found = Vec::new();
    collect(json, node, pointer, 0, &mut found);
    found
}

fn collect(json: &Json<'_>, node: NodeId, pointer: &str, depth: usize, found: &mut Vec<(NodeId, String)>) {
    if depth > MAX_DEPTH || found.len() >= MAX_TEXTS {
        return;
    }
    if is_string(json, node) {
        found.push((node, pointer.to_owned()));
        return;
    }
    for (at, element) in json.elements(node).take(MAX_TEXTS).enumerate() {
        collect(json, element, &step(pointer, at), depth + 1, found);
    }
    if json.kind(node) != Node::Object || is_of_others(json, node) {
        return;
    }
    for one in json.members(node).take(MAX_TEXTS * 4) {
        let Some(key) = json.string(one.key) else { continue };
        if !is_reasoning(&key) && !matches!(&*key, "prompt" | "input" | "request" | "system") {
            collect(json, one.value, &step(pointer, &*key), depth + 1, found);
        }
    }
}

/// True if a record is reasoning, or a message of the user, the system or a tool.
fn is_of_others(json: &Json<'_>, node: NodeId) -> bool {
    let role = text(json, node, "role").map(|word| TurnRole::of_export(&word));
    let is_thought = member(json, node, "thought").is_some_and(|flag| json.kind(flag) == Node::Bool(true))
        || text(json, node, "type").is_some_and(|word| is_reasoning(&word));
    is_thought || matches!(role, Some(TurnRole::User | TurnRole::System | TurnRole::Tool))
}
