//! JSON parser for session files: a tree with ranges.

use super::tree::{MAX_DEPTH, MAX_VALUES, ReadError, TreeKey, TreeKind, TreeNode};
use mangle_syntax::text::TextRange;
use piggyback::envelope::json::{self, Json, NodeId};

/// Parses a file with one JSON value.
///
/// # Errors
///
/// If the text is invalid JSON or exceeds a limit.
pub(super) fn read(text: &str) -> Result<TreeNode, ReadError> {
    let json = Json::parse(text.as_bytes());
    if let Some(problem) = json.problems.first() {
        return Err(ReadError { range: json.problem_range(problem), why: json.problem_message(problem, 1) });
    }
    if !json.is_valid_to_the_end() {
        let end = TextRange::empty(json.end());
        return Err(ReadError { range: end, why: "there is text after its end".to_owned() });
    }
    if json.nodes().count() > MAX_VALUES {
        return Err(ReadError {
            range: TextRange::default(),
            why: "it has more than 100000 values".to_owned(),
        });
    }
    node(&json, json.root(), 0)
}

fn node(json: &Json<'_>, at: NodeId, level: usize) -> Result<TreeNode, ReadError> {
    let range = json.range(at);
    if level >= MAX_DEPTH {
        return Err(ReadError { range, why: "its values are nested too deeply".to_owned() });
    }
    let kind = match json.kind(at) {
        json::JsonKind::Null | json::JsonKind::Broken => TreeKind::Null,
        json::JsonKind::Bool(_) | json::JsonKind::Number => {
            TreeKind::Scalar(String::from_utf8_lossy(json.raw(at)).into())
        }
        json::JsonKind::Plain | json::JsonKind::Escaped => {
            TreeKind::Scalar(json.string(at).unwrap_or_default().into())
        }
        _ if json.members(at).next().is_some() => {
            let members = json.members(at).map(|member| {
                let text = json.string(member.key).unwrap_or_default().into_owned();
                Ok((TreeKey { text, range: json.range(member.key) }, node(json, member.value, level + 1)?))
            });
            TreeKind::Map(members.collect::<Result<_, ReadError>>()?)
        }
        _ if json.raw(at).first() == Some(&b'{') => TreeKind::Map(Vec::new()),
        _ => TreeKind::List(
            json.elements(at)
                .map(|element| node(json, element, level + 1))
                .collect::<Result<_, ReadError>>()?,
        ),
    };
    Ok(TreeNode { range, kind })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use mangle_syntax::text::slice;

    #[test]
    fn values_have_their_bytes() {
        let text = r#"{"a": ["x", 2, true, null], "b": {}}"#;
        let TreeKind::Map(members) = read(text).unwrap().kind else { panic!() };
        let TreeKind::List(list) = &members[0].1.kind else { panic!() };
        let shown: Vec<_> = list.iter().map(|node| slice(text, node.range)).collect();
        assert_eq!(shown, ["\"x\"", "2", "true", "null"]);
        assert_eq!((&list[1].kind, &list[3].kind), (&TreeKind::Scalar("2".into()), &TreeKind::Null));
        assert_eq!(members[1].1.kind, TreeKind::Map(Vec::new()));
    }

    #[test]
    fn what_is_no_json_is_refused() {
        assert!(read("{\"a\": }").is_err() && read("{} {}").is_err());
        assert!(read(&"[".repeat(100)).is_err());
        assert!(read(&format!("{}1{}", "[".repeat(40), "]".repeat(40))).is_err());
    }
}
