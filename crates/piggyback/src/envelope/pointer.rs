//! JSON pointers (RFC 6901) of places in an envelope, for people: what is very long or very deep is cut.

use std::borrow::Cow;

use super::json::{Json, JsonKind, Member, NodeId};
use mangle_syntax::text::TextRange;

/// How deep a pointer goes; what is deeper is said to be there.
pub const DEEPEST: usize = 32;

/// How much of a key a pointer shows, in characters.
const LONGEST_KEY: usize = 60;

/// A key as a part of a pointer. Of a key that is very long the start.
#[must_use]
pub fn escaped(key: &str) -> Cow<'_, str> {
    match key.char_indices().nth(LONGEST_KEY) {
        Some((end, _)) => format!("{}…", part(key.get(..end).unwrap_or(key))).into(),
        None => part(key),
    }
}

/// A key as a part of a pointer, all of it.
#[must_use]
pub fn part(key: &str) -> Cow<'_, str> {
    if key.contains(['~', '/']) { key.replace('~', "~0").replace('/', "~1").into() } else { key.into() }
}

/// The pointer from the root to a node; what does not contain it gives an empty one. A key is where its value is.
#[must_use]
pub fn pointer(json: &Json<'_>, to: NodeId) -> String {
    innermost(json, json.range(to)).0
}

/// The pointer to the innermost value that a range lies in, or in whose key, and that value.
#[must_use]
pub fn innermost(json: &Json<'_>, range: TextRange) -> (String, NodeId) {
    let (mut node, mut pointer) = (json.root(), String::new());
    for depth in 0.. {
        let Some((name, next)) = step(json, node, range) else { break };
        if depth == DEEPEST {
            pointer.push_str("/…");
            break;
        }
        pointer.push('/');
        pointer.push_str(&name);
        node = next;
        if !json.range(node).contains_range(range) {
            break; // It is in the key.
        }
    }
    (pointer, node)
}

/// What of an array or an object a range lies in: its name and the value.
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
        let text = format!("{{\"{}\": 1}}", "é/".repeat(LONGEST_KEY));
        let json = Json::parse(text.as_bytes());
        let found = pointer(&json, json.nodes().last().unwrap());
        assert_eq!(found, format!("/{}…", "é~1".repeat(LONGEST_KEY / 2)));
    }
}
