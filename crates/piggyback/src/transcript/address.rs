//! Human-readable addresses of bytes in a record: a JSON pointer per level and a byte range.

use std::fmt;

use crate::envelope::Reply;
use crate::envelope::json::{Json, JsonKind, NodeId};
use crate::envelope::pointer::innermost;
use mangle_syntax::text::{TextRange, TextSize, size};

/// Address of some bytes of a record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Address {
    /// JSON pointers, outermost first: to the string of the record that holds the reply, then into
    /// the envelope.
    pub path: Vec<String>,
    /// Byte range in the value of the string that the last pointer selects, if it selects a string.
    pub inner: Option<TextRange>,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "«{}", self.path.join(" ▸ "))?;
        if let Some(inner) = self.inner {
            let separator = if self.path.is_empty() { "" } else { " ▸ " };
            write!(f, "{separator}{}..{}", u32::from(inner.start()), u32::from(inner.end()))?;
        }
        f.write_str("»")
    }
}

/// Returns the address of a range of a reply. `outer` holds the pointers to the reply itself.
pub(super) fn address(outer: &[String], reply: &Reply<'_>, range: TextRange) -> Address {
    let start: usize = range.start().into();
    let holds =
        |object: &&crate::envelope::Object<'_>| object.range.start <= start && start < object.range.end;
    match reply.objects.iter().rev().find(holds) {
        Some(object) => address_in(outer, &object.json, range),
        None => Address { path: outer.to_vec(), inner: None },
    }
}

/// Like [`address`], for a range of one JSON object of the reply.
pub(super) fn address_in(outer: &[String], json: &Json<'_>, range: TextRange) -> Address {
    let (pointer, node) = innermost(json, range);
    let mut path = outer.to_vec();
    path.extend((!pointer.is_empty()).then_some(pointer));
    Address { path, inner: range_in_string_value(json, node, range) }
}

/// Converts a range of a string literal to byte offsets in the value of the string.
fn range_in_string_value(json: &Json<'_>, node: NodeId, range: TextRange) -> Option<TextRange> {
    let literal = json.range(node);
    let quote = TextSize::new(1);
    let is_string = matches!(json.kind(node), JsonKind::Plain | JsonKind::Escaped);
    if !is_string || range.start() <= literal.start() || range.end() >= literal.end() {
        return None;
    }
    if json.kind(node) == JsonKind::Plain {
        return Some(range - literal.start() - quote);
    }
    let (_, map) = json.string_with_map(node)?;
    let (start, end) = (map.to_derived(range.start())?, map.to_derived(range.end())?);
    Some(TextRange::new(start, end.max(start)))
}

pub(super) fn full_range(text: &[u8]) -> TextRange {
    TextRange::up_to(size(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::envelope::pointer::MAX_DEPTH;
    use mangle_settings::Caps;

    #[track_caller]
    fn check(text: &str, part: &str, expected: &str) {
        let reply = Reply::new(text.as_bytes(), &Caps::default());
        let start = text.find(part).unwrap_or_default();
        let range = TextRange::at(size(start), size(part.len()));
        assert_eq!(address(&["/content".into()], &reply, range).to_string(), expected);
    }

    #[test]
    fn members_elements_and_bytes_of_strings() {
        let text = r#"so {"a/b": [1, {"c": "x\"yz"}], "d": 3} on"#;
        check(text, "yz", "«/content ▸ /a~1b/1/c ▸ 2..4»");
        check(text, "\"d\"", "«/content ▸ /d»");
        check(text, "[1", "«/content ▸ /a~1b»");
        check(text, "so", "«/content»");
        check(text, "{\"a", "«/content»");
    }

    #[test]
    fn deep_places_are_cut() {
        let text = "{\"a\":".repeat(50) + "1" + &"}".repeat(50);
        check(&text, "1", &format!("«/content ▸ {}/…»", "/a".repeat(MAX_DEPTH)));
    }
}
