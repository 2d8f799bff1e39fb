//! Short description of the beginning of an unrecognized file, for messages.
//!
//! Shows keys but no values, masks credentials, and makes control characters visible.

use crate::envelope::json::{Json, JsonKind, NodeId};
use crate::envelope::secrets::redacted;

/// Number of leading bytes of a file that are examined.
pub(super) const LOOKED_AT: usize = 4 << 10;

/// Maximum number of keys shown.
const MAX_KEYS: usize = 8;

/// Maximum length of a key, in characters.
const MAX_KEY_LEN: usize = 32;

/// Maximum length of a line, in characters.
const MAX_LINE_LEN: usize = 60;

/// Describes the beginning of a file, in words that follow "the first record is".
pub(super) fn sketch(head: &[u8]) -> String {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    match head.first() {
        Some(b'{') => object(&Json::parse(head), None),
        Some(b'[') => array(&Json::parse(head)),
        Some(_) => line(head),
        None => "blank".to_owned(),
    }
}

fn array(json: &Json<'_>) -> String {
    match json.elements(json.root()).next() {
        None => "an empty list".to_owned(),
        Some(first) if json.kind(first) == JsonKind::Object => object(json, Some(first)),
        Some(first) => format!("a list that begins with {}", name(json.kind(first))),
    }
}

fn object(json: &Json<'_>, node: Option<NodeId>) -> String {
    let node = node.unwrap_or_else(|| json.root());
    let keys: Vec<_> = json.members(node).filter_map(|member| json.string(member.key)).collect();
    if keys.is_empty() {
        return "an object without keys".to_owned();
    }
    let shown: Vec<_> =
        keys.iter().take(MAX_KEYS).map(|key| format!("`{}`", visible(key, MAX_KEY_LEN))).collect();
    let more = if keys.len() > MAX_KEYS { ", …" } else { "" };
    let plural = if keys.len() == 1 { "key" } else { "keys" };
    format!("an object with the {plural} {}{more}", shown.join(", "))
}

fn line(head: &[u8]) -> String {
    let first = head.split(|byte| *byte == b'\n').next().unwrap_or(&[]).trim_ascii();
    let text = String::from_utf8_lossy(first);
    format!("the line `{}`", visible(&text, MAX_LINE_LEN))
}

fn name(kind: JsonKind) -> &'static str {
    match kind {
        JsonKind::Plain | JsonKind::Escaped => "a string",
        JsonKind::Number => "a number",
        JsonKind::Array => "a list",
        JsonKind::Object => "an object",
        JsonKind::Null => "`null`",
        JsonKind::Bool(_) => "`true` or `false`",
        JsonKind::Broken => "something that is not JSON",
    }
}

/// Prepares a text from a file for a message: masks credentials, truncates, and escapes control and
/// invisible characters.
fn visible(text: &str, longest: usize) -> String {
    let masked = redacted(text);
    let mut out = String::new();
    for char in masked.chars().take(longest) {
        match char {
            '`' => out.push('\''),
            _ if char.is_control() || is_invisible(char) => out.extend(char.escape_unicode()),
            _ => out.push(char),
        }
    }
    if masked.chars().nth(longest).is_some() {
        out.push('…');
    }
    out
}

/// True if a character is an invisible mark, for example of direction or width.
fn is_invisible(char: char) -> bool {
    matches!(char, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_shown_and_values_are_not() {
        assert_eq!(sketch(br#" {"a":"secret","b":[1]}"#), "an object with the keys `a`, `b`");
        assert_eq!(sketch(br#"[{"only":1},{"b":2}]"#), "an object with the key `only`");
        assert_eq!(sketch(b"[1,2]"), "a list that begins with a number");
        assert_eq!(sketch(b"{}"), "an object without keys");
        assert_eq!(sketch(b"hello\nworld"), "the line `hello`");
        assert_eq!(sketch(b" \n "), "blank");
        let many: String = (0..12).map(|at| format!(r#","k{at}":1"#)).collect();
        let shown = sketch(format!("{{{}}}", &many[1..]).as_bytes());
        assert!(shown.ends_with("`k7`, …"), "{shown}");
    }

    #[test]
    fn nothing_dangerous_is_shown() {
        let token = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5");
        let shown = sketch(format!("login {token} \u{1b}[2J\u{202e}`x`").as_bytes());
        assert!(!shown.contains(&token) && !shown.contains(['\u{1b}', '\u{202e}']), "{shown}");
        assert_eq!(shown.matches('`').count(), 2);
        let long = sketch("é".repeat(100).as_bytes());
        assert!(long.ends_with("…`") && long.chars().count() < 80, "{long}");
    }
}
