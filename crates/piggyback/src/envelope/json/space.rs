//! White space and comments that JSON does not allow.

/// Returns the length of the white space at the start of a text, of JSON or any other kind.
pub(super) fn space_len(text: &[u8]) -> usize {
    let plain = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')).count();
    if plain > 0 { plain } else { foreign_space(text).map_or(0, char::len_utf8) }
}

/// Returns the white space at the start of a text if JSON does not allow it: spaces of word processors, and characters
/// without width.
pub(super) fn foreign_space(text: &[u8]) -> Option<char> {
    let first = *text.first()?;
    if first.is_ascii() {
        return matches!(first, 0xb | 0xc).then_some(char::from(first));
    }
    let len = text.iter().take(4).take_while(|byte| **byte >= 0x80).count();
    let start = text.get(..len)?.utf8_chunks().next()?.valid().chars().next()?;
    is_foreign_space(start).then_some(start)
}

/// True if a text consists of white space of any kind, and of characters without width.
#[must_use]
pub fn is_any_space(text: &str) -> bool {
    text.chars().all(is_foreign_space)
}

fn is_foreign_space(char: char) -> bool {
    let has_no_width =
        matches!(char, '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}');
    char.is_whitespace() || has_no_width
}

/// Returns the length of the comment at the start of a text: `//` and `#` up to the end of the line, `/* … */`.
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

/// Returns the comma or colon that a full-width sign at the start of a text stands for.
pub(super) fn full_width_sign(text: &[u8]) -> Option<u8> {
    match text {
        // `，`, `、` and `：`.
        [0xef, 0xbc, 0x8c, ..] | [0xe3, 0x80, 0x81, ..] => Some(b','),
        [0xef, 0xbc, 0x9a, ..] => Some(b':'),
        _ => None,
    }
}

/// The length of a full-width sign.
pub(super) const FULL_WIDTH: usize = 3;

/// Returns the text that takes the place of white space that JSON does not allow.
#[must_use]
pub fn plain_space(foreign: char) -> &'static str {
    match foreign {
        '\u{85}' | '\u{2028}' | '\u{2029}' => "\n",
        _ if foreign.is_whitespace() => " ",
        _ => "",
    }
}
