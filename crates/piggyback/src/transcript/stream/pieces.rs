//! Assembly of the texts of a stream. The text of an event is found by the names of its keys, so
//! most services need no special case.

use rustc_hash::FxHashMap;

use crate::envelope::json::{Json, JsonKind as Node, NodeId};
use crate::transcript::entry::{begins_envelope, holds_envelope};
use crate::transcript::shapes::{self, Draft, native_calls, object};
use crate::transcript::turn::{NonReplyPlace, Skip, TextKind, Turn, TurnRole};
use crate::transcript::words::{
    has_control_key, has_quoted_control_key, is_envelope, is_reasoning, is_string, member, member_equals,
    step, text,
};
use mangle_syntax::text::TextRange;

/// Members that contain a piece of text. If there are several, the first is used.
const TEXTS: [&str; 6] = ["content", "text", "value", "output_text", "answer", "transcript"];

/// Members that contain a piece of the arguments of a tool call.
const ARGUMENTS: [&str; 4] = ["arguments", "partial_json", "input", "args"];

/// Members that contain nested members of these kinds.
const NESTED: [&str; 12] = [
    "message",
    "content",
    "delta",
    "parts",
    "tool_calls",
    "toolUse",
    "function",
    "functionCall",
    "tool_call",
    "output",
    "text",
    "tool_use",
];

/// Maximum nesting depth of the text of an event.
const MAX_DEPTH: usize = 8;

/// Kind of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PieceKind {
    Said,
    /// Arguments of a tool call. Used as an answer only if they are an envelope.
    Call,
    Reasoning,
}

/// Texts assembled so far.
#[derive(Default)]
pub(super) struct Pieces {
    by_key: FxHashMap<String, usize>,
    drafts: Vec<(Draft, PieceKind)>,
    /// Number of messages started.
    message: usize,
    /// Position of the first event with an empty text.
    empty: Option<TextRange>,
    /// Envelopes that are the arguments of a tool call, as an object.
    objects: Vec<Turn>,
    /// Complete answers in the last event of a stream.
    whole: Vec<Turn>,
    /// True if an event contains a native tool call.
    has_calls: bool,
    /// True if the event name indicates reasoning of the model.
    pub(super) is_thought: bool,
}

impl Pieces {
    pub(super) fn is_empty(&self) -> bool {
        self.drafts.is_empty() && self.objects.is_empty() && self.whole.is_empty() && self.empty.is_none()
    }

    /// Appends a piece to the text with this key.
    fn push(&mut self, key: String, kind: PieceKind, piece: impl FnOnce(&mut Draft)) {
        let kind = if self.is_thought { PieceKind::Reasoning } else { kind };
        let next = self.drafts.len();
        let at = *self.by_key.entry(format!("{kind:?} {key}")).or_insert(next);
        if at == next {
            self.drafts.push((Draft::default(), kind));
        }
        if let Some((draft, _)) = self.drafts.get_mut(at) {
            piece(draft);
        }
    }

    /// Marks the texts whose key begins with `key` as complete. Later pieces with the same key
    /// begin a new text.
    fn end(&mut self, key: &str) {
        self.by_key
            .retain(|known, _| !known.split_once(' ').is_some_and(|(_, known)| known.starts_with(key)));
    }

    /// Appends the assembled texts as turns.
    pub(super) fn finish(self, record: &[u8], turns: &mut Vec<Turn>) {
        let before = turns.len();
        // An envelope in the arguments of a call is the answer.
        let mut has_calls = self.has_calls && self.objects.is_empty();
        for (draft, kind) in self.drafts {
            let mut turn = draft.finish(TurnRole::Assistant, TextKind::Reply);
            let said = turn.text(record);
            let counts = match kind {
                PieceKind::Said => !turn.is_empty(),
                PieceKind::Call => has_control_key(said) && begins_envelope(said.trim_ascii_start()),
                PieceKind::Reasoning => has_quoted_control_key(said) && holds_envelope(said),
            };
            if kind == PieceKind::Reasoning {
                turn.kind = TextKind::Skipped(Skip::NotReply(NonReplyPlace::Reasoning));
            }
            has_calls &= kind != PieceKind::Call || !counts;
            turns.extend(counts.then_some(turn));
        }
        turns.extend(self.objects);
        let has_reply = |turns: &[Turn]| turns.iter().skip(before).any(Turn::is_reply);
        if !has_reply(turns) {
            turns.extend(self.whole);
        }
        for turn in turns.iter_mut().skip(before).filter(|turn| turn.is_reply()) {
            turn.has_native_calls |= has_calls;
        }
        if let Some(range) = self.empty.filter(|_| !has_reply(turns)) {
            turns.push(Turn::part(TurnRole::Assistant, TextKind::Skipped(Skip::Empty), range));
        }
    }

    /// Adds the texts of an event.
    pub(super) fn add(&mut self, json: &Json<'_>, node: NodeId, pointer: &str) {
        let word = text(json, node, "type").unwrap_or_default();
        let begins = matches!(&*word, "message_start" | "message-start" | "response.created");
        if begins || member(json, node, "messageStart").is_some() {
            self.message += 1;
        }
        self.has_calls |= native_calls::is_in(json, node);
        let message = self.message;
        let id = ["id", "item_id", "responseId", "message_id"].iter().find_map(|name| text(json, node, name));
        let id = id.unwrap_or_default();
        self.choices(json, node, &format!("{message}/{id}"), pointer);
        self.candidates(json, node, &format!("{message}/{id}"), pointer);
        for (name, inner) in ["contentBlockDelta", "contentBlockStart"]
            .iter()
            .filter_map(|name| Some((name, member(json, node, name)?)))
        {
            let key = format!("{message}/{}", raw(json, inner, "contentBlockIndex"));
            self.walk(json, inner, &step(pointer, name), &key, PieceKind::Said, 0);
        }
        if let Some(delta) = member(json, node, "delta") {
            let key =
                format!("{message}/{id}/{}/{}", raw(json, node, "index"), raw(json, node, "content_index"));
            let here = step(pointer, "delta");
            match is_string(json, delta) {
                true => {
                    if let Some(kind) = kind_of(&word) {
                        self.push(key, kind, |draft| draft.push(json, delta, here));
                    }
                }
                false => self.walk(json, delta, &here, &key, PieceKind::Said, 0),
            }
        }
        if super::is_token(json, node) {
            self.token(json, node, pointer);
        }
        if super::is_local(json, node) {
            self.local(json, node, pointer);
        }
        if word.ends_with(".done") || word.ends_with(".completed") {
            self.whole(json, node, pointer);
        }
    }

    /// Reads `choices[].delta`, or `choices[].text` of the completions API.
    fn choices(&mut self, json: &Json<'_>, node: NodeId, key: &str, pointer: &str) {
        for (at, choice) in super::choices(json, node).enumerate() {
            let here = step(&step(pointer, "choices"), at);
            let key = format!("{key}/{}", raw(json, choice, "index"));
            if let Some(delta) = member(json, choice, "delta") {
                self.walk(json, delta, &step(&here, "delta"), &key, PieceKind::Said, 0);
            } else if let Some(text) = member(json, choice, "text").filter(|text| is_string(json, *text)) {
                self.push(key.clone(), PieceKind::Said, |draft| draft.push(json, text, step(&here, "text")));
            }
            if ["finish_reason", "finishReason"].iter().any(|name| says_something(json, choice, name)) {
                self.end(&key);
            }
        }
    }

    /// Reads `candidates[].content`.
    fn candidates(&mut self, json: &Json<'_>, node: NodeId, key: &str, pointer: &str) {
        let Some(list) = member(json, node, "candidates") else { return };
        for (at, candidate) in json.elements(list).enumerate() {
            let here = step(&step(pointer, "candidates"), at);
            let index = raw(json, candidate, "index");
            let index = if index.is_empty() { at.to_string() } else { index };
            let key = format!("{key}/candidate {index}");
            if let Some(content) = member(json, candidate, "content") {
                self.walk(json, content, &step(&here, "content"), &key, PieceKind::Said, 0);
            }
            if says_something(json, candidate, "finishReason") {
                self.end(&key);
            }
        }
    }

    /// Adds the text of an object and the arguments of its calls.
    fn walk(
        &mut self,
        json: &Json<'_>,
        node: NodeId,
        pointer: &str,
        key: &str,
        kind: PieceKind,
        depth: usize,
    ) {
        if depth > MAX_DEPTH {
            return;
        }
        if json.kind(node) == Node::Array {
            for (at, element) in json.elements(node).enumerate() {
                let index = raw(json, element, "index");
                let key = if index.is_empty() { key.to_owned() } else { format!("{key} {index}") };
                self.walk(json, element, &step(pointer, at), &key, kind, depth + 1);
            }
            return;
        }
        let is_thought = member(json, node, "thought")
            .is_some_and(|flag| json.kind(flag) == Node::Bool(true))
            || text(json, node, "type").is_some_and(|word| is_reasoning(&word));
        let kind = if is_thought { PieceKind::Reasoning } else { kind };
        let mut is_said = false;
        for one in json.members(node) {
            let Some(name) = json.string(one.key) else { continue };
            let here = step(pointer, &*name);
            let own = if is_reasoning(&name) || name == "tool_plan" { PieceKind::Reasoning } else { kind };
            let is_text = TEXTS.contains(&&*name)
                || own == PieceKind::Reasoning && name != "type" && name != "signature";
            if is_string(json, one.value) {
                if ARGUMENTS.contains(&&*name) && own != PieceKind::Reasoning {
                    self.push(format!("{key} call"), PieceKind::Call, |draft| {
                        draft.push(json, one.value, here)
                    });
                } else if is_text && (own != kind || !std::mem::replace(&mut is_said, true)) {
                    self.push(key.to_owned(), own, |draft| draft.push(json, one.value, here));
                }
            } else if ARGUMENTS.contains(&&*name) && is_envelope(json, one.value) {
                self.objects.push(object(json, one.value, &here));
            } else if NESTED.contains(&&*name) || own != kind {
                self.walk(json, one.value, &here, key, own, depth + 1);
            }
        }
    }

    /// Adds a token of text-generation-inference. Its last event contains the whole text.
    fn token(&mut self, json: &Json<'_>, node: NodeId, pointer: &str) {
        let key = format!("{} token", self.message);
        let token = member(json, node, "token").filter(|token| {
            member(json, *token, "special").is_none_or(|flag| json.kind(flag) != Node::Bool(true))
        });
        if let Some(text) = token.and_then(|token| member(json, token, "text")) {
            self.push(key, PieceKind::Said, |draft| {
                draft.push(json, text, step(&step(pointer, "token"), "text"))
            });
        }
        if says_something(json, node, "generated_text") {
            self.message += 1;
        }
    }

    /// Adds an event of a local model server.
    fn local(&mut self, json: &Json<'_>, node: NodeId, pointer: &str) {
        let slot =
            ["index", "id_slot"].iter().map(|name| raw(json, node, name)).find(|slot| !slot.is_empty());
        let key = format!("{} local {}", self.message, slot.unwrap_or_default());
        let names = ["message", "response", "content"];
        let found = names.iter().find_map(|name| Some((name, member(json, node, name)?)));
        if let Some((name, said)) = found {
            let here = step(pointer, name);
            if is_string(json, said) {
                match json.is_empty_string(said) {
                    true => drop(self.empty.get_or_insert(json.range(said))),
                    false => self.push(key, PieceKind::Said, |draft| draft.push(json, said, here)),
                }
            } else {
                let content = member(json, said, "content").filter(|content| json.is_empty_string(*content));
                if let Some(content) = content {
                    self.empty.get_or_insert(json.range(content));
                }
                self.walk(json, said, &here, &key, PieceKind::Said, 0);
            }
        }
        if ["thinking", "reasoning_content"].iter().any(|name| member(json, node, name).is_some()) {
            let thought = ["thinking", "reasoning_content"]
                .iter()
                .find_map(|name| Some((name, member(json, node, name)?)));
            if let Some((name, thought)) = thought.filter(|(_, thought)| is_string(json, *thought)) {
                let key = format!("{} local", self.message);
                self.push(key, PieceKind::Reasoning, |draft| draft.push(json, thought, step(pointer, name)));
            }
        }
        if super::is_last(json, node) {
            self.message += 1;
        }
    }

    /// Stores the complete answers in the last event of a reply.
    fn whole(&mut self, json: &Json<'_>, node: NodeId, pointer: &str) {
        let inner = ["response", "item"].iter().find_map(|name| Some((name, member(json, node, name)?)));
        let found = inner.and_then(|(name, inner)| shapes::read(json, inner, &step(pointer, name)));
        let replies = found.into_iter().flat_map(|found| found.turns).filter(Turn::is_reply);
        let replies: Vec<_> = replies.collect();
        if !replies.is_empty() {
            self.whole = replies;
        }
    }
}

/// Returns the kind of an event's string from the event type; `None` if the string is not read.
fn kind_of(word: &str) -> Option<PieceKind> {
    let has = |part: &str| word.contains(part);
    if is_reasoning(word) || has("summary") {
        return Some(PieceKind::Reasoning);
    }
    if has("arguments") || has("input_json") {
        return Some(PieceKind::Call);
    }
    let is_text =
        ["text", "transcript", "content", "message", "answer", "chunk", "token"].iter().any(|part| has(part));
    let is_plain = matches!(word, "" | "delta");
    (is_text && !has("refusal") && !has("code") || is_plain).then_some(PieceKind::Said)
}

/// Returns the raw JSON of a member, or an empty string if it is missing.
fn raw(json: &Json<'_>, node: NodeId, name: &str) -> String {
    member(json, node, name)
        .map(|value| String::from_utf8_lossy(json.raw(value)).into_owned())
        .unwrap_or_default()
}

/// True if a member is a non-empty string.
fn says_something(json: &Json<'_>, node: NodeId, name: &str) -> bool {
    member(json, node, name)
        .is_some_and(|value| is_string(json, value) && !member_equals(json, node, name, ""))
}
