//! Comparison of JSON values by content: strings, numbers and words at the same positions.

use super::{Json, JsonKind, NodeId};

impl Json<'_> {
    /// True if both values have the same strings, numbers and words in the same arrays and objects.
    ///
    /// Spelling may differ: an unquoted word equals a string with the same text, and numbers are
    /// compared by value.
    #[must_use]
    pub fn has_content_of(&self, other: &Json<'_>) -> bool {
        self.nodes.len() == other.nodes.len()
            && self.nodes().zip(other.nodes()).all(|(one, another)| {
                self.node(one).next == other.node(another).next && self.is_same(one, other, another)
            })
    }

    /// True if two nodes have the same content, without their children.
    fn is_same(&self, one: NodeId, other: &Json<'_>, another: NodeId) -> bool {
        match (self.kind(one), other.kind(another)) {
            (JsonKind::Plain | JsonKind::Escaped, JsonKind::Plain | JsonKind::Escaped) => {
                // An apostrophe may have a backslash, which JSON does not allow.
                let plain = |json: &Json<'_>, node| json.string(node).map(|text| text.replace('\\', ""));
                plain(self, one) == plain(other, another)
            }
            (JsonKind::Broken, JsonKind::Plain | JsonKind::Escaped) => {
                other.string(another).is_some_and(|text| text.as_bytes() == self.raw(one))
            }
            (JsonKind::Broken, JsonKind::Number) => is_same_number(self.raw(one), other.raw(another)),
            (JsonKind::Broken, JsonKind::Null) => !self.raw(one).is_empty(),
            (JsonKind::Broken, JsonKind::Bool(value)) => {
                self.raw(one).eq_ignore_ascii_case(value.to_string().as_bytes())
            }
            (JsonKind::Broken | JsonKind::Number, JsonKind::Broken | JsonKind::Number) => {
                self.raw(one) == other.raw(another)
            }
            (kind, found) => kind == found,
        }
    }
}

/// True if two numbers have the same value.
fn is_same_number(one: &[u8], other: &[u8]) -> bool {
    let value = |text: &[u8]| std::str::from_utf8(text).ok()?.parse::<f64>().ok();
    value(one).is_some_and(|one| Some(one) == value(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_same(one: &str, other: &str) -> bool {
        let damaged = |text: &'static str| Json::parse_damaged(text.as_bytes(), 0..text.len());
        damaged(one.to_owned().leak()).has_content_of(&damaged(other.to_owned().leak()))
    }

    #[test]
    fn spelling_may_change() {
        for (one, other) in [
            (r#"{"a": "x "y" z"}"#, r#"{"a": "x \"y\" z"}"#),
            (r#"{a: True, 'b': 'it\'s'}"#, r#"{"a": true, "b": "it's"}"#),
            (r#"[1 .5 +2]"#, r#"[1, 0.5, 2]"#),
            ("{\"a\":\u{a0}None}", r#"{"a": null}"#),
        ] {
            assert!(is_same(one, other), "{one} and {other}");
        }
    }

    #[test]
    fn text_stays_in_its_place() {
        for (one, other) in [
            (r#"{"a": "x "y" z"}"#, r#"{"a": "x ", "y": " z"}"#),
            (r#"["a, b"]"#, r#"["a", "b"]"#),
            (r#"["a" "b"]"#, r#"["a\" \"b"]"#),
            (r#"[1,000.5]"#, r#"[1,0.5]"#),
            (r#"{"a": 1}"#, r#"{"a": "1"}"#),
            (r#"["a"] # note"#, r#"["a", "note"]"#),
        ] {
            assert!(!is_same(one, other), "{one} and {other}");
        }
    }
}
