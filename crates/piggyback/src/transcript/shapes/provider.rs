//! Responses of model APIs and command-line tools (K3, K6).

use super::chat::{calls, content, empty, is_reply, message, object};
use super::{Draft, member_string, string};
use crate::envelope::json::{Json, JsonKind as Node, NodeId};
use crate::transcript::line_border::Border;
use crate::transcript::turn::{TextKind, Turn, TurnRole};
use crate::transcript::words::{is_envelope, is_string, member, member_equals, step, text};

/// Reads the turns of a response.
pub(super) fn read(json: &Json<'_>, node: NodeId, pointer: &str) -> Option<Vec<Turn>> {
    choices(json, node, pointer)
        .or_else(|| output(json, node, pointer))
        .or_else(|| candidates(json, node, pointer))
        .or_else(|| result(json, node, pointer))
        .or_else(|| item(json, node, pointer))
        .or_else(|| answer(json, node, pointer))
}

/// Returns a member if it is an array.
fn array(json: &Json<'_>, node: NodeId, name: &str) -> Option<NodeId> {
    member(json, node, name).filter(|list| json.kind(*list) == Node::Array)
}

/// Reads `choices[].message`.
fn choices(json: &Json<'_>, node: NodeId, pointer: &str) -> Option<Vec<Turn>> {
    let list = array(json, node, "choices")?;
    let mut turns = Vec::new();
    let mut is_known = false;
    for (index, choice) in json.elements(list).enumerate() {
        let here = step(&step(pointer, "choices"), index);
        if let Some(inner) = member(json, choice, "message") {
            is_known = true;
            let here = step(&here, "message");
            match message(json, inner, &here) {
                Some(found) => turns.extend(found),
                None => {
                    if let Some(text) = member(json, inner, "content") {
                        content(json, text, &step(&here, "content"), TurnRole::Assistant, &mut turns);
                    }
                    calls(json, inner, &here, &mut turns);
                    empty(json, inner, &here, member(json, inner, "content"), &mut turns);
                }
            }
        } else if let Some(text) = member(json, choice, "text").filter(|text| is_string(json, *text)) {
            is_known = true;
            turns.push(string(json, text, step(&here, "text"), TurnRole::Assistant, TextKind::Reply));
        }
    }
    is_known.then_some(turns)
}

/// Reads `output[].content[].text`.
fn output(json: &Json<'_>, node: NodeId, pointer: &str) -> Option<Vec<Turn>> {
    let list = array(json, node, "output")?;
    let (mut draft, mut turns) = (Draft::default(), Vec::new());
    for (index, item) in json.elements(list).enumerate() {
        let here = step(&step(&step(pointer, "output"), index), "content");
        let parts = array(json, item, "content").filter(|_| !member_equals(json, item, "type", "reasoning"));
        for (part_index, part) in parts.into_iter().flat_map(|parts| json.elements(parts)).enumerate() {
            if let Some(text) = member(json, part, "text") {
                draft.push(json, text, step(&step(&here, part_index), "text"));
            }
        }
        let arguments = member(json, item, "arguments").filter(|text| is_reply(json, *text));
        if let Some(arguments) = arguments {
            let here = step(&step(&step(pointer, "output"), index), "arguments");
            turns.push(string(json, arguments, here, TurnRole::Assistant, TextKind::Reply));
        }
    }
    if !draft.is_empty() {
        turns.insert(0, draft.finish(TurnRole::Assistant, TextKind::Reply));
    }
    // Traces of other tools also have a member `output`.
    let is_answer = !turns.is_empty() || member_equals(json, node, "object", "response");
    is_answer.then_some(turns)
}

/// Reads `candidates[].content.parts[].text`.
fn candidates(json: &Json<'_>, node: NodeId, pointer: &str) -> Option<Vec<Turn>> {
    let list = array(json, node, "candidates")?;
    let mut turns = Vec::new();
    for (index, candidate) in json.elements(list).enumerate() {
        let mut draft = Draft::default();
        let here = step(&step(pointer, "candidates"), index);
        push_parts(json, candidate, &here, &mut draft);
        if !draft.is_empty() {
            turns.push(draft.finish(TurnRole::Assistant, TextKind::Reply));
        }
    }
    Some(turns)
}

/// Appends the texts of `content.parts[]`, except for reasoning.
fn push_parts(json: &Json<'_>, candidate: NodeId, pointer: &str, draft: &mut Draft) {
    let parts = member(json, candidate, "content").and_then(|content| array(json, content, "parts"));
    let pointer = step(&step(pointer, "content"), "parts");
    for (index, part) in parts.into_iter().flat_map(|parts| json.elements(parts)).enumerate() {
        let is_thought = member(json, part, "thought").is_some_and(|it| json.kind(it) == Node::Bool(true));
        if let Some(text) = member(json, part, "text").filter(|_| !is_thought) {
            draft.push(json, text, step(&step(&pointer, index), "text"));
        }
    }
}

/// Reads `type: "result"`: the structured output if present, otherwise the text.
fn result(json: &Json<'_>, node: NodeId, pointer: &str) -> Option<Vec<Turn>> {
    if !member_equals(json, node, "type", "result") {
        return None;
    }
    if let Some(structured) = member(json, node, "structured_output").filter(|it| is_envelope(json, *it)) {
        return Some(vec![object(json, structured, &step(pointer, "structured_output"))]);
    }
    let mut turns = Vec::new();
    let here = step(pointer, "result");
    if let Some(found) = member(json, node, "result") {
        match json.kind(found) {
            Node::Object => {
                if let Some(inner) = member(json, found, "content") {
                    content(json, inner, &step(&here, "content"), TurnRole::Assistant, &mut turns);
                } else if is_envelope(json, found) {
                    turns.push(object(json, found, &here));
                }
            }
            _ => content(json, found, &here, TurnRole::Assistant, &mut turns),
        }
    }
    Some(turns)
}

/// Reads `type: "item.completed"` in the event log of a coding agent.
///
/// Of several messages in a turn, only the last is its answer. The reader of the whole turn marks
/// the others.
fn item(json: &Json<'_>, node: NodeId, pointer: &str) -> Option<Vec<Turn>> {
    let word = text(json, node, "type")?;
    if !(word.starts_with("item.") || word.starts_with("turn.") || word.starts_with("thread.")) {
        return None;
    }
    let message = member(json, node, "item")
        .filter(|item| word == "item.completed" && member_equals(json, *item, "type", "agent_message"));
    let text = message.and_then(|item| member(json, item, "text"));
    let here = || step(&step(pointer, "item"), "text");
    Some(
        text.map(|text| string(json, text, here(), TurnRole::Assistant, TextKind::Reply))
            .into_iter()
            .collect(),
    )
}

/// Reads `content[]` with `type: "text"` and no role.
fn answer(json: &Json<'_>, node: NodeId, pointer: &str) -> Option<Vec<Turn>> {
    let list = array(json, node, "content").filter(|_| member_string(json, node, "role").is_none())?;
    json.elements(list).find(|part| member(json, *part, "type").is_some())?;
    let mut turns = Vec::new();
    content(json, list, &step(pointer, "content"), TurnRole::Assistant, &mut turns);
    Some(turns)
}

/// Classifies a line as the beginning or end of a turn in the event log of a coding agent.
pub(in crate::transcript) fn border(line: &[u8]) -> Border {
    let has = |word: &str| memchr::memmem::find(line, word.as_bytes()).is_some();
    if !has("\"turn.") {
        return Border::Within;
    }
    let json = Json::parse(line);
    match text(&json, json.root(), "type").as_deref() {
        Some("turn.started") => Border::Begin,
        Some("turn.completed" | "turn.failed") => Border::End,
        _ => Border::Within,
    }
}
