//! String literals of programming languages, as written by Python's `repr` or Node's
//! `util.inspect`.

use mangle_syntax::text::{SegmentMap, SegmentMapBuilder, TextRange, size};

/// Maximum distance from a brace back to the quote of its literal, in bytes.
const MAX_WORDS: usize = 4096;

#[derive(Debug)]
pub(super) struct Literal {
    pub(super) value: Vec<u8>,
    /// Maps offsets of the value to offsets of the text.
    pub(super) map: SegmentMap,
    /// End of the literal in the text.
    pub(super) end: usize,
    /// True if the closing quote is present.
    pub(super) is_closed: bool,
    /// True if the literal contains an escape or has several parts.
    pub(super) has_escapes: bool,
}

/// Returns the opening quote of the literal around a brace: the nearest quote before it on the
/// line.
pub(super) fn quote_before(text: &[u8], brace: usize) -> Option<usize> {
    let from = brace.saturating_sub(MAX_WORDS);
    let before = text.get(from..brace)?;
    let quote = from + memchr::memrchr3(b'\'', b'"', b'`', before)?;
    (!text.get(quote..brace)?.contains(&b'\n') && begins(text, quote)).then_some(quote)
}

/// True if a quote can open a literal. After a word it is an apostrophe or a closing quote.
fn begins(text: &[u8], quote: usize) -> bool {
    let is_word =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'\'' | b'"' | b'`' | b')' | b']');
    let before = |at: usize| at.checked_sub(1).and_then(|at| text.get(at));
    match before(quote) {
        Some(b'b' | b'B' | b'u' | b'f') => before(quote - 1).is_none_or(|byte| !is_word(byte)),
        Some(byte) => !is_word(byte),
        None => true,
    }
}

/// Decodes the literal at a quote. Returns `None` if it contains a line end. Joins adjacent parts
/// with `+` or a line end between them.
pub(super) fn read(text: &[u8], quote: usize) -> Option<Literal> {
    let is_bytes =
        quote.checked_sub(1).and_then(|at| text.get(at)).is_some_and(|byte| matches!(byte, b'b' | b'B'));
    let mut reader = Reader {
        text,
        at: quote,
        value: Vec::new(),
        map: SegmentMapBuilder::default(),
        is_bytes,
        has_escapes: false,
    };
    let mut is_closed = reader.part()?;
    while let Some(next) = reader.next_part() {
        (reader.at, reader.has_escapes) = (next, true);
        is_closed = reader.part()?;
    }
    let Reader { value, map, at, has_escapes, .. } = reader;
    Some(Literal { value, map: map.finish(), end: at, is_closed, has_escapes })
}

struct Reader<'t> {
    text: &'t [u8],
    at: usize,
    value: Vec<u8>,
    map: SegmentMapBuilder,
    /// True if two-digit hexadecimal escapes are bytes instead of characters.
    is_bytes: bool,
    has_escapes: bool,
}

impl Reader<'_> {
    /// Reads the part at a quote. Returns false if the text ends before its closing quote.
    fn part(&mut self) -> Option<bool> {
        let quote = *self.text.get(self.at)?;
        self.at += 1;
        loop {
            let rest = self.text.get(self.at..).unwrap_or(&[]);
            let len = memchr::memchr3(quote, b'\\', b'\n', rest).unwrap_or(rest.len());
            self.copy(len);
            match self.text.get(self.at) {
                None => return Some(false),
                Some(b'\n') => return None,
                Some(b'\\') => self.escape(),
                Some(_) => {
                    self.at += 1;
                    return Some(true);
                }
            }
        }
    }

    /// Returns the offset of the next part of the same literal.
    fn next_part(&self) -> Option<usize> {
        let rest = self.text.get(self.at..)?;
        let is_gap = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        let gap = rest.iter().take_while(is_gap).count();
        let plus = rest.get(gap) == Some(&b'+');
        let behind = if plus { gap + 1 } else { gap };
        let gap_behind = rest.get(behind..)?.iter().take_while(is_gap).count();
        let is_line = rest.get(..behind + gap_behind)?.contains(&b'\n');
        let next = behind + gap_behind;
        let is_quote = matches!(rest.get(next), Some(b'\'' | b'"' | b'`'));
        (is_quote && (plus || is_line)).then_some(self.at + next)
    }

    fn copy(&mut self, len: usize) {
        self.value.extend_from_slice(self.text.get(self.at..self.at + len).unwrap_or(&[]));
        self.map.copy(TextRange::at(size(self.at), size(len)));
        self.at += len;
    }

    fn escape(&mut self) {
        let rest = self.text.get(self.at + 1..).unwrap_or(&[]);
        let hex = |from: usize, len: usize| -> Option<u32> {
            let digits = std::str::from_utf8(rest.get(from..from + len)?).ok()?;
            digits
                .bytes()
                .all(|byte| byte.is_ascii_hexdigit())
                .then(|| u32::from_str_radix(digits, 16).ok())?
        };
        let simple = |byte: u8| Some((vec![byte], 2));
        let char = |code: u32, len: usize| {
            let mut buffer = [0; 4];
            Some((char::from_u32(code)?.encode_utf8(&mut buffer).as_bytes().to_vec(), len))
        };
        let found = match rest.first() {
            Some(b'n') => simple(b'\n'),
            Some(b'r') => simple(b'\r'),
            Some(b't') => simple(b'\t'),
            Some(b'b') => simple(8),
            Some(b'f') => simple(12),
            Some(b'v') => simple(11),
            Some(b'a') => simple(7),
            Some(b'e') => simple(27),
            Some(b'0') if !rest.get(1).is_some_and(u8::is_ascii_digit) => simple(0),
            Some(&byte @ (b'\\' | b'\'' | b'"' | b'`' | b'$' | b'#')) => simple(byte),
            Some(b'x') => hex(1, 2).and_then(|code| match self.is_bytes {
                true => Some((vec![u8::try_from(code).ok()?], 4)),
                false => char(code, 4),
            }),
            Some(b'u') if rest.get(1) == Some(&b'{') => {
                let len = rest.iter().take(9).position(|byte| *byte == b'}').unwrap_or(0);
                hex(2, len.saturating_sub(2)).filter(|_| len > 2).and_then(|code| char(code, len + 2))
            }
            Some(b'u') => hex(1, 4).and_then(|code| match code {
                0xd800..=0xdbff if rest.get(5..7) == Some(b"\\u") => {
                    let low = hex(7, 4).filter(|low| (0xdc00..=0xdfff).contains(low))?;
                    char(0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00), 12)
                }
                code => char(code, 6),
            }),
            Some(b'U') => hex(1, 8).and_then(|code| char(code, 10)),
            _ => None,
        };
        match found {
            Some((bytes, len)) => {
                self.has_escapes = true;
                self.map.escape(size(bytes.len()), TextRange::at(size(self.at), size(len)));
                self.value.extend(bytes);
                self.at += len;
            }
            // An unknown escape is copied unchanged.
            None => self.copy(1),
        }
    }
}

/// True if each backslash is doubled or precedes a quote of the literal. JSON text without a second
/// level of escapes is not doubled.
pub(super) fn is_doubled(text: &[u8], quote: u8) -> bool {
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| memchr::memchr(b'\\', rest)) {
        let next = text.get(at + found + 1).copied();
        if next != Some(b'\\') && (next != Some(quote) || quote == b'"') {
            return false;
        }
        at += found + 2;
    }
    true
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[track_caller]
    fn check(text: &str, value: &str) {
        let quote = text.find(['\'', '"', '`']).unwrap();
        let found = read(text.as_bytes(), quote).unwrap();
        assert_eq!(String::from_utf8_lossy(&found.value), value, "{text}");
        for at in 0..found.value.len() {
            let place = found.map.to_source(TextRange::at(size(at), size(1)));
            let raw = &text[usize::from(place.start())..usize::from(place.end())];
            assert!(raw.starts_with('\\') || raw.as_bytes() == [found.value[at]] || !raw.is_ascii(), "{raw}");
        }
    }

    #[test]
    fn literals_are_decoded() {
        check(r#"x='{"a": "\\"b\\" it\'s \x41\n"}', y"#, "{\"a\": \"\\\"b\\\" it's A\n\"}");
        check(r"b'caf\xc3\xa9'", "café");
        check(r"'caf\xe9 \u00e9 \U0001f600 \ud83d\ude00 \u{1f600}'", "café é 😀 😀 😀");
        check("'{\\n' +\n    '  \"a\": 1\\n' +\n  '}'", "{\n  \"a\": 1\n}");
        check("('{\"a\": '\n '1}')", "{\"a\": 1}");
        check("`a \\` \\${x}`", "a ` ${x}");
        check(r"'\d \q'", r"\d \q");
        check("'cut", "cut");
        assert!(read(b"'a\nb'", 0).is_none());
    }

    #[test]
    fn doubled_backslashes_are_told_from_escapes_of_json() {
        assert!(is_doubled(br#"{"a": "\\"b\\" it\'s"}"#, b'\''));
        assert!(!is_doubled(br#"{"a": "\"b\" \n"}"#, b'\''));
    }
}
