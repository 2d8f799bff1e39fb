//! Keys of a prompt atom with their value types and common wrong keys, and YAML values as the YAML
//! reader of the runtime interprets them in unusual cases.

use rustc_hash::FxHashSet;

use super::atom::Dimension;
use crate::session::tree::{TreeKey, TreeKind as Value, TreeNode};

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
pub const ATOM_KEYS: [AtomKey; 13] = [
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
    ATOM_KEYS.iter().map(|key| key.name).chain(Dimension::ALL.map(Dimension::key))
}

/// The first duplicate key of a table.
pub(super) fn repeated(node: &TreeNode) -> Option<&TreeKey> {
    let Value::Map(members) = &node.kind else { return None };
    let mut seen = FxHashSet::default();
    members.iter().map(|(key, _)| key).find(|key| !seen.insert(&*key.text))
}

/// The members of an atom, including members merged with `<<`. Own members have priority.
pub(super) fn merged(members: &[(TreeKey, TreeNode)]) -> Vec<(TreeKey, TreeNode)> {
    let (merges, mut own): (Vec<_>, Vec<_>) =
        members.iter().cloned().partition(|(key, node)| key.text == "<<" && is_mergeable(node));
    let maps = merges.iter().flat_map(|(_, node)| match &node.kind {
        Value::List(nodes) => nodes.iter().collect(),
        _ => vec![node],
    });
    for node in maps {
        let Value::Map(members) = &node.kind else { continue };
        for (key, node) in members {
            if !own.iter().any(|(known, _)| known.text == key.text) {
                own.push((key.clone(), node.clone()));
            }
        }
    }
    own
}

fn is_mergeable(node: &TreeNode) -> bool {
    let is_map = |node: &TreeNode| matches!(node.kind, Value::Map(_));
    match &node.kind {
        Value::List(nodes) => nodes.iter().all(is_map),
        _ => is_map(node),
    }
}

/// Parses a number like the reader of the runtime: other bases and `_` are accepted, and floats are
/// truncated.
pub(super) fn whole_number(text: &str) -> Option<i64> {
    let plain = text.replace('_', "");
    let (is_negative, digits) = match plain.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, plain.strip_prefix('+').unwrap_or(&plain)),
    };
    let lower = digits.to_ascii_lowercase();
    let (digits, base) = match lower.get(..2) {
        Some("0x") => (lower.get(2..)?, 16),
        Some("0b") => (lower.get(2..)?, 2),
        Some("0o") => (lower.get(2..)?, 8),
        Some(_) if lower.starts_with('0') => (lower.as_str(), 8),
        _ => (lower.as_str(), 10),
    };
    let is_unsigned = !digits.starts_with(['+', '-']);
    let number = i128::from_str_radix(digits, base).ok().filter(|_| is_unsigned);
    let number = number.and_then(|number| i64::try_from(if is_negative { -number } else { number }).ok());
    number.or_else(|| {
        let is_float = plain.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
        let float: f64 = plain.parse().ok().filter(|float: &f64| is_float && float.abs() < 9.0e18)?;
        #[allow(clippy::cast_possible_truncation)]
        Some(float.trunc() as i64)
    })
}

/// Parses a truth value. The words of YAML 1.1 are accepted only in these spellings, quoted or not.
pub(super) fn truth(text: &str, is_quoted: bool) -> Option<bool> {
    match text {
        "true" | "True" | "TRUE" if !is_quoted => Some(true),
        "false" | "False" | "FALSE" if !is_quoted => Some(false),
        "y" | "Y" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => Some(true),
        "n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_runtimes_reader() {
        let numbers =
            ["9", "-9", "+9", "1_000", "0x1F", "0b11", "0o17", "017", "09", "9.9", "-9.9", "1e3", ".5"];
        let read: Vec<_> = numbers.iter().filter_map(|text| whole_number(text)).collect();
        assert_eq!(read, [9, -9, 9, 1000, 31, 3, 15, 15, 9, 9, -9, 1000, 0]);
        for text in ["", "x", "0x", "--9", "+-9", "0x-1", ".inf", ".nan", "nan", "inf", "9 9", "1e30"] {
            assert_eq!(whole_number(text), None, "{text}");
        }
    }
}
