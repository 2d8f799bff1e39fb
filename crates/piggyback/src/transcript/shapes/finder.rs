//! Lookup of values by key, in any nesting that exporters use.
//!
//! Supported are nested objects, keys with dots (`"llm.output_messages.0.message.role"`), and lists
//! of `{"key", "value"}` with typed values as in OTLP.

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::envelope::json::{Json, JsonKind as Node, NodeId};
use crate::transcript::words::{is_string, step};
use mangle_settings::Step;

/// A value, or a group of values of one object whose keys have a common prefix.
#[derive(Debug, Clone)]
pub(super) struct ValuePlace {
    /// The value, or the object that contains the group.
    pub(super) node: NodeId,
    /// Common prefix of the keys, including the last dot. Empty for a single value.
    prefix: String,
    /// JSON pointer of the node.
    pub(super) pointer: String,
}

impl ValuePlace {
    pub(super) fn new(node: NodeId, pointer: impl Into<String>) -> Self {
        Self { node, prefix: String::new(), pointer: pointer.into() }
    }

    /// True for a single value, not a group.
    pub(super) fn is_value(&self) -> bool {
        self.prefix.is_empty()
    }
}

/// Sorted keys of an object with their values.
type Keys = Rc<[(String, ValuePlace)]>;

/// Looks up values in a JSON text.
///
/// Looking up a plain key costs the length of the object. For keys with dots, the keys are sorted
/// once and then found by binary search.
pub(super) struct Finder<'j, 't> {
    pub(super) json: &'j Json<'t>,
    keys: RefCell<FxHashMap<NodeId, Keys>>,
}

impl<'j, 't> Finder<'j, 't> {
    pub(super) fn new(json: &'j Json<'t>) -> Self {
        Self { json, keys: RefCell::default() }
    }

    /// Returns the values at a path of steps.
    pub(super) fn find(&self, from: &ValuePlace, steps: &[Step]) -> Vec<ValuePlace> {
        let mut places = vec![from.clone()];
        for step in steps {
            places = match step {
                Step::Key(key) => places.iter().flat_map(|place| self.key(place, key)).collect(),
                Step::Each => places.iter().flat_map(|place| self.each(place)).collect(),
            };
        }
        places
    }

    /// Returns the first value or group at a path of keys, separated by slashes.
    pub(super) fn get(&self, from: &ValuePlace, path: &str) -> Option<ValuePlace> {
        if self.lacks(from, path) {
            return None;
        }
        let mut places = vec![from.clone()];
        for key in path.split('/') {
            places = places.iter().flat_map(|place| self.key(place, key)).collect();
        }
        places.into_iter().next()
    }

    /// True if a value certainly has nothing at a path: a scalar, a list without pairs, or an object
    /// without a key that begins with the first key of the path.
    fn lacks(&self, from: &ValuePlace, path: &str) -> bool {
        if !from.is_value() {
            return false;
        }
        let first = path.split_once('/').map_or(path, |(first, _)| first);
        match self.json.kind(from.node) {
            Node::Object => {
                let may_have =
                    self.json.may_have(from.node, first) || self.json.may_have_dotted_key(from.node);
                !(may_have && self.has_prefix(from.node, first.as_bytes()))
            }
            Node::Array => !self.is_list_of_pairs(from.node),
            _ => true,
        }
    }

    /// True if a key of an object begins with `first`, or has escapes. Compares raw bytes only.
    fn has_prefix(&self, object: NodeId, first: &[u8]) -> bool {
        self.json.members(object).any(|member| match self.json.kind(member.key) {
            Node::Plain => self.json.raw(member.key).get(1..).is_some_and(|key| key.starts_with(first)),
            _ => true,
        })
    }

    /// Returns the text of the first string at one of several paths.
    pub(super) fn text(&self, from: &ValuePlace, paths: &[&str]) -> Option<Cow<'t, str>> {
        paths
            .iter()
            .find_map(|path| self.json.string(self.get(from, path).filter(ValuePlace::is_value)?.node))
    }

    /// True if the value at a path is this text.
    pub(super) fn says(&self, from: &ValuePlace, path: &str, word: &str) -> bool {
        self.text(from, &[path]).is_some_and(|text| text == word)
    }

    /// Returns the kind of a value. A list of pairs is an object.
    pub(super) fn kind(&self, place: &ValuePlace) -> Node {
        match self.json.kind(place.node) {
            Node::Array if place.is_value() && !self.is_list_of_pairs(place.node) => Node::Array,
            kind if place.is_value() && kind != Node::Array => kind,
            _ => Node::Object,
        }
    }

    pub(super) fn is_string(&self, place: &ValuePlace) -> bool {
        place.is_value() && is_string(self.json, place.node)
    }

    /// Returns the value with a key, and the group of values whose keys begin with the key and a
    /// dot.
    fn key(&self, place: &ValuePlace, key: &str) -> Vec<ValuePlace> {
        let node = place.node;
        if place.is_value() && self.json.kind(node) == Node::Object {
            return self.key_of_object(place, key);
        }
        if place.is_value() && !self.is_list_of_pairs(node) {
            return Vec::new();
        }
        let keys = self.keys(place);
        let wanted = format!("{}{key}", place.prefix);
        let at = keys.partition_point(|(key, _)| *key < wanted);
        let exact = keys.get(at).filter(|(key, _)| *key == wanted).map(|(_, value)| value.clone());
        let prefix = format!("{wanted}.");
        let at = keys.partition_point(|(key, _)| *key < prefix);
        let is_group = keys.get(at).is_some_and(|(key, _)| key.starts_with(&prefix));
        let group = is_group.then(|| ValuePlace { prefix, ..place.clone() });
        exact.into_iter().chain(group).collect()
    }

    fn key_of_object(&self, place: &ValuePlace, wanted: &str) -> Vec<ValuePlace> {
        let (mut exact, mut is_group) = (None, false);
        for member in self.json.members(place.node) {
            let Some(key) = self.json.string(member.key) else { continue };
            if key == wanted {
                exact = Some(member.value);
            }
            is_group |= key.strip_prefix(wanted).is_some_and(|rest| rest.len() > 1 && rest.starts_with('.'));
        }
        let exact = exact.map(|node| self.unwrap_typed(ValuePlace::new(node, step(&place.pointer, wanted))));
        let group = is_group.then(|| ValuePlace { prefix: format!("{wanted}."), ..place.clone() });
        exact.into_iter().chain(group).collect()
    }

    /// Returns the elements of an array, or the values with numeric keys in numeric order.
    pub(super) fn each(&self, place: &ValuePlace) -> Vec<ValuePlace> {
        if place.is_value() && self.json.kind(place.node) == Node::Array {
            let elements = self.json.elements(place.node).enumerate();
            let element = |(at, node)| self.unwrap_typed(ValuePlace::new(node, step(&place.pointer, at)));
            return elements.map(element).collect();
        }
        if place.is_value() {
            return Vec::new();
        }
        let keys = self.keys(place);
        let from = keys.partition_point(|(key, _)| *key < place.prefix);
        let mut found: Vec<(u64, ValuePlace)> = Vec::new();
        for (key, value) in keys.get(from..).unwrap_or(&[]) {
            let Some(rest) = key.strip_prefix(&place.prefix) else { break };
            let (digits, behind) = rest.split_once('.').map_or((rest, None), |(at, rest)| (at, Some(rest)));
            let Ok(number) = digits.parse::<u64>() else { continue };
            // Keys with the same prefix are adjacent.
            if found.last().is_some_and(|(last, _)| *last == number) {
                continue;
            }
            let group = || ValuePlace { prefix: format!("{}{digits}.", place.prefix), ..place.clone() };
            found.push((number, behind.map_or_else(|| value.clone(), |_| group())));
        }
        found.sort_by_key(|(number, _)| *number);
        found.dedup_by_key(|(number, _)| *number);
        found.into_iter().map(|(_, place)| place).collect()
    }

    /// Returns the sorted keys of an object or a list of pairs.
    fn keys(&self, place: &ValuePlace) -> Keys {
        if let Some(keys) = self.keys.borrow().get(&place.node) {
            return Rc::clone(keys);
        }
        let mut keys: Vec<(String, ValuePlace)> = match self.json.kind(place.node) {
            Node::Object => {
                let key = |key| self.json.string(key).map(Cow::into_owned);
                let members =
                    self.json.members(place.node).filter_map(|one| Some((key(one.key)?, one.value)));
                let value = |(key, node): (String, NodeId)| {
                    let place = ValuePlace::new(node, step(&place.pointer, &key));
                    (key, self.unwrap_typed(place))
                };
                members.map(value).collect()
            }
            _ => self.pairs(place),
        };
        keys.sort_by(|(a, _), (b, _)| a.cmp(b));
        let keys: Keys = keys.into();
        self.keys.borrow_mut().insert(place.node, Rc::clone(&keys));
        keys
    }

    fn pairs(&self, place: &ValuePlace) -> Vec<(String, ValuePlace)> {
        let pair = |(at, node): (usize, NodeId)| {
            let key = self.json.string(self.member(node, "key")?)?.into_owned();
            let pointer = step(&step(&place.pointer, at), "value");
            Some((key, self.unwrap_typed(ValuePlace::new(self.member(node, "value")?, pointer))))
        };
        self.json.elements(place.node).enumerate().filter_map(pair).collect()
    }

    /// True if a value is a list of `{"key", "value"}`.
    fn is_list_of_pairs(&self, node: NodeId) -> bool {
        let first = self.json.elements(node).next();
        first.is_some_and(|first| {
            self.member(first, "value").is_some()
                && self.member(first, "key").is_some_and(|key| is_string(self.json, key))
        })
    }

    fn member(&self, node: NodeId, name: &str) -> Option<NodeId> {
        crate::transcript::words::member(self.json, node, name)
    }

    /// Unwraps a typed value such as `{"stringValue": …}`.
    pub(super) fn unwrap_typed(&self, mut place: ValuePlace) -> ValuePlace {
        while let Some((node, pointer)) = self.typed(&place) {
            place = ValuePlace::new(node, pointer);
        }
        place
    }

    fn typed(&self, place: &ValuePlace) -> Option<(NodeId, String)> {
        let mut members = self.json.members(place.node);
        let (only, None) = (members.next()?, members.next()) else { return None };
        let name = self.json.string(only.key)?;
        let pointer = step(&place.pointer, &name);
        match &*name {
            "stringValue" | "string_value" => Some((only.value, pointer)),
            "arrayValue" | "array_value" | "kvlistValue" | "kvlist_value" => {
                Some((self.member(only.value, "values")?, step(&pointer, "values")))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use mangle_settings::PointerPattern;

    #[track_caller]
    fn check(text: &str, pattern: &str, expected: &[&str]) {
        let json = Json::parse(text.as_bytes());
        assert!(json.is_valid_to_the_end(), "{text}");
        let finder = Finder::new(&json);
        let pattern = PointerPattern::parse(pattern).unwrap();
        let found = finder.find(&ValuePlace::new(json.root(), ""), pattern.steps());
        let found: Vec<_> =
            found.iter().map(|place| json.string(place.node).unwrap_or_default().into_owned()).collect();
        assert_eq!(found, expected, "{text} {pattern:?}");
    }

    #[test]
    fn nested_and_flat_keys_are_alike() {
        for text in [
            r#"{"a":{"m":[{"x":{"t":"1"}},{"x":{"t":"2"}}]}}"#,
            r#"{"a.m":[{"x.t":"1"},{"x":{"t":"2"}}]}"#,
            r#"{"a.m.1.x.t":"2","a.m.0.x.t":"1"}"#,
            r#"{"a":{"m.0.x.t":"1","m.1":{"x.t":"2"}}}"#,
            r#"{"a":[{"key":"m.1.x.t","value":{"stringValue":"2"}},{"key":"m.0.x.t","value":{"stringValue":"1"}}]}"#,
            r#"{"a":[{"key":"m","value":{"arrayValue":{"values":[{"kvlistValue":{"values":[{"key":"x.t","value":{"stringValue":"1"}}]}},{"kvlistValue":{"values":[{"key":"x","value":{"kvlistValue":{"values":[{"key":"t","value":{"stringValue":"2"}}]}}}]}}]}}}]}"#,
        ] {
            check(text, "/a/m/*/x/t", &["1", "2"]);
            check(text, "/a.m.*.x.t", &["1", "2"]);
        }
    }

    #[test]
    fn numbers_are_sorted_as_numbers() {
        let text: String = (0..12).map(|at| format!(r#","m.{at}.t":"{at}""#)).collect();
        let expected: Vec<_> = (0..12).map(|at| at.to_string()).collect();
        check(
            &format!("{{{}}}", &text[1..]),
            "/m/*/t",
            &expected.iter().map(String::as_str).collect::<Vec<_>>(),
        );
    }

    #[test]
    fn pointers_lead_to_the_value() {
        let text = r#"{"a":[{"key":"m/n","value":{"stringValue":"1"}}],"b.c":"2"}"#;
        let json = Json::parse(text.as_bytes());
        let finder = Finder::new(&json);
        let root = ValuePlace::new(json.root(), "");
        let value: serde_json::Value = serde_json::from_str(text).unwrap();
        let a = finder.find(&root, &[Step::Key("a".into()), Step::Key("m/n".into())]);
        assert_eq!(value.pointer(&a[0].pointer).unwrap(), "1");
        assert_eq!(value.pointer(&finder.get(&root, "b/c").unwrap().pointer).unwrap(), "2");
    }
}
