//! Replies in pieces (K7): server-sent events, or a delta a line. The pieces of one choice or block are one text.

use rustc_hash::FxHashMap;

use super::findings;
use super::shapes::{Draft, push_parts};
use super::turn::{Record, Skip, TextKind, Turn, TurnRole};
use super::words::{has_control_key, is_string, member, says, step, text};
use crate::envelope::json::{Json, JsonKind as Node, NodeId};
use crate::transcript::line_border::Border;
use mangle_syntax::text::{TextRange, size};

/// Events that frame a stream, or carry a piece of it.
const EVENTS: [&str; 7] = [
    "message_start",
    "message_delta",
    "message_stop",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "ping",
];

/// Whether a value is a piece of a stream.
pub(super) fn is_delta(json: &Json<'_>, node: NodeId) -> bool {
    let is_event = |word: &str| {
        EVENTS.contains(&word) || (word.starts_with("response.") && word.len() > "response.".len())
    };
    text(json, node, "type").is_some_and(|word| is_event(&word))
        || member(json, node, "delta").is_some()
        || choices(json, node).any(|choice| member(json, choice, "delta").is_some())
        || is_local(json, node)
}

/// Whether a value is a piece of a server that runs on the machine itself: of llama.cpp `content` with `stop`, of Ollama
/// `message` or `response` with `done`.
fn is_local(json: &Json<'_>, node: NodeId) -> bool {
    let is_flag =
        |name: &str| member(json, node, name).is_some_and(|flag| matches!(json.kind(flag), Node::Bool(_)));
    let has = |name: &str| member(json, node, name).is_some();
    (is_flag("stop") && has("content") && !has("role"))
        || (is_flag("done") && (has("message") || has("response")))
}

/// Whether a piece of such a server is the last of its reply.
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

/// Whether a line ends a reply.
pub(super) fn border(line: &[u8]) -> Border {
    let Some(data) = data(line) else { return Border::Within };
    let has = |word: &str| memchr::memmem::find(data, word.as_bytes()).is_some();
    let ends = |word: &str| {
        has(word) && {
            let json = Json::parse(data);
            says(&json, json.root(), "type", word)
        }
    };
    let is_last = || {
        (has("\"done\"") || has("\"stop\"")) && has("true") && {
            let json = Json::parse(data);
            is_last(&json, json.root())
        }
    };
    match data == b"[DONE]"
        || ends("message_stop")
        || ends("response.completed")
        || ends("finish")
        || is_last()
    {
        true => Border::End,
        false => Border::Within,
    }
}

/// What a line of a stream carries: JSON or a word; `None` where it carries nothing.
fn data(line: &[u8]) -> Option<&[u8]> {
    let line = line.trim_ascii();
    let data = line.strip_prefix(b"data:").map(<[u8]>::trim_ascii_start);
    let is_line = || line.starts_with(b"{").then_some(line);
    data.or_else(is_line).filter(|data| !data.is_empty())
}

/// Whether a text begins as a stream of events does.
pub(super) fn is_events(text: &[u8]) -> bool {
    let mut lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(b":"));
    first.is_some_and(|line| {
        let json = line.strip_prefix(b"data:").map(<[u8]>::trim_ascii_start);
        json.is_some_and(|data| data.starts_with(b"{") || data == b"[DONE]")
            || (line.starts_with(b"event:") && lines.take(3).any(|line| line.starts_with(b"data:")))
    })
}

/// The texts that are being put together.
#[derive(Default)]
struct Pieces {
    by_key: FxHashMap<String, usize>,
    drafts: Vec<(Draft, bool)>,
    /// How many messages have begun.
    message: usize,
    /// Where a piece without a text was that ended a reply.
    empty: Option<TextRange>,
}

impl Pieces {
    /// Adds to the text with this key; `is_call` for one that counts only when it is an envelope.
    fn push(&mut self, key: String, is_call: bool, piece: impl FnOnce(&mut Draft)) {
        let next = self.drafts.len();
        let at = *self.by_key.entry(key).or_insert(next);
        if at == next {
            self.drafts.push((Draft::default(), is_call));
        }
        if let Some((draft, _)) = self.drafts.get_mut(at) {
            piece(draft);
        }
    }

    /// Gives the texts to their record.
    fn finish(self, record: &mut Record<'_>) {
        for (draft, is_call) in self.drafts {
            let turn = draft.finish(TurnRole::Assistant, TextKind::Reply);
            if !turn.is_empty() && (!is_call || has_control_key(turn.text(record.bytes))) {
                record.turns.push(turn);
            }
        }
        if let Some(range) = self.empty.filter(|_| record.turns.is_empty()) {
            record.turns.push(Turn::part(TurnRole::Assistant, TextKind::Skipped(Skip::Empty), range));
        }
    }
}

/// Reads the lines of one stream.
pub(super) fn read(record: &mut Record<'_>) {
    let mut pieces = Pieces::default();
    let mut at = 0;
    for line in record.bytes.split_inclusive(|byte| *byte == b'\n') {
        let start = at;
        at += line.len();
        let Some(data) = data(line).filter(|data| *data != b"[DONE]") else { continue };
        let offset = start + (line.len() - line.trim_ascii_start().len());
        let offset = offset + line.trim_ascii().len() - data.len();
        let json = Json::parse_part(record.bytes, offset..offset + data.len());
        if !json.is_valid_to_the_end() {
            let range = TextRange::at(size(offset), size(data.len()));
            record.findings.push(findings::bad_record(&json, range, "piece of the stream"));
            continue;
        }
        piece(&json, json.root(), "", &mut pieces);
    }
    pieces.finish(record);
}

/// Reads a stream that is one JSON value: a piece, or a list of all of them.
pub(super) fn read_value(json: &Json<'_>, pointer: &str, record: &mut Record<'_>) {
    let mut pieces = Pieces::default();
    match json.kind(json.root()) {
        Node::Array => {
            for (at, element) in json.elements(json.root()).enumerate() {
                piece(json, element, &step(pointer, at), &mut pieces);
            }
        }
        _ => piece(json, json.root(), pointer, &mut pieces),
    }
    pieces.finish(record);
}

/// Adds what a line carries to the texts.
fn piece(json: &Json<'_>, node: NodeId, pointer: &str, pieces: &mut Pieces) {
    if says(json, node, "type", "message_start") {
        pieces.message += 1;
    }
    let message = pieces.message;
    let index = |node: NodeId| {
        member(json, node, "index")
            .map(|it| String::from_utf8_lossy(json.raw(it)).into_owned())
            .unwrap_or_default()
    };
    let id = text(json, node, "id").or_else(|| text(json, node, "item_id")).unwrap_or_default();
    for (at, choice) in choices(json, node).enumerate() {
        let Some(delta) = member(json, choice, "delta") else { continue };
        let key = format!("{message}/{id}/{}", index(choice));
        one_delta(json, delta, &key, &step(&step(&step(pointer, "choices"), at), "delta"), pieces);
    }
    let candidates = member(json, node, "candidates").map(|list| json.elements(list).collect::<Vec<_>>());
    for (at, candidate) in candidates.into_iter().flatten().enumerate() {
        let here = step(&step(pointer, "candidates"), at);
        pieces.push(format!("candidate {at}"), false, |draft| push_parts(json, candidate, &here, draft));
    }
    if let Some(delta) = member(json, node, "delta") {
        let part = member(json, node, "content_index").map(|it| json.raw(it)).unwrap_or_default();
        let key = format!("{message}/{id}/{}/{}", index(node), String::from_utf8_lossy(part));
        if is_string(json, delta) {
            let word = text(json, node, "type").unwrap_or_default();
            match &*word {
                "" | "response.output_text.delta" | "text-delta" => {
                    pieces.push(key, false, |draft| draft.push(json, delta, step(pointer, "delta")))
                }
                "response.function_call_arguments.delta" => {
                    pieces.push(format!("{key} call"), true, |draft| {
                        draft.push(json, delta, step(pointer, "delta"))
                    });
                }
                _ => {}
            }
        } else {
            one_delta(json, delta, &key, &step(pointer, "delta"), pieces);
        }
    }
    if is_local(json, node) {
        local(json, node, pointer, pieces);
    }
}

/// Adds a piece of a server that runs on the machine itself.
fn local(json: &Json<'_>, node: NodeId, pointer: &str, pieces: &mut Pieces) {
    let slot =
        ["index", "id_slot"].iter().find_map(|name| member(json, node, name)).map(|slot| json.raw(slot));
    let key = format!("{} local {}", pieces.message, String::from_utf8_lossy(slot.unwrap_or_default()));
    let message = member(json, node, "message").and_then(|message| member(json, message, "content"));
    let found = [
        (message, step(&step(pointer, "message"), "content")),
        (member(json, node, "response"), step(pointer, "response")),
        (member(json, node, "content"), step(pointer, "content")),
    ];
    let said = found
        .into_iter()
        .find_map(|(found, pointer)| Some((found.filter(|it| is_string(json, *it))?, pointer)));
    if let Some((said, pointer)) = said {
        if json.is_empty_string(said) {
            pieces.empty.get_or_insert(json.range(said));
        } else {
            pieces.push(key, false, |draft| draft.push(json, said, pointer));
        }
    }
    if is_last(json, node) {
        pieces.message += 1;
    }
}

/// Adds a `delta` object: its text, and the arguments of its calls.
fn one_delta(json: &Json<'_>, delta: NodeId, key: &str, pointer: &str, pieces: &mut Pieces) {
    for name in ["content", "text"] {
        if let Some(found) = member(json, delta, name).filter(|found| is_string(json, *found)) {
            pieces.push(key.to_owned(), false, |draft| draft.push(json, found, step(pointer, name)));
            break;
        }
    }
    if let Some(found) = member(json, delta, "partial_json").filter(|found| is_string(json, *found)) {
        pieces.push(format!("{key} json"), true, |draft| {
            draft.push(json, found, step(pointer, "partial_json"))
        });
    }
    let Some(calls) = member(json, delta, "tool_calls").filter(|it| json.kind(*it) == Node::Array) else {
        return;
    };
    for (at, call) in json.elements(calls).enumerate() {
        let Some(function) = member(json, call, "function") else { continue };
        if let Some(found) = member(json, function, "arguments") {
            let here = step(&step(&step(pointer, "tool_calls"), at), "function");
            let index = member(json, call, "index").map(|it| json.raw(it)).unwrap_or_default();
            let key = format!("{key} call {}", String::from_utf8_lossy(index));
            pieces.push(key, true, |draft| draft.push(json, found, step(&here, "arguments")));
        }
    }
}
