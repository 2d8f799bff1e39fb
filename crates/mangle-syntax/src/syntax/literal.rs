//! Values of literals, and the mapping between a value and its source bytes.
//!
//! The rules follow the engine: three kinds of quotes, no raw strings, lower-case hexadecimal
//! digits only. CRLF and a lone CR are read as LF in strings (but not in byte strings).
//! `tests/language/syntax.md` has examples.

use std::borrow::Cow;

/// A part of a string's content: source bytes and their value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Literal bytes.
    Plain(&'a str),
    /// An escape or a normalized line ending, with its character.
    Char(char),
    /// `\xhh` in a byte string.
    Byte(u8),
    /// An escape that the engine does not support.
    Bad(&'a str),
}

/// Splits the content of a string (without its quotes) into pieces, each with its offset in
/// `content`.
pub fn pieces(content: &str, bytes: bool) -> impl Iterator<Item = (usize, Piece<'_>)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = content.get(at..).filter(|rest| !rest.is_empty())?;
        let (len, piece) = next_piece(rest, bytes);
        let start = at;
        at += len;
        Some((start, piece))
    })
}

fn next_piece(rest: &str, bytes: bool) -> (usize, Piece<'_>) {
    match rest.as_bytes() {
        [b'\\', ..] => escape(rest, bytes),
        [b'\r', b'\n', ..] if !bytes => (2, Piece::Char('\n')),
        [b'\r', ..] if !bytes => (1, Piece::Char('\n')),
        _ => {
            let stop = |c| c == '\\' || (!bytes && c == '\r');
            let end = rest.find(stop).unwrap_or(rest.len());
            // Other content is at least one character long.
            let end = end.max(rest.chars().next().map_or(1, char::len_utf8));
            (end, Piece::Plain(rest.get(..end).unwrap_or(rest)))
        }
    }
}

fn escape(rest: &str, bytes: bool) -> (usize, Piece<'_>) {
    let bad = || {
        let len = rest.char_indices().nth(2).map_or(rest.len(), |(at, _)| at);
        (len, Piece::Bad(rest.get(..len).unwrap_or(rest)))
    };
    match rest.as_bytes().get(1) {
        Some(b'n' | b'\n') => (2, Piece::Char('\n')),
        Some(b't') => (2, Piece::Char('\t')),
        Some(b'\\') => (2, Piece::Char('\\')),
        Some(b'\'') => (2, Piece::Char('\'')),
        Some(b'"') => (2, Piece::Char('"')),
        Some(b'x') => byte_escape(rest, bytes).unwrap_or_else(bad),
        Some(b'u') => unicode_escape(rest).unwrap_or_else(bad),
        _ => bad(),
    }
}

/// `\xhh`: one byte, below 0x80 in a string.
fn byte_escape(rest: &str, bytes: bool) -> Option<(usize, Piece<'_>)> {
    let value = u8::try_from(lower_hex(rest.get(2..4)?)?).ok()?;
    match (bytes, value) {
        (true, _) => Some((4, Piece::Byte(value))),
        (false, 0..0x80) => Some((4, Piece::Char(char::from(value)))),
        (false, _) => None,
    }
}

/// `\u{hhhh}` with four to six digits.
fn unicode_escape(rest: &str) -> Option<(usize, Piece<'_>)> {
    let digits = rest.strip_prefix("\\u{")?;
    let digits = digits.get(..digits.find('}')?)?;
    if !(4..=6).contains(&digits.len()) {
        return None;
    }
    let char = char::from_u32(lower_hex(digits)?)?;
    Some((digits.len() + 4, Piece::Char(char)))
}

fn lower_hex(digits: &str) -> Option<u32> {
    let lower = digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    lower.then(|| u32::from_str_radix(digits, 16).ok()).flatten()
}

/// The content of a string literal without its quotes. `None` if it is unterminated.
#[must_use]
pub fn string_content(literal: &str) -> Option<&str> {
    let quote = literal.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    literal.get(1..)?.strip_suffix(quote)
}

/// The value of a string literal with quotes. `None` if it is unterminated or has an unsupported
/// escape.
#[must_use]
pub fn string_value(literal: &str) -> Option<Cow<'_, str>> {
    let content = string_content(literal)?;
    if !content.contains(['\\', '\r']) {
        return Some(Cow::Borrowed(content));
    }
    let mut value = String::with_capacity(content.len());
    for (_, piece) in pieces(content, false) {
        match piece {
            Piece::Plain(text) => value.push_str(text),
            Piece::Char(char) => value.push(char),
            Piece::Byte(_) | Piece::Bad(_) => return None,
        }
    }
    Some(Cow::Owned(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(literal: &str, value: Option<&str>) {
        assert_eq!(string_value(literal).as_deref(), value, "{literal}");
    }

    #[test]
    fn escapes_of_the_reference() {
        check(r#""a\tb\n\\\"\'""#, Some("a\tb\n\\\"'"));
        check(r"'\x41\u{00e9}\u{01f600}'", Some("Aé😀"));
        check("\"two\\\nlines\"", Some("two\nlines"));
    }

    #[test]
    fn line_ends_are_normalised() {
        check("`a\r\nb\rc`", Some("a\nb\nc"));
    }

    #[test]
    fn what_the_reference_rejects_has_no_value() {
        for literal in [r#""\r""#, r#""\xCA""#, r#""\xca""#, r#""\u{e9}""#, r#""\u{00E9}""#, r#""\u{d800}""#]
        {
            check(literal, None);
        }
        // The lexer sees the CR; line endings are normalized later.
        check("\"a\\\r\nb\"", None);
        check("\"open", None);
        check("x", None);
    }

    #[test]
    fn bytes_keep_cr_and_high_values() {
        let found: Vec<_> = pieces("\\xff\r\n", true).collect();
        assert_eq!(found, [(0, Piece::Byte(255)), (4, Piece::Plain("\r\n"))]);
    }

    #[test]
    fn a_backslash_before_a_wide_character_stays_in_step() {
        let found: Vec<_> = pieces("\\é!", false).collect();
        assert_eq!(found, [(0, Piece::Bad("\\é")), (3, Piece::Plain("!"))]);
    }
}
