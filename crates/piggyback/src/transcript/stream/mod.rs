//! Streamed replies (K7): server-sent events, one delta per line, or a list of deltas. The pieces
//! of one choice or block are joined.

mod pieces;
mod split;

use super::findings;
use super::turn::{Border, Record, TextKind, Turn, TurnRole};
use super::words::{is_reasoning, member, step, text};
use crate::envelope::json::{Json, JsonKind as Node, NodeId};
use mangle_syntax::text::{SegmentMapBuilder, TextRange, size};
use pieces::Pieces;

pub(super) use split::{is_split_array, is_split_lines};

/// Events that frame a stream or contain a piece of text.
const EVENTS: [&str; 7] = [
    "message_start",
    "message_delta",
    "message_stop",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "ping",
];

/// Events that end a reply.
const ENDS: [&str; 10] = [
    "message_stop",
    "message-end",
    "message_end",
    "stream-end",
    "stream_end",
    "finish",
    "response.completed",
    "response.done",
    "response.failed",
    "response.incomplete",
];

/// Members whose name is the event, as in Bedrock streams.
const NAMED_EVENTS: [&str; 4] = ["contentBlockDelta", "contentBlockStart", "messageStart", "messageStop"];

/// True if a value is an event of a stream.
pub(super) fn is_delta(json: &Json<'_>, node: NodeId) -> bool {
    let is_event = |word: &str| {
        EVENTS.contains(&word) || (word.starts_with("response.") && word.len() > "response.".len())
    };
    text(json, node, "type").is_some_and(|word| is_event(&word))
        || member(json, node, "delta").is_some()
        || NAMED_EVENTS.iter().any(|name| member(json, node, name).is_some())
        || is_token(json, node)
        || choices(json, node).any(|choice| member(json, choice, "delta").is_some())
        || is_local(json, node)
}

/// True if a value is an event of a local model server: llama.cpp (`content` with `stop`) or Ollama
/// (`message` or `response` with `done`).
fn is_local(json: &Json<'_>, node: NodeId) -> bool {
    let is_flag =
        |name: &str| member(json, node, name).is_some_and(|flag| matches!(json.kind(flag), Node::Bool(_)));
    let has = |name: &str| member(json, node, name).is_some();
    (is_flag("stop") && has("content") && !has("role"))
        || (is_flag("done") && (has("message") || has("response")))
}

/// True if a value is a token event of text-generation-inference.
fn is_token(json: &Json<'_>, node: NodeId) -> bool {
    member(json, node, "token").is_some_and(|token| member(json, token, "text").is_some())
}

/// True if an event of a local model server ends its reply.
fn is_last(json: &Json<'_>, node: NodeId) -> bool {
    let is_set =
        |name: &str| member(json, node, name).is_some_and(|flag| json.kind(flag) == Node::Bool(true));
    is_local(json, node) && (is_set("done") || is_set("stop"))
}

fn choices<'j>(json: &'j Json<'_>, node: NodeId) -> impl Iterator<Item = NodeId> + use<'j> {
    let found: Vec<_> =
        member(json, node, "choices").map(|list| json.elements(list).collect()).unwrap_or_default();
    found.into_iter()
}

/// Returns [`Border::End`] if a line ends a reply.
pub(super) fn border(line: &[u8]) -> Border {
    let Some(data) = data(line) else { return Border::Within };
    let has = |word: &str| memchr::memmem::find(data, word.as_bytes()).is_some();
    let ends = || {
        ["stop", "end", "done", "completed", "finish", "failed"].iter().any(|word| has(word))
            && has("\"type\"")
            && {
                let json = Json::parse(data);
                text(&json, json.root(), "type").is_some_and(|word| ENDS.contains(&&*word))
            }
    };
    let is_last = || {
        (has("\"done\"") || has("\"stop\"")) && has("true") && {
            let json = Json::parse(data);
            is_last(&json, json.root())
        }
    };
    match data == b"[DONE]" || ends() || has("\"messageStop\"") || is_last() {
        true => Border::End,
        false => Border::Within,
    }
}

/// Returns the data of a line: JSON or a word. `None` if the line has no data.
fn data(line: &[u8]) -> Option<&[u8]> {
    let line = line.trim_ascii();
    let data = line.strip_prefix(b"data:").map(<[u8]>::trim_ascii_start);
    let is_line = || line.starts_with(b"{").then_some(line);
    data.or_else(is_line).filter(|data| !data.is_empty())
}

/// True if a text begins like a stream of server-sent events.
pub(super) fn is_events(text: &[u8]) -> bool {
    let mut lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(b":"));
    first.is_some_and(|line| {
        let json = line.strip_prefix(b"data:").map(<[u8]>::trim_ascii_start);
        json.is_some_and(|data| data.starts_with(b"{") || data == b"[DONE]")
            || (line.starts_with(b"event:") && lines.take(3).any(|line| line.starts_with(b"data:")))
    })
}

/// Reads the lines of one stream.
pub(super) fn read(record: &mut Record<'_>) {
    let (mut pieces, mut damaged) = (Pieces::default(), Vec::new());
    let (mut at, mut is_thought, mut values) = (0, false, Vec::new());
    for line in record.bytes.split_inclusive(|byte| *byte == b'\n') {
        let start = at;
        at += line.len();
        if let Some(event) = line.strip_prefix(b"event:") {
            is_thought = std::str::from_utf8(event).is_ok_and(is_reasoning);
        }
        let Some(data) = data(line).filter(|data| *data != b"[DONE]") else { continue };
        let offset = start + (line.len() - line.trim_ascii_start().len());
        let offset = offset + line.trim_ascii().len() - data.len();
        let json = Json::parse_part(record.bytes, offset..offset + data.len());
        if !json.is_valid_to_the_end() || !matches!(json.kind(json.root()), Node::Object | Node::Array) {
            let range = TextRange::at(size(offset), size(data.len()));
            damaged.push(findings::bad_record(&json, range, "piece of the stream"));
            continue;
        }
        pieces.is_thought = is_thought;
        pieces.add(&json, json.root(), "");
        values.push(offset..offset + data.len());
    }
    if pieces.is_empty() && damaged.len() > values.len().max(1) && read_plain_text(record) {
        return;
    }
    record.findings.extend(damaged);
    if pieces.is_empty() && values.len() > 1 {
        let values: Vec<_> = values.into_iter().map(|part| Json::parse_part(record.bytes, part)).collect();
        let roots: Vec<_> = values.iter().map(|json| (json, json.root(), String::new())).collect();
        record.turns.extend(split::read(&roots));
    }
    pieces.finish(record.bytes, &mut record.turns);
}

/// Reads a stream that is one JSON value: a single event or a list of events.
pub(super) fn read_value(json: &Json<'_>, pointer: &str, record: &mut Record<'_>) {
    match json.kind(json.root()) {
        Node::Array => {
            let elements: Vec<_> = json.elements(json.root()).collect();
            record.turns.extend(of_elements(json, &elements, pointer));
        }
        _ => {
            let mut pieces = Pieces::default();
            pieces.add(json, json.root(), pointer);
            pieces.finish(json.text(), &mut record.turns);
        }
    }
}

/// Returns the texts of a list of events. Empty if the elements are not events.
pub(super) fn of_elements(json: &Json<'_>, elements: &[NodeId], pointer: &str) -> Vec<Turn> {
    let mut pieces = Pieces::default();
    for (at, element) in elements.iter().enumerate() {
        pieces.add(json, *element, &step(pointer, at));
    }
    if pieces.is_empty() {
        let places: Vec<_> =
            elements.iter().enumerate().map(|(at, element)| (json, *element, step(pointer, at))).collect();
        return split::read(&places);
    }
    let mut turns = Vec::new();
    pieces.finish(json.text(), &mut turns);
    turns
}

/// Returns the texts of a stream in a string, for example a recorded response body.
pub(super) fn of_text(text: &[u8]) -> Option<Vec<Turn>> {
    let is_lines = || {
        let mut lines =
            text.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).take(2);
        let is_piece = |line: &[u8]| {
            let json = Json::parse(line);
            json.is_valid_to_the_end() && is_delta(&json, json.root())
        };
        text.starts_with(b"{") && lines.next().is_some_and(is_piece) && lines.next().is_some_and(is_piece)
    };
    if !is_events(text) && !is_lines() {
        return None;
    }
    let mut record = Record::new(0, 0, text);
    read(&mut record);
    (!record.turns.is_empty()).then_some(record.turns)
}

/// Reads events whose data is plain text instead of JSON as one text. Returns false if the text is empty. Data lines of one
/// event are joined with a line end.
fn read_plain_text(record: &mut Record<'_>) -> bool {
    let (mut text, mut map, mut seams) = (Vec::new(), SegmentMapBuilder::default(), Vec::new());
    let (mut at, mut end, mut is_read) = (0, None, true);
    for line in record.bytes.split_inclusive(|byte| *byte == b'\n') {
        let start = at;
        at += line.len();
        let bare = line.strip_suffix(b"\n").unwrap_or(line);
        let bare = bare.strip_suffix(b"\r").unwrap_or(bare);
        if let Some(event) = bare.strip_prefix(b"event:") {
            let event = event.trim_ascii();
            is_read = !matches!(event, b"done" | b"end" | b"error" | b"ping" | b"metadata" | b"logs");
        }
        let Some(data) = bare.strip_prefix(b"data:").filter(|_| is_read) else {
            if bare.is_empty() {
                end = None;
            }
            continue;
        };
        let data = data.strip_prefix(b" ").unwrap_or(data);
        if data == b"[DONE]" {
            continue;
        }
        if let Some(end) = end.filter(|end| *end < start) {
            text.push(b'\n');
            map.escape(size(1), TextRange::new(size(end), size(start)));
        }
        let from = start + bare.len() - data.len();
        if !data.is_empty() {
            if !text.is_empty() {
                seams.push(size(text.len()));
            }
            text.extend_from_slice(data);
            map.copy(TextRange::at(size(from), size(data.len())));
        }
        end = Some(start + bare.len());
    }
    if text.is_empty() {
        return false;
    }
    let mut turn = Turn::from_decoded(TurnRole::Assistant, TextKind::Reply, text, map.finish());
    turn.seams = seams;
    turn.takes_edits = false;
    record.turns.push(turn);
    true
}
