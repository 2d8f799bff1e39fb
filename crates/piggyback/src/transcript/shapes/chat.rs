//! Chat messages (K5), and responses of model APIs and command-line tools (K3, K6).

use super::draft::{Draft, envelope, string};
use crate::envelope::json::{Json, JsonKind as Node, NodeId};
use crate::transcript::entry::begins_envelope;
use crate::transcript::turn::{Border, Skip, TextKind, Turn, TurnRole};
use crate::transcript::words::{
    has_control_key, is_envelope, is_string, member, member_equals, member_string, step, text,
};

/// Reads the turns of a record that is a message or contains several.
pub(super) fn read(json: &Json<'_>, node: NodeId, pointer: &str) -> Option<Vec<Turn>> {
    if let Some(turns) = message(json, node, pointer) {
        return Some(turns);
    }
    // An agent's event stream wraps each message.
    if let Some(inner) = member(json, node, "message")
        && let Some(turns) = message(json, inner, &step(pointer, "message"))
    {
        return Some(turns);
    }
    let messages = member(json, node, "messages").filter(|list| json.kind(*list) == Node::Array)?;
    let mut turns = Vec::new();
    if let Some(system) = member(json, node, "system") {
        content(json, system, &step(pointer, "system"), TurnRole::System, &mut turns);
    }
    let list = step(pointer, "messages");
    for (index, one) in json.elements(messages).enumerate() {
        turns.extend(message(json, one, &step(&list, index)).unwrap_or_default());
    }
    Some(turns)
}

/// Reads the turns of one message. Returns `None` if the value is not a message.
pub(super) fn message(json: &Json<'_>, node: NodeId, pointer: &str) -> Option<Vec<Turn>> {
    let role = TurnRole::parse(&text(json, node, "role")?);
    let said = member(json, node, "content");
    // Messages of user interfaces have `parts`, and sometimes also an empty `content`.
    let parts = member(json, node, "parts").filter(|parts| json.kind(*parts) == Node::Array);
    let (said, name) = match (said, parts) {
        (None, Some(parts)) => (Some(parts), "parts"),
        (Some(said), Some(parts)) if is_blank(json, said) => (Some(parts), "parts"),
        _ => (said, "content"),
    };
    if said.is_none() && member(json, node, "tool_calls").is_none() {
        return None;
    }
    let mut turns = Vec::new();
    if let Some(said) = said {
        content(json, said, &step(pointer, name), role, &mut turns);
    }
    if role == TurnRole::Assistant {
        calls(json, node, pointer, &mut turns);
        empty(json, node, pointer, said, &mut turns);
    }
    Some(turns)
}

/// True if a content is empty.
fn is_blank(json: &Json<'_>, node: NodeId) -> bool {
    match json.kind(node) {
        Node::Null => true,
        Node::Array => json.elements(node).next().is_none(),
        Node::Plain => json.is_empty_string(node),
        _ => false,
    }
}

/// Adds a turn for an answer that has neither a text nor a call.
fn empty(json: &Json<'_>, node: NodeId, pointer: &str, said: Option<NodeId>, turns: &mut Vec<Turn>) {
    let has_call = ["tool_calls", "function_call", "refusal"]
        .iter()
        .filter_map(|name| member(json, node, name))
        .any(|calls| !is_blank(json, calls));
    let blank = said.filter(|said| turns.is_empty() && !has_call && is_blank(json, *said));
    if let Some(blank) = blank {
        let mut turn = Turn::part(TurnRole::Assistant, TextKind::Skipped(Skip::Empty), json.range(blank));
        turn.path.push(step(pointer, "content"));
        turns.push(turn);
    }
}

/// Returns the kind of a text with this speaker.
pub(super) fn kind(role: TurnRole) -> TextKind {
    match role {
        TurnRole::Assistant => TextKind::Reply,
        TurnRole::Other => TextKind::Skipped(Skip::OtherRole),
        TurnRole::User | TurnRole::System | TurnRole::Tool => TextKind::Prompt,
    }
}

/// Reads the content of a message: a string, or parts whose texts are joined.
fn content(json: &Json<'_>, node: NodeId, pointer: &str, role: TurnRole, turns: &mut Vec<Turn>) {
    match json.kind(node) {
        Node::Plain | Node::Escaped => {
            let turn = string(json, node, pointer.to_owned(), role, kind(role));
            turns.extend((!turn.is_empty()).then_some(turn));
        }
        Node::Object if role == TurnRole::Assistant && is_envelope(json, node) => {
            turns.push(object(json, node, pointer));
        }
        Node::Array => parts(json, node, pointer, role, turns),
        _ => {}
    }
}

fn parts(json: &Json<'_>, node: NodeId, pointer: &str, role: TurnRole, turns: &mut Vec<Turn>) {
    let mut draft = Draft::default();
    let (mut objects, mut results) = (Vec::new(), Vec::new());
    for (index, part) in json.elements(node).enumerate() {
        if is_string(json, part) {
            draft.push(json, part, step(pointer, index));
            continue;
        }
        let here = || step(pointer, index);
        if let Some(text) = member(json, part, "text").filter(|_| is_text(json, part)) {
            draft.push(json, text, step(&here(), "text"));
        } else if let Some(input) = member(json, part, "input").filter(|input| is_envelope(json, *input)) {
            objects.push(object(json, input, &step(&here(), "input")));
        } else if member_equals(json, part, "type", "tool_result") {
            result(json, part, &here(), &mut results);
        }
    }
    if !draft.is_empty() {
        let turn = draft.finish(role, kind(role));
        turns.extend((!turn.is_empty()).then_some(turn));
    }
    turns.extend(objects.into_iter().filter(|_| role == TurnRole::Assistant));
    turns.extend(results);
}

/// Reads the result of a tool. Some services put results into a user message.
fn result(json: &Json<'_>, part: NodeId, pointer: &str, turns: &mut Vec<Turn>) {
    let Some(said) = member(json, part, "content") else { return };
    let before = turns.len();
    match json.kind(said) {
        Node::Array => {
            let mut draft = Draft::default();
            for (index, one) in json.elements(said).enumerate() {
                if let Some(text) = member(json, one, "text") {
                    draft.push(json, text, step(&step(&step(pointer, "content"), index), "text"));
                }
            }
            turns.extend((!draft.is_empty()).then(|| draft.finish(TurnRole::Tool, TextKind::Prompt)));
        }
        _ => content(json, said, &step(pointer, "content"), TurnRole::Tool, turns),
    }
    for turn in turns.iter_mut().skip(before) {
        turn.details.get_or_insert_default().call = member_string(json, part, "tool_use_id");
    }
}

/// True if a part of a content is visible text, not reasoning.
fn is_text(json: &Json<'_>, part: NodeId) -> bool {
    match text(json, part, "type") {
        Some(word) => matches!(&*word, "text" | "output_text" | "input_text"),
        None => !member(json, part, "thought").is_some_and(|flag| json.kind(flag) == Node::Bool(true)),
    }
}

/// Creates a turn from an envelope that the container stores as an object.
pub(in crate::transcript) fn object(json: &Json<'_>, node: NodeId, pointer: &str) -> Turn {
    let mut turn = envelope(json, node, pointer);
    turn.kind = TextKind::Object;
    turn
}

/// True if a string of arguments is an envelope. Other string arguments are not answers.
pub(super) fn is_reply(json: &Json<'_>, arguments: NodeId) -> bool {
    is_string(json, arguments)
        && has_control_key(json.raw(arguments))
        && json.string(arguments).is_some_and(|text| {
            let text = text.trim_start();
            text.starts_with("```") || begins_envelope(text.as_bytes())
        })
}

/// Adds envelopes that are the arguments of a call.
fn calls(json: &Json<'_>, node: NodeId, pointer: &str, turns: &mut Vec<Turn>) {
    let Some(list) = member(json, node, "tool_calls") else { return };
    let pointer = step(pointer, "tool_calls");
    for (index, call) in json.elements(list).enumerate() {
        let Some(function) = member(json, call, "function") else { continue };
        let Some(arguments) = member(json, function, "arguments") else { continue };
        let here = step(&step(&step(&pointer, index), "function"), "arguments");
        if is_reply(json, arguments) {
            turns.push(string(json, arguments, here, TurnRole::Assistant, TextKind::Reply));
        } else if is_envelope(json, arguments) {
            turns.push(object(json, arguments, &here));
        }
    }
}

/// Reads the turns of a response.
pub(super) fn read_response(json: &Json<'_>, node: NodeId, pointer: &str) -> Option<Vec<Turn>> {
    choices(json, node, pointer)
        .or_else(|| output(json, node, pointer))
        .or_else(|| candidates(json, node, pointer))
        .or_else(|| command_result(json, node, pointer))
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
        let is_thought =
            member(json, part, "thought").is_some_and(|flag| json.kind(flag) == Node::Bool(true));
        if let Some(text) = member(json, part, "text").filter(|_| !is_thought) {
            draft.push(json, text, step(&step(&pointer, index), "text"));
        }
    }
}

/// Reads `type: "result"`: the structured output if present, otherwise the text.
fn command_result(json: &Json<'_>, node: NodeId, pointer: &str) -> Option<Vec<Turn>> {
    if !member_equals(json, node, "type", "result") {
        return None;
    }
    if let Some(structured) =
        member(json, node, "structured_output").filter(|value| is_envelope(json, *value))
    {
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
