//! JSON as a tree with ranges.

use super::tree::{DEEPEST, Key, Kind, MOST_VALUES, Node, Unread};
use mangle_syntax::text::TextRange;
use piggyback::envelope::json::{self, Json, NodeId};

/// Reads a file that is one JSON value.
///
/// # Errors
/// When it is none, or larger than allowed.
pub(super) fn read(text: &str) -> Result<Node, Unread> {
    let json = Json::parse(text.as_bytes());
    if let Some(problem) = json.problems.first() {
        return Err(Unread { range: json.place(problem), why: json.said(problem, 1) });
    }
    if !json.is_valid_to_the_end() {
        let end = TextRange::empty(json.end());
        return Err(Unread { range: end, why: "something stands behind its end".to_owned() });
    }
    if json.nodes().count() > MOST_VALUES {
        return Err(Unread { range: TextRange::default(), why: "it has more than 100000 values".to_owned() });
    }
    node(&json, json.root(), 0)
}

fn node(json: &Json<'_>, at: NodeId, level: usize) -> Result<Node, Unread> {
    let range = json.range(at);
    if level >= DEEPEST {
        return Err(Unread { range, why: "its values are nested too deeply".to_owned() });
    }
    let kind = match json.kind(at) {
        json::Kind::Null | json::Kind::Broken => Kind::Null,
        json::Kind::Bool(_) | json::Kind::Number => {
            Kind::Scalar(String::from_utf8_lossy(json.raw(at)).into())
        }
        json::Kind::Plain | json::Kind::Escaped => Kind::Scalar(json.string(at).unwrap_or_default().into()),
        _ if json.members(at).next().is_some() => {
            let members = json.members(at).map(|member| {
                let text = json.string(member.key).unwrap_or_default().into_owned();
                Ok((Key { text, range: json.range(member.key) }, node(json, member.value, level + 1)?))
            });
            Kind::Map(members.collect::<Result<_, Unread>>()?)
        }
        _ if json.raw(at).first() == Some(&b'{') => Kind::Map(Vec::new()),
        _ => Kind::List(
            json.elements(at).map(|element| node(json, element, level + 1)).collect::<Result<_, Unread>>()?,
        ),
    };
    Ok(Node { range, kind })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use mangle_syntax::text::slice;

    #[test]
    fn values_have_their_bytes() {
        let text = r#"{"a": ["x", 2, true, null], "b": {}}"#;
        let Kind::Map(members) = read(text).unwrap().kind else { panic!() };
        let Kind::List(list) = &members[0].1.kind else { panic!() };
        let shown: Vec<_> = list.iter().map(|node| slice(text, node.range)).collect();
        assert_eq!(shown, ["\"x\"", "2", "true", "null"]);
        assert_eq!((&list[1].kind, &list[3].kind), (&Kind::Scalar("2".into()), &Kind::Null));
        assert_eq!(members[1].1.kind, Kind::Map(Vec::new()));
    }

    #[test]
    fn what_is_no_json_is_refused() {
        assert!(read("{\"a\": }").is_err() && read("{} {}").is_err());
        assert!(read(&"[".repeat(100)).is_err());
        assert!(read(&format!("{}1{}", "[".repeat(40), "]".repeat(40))).is_err());
    }
}
