//! Descriptions of files without replies, for messages: the beginning of a text, and the type of a
//! file that is not text.
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

/// Description of a file in UTF-16.
pub(super) const UTF_16: &str = "text in UTF-16";

/// Signatures of known file types, with a description of the type.
const BEGINNINGS: [(&[u8], &str); 22] = [
    (b"\x89PNG\r\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"%PDF-", "a PDF document"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"PAR1", "a Parquet table"),
    (b"ARROW1\0", "an Arrow table"),
    (b"Obj\x01", "an Avro file"),
    (b"\xd0\xcf\x11\xe0", "an Office document"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"PK\x05\x06", "a ZIP archive without members"),
    (b"\x1f\x8b", "data compressed with gzip"),
    (b"\x28\xb5\x2f\xfd", "data compressed with Zstandard"),
    (b"BZh", "data compressed with bzip2"),
    (b"\xfd7zXZ\0", "data compressed with xz"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90\0", "a program"),
    (b"\0asm", "a WebAssembly module"),
    (b"\xff\xfe", UTF_16),
    (b"\xfe\xff", UTF_16),
    (b"\x80\x04\x95", "pickled Python data"),
];

/// Number of leading bytes that are searched for control characters.
const HEAD: usize = 8 << 10;

/// Returns a description of the file type that these first bytes indicate, or `None` for text.
#[must_use]
pub fn binary_kind(head: &[u8]) -> Option<&'static str> {
    let known = BEGINNINGS.iter().find(|(start, _)| head.starts_with(start)).map(|(_, kind)| *kind);
    // Some signatures are valid text. For these, the rest must contain bytes that are not text.
    let known =
        known.filter(|_| is_odd(head) || std::str::from_utf8(head).is_err() || head.starts_with(b"%PDF-"));
    known.or_else(|| is_odd(head).then_some("binary data"))
}

/// True if more than one byte in 32 is a control character that does not occur in text.
fn is_odd(bytes: &[u8]) -> bool {
    let head = bytes.get(..HEAD).unwrap_or(bytes);
    let is_control =
        |byte: &&u8| **byte < 0x20 && !matches!(**byte, b'\t' | b'\n' | b'\r' | 0x08 | 0x0c | 0x1a | 0x1b);
    let odd = head.iter().filter(is_control).count();
    odd >= 2 && odd * 32 > head.len()
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

    #[test]
    fn kinds_of_files_are_told_by_their_beginning() {
        assert_eq!(binary_kind(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), Some("a PNG image"));
        assert_eq!(binary_kind(b"SQLite format 3\0\x10\0\x01\x01\0@  \0\0"), Some("an SQLite database"));
        assert_eq!(binary_kind(b"PAR1\x15\x04\x15\0\x15\x02L\x15\0"), Some("a Parquet table"));
        assert_eq!(binary_kind(b"\xff\xfe{\0\"\0a\0"), Some(UTF_16));
        assert_eq!(binary_kind(b"{\0\"\0a\0\"\0:\0"), Some("binary data"));
    }

    #[test]
    fn texts_are_no_binary_data() {
        for text in [
            "",
            "{\"a\":1}",
            "GIF8 is a word",
            "BZh",
            "a\0b and more of a text that is long enough",
            "PAR1 de texte",
        ] {
            assert_eq!(binary_kind(text.as_bytes()), None, "{text}");
        }
        assert_eq!(binary_kind("\u{1b}[31mred\u{1b}[0m é".as_bytes()), None);
    }
}
