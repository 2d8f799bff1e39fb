//! The parts of JSON text and of similar texts: white space, comments, signs, words, numbers, and
//! the special bytes of string literals.

use wide::u8x16;

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

/// Returns the length of the words at the start of a text. The words end at a JSON sign, a comment
/// or a line break.
pub(super) fn words_len(text: &[u8]) -> usize {
    let is_end = |byte: &u8| b",:{}[]\"\n\r#".contains(byte);
    let len = text.iter().position(is_end).unwrap_or(text.len());
    let line = text.get(..len).unwrap_or(text);
    let comments = [b"//".as_slice(), b"/*"].map(|mark| memchr::memmem::find(line, mark).unwrap_or(len));
    let line = line.get(..comments[0].min(comments[1])).unwrap_or(line);
    line.trim_ascii_end().len()
}

/// Returns the length of a comment without the carriage return of its line break.
pub(super) fn trimmed_comment(text: &[u8], len: usize) -> usize {
    let is_line = !text.starts_with(b"/*");
    let comment = text.get(..len).unwrap_or(text);
    if is_line { comment.trim_ascii_end().len().max(1) } else { len }
}

/// Returns the length in bytes of a run of equal characters.
pub(super) fn space_run(text: &[u8], space: char) -> usize {
    let mut buffer = [0; 4];
    let space = space.encode_utf8(&mut buffer).as_bytes();
    text.chunks(space.len()).take_while(|chunk| *chunk == space).count() * space.len()
}

/// Returns the length of the number at the start of a text, including digit separators and a
/// decimal comma.
///
/// `in_object` is true inside an object, where a comma before a digit does not separate values.
pub(super) fn number_len(text: &[u8], in_object: Option<bool>) -> usize {
    let part = |from: usize| {
        let rest = text.get(from..).unwrap_or(&[]);
        rest.iter().take_while(|byte| is_word_part(**byte)).count()
    };
    let mut len = part(0);
    while let Some((separator, digits)) = separated_digits(text.get(len..).unwrap_or(&[])) {
        let end = len + separator + part(len + separator);
        let behind = text.get(end..).unwrap_or(&[]).trim_ascii_start().first();
        let is_comma = text.get(len) == Some(&b',');
        let is_group = digits == 3 && text.get(end).is_none_or(|byte| *byte != b'_');
        let belongs = match in_object {
            // Digits after the comma may be a key.
            Some(true) if is_comma => behind != Some(&b':'),
            // `[1,200]` is a list of two numbers; `[1,000]` is one number.
            Some(false) if is_comma => is_group && text.get(len + 1) == Some(&b'0'),
            Some(_) => is_group,
            None => false,
        };
        if !belongs {
            break;
        }
        len = end;
    }
    len
}

/// Returns the length of a digit separator at the start of a text and the number of digits after
/// it.
fn separated_digits(text: &[u8]) -> Option<(usize, usize)> {
    let len = match text {
        [b',' | b' ' | b'\'', ..] => 1,
        // U+2009, U+202F, U+2019.
        [0xe2, 0x80, 0x89 | 0xaf | 0x99, ..] => 3,
        [0xc2, 0xa0, ..] => 2,
        _ => return None,
    };
    let digits = text.get(len..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (digits > 0).then_some((len, digits))
}

/// True if the text is a valid JSON number.
pub(super) fn is_number(written: &[u8]) -> bool {
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut rest = written.strip_prefix(b"-").unwrap_or(written);
    let whole = digits(rest);
    if whole == 0 || (whole > 1 && rest.first() == Some(&b'0')) {
        return false;
    }
    rest = rest.get(whole..).unwrap_or(&[]);
    if let Some(fraction) = rest.strip_prefix(b".") {
        let len = digits(fraction);
        if len == 0 {
            return false;
        }
        rest = fraction.get(len..).unwrap_or(&[]);
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        let exponent = exponent.strip_prefix(b"-").or(exponent.strip_prefix(b"+")).unwrap_or(exponent);
        let len = digits(exponent);
        rest = exponent.get(len..).unwrap_or(&[]);
        return len > 0 && rest.is_empty();
    }
    rest.is_empty()
}

/// True if a byte can be part of a word or number.
pub(super) fn is_word_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'+' | b'-' | b'.' | b'%' | b'$')
}

/// The number of bytes per step.
pub(super) const BLOCK: usize = 16;

/// Returns a bit mask of quotes, backslashes and control characters. The lowest bit is the first
/// byte.
#[inline]
fn string_marks_in(block: [u8; BLOCK], quote: u8) -> u32 {
    let block = u8x16::new(block);
    let are = |byte: u8| block.simd_eq(u8x16::splat(byte));
    let are_controls = block.min(u8x16::splat(0x1f)).simd_eq(block);
    (are(quote) | are(b'\\') | are_controls).to_bitmask()
}

/// Returns [`marks_in`] for the block at an offset. Bytes after the end of the text have no marks.
#[inline]
pub(super) fn string_marks(text: &[u8], at: usize, quote: u8) -> u32 {
    let rest = text.get(at..).unwrap_or(&[]);
    if let Some(block) = rest.first_chunk::<BLOCK>() {
        return string_marks_in(*block, quote);
    }
    let mut block = [b' '; BLOCK];
    block.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
    string_marks_in(block, quote)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_those_of_each_byte() {
        for quote in [b'"', b'\''] {
            for byte in 0..=u8::MAX {
                for at in 0..20 {
                    let mut text = [b'x'; 20];
                    text[at] = byte;
                    let is_mark = byte == quote || byte == b'\\' || byte < 0x20;
                    let expected = if is_mark && at < BLOCK { 1 << at } else { 0 };
                    assert_eq!(string_marks(&text, 0, quote), expected, "{byte} at {at}");
                    let behind = if is_mark && at >= 10 { 1 << (at - 10) } else { 0 };
                    assert_eq!(string_marks(&text, 10, quote), behind, "{byte} at {at}");
                }
            }
        }
        assert_eq!(string_marks(b"", 0, b'"'), 0);
    }
}
