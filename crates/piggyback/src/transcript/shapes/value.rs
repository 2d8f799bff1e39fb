//! What stands where an export has the input or the output of a model: a text, messages, an answer of an API, or JSON
//! that is written in a string, any number of times.

use super::finder::{Finder, ValuePlace};
use super::message::{is_message, is_part};
use super::side::Side;
use super::{native_calls, table, voice};
use crate::envelope::json::{Json, JsonKind as Node};
use crate::transcript::turn::{TextKind, Turn};
use crate::transcript::words::{has_control_key, is_envelope, step};

/// How many values are looked into, one inside the other.
const DEEPEST: usize = 32;

/// How many strings that hold JSON are read, one inside the other.
const MOST_LEVELS: usize = 8;

/// Where the output of a model is in an object, the likeliest first.
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

/// Where the input of a model is in an object.
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

/// Where the result of a tool is in an object.
const RESULTS: [&str; 7] = ["output", "outputs", "result", "content", "text", "data", "value"];

/// The reading of one JSON text.
pub(super) struct ValueReader<'j, 't> {
    pub(super) finder: Finder<'j, 't>,
    /// What was found so far.
    pub(super) turns: Vec<Turn>,
    depth: usize,
    /// In how many strings the JSON text is.
    level: usize,
}

impl<'j, 't> ValueReader<'j, 't> {
    pub(super) fn new(json: &'j Json<'t>, level: usize) -> Self {
        Self { finder: Finder::new(json), turns: Vec::new(), depth: 0, level }
    }

    pub(super) fn json(&self) -> &'j Json<'t> {
        self.finder.json
    }

    /// Looks one level deeper, unless that is too deep.
    pub(super) fn deeper(&mut self, look: impl FnOnce(&mut Self)) {
        if self.depth < DEEPEST {
            self.depth += 1;
            look(self);
            self.depth -= 1;
        }
    }

    /// Reads a value of a side.
    pub(super) fn value(&mut self, place: &ValuePlace, side: Side) {
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
        if side == Side::Input {
            // The history of a conversation.
            for turn in self.turns.iter_mut().skip(before) {
                turn.may_repeat = true;
            }
        }
    }

    fn list(&mut self, elements: &[ValuePlace], place: &ValuePlace, side: Side) {
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
        if side == Side::Output {
            // What a model gives after a conversation often begins with that conversation.
            let last = self.turns.iter().rposition(Turn::is_reply).unwrap_or(0);
            for turn in self.turns.iter_mut().take(last).skip(before) {
                turn.may_repeat = true;
            }
        }
    }

    /// The texts of a list whose elements are pieces of a stream.
    fn pieces(&self, elements: &[ValuePlace], place: &ValuePlace, side: Side) -> Option<Vec<Turn>> {
        let json = self.json();
        let first = elements.iter().find(|element| element.is_value())?;
        let is_delta = crate::transcript::stream::is_delta(json, first.node);
        let may_be = side == Side::Output && elements.len() > 2 && json.kind(first.node) == Node::Object;
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

    /// Whether strings are replies each, not pieces of one.
    fn holds_envelopes(&self, elements: &[ValuePlace]) -> bool {
        let begins = |element: &ValuePlace| {
            let text = self.json().string(element.node).unwrap_or_default();
            text.trim_start().starts_with('{')
        };
        elements.iter().all(|element| self.finder.is_string(element) && begins(element))
    }

    fn object_of(&mut self, place: &ValuePlace, side: Side) {
        if matches!(side, Side::Output | Side::Conversation) && voice::is_unsaid(self, place) {
            return;
        }
        if place.is_value() && is_envelope(self.json(), place.node) {
            if matches!(side, Side::Output | Side::Conversation) {
                self.object(place);
            }
        } else if is_message(&self.finder, place) {
            self.message(place);
        } else if matches!(side, Side::System | Side::Tool) || !self.known(place) {
            self.by_keys(place, side);
        }
    }

    /// Reads an object of a format that is known; gives whether it is one with turns.
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

    /// Reads the value of the first key that usually has the input or the output, and gives turns.
    fn by_keys(&mut self, place: &ValuePlace, side: Side) {
        let keys: &[&str] = match side {
            Side::Output | Side::Conversation => &OUTPUTS,
            Side::Input | Side::System => &INPUTS,
            Side::Tool => &RESULTS,
        };
        let before = self.turns.len();
        for key in keys {
            let Some(inner) = self.finder.get(place, key) else { continue };
            self.deeper(|reading| reading.value(&inner, side));
            if self.turns.len() > before {
                return;
            }
        }
        // An object around the one value that counts.
        if let Some(only) = self.only_member(place) {
            self.deeper(|reading| reading.value(&only, side));
        }
    }

    /// The only member of an object, if that is a list or an object.
    fn only_member(&self, place: &ValuePlace) -> Option<ValuePlace> {
        let json = self.json();
        let mut members = json.members(place.node).filter(|_| place.is_value());
        let (only, None) = (members.next()?, members.next()) else { return None };
        let is_group = matches!(json.kind(only.value), Node::Array | Node::Object);
        let key = json.string(only.key).filter(|_| is_group)?;
        Some(self.finder.settled(ValuePlace::new(only.value, step(&place.pointer, &*key))))
    }

    /// Reads a string: JSON of a known format in it, else its text.
    fn text(&mut self, place: &ValuePlace, side: Side) {
        match self.inside(place, |reading, root| reading.value(root, side)) {
            Some(turns) => self.turns.extend(turns),
            None if self.json().is_empty_string(place.node) && side == Side::Output => self.empty(place),
            None => match self.stream_inside(place, side) {
                Some(turns) => self.turns.extend(turns),
                None => self.string(place, side.role()),
            },
        }
    }

    /// The turns of the stream that a string holds.
    fn stream_inside(&self, place: &ValuePlace, side: Side) -> Option<Vec<Turn>> {
        let is_stream =
            |raw: &[u8]| [&b"\"data:"[..], b"\"event:", b"\"{"].iter().any(|start| raw.starts_with(start));
        if side != Side::Output || !place.is_value() || !is_stream(self.json().raw(place.node)) {
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

    /// The turns of the JSON that a string holds; `None` where it holds none, or is an answer itself.
    pub(super) fn inside(
        &self,
        place: &ValuePlace,
        read: impl FnOnce(&mut ValueReader<'_, '_>, &ValuePlace),
    ) -> Option<Vec<Turn>> {
        let (is_format, turns) = self.json_inside(place, read)?;
        // JSON without a message or an envelope is what the model wrote.
        (is_format && !turns.is_empty()).then_some(turns)
    }

    /// The turns of the JSON that a string holds, and whether it has a known form; `None` if it holds no JSON, or an answer.
    pub(super) fn json_inside(
        &self,
        place: &ValuePlace,
        read: impl FnOnce(&mut ValueReader<'_, '_>, &ValuePlace),
    ) -> Option<(bool, Vec<Turn>)> {
        if !place.is_value() || self.level >= MOST_LEVELS {
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
        let root = inner.finder.settled(ValuePlace::new(json.root(), ""));
        read(&mut inner, &root);
        let is_format = inner.turns.iter().any(|turn| {
            !turn.is_reply() || has_control_key(turn.text(value.as_bytes())) || turn.kind == TextKind::Object
        }) || is_message(&inner.finder, &root)
            || inner.finder.each(&root).iter().any(|element| is_message(&inner.finder, element));
        native_calls::mark(&json, json.root(), &mut inner.turns);
        let outward = |turn: Turn| turn.inside_string(value.as_bytes(), &map, &place.pointer);
        Some((is_format, inner.turns.into_iter().map(outward).collect()))
    }

    /// Reads a value that may be a message or a list of them, and is nothing else.
    pub(super) fn conversation(&mut self, place: &ValuePlace) {
        if is_message(&self.finder, place) {
            self.message(place);
            return;
        }
        let elements = self.finder.each(place);
        if elements.iter().any(|element| is_message(&self.finder, element)) {
            self.list(&elements, place, Side::Conversation);
        }
    }
}
