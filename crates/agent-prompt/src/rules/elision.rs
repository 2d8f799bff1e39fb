//! Elisions in examples: `...` and `…` in place of a value. Inside of a text they are a part of it.

use std::sync::LazyLock;

use regex::Regex;

use mangle_syntax::text::TextRange;
use piggyback::envelope::json::{Json, Kind};

/// The values of an example that are nothing but an elision, as bytes of the example.
pub(super) fn values(example: &str) -> Vec<TextRange> {
    let json = Json::parse(example.as_bytes());
    let elided = json.nodes().filter(|node| {
        let is_text = matches!(json.kind(*node), Kind::Plain | Kind::Escaped);
        is_text && json.string(*node).is_some_and(|text| is_elision(&text))
    });
    elided.map(|node| json.range(node)).collect()
}

/// Whether an object of an example has an elision in place of a key, so that members are left out.
pub(super) fn leaves_members_out(example: &str) -> bool {
    let json = Json::parse(example.as_bytes());
    let keys = json.nodes().flat_map(|node| json.members(node).map(|member| member.key).collect::<Vec<_>>());
    keys.into_iter().any(|key| json.string(key).is_some_and(|text| is_elision(&text)))
}

/// Whether an atom leaves arguments out: `task_status(...)`. Its texts do not count.
pub(super) fn is_in_atom(atom: &str) -> bool {
    static TEXT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#"\\?"(?:[^"\\]|\\[^"])*\\?""#).ok());
    let bare = TEXT.as_ref().map_or(atom.into(), |text| text.replace_all(atom, ""));
    bare.contains("...") || bare.contains('…')
}

/// Whether a text is an elision and nothing else, perhaps in brackets.
fn is_elision(text: &str) -> bool {
    let inner = text.trim().trim_matches(['[', ']', '<', '>', '(', ')', '{', '}']).trim();
    !inner.is_empty()
        && inner.chars().all(|char| matches!(char, '.' | '…'))
        && (inner.contains('…') || inner.len() >= 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elisions_are_whole_values() {
        for (text, expected) in [
            ("...", true),
            (" … ", true),
            ("[...]", true),
            ("....", true),
            ("First...", false),
            ("..", false),
            ("", false),
        ] {
            assert_eq!(is_elision(text), expected, "{text}");
        }
        assert!(is_in_atom("p(...)") && is_in_atom("p(/a, …)"));
        assert!(!is_in_atom("p(\\\"a...\\\")") && !is_in_atom("p(\"a...\")"));
    }
}
