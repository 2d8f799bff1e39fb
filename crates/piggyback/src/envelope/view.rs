//! Typed access to the objects of a reply: all occurrences of a key, and the effective occurrence.

use std::borrow::Cow;
use std::cell::OnceCell;

use super::json::{Json, JsonKind, Member, NodeId};
use super::pointer::shortened;
use super::table::{MemberField, Shape, Table};
use mangle_settings::Profile;
use mangle_syntax::text::{TextRange, TextSize};

/// A member whose key is known to any profile, or matches a known key in the runtime.
#[derive(Debug, Clone, Copy)]
pub struct MemberEntry {
    /// The table entry of the key.
    pub field: &'static MemberField,
    /// The key in the text.
    pub key: NodeId,
    /// The value after the colon.
    pub value: NodeId,
    /// True if the key is spelled exactly.
    pub is_exact: bool,
}

/// An object, or several objects of a repeated key that the runtime merges.
#[derive(Debug, Clone)]
pub struct View<'t> {
    /// The JSON document of the object.
    pub json: &'t Json<'t>,
    /// The table of known members.
    pub table: &'static Table,
    /// The objects in source order. Empty if the member is missing.
    pub nodes: Vec<NodeId>,
    /// The known members in source order.
    pub entries: Vec<MemberEntry>,
    misses: OnceCell<Vec<(NodeId, &'static str)>>,
}

/// The maximum number of misspelled keys that are recorded.
const MAX_MISSES: usize = 100;

impl<'t> View<'t> {
    /// Creates a view of the objects among `nodes`. Other nodes are ignored.
    #[must_use]
    pub fn new(json: &'t Json<'t>, table: &'static Table, nodes: impl IntoIterator<Item = NodeId>) -> Self {
        let nodes: Vec<_> = nodes.into_iter().filter(|node| json.kind(*node) == JsonKind::Object).collect();
        let mut entries = Vec::new();
        for Member { key, value } in nodes.iter().flat_map(|node| json.members(*node)) {
            let found = json.string(key).and_then(|name| table.find(&name));
            entries.extend(found.map(|(field, is_exact)| MemberEntry { field, key, value, is_exact }));
        }
        Self { json, table, nodes, entries, misses: OnceCell::new() }
    }

    /// Creates a view of an object without known members.
    #[must_use]
    pub fn untyped(json: &'t Json<'t>, node: NodeId) -> Self {
        Self { json, table: &EMPTY_TABLE, nodes: vec![node], entries: Vec::new(), misses: OnceCell::new() }
    }

    /// True if the object exists.
    #[must_use]
    pub fn exists(&self) -> bool {
        !self.nodes.is_empty()
    }

    /// The byte range of the object. If there are several objects, the last one.
    #[must_use]
    pub fn range(&self) -> TextRange {
        self.nodes.last().map_or(TextRange::empty(TextSize::new(0)), |node| self.json.range(*node))
    }

    /// The byte range of the opening brace.
    #[must_use]
    pub fn brace(&self) -> TextRange {
        first_byte(self.range())
    }

    /// Returns every occurrence of a member, in any letter case.
    pub fn all<'s, 'n>(
        &'s self,
        name: &'n str,
    ) -> impl DoubleEndedIterator<Item = &'s MemberEntry> + use<'s, 'n, 't> {
        self.entries.iter().filter(move |entry| entry.field.name == name)
    }

    /// Returns the effective occurrence of a member: the last value that is not `null`, or the last
    /// occurrence.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&MemberEntry> {
        let filled = self.all(name).rev().find(|entry| self.json.kind(entry.value) != JsonKind::Null);
        filled.or_else(|| self.all(name).next_back())
    }

    /// True if a member exists and is not `null`.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some_and(|entry| self.json.kind(entry.value) != JsonKind::Null)
    }

    /// True if a member exists, even if it is `null`.
    #[must_use]
    pub fn contains_key(&self, name: &str) -> bool {
        self.all(name).next().is_some()
    }

    /// The byte range of the key of a member.
    #[must_use]
    pub fn key_range(&self, name: &str) -> Option<TextRange> {
        self.get(name).map(|entry| self.json.range(entry.key))
    }

    /// The byte range of the value of a member.
    #[must_use]
    pub fn value_range(&self, name: &str) -> Option<TextRange> {
        self.get(name).map(|entry| self.json.range(entry.value))
    }

    /// Returns the value of a string member.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<Cow<'t, str>> {
        self.json.string(self.get(name)?.value)
    }

    /// True if a member is a string that is not blank.
    #[must_use]
    pub fn has_text(&self, name: &str) -> bool {
        self.get(name).is_some_and(|entry| self.json.has_text(entry.value))
    }

    /// Returns the value of a number member, if it is finite.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<f64> {
        number(self.json, self.get(name)?.value)
    }

    /// Returns the source text of a number, shortened for messages.
    #[must_use]
    pub fn number_text(&self, name: &str) -> String {
        let raw = self.get(name).map_or(&[][..], |member| self.json.raw(member.value));
        shortened(&String::from_utf8_lossy(raw))
    }

    /// Returns the value of a boolean member.
    #[must_use]
    pub fn flag(&self, name: &str) -> Option<bool> {
        match self.json.kind(self.get(name)?.value) {
            JsonKind::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the elements of an array member. If the key is repeated, the effective occurrence is
    /// used.
    #[must_use]
    pub fn list(&self, name: &str) -> Vec<NodeId> {
        self.get(name).map(|entry| self.json.elements(entry.value).collect()).unwrap_or_default()
    }

    /// Returns the object of a member. If the key is repeated, all objects are merged as in the
    /// runtime.
    #[must_use]
    pub fn object(&self, name: &str) -> View<'t> {
        let table = self.table.field(name).and_then(|field| match field.shape {
            Shape::Object(table) => Some(table),
            _ => None,
        });
        let nodes: Vec<_> = self.all(name).map(|entry| entry.value).collect();
        View::new(self.json, table.unwrap_or(&EMPTY_TABLE), nodes)
    }

    /// Returns the objects in a list member.
    pub fn objects(&self, name: &str) -> impl Iterator<Item = View<'t>> + use<'t> {
        let table = self.table.field(name).and_then(|field| match field.shape {
            Shape::List(Shape::Object(table)) => Some(*table),
            _ => None,
        });
        let (json, table) = (self.json, table.unwrap_or(&EMPTY_TABLE));
        self.list(name).into_iter().map(move |node| View::new(json, table, [node]))
    }

    /// Returns the key that is probably a misspelling of a missing member.
    #[must_use]
    pub fn misspelled_key(&self, name: &str) -> Option<NodeId> {
        let misses = self.misses.get_or_init(|| self.near_misses());
        misses.iter().find(|(_, meant)| *meant == name).map(|(key, _)| *key)
    }

    /// Returns unknown keys with the probably intended members, up to a limit.
    fn near_misses(&self) -> Vec<(NodeId, &'static str)> {
        let members = self.nodes.iter().flat_map(|node| self.json.members(*node));
        let miss = |member: Member| {
            let key = self.json.string(member.key)?;
            Some((member.key, self.intended_field(&key)?.name))
        };
        members.filter_map(miss).take(MAX_MISSES).collect()
    }

    /// Returns the probably intended member of an unknown key.
    #[must_use]
    pub fn intended_field(&self, key: &str) -> Option<&'static MemberField> {
        match key {
            _ if self.table.find(key).is_some() => None,
            "control" => self.table.field("control_packet"),
            "surface" => self.table.field("surface_response"),
            key => self.table.similar_field(key),
        }
    }

    /// Visits this object and all known nested objects. The flag is true if the profile has their
    /// members.
    pub fn visit(&self, profile: Profile, is_known: bool, see: &mut impl FnMut(&View<'t>, bool)) {
        see(self, is_known);
        for entry in &self.entries {
            let is_known = is_known && entry.field.is_in(profile);
            match entry.field.shape {
                Shape::Object(table) if self.json.kind(entry.value) == JsonKind::Object => {
                    View::new(self.json, table, [entry.value]).visit(profile, is_known, see);
                }
                Shape::List(Shape::Object(table)) => {
                    for element in self.json.elements(entry.value) {
                        if self.json.kind(element) == JsonKind::Object {
                            View::new(self.json, table, [element]).visit(profile, is_known, see);
                        }
                    }
                }
                _ => {}
            }
        }
    }
}

/// A table without known members.
static EMPTY_TABLE: Table = Table { title: "the object", fields: &[] };

/// Returns the value of a number node, if it is finite.
#[must_use]
pub fn number(json: &Json<'_>, node: NodeId) -> Option<f64> {
    if json.kind(node) != JsonKind::Number {
        return None;
    }
    let written = std::str::from_utf8(json.raw(node)).ok()?;
    written.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Returns the range of the first byte of a range.
#[must_use]
pub fn first_byte(range: TextRange) -> TextRange {
    TextRange::new(range.start(), range.end().min(range.start() + TextSize::new(1)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::envelope::table::ENVELOPE;

    #[test]
    fn what_counts_of_keys_that_come_twice() {
        let text = br#"{"control_packet": {"mangle_updates": ["a(1)."]}, "Surface_Response": "a",
            "control_packet": {"reasoning_trace": "b"}, "surface_response": "b", "surface_response": null}"#;
        let json = Json::parse(text);
        let view = View::new(&json, &ENVELOPE, [json.root()]);
        assert_eq!(view.text("surface_response").unwrap(), "b");
        assert_eq!(view.all("surface_response").count(), 3);
        let control = view.object("control_packet");
        assert_eq!((control.nodes.len(), control.list("mangle_updates").len()), (2, 1));
        assert_eq!(control.text("reasoning_trace").unwrap(), "b");
        assert!(!control.has("memory_operations"));
    }
}
