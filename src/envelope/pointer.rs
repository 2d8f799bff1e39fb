//! JSON pointers (RFC 6901) of places in an envelope.

use std::borrow::Cow;

use super::json::{Json, Kind, Member, NodeId};

/// A key as a part of a pointer. Keys that are very long are cut.
#[must_use]
pub fn escaped(key: &str) -> Cow<'_, str> {
    part(key.char_indices().nth(60).map_or(key, |(at, _)| key.get(..at).unwrap_or(key)))
}

/// A key as a part of a pointer, all of it.
#[must_use]
pub fn part(key: &str) -> Cow<'_, str> {
    if key.contains(['~', '/']) { key.replace('~', "~0").replace('/', "~1").into() } else { key.into() }
}

/// The pointer from the root to a node; what does not contain it gives an empty one.
#[must_use]
pub fn pointer(json: &Json<'_>, to: NodeId) -> String {
    let (mut node, mut out) = (json.root(), String::new());
    // The node that a value holds follows it, and is in front of the value behind it.
    while node != to {
        let step = match json.kind(node) {
            Kind::Array => {
                let elements = json.elements(node).enumerate();
                elements
                    .take_while(|(_, element)| *element <= to)
                    .last()
                    .map(|(at, element)| (at.to_string(), element))
            }
            Kind::Object => {
                let members = json.members(node).take_while(|Member { key, .. }| *key <= to);
                members.last().map(|Member { key, value }| {
                    (escaped(&json.string(key).unwrap_or_default()).into_owned(), value)
                })
            }
            _ => None,
        };
        let Some((name, next)) = step else { break };
        out.push('/');
        out.push_str(&name);
        if next > to {
            break; // It is the key itself.
        }
        node = next;
    }
    out
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
}
