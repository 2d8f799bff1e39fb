//! Messages in exports of services and libraries, with all known names for the speaker and the
//! text.

use super::chat::is_reply;
use super::draft::{Draft, envelope, string};
use super::finder::{Finder, ValuePlace};
use super::value::ValueReader;
use crate::envelope::json::JsonKind as Node;
use crate::transcript::turn::{Skip, TextKind, Turn, TurnRole};
use crate::transcript::words::is_envelope;

/// Paths of the speaker of a message.
const ROLES: [&str; 9] = [
    "role",
    "from",
    "message/role",
    "author/role",
    "author",
    "sender",
    "speaker",
    "data/role",
    "kwargs/role",
];

/// Paths of the message type, used if there is no speaker.
const TYPES: [&str; 3] = ["type", "kwargs/type", "data/type"];

/// Paths of the content of a message.
const CONTENTS: [&str; 12] = [
    "content",
    "parts",
    "text",
    "value",
    "message/content",
    "message/contents",
    "message/parts",
    "contents",
    "kwargs/content",
    "data/content",
    "body",
    "message",
];

/// Paths of the text of a content part.
const TEXTS: [&str; 5] = ["message_content/text", "text/value", "text", "content", "value"];

/// Paths of the tool calls of a message.
const CALLS: [&str; 6] = [
    "tool_calls",
    "message/tool_calls",
    "kwargs/tool_calls",
    "kwargs/additional_kwargs/tool_calls",
    "data/tool_calls",
    "additional_kwargs/tool_calls",
];

/// Paths of the arguments of a call.
const ARGUMENTS: [&str; 6] =
    ["function/arguments", "tool_call/function/arguments", "arguments", "args", "input", "parameters"];

/// Returns the speaker of a message, or `None` if the value names none.
pub(super) fn role(finder: &Finder<'_, '_>, place: &ValuePlace) -> Option<TurnRole> {
    if finder.kind(place) != Node::Object {
        return None;
    }
    if let Some(word) = finder.text(place, &ROLES) {
        return Some(TurnRole::of_export(&word));
    }
    let known = |word: &str| Some(TurnRole::of_export(word)).filter(|role| *role != TurnRole::Other);
    finder.text(place, &TYPES).and_then(|word| known(&word)).or_else(|| {
        // A serialized object of LangChain: the last part of its `id` is its class name.
        let id = finder.each(&finder.get(place, "id")?);
        known(&finder.json.string(id.last()?.node)?)
    })
}

pub(super) fn is_message(finder: &Finder<'_, '_>, place: &ValuePlace) -> bool {
    role(finder, place).is_some()
        && CONTENTS.iter().chain(&CALLS).any(|path| finder.get(place, path).is_some())
}

/// True if a value is a part of a content.
pub(super) fn is_part(finder: &Finder<'_, '_>, place: &ValuePlace) -> bool {
    finder.kind(place) == Node::Object
        && finder.text(place, &["type", "message_content/type"]).is_some_and(|word| is_text_type(&word))
        && TEXTS.iter().any(|path| finder.get(place, path).is_some())
}

fn is_text_type(word: &str) -> bool {
    matches!(word, "text" | "Text" | "output_text" | "input_text" | "outputText" | "text_delta" | "message")
}

fn kind(role: TurnRole) -> TextKind {
    super::chat::kind(role)
}

impl ValueReader<'_, '_> {
    /// Reads a message. An answer with neither a text nor a call is an empty answer.
    pub(super) fn message(&mut self, place: &ValuePlace) {
        let mut role = role(&self.finder, place).unwrap_or(TurnRole::Other);
        // A few-shot example is part of the prompt.
        if self
            .finder
            .get(place, "is_demo")
            .is_some_and(|demo| self.json().kind(demo.node) == Node::Bool(true))
        {
            role = TurnRole::User;
        }
        let before = self.turns.len();
        let contents: Vec<ValuePlace> =
            CONTENTS.iter().filter_map(|path| self.finder.get(place, path)).collect();
        let says = |content: &&ValuePlace| !self.is_blank(content);
        if let Some(content) = contents.iter().find(says) {
            self.content(content, role);
        }
        if role != TurnRole::Assistant {
            return;
        }
        let has_calls = self.calls(place);
        let is_commentary = self.finder.says(place, "phase", "commentary");
        if is_commentary {
            for turn in self.turns.iter_mut().skip(before).filter(|turn| turn.is_reply()) {
                turn.kind = TextKind::Skipped(Skip::Intermediate);
            }
        }
        if self.turns.len() == before && !has_calls && contents.iter().all(|one| self.is_blank(one)) {
            self.empty(contents.first().unwrap_or(place));
        }
    }

    /// True if a content is empty.
    pub(super) fn is_blank(&self, place: &ValuePlace) -> bool {
        let json = self.json();
        place.is_value()
            && match json.kind(place.node) {
                Node::Null => true,
                Node::Array => json.elements(place.node).next().is_none(),
                Node::Plain => json.is_empty_string(place.node),
                _ => false,
            }
    }

    /// Adds a turn for an empty answer.
    pub(super) fn empty(&mut self, place: &ValuePlace) {
        let range = self.json().range(place.node);
        let turn = Turn::part(TurnRole::Assistant, TextKind::Skipped(Skip::Empty), range);
        self.turns.push(with_path(turn, &place.pointer));
    }

    /// Reads the content of a message: a string, parts whose texts are joined, or an envelope.
    pub(super) fn content(&mut self, place: &ValuePlace, role: TurnRole) {
        match self.finder.kind(place) {
            Node::Plain | Node::Escaped => self.string(place, role),
            Node::Array => self.parts(&self.finder.each(place), role),
            Node::Object if !place.is_value() && !self.finder.each(place).is_empty() => {
                self.parts(&self.finder.each(place), role);
            }
            Node::Object => self.content_of_object(place, role),
            _ => {}
        }
    }

    fn content_of_object(&mut self, place: &ValuePlace, role: TurnRole) {
        if place.is_value() && is_envelope(self.json(), place.node) {
            if role == TurnRole::Assistant {
                self.object(place);
            }
            return;
        }
        if let Some(inner) =
            ["parts", "content", "text", "value"].iter().find_map(|key| self.finder.get(place, key))
        {
            self.deeper(|reading| reading.content(&inner, role));
        }
    }

    /// Reads a string of a message as one text.
    pub(super) fn string(&mut self, place: &ValuePlace, role: TurnRole) {
        let turn = string(self.json(), place.node, place.pointer.clone(), role, kind(role));
        if !turn.is_empty() {
            self.turns.push(turn);
        }
    }

    /// Reads an envelope that is stored as an object.
    pub(super) fn object(&mut self, place: &ValuePlace) {
        let mut turn = envelope(self.json(), place.node, &place.pointer);
        turn.kind = TextKind::Object;
        self.turns.push(turn);
    }

    /// Reads the parts of a content. Texts are joined; results of tools and envelopes are separate
    /// turns.
    fn parts(&mut self, parts: &[ValuePlace], role: TurnRole) {
        let mut draft = Draft::default();
        let mut others = Vec::new();
        for part in parts {
            match self.text_of_part(part) {
                Some(text) => draft.push(self.json(), text.node, text.pointer),
                None => others.push(part),
            }
        }
        if !draft.is_empty() {
            let turn = draft.finish(role, kind(role));
            self.turns.extend((!turn.is_empty()).then_some(turn));
        }
        for part in others {
            self.other_part(part, role);
        }
    }

    /// Reads strings that are pieces of one text.
    pub(super) fn joined(&mut self, pieces: &[ValuePlace], role: TurnRole) {
        let mut draft = Draft::default();
        for piece in pieces {
            draft.push(self.json(), piece.node, piece.pointer.clone());
        }
        let turn = draft.finish(role, kind(role));
        self.turns.extend((!turn.is_empty()).then_some(turn));
    }

    fn text_of_part(&self, part: &ValuePlace) -> Option<ValuePlace> {
        if self.finder.is_string(part) {
            return Some(part.clone());
        }
        let word = self.finder.text(part, &["type", "message_content/type"]);
        let is_thought = self
            .finder
            .get(part, "thought")
            .is_some_and(|thought| self.json().kind(thought.node) == Node::Bool(true));
        if is_thought || word.is_some_and(|word| !is_text_type(&word)) {
            return None;
        }
        let texts = TEXTS.iter().filter_map(|path| self.finder.get(part, path));
        texts.into_iter().find(|text| self.finder.is_string(text))
    }

    fn other_part(&mut self, part: &ValuePlace, role: TurnRole) {
        let word = self.finder.text(part, &["type"]).unwrap_or_default();
        if word.starts_with("tool") && (word.contains("result") || word.contains("response")) {
            let result =
                ["content", "result", "response", "output"].iter().find_map(|key| self.finder.get(part, key));
            if let Some(result) = result {
                self.deeper(|reading| reading.content(&result, TurnRole::Tool));
            }
        } else if role == TurnRole::Assistant {
            self.call(part);
        }
    }

    /// Reads the calls of a message. Arguments that are an envelope are an answer. Returns true if
    /// there are calls.
    fn calls(&mut self, place: &ValuePlace) -> bool {
        let lists: Vec<_> = CALLS.iter().filter_map(|path| self.finder.get(place, path)).collect();
        let calls: Vec<_> = lists.iter().flat_map(|list| self.finder.each(list)).collect();
        for call in &calls {
            self.call(call);
        }
        !calls.is_empty() || self.finder.get(place, "function_call").is_some()
    }

    /// Reads one call.
    pub(super) fn call(&mut self, call: &ValuePlace) {
        let Some(arguments) = ARGUMENTS.iter().find_map(|path| self.finder.get(call, path)) else { return };
        if !arguments.is_value() {
            return;
        }
        if is_reply(self.json(), arguments.node) {
            self.string(&arguments, TurnRole::Assistant);
        } else if is_envelope(self.json(), arguments.node) {
            self.object(&arguments);
        }
    }
}

fn with_path(mut turn: Turn, pointer: &str) -> Turn {
    turn.path.extend((!pointer.is_empty()).then(|| pointer.to_owned()));
    turn
}
