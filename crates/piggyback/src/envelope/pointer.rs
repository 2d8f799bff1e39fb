//! Short texts for messages: JSON pointers (RFC 6901) into an envelope, and quoted text. Very long or
//! deep pointers are shortened.

use std::borrow::Cow;

use super::json::{Json, JsonKind, Member, NodeId};
use mangle_syntax::text::{TextRange, shorten};

/// The maximum depth of a pointer. A deeper pointer ends with `/…`.
pub const MAX_DEPTH: usize = 32;

/// The maximum number of characters of a key in a pointer.
const MAX_KEY_LEN: usize = 60;

/// Escapes a key as a part of a pointer. Long keys are shortened.
#[must_use]
pub fn escaped(key: &str) -> Cow<'_, str> {
    match key.char_indices().nth(MAX_KEY_LEN) {
        Some((end, _)) => format!("{}…", part(key.get(..end).unwrap_or(key))).into(),
        None => part(key),
    }
}

/// Escapes a whole key as a part of a pointer.
#[must_use]
pub fn part(key: &str) -> Cow<'_, str> {
    if key.contains(['~', '/']) { key.replace('~', "~0").replace('/', "~1").into() } else { key.into() }
}

/// Returns the pointer from the root to a node. A key has the pointer of its value.
///
/// The pointer is empty if no value contains the node.
#[must_use]
pub fn pointer(json: &Json<'_>, to: NodeId) -> String {
    innermost(json, json.range(to)).0
}

/// Returns the innermost value that contains a range in its value or key, with its pointer.
#[must_use]
pub fn innermost(json: &Json<'_>, range: TextRange) -> (String, NodeId) {
    let (mut node, mut pointer) = (json.root(), String::new());
    for depth in 0.. {
        let Some((name, next)) = step(json, node, range) else { break };
        if depth == MAX_DEPTH {
            pointer.push_str("/…");
            break;
        }
        pointer.push('/');
        pointer.push_str(&name);
        node = next;
        if !json.range(node).contains_range(range) {
            break; // The range is in the key.
        }
    }
    (pointer, node)
}

/// Returns the child of an array or object that contains a range, with its name.
fn step(json: &Json<'_>, node: NodeId, range: TextRange) -> Option<(String, NodeId)> {
    match json.kind(node) {
        JsonKind::Array => {
            let holds = |(_, element): &(usize, NodeId)| json.range(*element).contains_range(range);
            json.elements(node).enumerate().find(holds).map(|(at, element)| (at.to_string(), element))
        }
        JsonKind::Object => {
            let holds = |Member { key, value }: &Member| {
                json.range(*key).cover(json.range(*value)).contains_range(range)
            };
            let Member { key, value } = json.members(node).find(holds)?;
            Some((escaped(&json.string(key).unwrap_or_default()).into_owned(), value))
        }
        _ => None,
    }
}

/// Shortens a text to at most 40 characters.
pub(super) fn shortened(text: &str) -> String {
    shorten(text, 40).into_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_node_has_its_pointer() {
        let json = Json::parse(br#"{"a/b": [1, {"c": 2}], "d": 3}"#);
        let found: Vec<_> = json.nodes().map(|node| pointer(&json, node)).collect();
        assert_eq!(found, ["", "/a~1b", "/a~1b", "/a~1b/0", "/a~1b/1", "/a~1b/1/c", "/a~1b/1/c", "/d", "/d"]);
    }

    #[test]
    fn long_keys_are_cut() {
        let text = format!("{{\"{}\": 1}}", "é/".repeat(MAX_KEY_LEN));
        let json = Json::parse(text.as_bytes());
        let found = pointer(&json, json.nodes().last().unwrap());
        assert_eq!(found, format!("/{}…", "é~1".repeat(MAX_KEY_LEN / 2)));
    }
}
