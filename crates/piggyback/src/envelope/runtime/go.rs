//! Text as Go's library treats it, where Rust's differs.

use std::fmt::Write as _;

/// A character in lower case, one for one.
pub(super) fn lower(char: char) -> char {
    char.to_lowercase().next().unwrap_or(char)
}

/// A text in lower case, as long in characters as it is.
#[must_use]
pub fn lower_case(text: &str) -> String {
    text.chars().map(lower).collect()
}

/// Whether a text begins with a word, in any case.
pub(super) fn begins_with(text: &str, word: &str) -> bool {
    let mut chars = text.chars().map(lower);
    word.chars().all(|char| chars.next() == Some(char))
}

/// A text as `%q` prints it.
pub(super) fn quoted(text: &[u8]) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for chunk in text.utf8_chunks() {
        chunk.valid().chars().for_each(|char| quote(char, &mut out));
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    out.push('"');
    out
}

fn quote(char: char, out: &mut String) {
    let code = u32::from(char);
    let _ = match char {
        '"' | '\\' => write!(out, "\\{char}"),
        '\u{7}' => write!(out, "\\a"),
        '\u{8}' => write!(out, "\\b"),
        '\u{c}' => write!(out, "\\f"),
        '\n' => write!(out, "\\n"),
        '\r' => write!(out, "\\r"),
        '\t' => write!(out, "\\t"),
        '\u{b}' => write!(out, "\\v"),
        _ if is_printable(char) => write!(out, "{char}"),
        _ if code < 0x80 => write!(out, "\\x{code:02x}"),
        _ if code < 0x1_0000 => write!(out, "\\u{code:04x}"),
        _ => write!(out, "\\U{code:08x}"),
    };
}

/// Whether a character is a letter, mark, number, sign or the space.
fn is_printable(char: char) -> bool {
    // Rust escapes the same characters, and marks where no letter is before them.
    char.is_ascii_graphic() || char == ' ' || {
        let mut text = [b'a', 0, 0, 0, 0];
        let len = text.get_mut(1..).map_or(0, |rest| char.encode_utf8(rest).len());
        let text = text.get(..=len).and_then(|text| std::str::from_utf8(text).ok()).unwrap_or("");
        !char.is_ascii() && text.escape_debug().eq(text.chars())
    }
}
