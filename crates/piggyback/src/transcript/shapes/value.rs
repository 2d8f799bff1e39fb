//! Reader for the input or output of a model in an export: a text, messages, an API response, or
//! JSON in nested strings.

use super::finder::{Finder, ValuePlace};
use super::message::{is_message, is_part};
use super::{native_calls, table, value_author};
use crate::envelope::json::{Json, JsonKind as Node};
use crate::transcript::turn::{TextKind, Turn, TurnRole};
use crate::transcript::words::{has_control_key, is_envelope, step};

/// Maximum nesting depth of values.
const MAX_DEPTH: usize = 32;

/// Maximum nesting of strings that contain JSON.
const MAX_LEVELS: usize = 8;

/// Keys of the output of a model in an object, likeliest first.
const OUTPUTS: [&str; 24] = [
    "generations",
    "messages",
    "message",
    "choices",
    "candidates",
    "outputs",
    "output",
    "response",
    "completion",
    "kwargs",
    "content",
    "text",
    "answer",
    "result",
    "generation",
    "generated_text",
    "reply",
    "return_values",
    "prediction",
    "model_output",
    "output_text",
    "data",
    "body",
    "value",
];

/// Keys of the input of a model in an object.
const INPUTS: [&str; 18] = [
    "messages",
    "contents",
    "chat_history",
    "history",
    "system",
    "system_prompt",
    "inputs",
    "input",
    "prompt",
    "prompts",
    "query",
    "question",
    "user",
    "text",
    "content",
    "data",
    "body",
    "value",
];

/// Keys of the result of a tool in an object.
const RESULTS: [&str; 7] = ["output", "outputs", "result", "content", "text", "data", "value"];

/// Reader state for one JSON text.
pub(super) struct ValueReader<'j, 't> {
    pub(super) finder: Finder<'j, 't>,
    /// Turns found so far.
    pub(super) turns: Vec<Turn>,
    depth: usize,
    /// Number of strings around the JSON text.
    level: usize,
}

impl<'j, 't> ValueReader<'j, 't> {
    pub(super) fn new(json: &'j Json<'t>, level: usize) -> Self {
        Self { finder: Finder::new(json), turns: Vec::new(), depth: 0, level }
    }

    pub(super) fn json(&self) -> &'j Json<'t> {
        self.finder.json
    }

    /// Calls `look` one level deeper, unless the limit is reached.
    pub(super) fn deeper(&mut self, look: impl FnOnce(&mut Self)) {
        if self.depth < MAX_DEPTH {
            self.depth += 1;
            look(self);
            self.depth -= 1;
        }
    }

    /// Reads a value with a known role.
    pub(super) fn value(&mut self, place: &ValuePlace, side: ValueRole) {
        let before = self.turns.len();
        match self.finder.kind(place) {
            Node::Plain | Node::Escaped => self.text(place, side),
            Node::Array => self.list(&self.finder.each(place), place, side),
            Node::Object => {
                let elements = if place.is_value() { Vec::new() } else { self.finder.each(place) };
                match elements.is_empty() {
                    true => self.object_of(place, side),
                    false => self.list(&elements, place, side),
                }
            }
            _ => {}
        }
        if side == ValueRole::Input {
            // The input contains the history of the conversation.
            for turn in self.turns.iter_mut().skip(before) {
                turn.may_repeat = true;
            }
        }
    }

    fn list(&mut self, elements: &[ValuePlace], place: &ValuePlace, side: ValueRole) {
        let before = self.turns.len();
        if let Some(turns) = self.pieces(elements, place, side) {
            self.turns.extend(turns);
            return;
        }
        let is_text = |element: &ValuePlace| self.finder.is_string(element) || is_part(&self.finder, element);
        if elements.iter().any(|element| is_message(&self.finder, element)) {
            for element in elements {
                self.deeper(|reading| reading.value(element, side));
            }
        } else if !elements.is_empty() && elements.iter().all(is_text) && !self.holds_envelopes(elements) {
            self.content(place, side.role());
        } else {
            for element in elements {
                self.deeper(|reading| reading.value(element, side));
            }
        }
        if side == ValueRole::Output {
            // The output often begins with the preceding conversation.
            let last = self.turns.iter().rposition(Turn::is_reply).unwrap_or(0);
            for turn in self.turns.iter_mut().take(last).skip(before) {
                turn.may_repeat = true;
            }
        }
    }

    /// Returns the texts of a list whose elements are events of a stream.
    fn pieces(&self, elements: &[ValuePlace], place: &ValuePlace, side: ValueRole) -> Option<Vec<Turn>> {
        let json = self.json();
        let first = elements.iter().find(|element| element.is_value())?;
        let is_delta = crate::transcript::stream::is_delta(json, first.node);
        let may_be = side == ValueRole::Output && elements.len() > 2 && json.kind(first.node) == Node::Object;
        if !place.is_value() || json.kind(place.node) != Node::Array || !is_delta && !may_be {
            return None;
        }
        if !is_delta && (is_message(&self.finder, first) || is_part(&self.finder, first)) {
            return None;
        }
        let nodes: Vec<_> = json.elements(place.node).collect();
        let turns = crate::transcript::stream::of_elements(json, &nodes, &place.pointer);
        let is_split = is_delta || turns.iter().any(|turn| has_control_key(turn.text(json.text())));
        (is_split && turns.len() < nodes.len() && !turns.is_empty()).then_some(turns)
    }

    /// True if the strings are separate replies, not pieces of one reply.
    fn holds_envelopes(&self, elements: &[ValuePlace]) -> bool {
        let begins = |element: &ValuePlace| {
            let text = self.json().string(element.node).unwrap_or_default();
            text.trim_start().starts_with('{')
        };
        elements.iter().all(|element| self.finder.is_string(element) && begins(element))
    }

    fn object_of(&mut self, place: &ValuePlace, side: ValueRole) {
        if matches!(side, ValueRole::Output | ValueRole::Conversation) && value_author::is_unsaid(self, place)
        {
            return;
        }
        if place.is_value() && is_envelope(self.json(), place.node) {
            if matches!(side, ValueRole::Output | ValueRole::Conversation) {
                self.object(place);
            }
        } else if is_message(&self.finder, place) {
            self.message(place);
        } else if matches!(side, ValueRole::System | ValueRole::Tool) || !self.known(place) {
            self.by_keys(place, side);
        }
    }

    /// Reads an object of a known format. Returns true if it has turns.
    fn known(&mut self, place: &ValuePlace) -> bool {
        let before = self.turns.len();
        if place.is_value() {
            self.deeper(|reading| {
                let found = super::usual(reading.json(), place.node, &place.pointer);
                match found.filter(|found| !found.turns.is_empty()) {
                    Some(found) => reading.turns.extend(found.turns),
                    None => drop(table::certain(reading, place) || table::span(reading, place)),
                }
            });
        }
        self.turns.len() > before
    }

    /// Reads the value of the first usual key whose value has turns.
    fn by_keys(&mut self, place: &ValuePlace, side: ValueRole) {
        let keys: &[&str] = match side {
            ValueRole::Output | ValueRole::Conversation => &OUTPUTS,
            ValueRole::Input | ValueRole::System => &INPUTS,
            ValueRole::Tool => &RESULTS,
        };
        let before = self.turns.len();
        for key in keys {
            let Some(inner) = self.finder.get(place, key) else { continue };
            self.deeper(|reading| reading.value(&inner, side));
            if self.turns.len() > before {
                return;
            }
        }
        // An object that only wraps another value.
        if let Some(only) = self.only_member(place) {
            self.deeper(|reading| reading.value(&only, side));
        }
    }

    /// Returns the only member of an object if it is a list or an object.
    fn only_member(&self, place: &ValuePlace) -> Option<ValuePlace> {
        let json = self.json();
        let mut members = json.members(place.node).filter(|_| place.is_value());
        let (only, None) = (members.next()?, members.next()) else { return None };
        let is_group = matches!(json.kind(only.value), Node::Array | Node::Object);
        let key = json.string(only.key).filter(|_| is_group)?;
        Some(self.finder.unwrap_typed(ValuePlace::new(only.value, step(&place.pointer, &*key))))
    }

    /// Reads a string: JSON of a known format if it contains any, otherwise its text.
    fn text(&mut self, place: &ValuePlace, side: ValueRole) {
        match self.inside(place, |reading, root| reading.value(root, side)) {
            Some(turns) => self.turns.extend(turns),
            None if self.json().is_empty_string(place.node) && side == ValueRole::Output => self.empty(place),
            None => match self.stream_inside(place, side) {
                Some(turns) => self.turns.extend(turns),
                None => self.string(place, side.role()),
            },
        }
    }

    /// Returns the turns of a stream in a string.
    fn stream_inside(&self, place: &ValuePlace, side: ValueRole) -> Option<Vec<Turn>> {
        let is_stream =
            |raw: &[u8]| [&b"\"data:"[..], b"\"event:", b"\"{"].iter().any(|start| raw.starts_with(start));
        if side != ValueRole::Output || !place.is_value() || !is_stream(self.json().raw(place.node)) {
            return None;
        }
        let (value, map) = self.json().string_with_map(place.node)?;
        let turns = crate::transcript::stream::of_text(value.as_bytes())?;
        Some(
            turns
                .into_iter()
                .map(|turn| turn.inside_string(value.as_bytes(), &map, &place.pointer))
                .collect(),
        )
    }

    /// Returns the turns of the JSON in a string. `None` if it contains no JSON or is an answer
    /// itself.
    pub(super) fn inside(
        &self,
        place: &ValuePlace,
        read: impl FnOnce(&mut ValueReader<'_, '_>, &ValuePlace),
    ) -> Option<Vec<Turn>> {
        let (is_format, turns) = self.json_inside(place, read)?;
        // JSON without a message or an envelope is text of the model.
        (is_format && !turns.is_empty()).then_some(turns)
    }

    /// Returns the turns of the JSON in a string, and true if its format is known. `None` if it
    /// contains no JSON or is an answer itself.
    pub(super) fn json_inside(
        &self,
        place: &ValuePlace,
        read: impl FnOnce(&mut ValueReader<'_, '_>, &ValuePlace),
    ) -> Option<(bool, Vec<Turn>)> {
        if !place.is_value() || self.level >= MAX_LEVELS {
            return None;
        }
        let (value, map) = self.json().string_with_map(place.node)?;
        if !value.trim_start().starts_with(['{', '[', '"']) {
            return None;
        }
        let json = Json::parse(value.as_bytes());
        if !json.is_valid_to_the_end() || is_envelope(&json, json.root()) {
            return None;
        }
        let mut inner = ValueReader::new(&json, self.level + 1);
        let root = inner.finder.unwrap_typed(ValuePlace::new(json.root(), ""));
        read(&mut inner, &root);
        let is_format = inner.turns.iter().any(|turn| {
            !turn.is_reply() || has_control_key(turn.text(value.as_bytes())) || turn.kind == TextKind::Object
        }) || is_message(&inner.finder, &root)
            || inner.finder.each(&root).iter().any(|element| is_message(&inner.finder, element));
        native_calls::mark(&json, json.root(), &mut inner.turns);
        let outward = |turn: Turn| turn.inside_string(value.as_bytes(), &map, &place.pointer);
        Some((is_format, inner.turns.into_iter().map(outward).collect()))
    }

    /// Reads a message or a list of messages; ignores other values.
    pub(super) fn conversation(&mut self, place: &ValuePlace) {
        if is_message(&self.finder, place) {
            self.message(place);
            return;
        }
        let elements = self.finder.each(place);
        if elements.iter().any(|element| is_message(&self.finder, element)) {
            self.list(&elements, place, ValueRole::Conversation);
        }
    }
}

/// Role of a value in a model call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueRole {
    /// Input of the model.
    Input,
    /// Output of the model.
    Output,
    /// Conversation whose messages name their roles.
    Conversation,
    /// System prompt.
    System,
    /// Result of a tool.
    Tool,
}

impl ValueRole {
    /// The speaker of a text in this role.
    pub(super) fn role(self) -> TurnRole {
        match self {
            Self::Input => TurnRole::User,
            Self::Output | Self::Conversation => TurnRole::Assistant,
            Self::System => TurnRole::System,
            Self::Tool => TurnRole::Tool,
        }
    }
}
