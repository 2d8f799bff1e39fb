//! Elisions in examples: `...` and `…` in place of a value. Inside strings they are part of the
//! text.

use super::patterns::PATTERNS;
use mangle_syntax::text::TextRange;
use piggyback::envelope::json::{Json, JsonKind, NodeId};

/// Quotes the elisions outside of strings to make the example valid JSON.
///
/// `[...]` becomes `["..."]`, and `...` between the members of an object becomes the member `"...":
/// "..."`.
pub(super) fn quoted(example: &str) -> String {
    let mut out = String::with_capacity(example.len());
    let mut place = Place::default();
    let mut rest = example;
    while let Some(sign) = rest.chars().next() {
        let bare = if place.is_in_text { 0 } else { bare(rest) };
        let length = if bare > 0 { bare } else { sign.len_utf8() };
        let (text, after) = rest.split_at(length);
        match bare {
            0 => out.push_str(text),
            _ if place.is_key => out.push_str("\"...\": \"...\""),
            _ => out.push_str("\"...\""),
        }
        if bare == 0 {
            place.step(sign);
        }
        rest = after;
    }
    out
}

/// The length in bytes of the elision at the start of a text; 0 without an elision.
fn bare(text: &str) -> usize {
    let length = text.len() - text.trim_start_matches(['.', '…']).len();
    if text.get(..length).is_some_and(is_elision) { length } else { 0 }
}

#[derive(Default)]
struct Place {
    is_in_text: bool,
    is_escaped: bool,
    /// True if a member of an object follows.
    is_key: bool,
    /// The open brackets.
    open: Vec<char>,
}

impl Place {
    fn step(&mut self, sign: char) {
        if self.is_in_text {
            self.is_in_text = self.is_escaped || sign != '"';
            self.is_escaped = !self.is_escaped && sign == '\\';
            return;
        }
        match sign {
            '"' => self.is_in_text = true,
            '{' | '[' => self.open.push(sign),
            '}' | ']' => drop(self.open.pop()),
            _ => {}
        }
        match sign {
            '{' | ',' => self.is_key = self.open.last() == Some(&'{'),
            sign if !sign.is_whitespace() => self.is_key = false,
            _ => {}
        }
    }
}

/// The ranges of values that are elisions, and of objects inside a packet that omit members.
pub(super) fn values(example: &str) -> Vec<TextRange> {
    let json = Json::parse(example.as_bytes());
    let kept = [Some(json.root()), packet(&json)];
    let elided = json
        .nodes()
        .filter(|node| is_elided(&json, *node) || (!kept.contains(&Some(*node)) && leaves_out(&json, *node)));
    elided.map(|node| json.range(node)).collect()
}

/// True if an example omits members of its packet, or its answer.
pub(super) fn leaves_members_out(example: &str) -> bool {
    let json = Json::parse(example.as_bytes());
    let has_answer = member(&json, json.root(), "surface_response").is_some();
    let is_part = leaves_out(&json, json.root()) && !has_answer;
    is_part || packet(&json).is_some_and(|packet| leaves_out(&json, packet))
}

/// Replaces the values in these ranges with `null`, which is valid everywhere. Other values keep
/// their offsets.
pub(super) fn without(example: &str, ranges: &[TextRange]) -> String {
    let mut bytes = example.as_bytes().to_vec();
    for range in ranges {
        let value = bytes.get_mut(usize::from(range.start())..usize::from(range.end()));
        let Some(value) = value.filter(|value| value.len() >= NULL.len()) else { continue };
        value.fill(b' ');
        value.iter_mut().zip(NULL).for_each(|(byte, of_null)| *byte = *of_null);
    }
    String::from_utf8(bytes).unwrap_or_else(|_| example.to_owned())
}

const NULL: &[u8] = b"null";

fn is_elided(json: &Json<'_>, node: NodeId) -> bool {
    let is_text = matches!(json.kind(node), JsonKind::Plain | JsonKind::Escaped);
    is_text && json.string(node).is_some_and(|text| is_elision(&text))
}

/// True if an object has an elision in place of a key.
fn leaves_out(json: &Json<'_>, node: NodeId) -> bool {
    json.members(node).any(|member| is_elided(json, member.key))
}

fn packet(json: &Json<'_>) -> Option<NodeId> {
    member(json, json.root(), "control_packet")
}

fn member(json: &Json<'_>, object: NodeId, key: &str) -> Option<NodeId> {
    json.members(object)
        .find(|member| json.string(member.key).is_some_and(|text| text == key))
        .map(|member| member.value)
}

/// True if an atom omits arguments, for example `task_status(...)`. Strings are ignored.
pub(super) fn is_in_atom(atom: &str) -> bool {
    let bare = PATTERNS.as_ref().map_or(atom.into(), |patterns| patterns.string.replace_all(atom, ""));
    bare.contains("...") || bare.contains('…')
}

/// True if a text is only an elision, possibly in brackets.
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
    fn bare_elisions_become_json() {
        for (text, expected) in [
            (r#"{"a": [...], "b": …}"#, r#"{"a": ["..."], "b": "..."}"#),
            (r#"{"a": ["x", ...], ...}"#, r#"{"a": ["x", "..."], "...": "..."}"#),
            (r#"{"a": {...}}"#, r#"{"a": {"...": "..."}}"#),
            (r#"{"a": "b... \" [...]", "c": 1..2}"#, r#"{"a": "b... \" [...]", "c": 1..2}"#),
        ] {
            assert_eq!(quoted(text), expected);
        }
    }

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
