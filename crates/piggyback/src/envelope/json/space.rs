//! White space, comments and full-width signs that JSON does not allow.

/// Returns the length of the white space at the start of a text, including white space that JSON
/// does not allow.
pub(super) fn space_len(text: &[u8]) -> usize {
    let plain = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')).count();
    if plain > 0 { plain } else { foreign_space(text).map_or(0, char::len_utf8) }
}

/// Returns the first character of a text if it is white space that JSON does not allow or has zero
/// width.
pub(super) fn foreign_space(text: &[u8]) -> Option<char> {
    let first = *text.first()?;
    if first.is_ascii() {
        return matches!(first, 0xb | 0xc).then_some(char::from(first));
    }
    let len = text.iter().take(4).take_while(|byte| **byte >= 0x80).count();
    let start = text.get(..len)?.utf8_chunks().next()?.valid().chars().next()?;
    is_foreign_space(start).then_some(start)
}

/// True if a text consists only of white space and zero-width characters.
#[must_use]
pub fn is_any_space(text: &str) -> bool {
    text.chars().all(is_foreign_space)
}

fn is_foreign_space(char: char) -> bool {
    let has_no_width =
        matches!(char, '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}');
    char.is_whitespace() || has_no_width
}

/// Returns the length of the comment at the start of a text. Line comments begin with `//` or `#`;
/// block comments are `/* … */`.
pub(super) fn comment_len(text: &[u8]) -> Option<usize> {
    let line = || memchr::memchr(b'\n', text).unwrap_or(text.len());
    match text {
        [b'/', b'/', ..] | [b'#', ..] => Some(line()),
        [b'/', b'*', inner @ ..] => {
            Some(memchr::memmem::find(inner, b"*/").map_or(text.len(), |end| end + 4))
        }
        _ => None,
    }
}

/// Returns the ASCII equivalent of a full-width comma or colon at the start of a text.
pub(super) fn full_width_sign(text: &[u8]) -> Option<u8> {
    match text {
        // `，`, `、` and `：`.
        [0xef, 0xbc, 0x8c, ..] | [0xe3, 0x80, 0x81, ..] => Some(b','),
        [0xef, 0xbc, 0x9a, ..] => Some(b':'),
        _ => None,
    }
}

/// The length in bytes of a full-width sign.
pub(super) const FULL_WIDTH: usize = 3;

/// Returns the replacement for white space that JSON does not allow.
#[must_use]
pub fn plain_space(foreign: char) -> &'static str {
    match foreign {
        '\u{85}' | '\u{2028}' | '\u{2029}' => "\n",
        _ if foreign.is_whitespace() => " ",
        _ => "",
    }
}
