//! Keys of a prompt atom: value types, and common wrong keys.

use super::atom::Dimension;

/// A key of an atom that is not a selector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AtomKey {
    /// The name of the key.
    pub name: &'static str,
    /// The value type, for example `list of ids`.
    pub value_type: &'static str,
    /// The purpose of the key, in one sentence.
    pub doc: &'static str,
}

const fn key(name: &'static str, holds: &'static str, doc: &'static str) -> AtomKey {
    AtomKey { name, value_type: holds, doc }
}

/// The keys of an atom that are not selectors.
pub const KEYS: [AtomKey; 13] = [
    key("id", "text", "path-like name for references to the atom, required"),
    key("category", "one of the categories", "section of the prompt, with its share of the budget; required"),
    key("subcategory", "text", "ignored by the prompt compiler"),
    key("description", "text", "text for finding the atom in a search"),
    key("content", "text", "text in the prompt; this or `content_file` is required"),
    key(
        "content_file",
        "path",
        "file with the text, relative to the atom's own file; `content` overrides it",
    ),
    key("content_concise", "text", "shorter text; it only makes the budget smaller, `content` is printed"),
    key("content_min", "text", "shortest text; it only makes the budget smaller, `content` is printed"),
    key("priority", "whole number", "order of the atoms, highest first"),
    key(
        "is_mandatory",
        "`true` or `false`",
        "true to include the atom in every prompt with matching selectors",
    ),
    key("is_exclusive", "text", "group with at most one atom in a prompt; the runtime ignores it"),
    key("depends_on", "list of ids", "atoms to include with this one"),
    key("conflicts_with", "list of ids", "atoms to exclude if this one is mandatory or has a higher score"),
];

/// Common wrong keys with the correct keys.
pub(super) const SYNONYMS: &[(&str, &str)] = &[
    ("name", "id"),
    ("key", "id"),
    ("type", "category"),
    ("kind", "category"),
    ("section", "category"),
    ("title", "description"),
    ("summary", "description"),
    ("text", "content"),
    ("body", "content"),
    ("prompt", "content"),
    ("template", "content"),
    ("instructions", "content"),
    ("value", "content"),
    ("file", "content_file"),
    ("path", "content_file"),
    ("include", "content_file"),
    ("short", "content_concise"),
    ("minimal", "content_min"),
    ("weight", "priority"),
    ("order", "priority"),
    ("rank", "priority"),
    ("required", "is_mandatory"),
    ("always", "is_mandatory"),
    ("group", "is_exclusive"),
    ("requires", "depends_on"),
    ("needs", "depends_on"),
    ("dependencies", "depends_on"),
    ("excludes", "conflicts_with"),
    ("incompatible_with", "conflicts_with"),
    ("modes", "operational_modes"),
    ("mode", "operational_modes"),
    ("layers", "build_layers"),
    ("verbs", "intent_verbs"),
    ("actions", "intent_verbs"),
    ("agents", "shard_types"),
    ("roles", "shard_types"),
    ("langs", "languages"),
    ("lang", "languages"),
    ("states", "world_states"),
    ("conditions", "world_states"),
];

/// All keys, including selectors.
pub(super) fn all_keys() -> impl Iterator<Item = &'static str> {
    KEYS.iter().map(|key| key.name).chain(Dimension::ALL.map(Dimension::key))
}
