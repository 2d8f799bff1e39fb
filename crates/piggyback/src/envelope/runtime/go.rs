//! Text functions that behave like Go's library where Rust's library differs.

use std::fmt::Write as _;
use std::ops::Range;

/// Converts a character to exactly one lowercase character.
pub(super) fn lower(char: char) -> char {
    char.to_lowercase().next().unwrap_or(char)
}

/// Converts a text to lower case and keeps its number of characters.
#[must_use]
pub fn lower_case(text: &str) -> String {
    text.chars().map(lower).collect()
}

/// True if a text begins with a lowercase word, in any case.
pub(super) fn begins_with(text: &str, word: &str) -> bool {
    let mut chars = text.chars().map(lower);
    word.chars().all(|char| chars.next() == Some(char))
}

/// Formats a text like Go's `%q`.
#[must_use]
pub fn go_quoted(text: &str) -> String {
    quoted(text.as_bytes())
}

/// Formats bytes like Go's `%q`.
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

/// True if a character is a letter, mark, number, sign or the space.
fn is_printable(char: char) -> bool {
    // Rust escapes the same characters, and marks without a preceding letter.
    char.is_ascii_graphic() || char == ' ' || {
        let mut text = [b'a', 0, 0, 0, 0];
        let len = text.get_mut(1..).map_or(0, |rest| char.encode_utf8(rest).len());
        let text = text.get(..=len).and_then(|text| std::str::from_utf8(text).ok()).unwrap_or("");
        !char.is_ascii() && text.escape_debug().eq(text.chars())
    }
}

/// Parses a float like Go's `strconv.ParseFloat`: decimal, hexadecimal, `inf` or `nan`.
///
/// Returns `None` if the number is too large.
pub(super) fn float(text: &str) -> Option<f64> {
    let (sign, rest) = match text.as_bytes().first()? {
        b'+' => (1.0, text.get(1..)?),
        b'-' => (-1.0, text.get(1..)?),
        _ => (1.0, text),
    };
    let word = rest.to_ascii_lowercase();
    match word.as_str() {
        "inf" | "infinity" => return Some(sign * f64::INFINITY),
        // Go rejects `nan` with a sign.
        "nan" => return (rest.len() == text.len()).then_some(f64::NAN),
        _ => {}
    }
    if rest.contains('_') && !are_separators(&word) {
        return None;
    }
    let digits: String = word.chars().filter(|char| *char != '_').collect();
    let value = match digits.strip_prefix("0x") {
        Some(hex) if !hex.is_empty() => hexadecimal(hex)?,
        _ => {
            let is_number = digits.starts_with(|first: char| first.is_ascii_digit() || first == '.');
            digits.parse().ok().filter(|_: &f64| is_number)?
        }
    };
    value.is_finite().then_some(sign * value)
}

/// True if underscores occur only between digits, or between a base prefix and a digit.
fn are_separators(number: &str) -> bool {
    let (is_hex, rest) = match number.as_bytes() {
        [b'0', base @ (b'b' | b'o' | b'x'), ..] => (*base == b'x', number.get(2..).unwrap_or_default()),
        _ => (false, number),
    };
    let mut last = if rest.len() < number.len() { '0' } else { '^' };
    for char in rest.chars() {
        let is_digit = char.is_ascii_digit() || is_hex && char.is_ascii_hexdigit();
        last = match (char, last) {
            _ if is_digit => '0',
            ('_', '0') => '_',
            ('_', _) | (_, '_') => return false,
            _ => '!',
        };
    }
    last != '_'
}

/// Parses a hexadecimal number after its prefix. An exponent is required.
fn hexadecimal(digits: &str) -> Option<f64> {
    let (mantissa, exponent) = digits.split_once('p')?;
    let is_exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    if is_exponent.is_empty() || !is_exponent.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let exponent: i32 =
        exponent.parse().unwrap_or(if exponent.starts_with('-') { -100_000 } else { 100_000 });
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.len() + fraction.len() == 0 {
        return None;
    }
    let mut value = 0.0f64;
    for digit in whole.chars().chain(fraction.chars()) {
        value = value * 16.0 + f64::from(digit.to_digit(16)?);
    }
    let places = i32::try_from(fraction.len()).ok()?.checked_mul(4)?;
    let exponent = exponent.clamp(-100_000, 100_000) - places;
    // Multiply in two steps, because the power itself may be out of range.
    let half = exponent / 2;
    Some(value * 2f64.powi(half) * 2f64.powi(exponent - half))
}

/// The maximum length of a UTF-8 character in bytes.
const MAX_CHAR_LEN: usize = 4;

/// Removes white space from both ends of a part of a reply.
pub(super) fn trim(raw: &[u8], part: Range<usize>) -> Range<usize> {
    let (mut start, mut end) = (part.start, part.end);
    while let Some(len) = raw.get(start..end).and_then(leading_space) {
        start += len;
    }
    while let Some(len) = raw.get(start..end).and_then(trailing_space) {
        end -= len;
    }
    start..end
}

/// Returns the length in bytes of the white space character at the start of a text.
fn leading_space(text: &[u8]) -> Option<usize> {
    let near = text.get(..MAX_CHAR_LEN.min(text.len()))?;
    let char = near.utf8_chunks().next()?.valid().chars().next()?;
    char.is_whitespace().then_some(char.len_utf8())
}

/// Returns the length in bytes of the white space character at the end of a text.
fn trailing_space(text: &[u8]) -> Option<usize> {
    let near = text.get(text.len().saturating_sub(MAX_CHAR_LEN)..)?;
    let last = near.utf8_chunks().last().filter(|chunk| chunk.invalid().is_empty())?;
    let char = last.valid().chars().next_back()?;
    char.is_whitespace().then_some(char.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::float;

    #[test]
    fn floats_are_read_as_go_reads_them() {
        let is = |text: &str, value: Option<f64>| assert_eq!(float(text), value, "{text}");
        is("0.9", Some(0.9));
        is("+.5", Some(0.5));
        is("5.", Some(5.0));
        is("1e-1", Some(0.1));
        is("0x1p-1", Some(0.5));
        is("0x.8p0", Some(0.5));
        is("0X_1P+1", Some(2.0));
        is("0_9", Some(9.0));
        is("-inf", Some(f64::NEG_INFINITY));
        is("Infinity", Some(f64::INFINITY));
        assert!(float("nan").is_some_and(f64::is_nan));
        for bad in
            ["", "+", "-nan", "infin", "0x1", "0xp1", "_9", "9_", "1__0", "1e999", "0,9", "9 ", "1e", "0x1p"]
        {
            is(bad, None);
        }
    }
}
