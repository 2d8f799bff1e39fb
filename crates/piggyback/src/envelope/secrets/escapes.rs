//! Decoding of nested string escapes with a map from the decoded bytes to the source.

use std::ops::Range;

/// The maximum nesting depth of strings in strings.
pub(super) const LEVELS: usize = 4;

/// A text after decoding its outermost escapes.
pub(super) struct Decoded {
    pub(super) text: String,
    /// For each byte of the text and for its end, the offset in the source.
    places: Vec<u32>,
}

impl Decoded {
    /// Maps a range to the source.
    pub(super) fn to_source(&self, range: &Range<usize>) -> Range<usize> {
        let at = |offset: usize| self.places.get(offset).map_or(0, |place| *place as usize);
        at(range.start)..at(range.end)
    }

    /// Decodes the next level of escapes. `None` if the text has no escapes.
    pub(super) fn next(&self) -> Option<Self> {
        let inner = once(&self.text)?;
        let places = inner.places.iter().map(|place| self.places.get(*place as usize).copied().unwrap_or(0));
        Some(Self { places: places.collect(), text: inner.text })
    }
}

/// Decodes the outermost escapes and removes invisible characters. `None` if the text has neither.
pub(super) fn once(text: &str) -> Option<Decoded> {
    let may_hide = !text.is_ascii() && text.contains(is_hidden);
    if !may_hide && memchr::memchr(b'\\', text.as_bytes()).is_none() || u32::try_from(text.len()).is_err() {
        return None;
    }
    super::steps::count(text.len());
    let mut out = Decoded { text: String::with_capacity(text.len()), places: Vec::with_capacity(text.len()) };
    let mut at = 0;
    while let Some(first) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = text.get(at + first.len_utf8()..).unwrap_or("");
        let (char, len) = match first {
            '\\' => escape(rest).map_or((Some('\\'), 1), |(char, len)| (char, len + 1)),
            _ if is_hidden(first) => (None, first.len_utf8()),
            _ => (Some(first), first.len_utf8()),
        };
        if let Some(char) = char.filter(|char| !is_hidden(*char)) {
            out.text.push(char);
            let place = u32::try_from(at).unwrap_or(u32::MAX);
            out.places.extend(std::iter::repeat_n(place, char.len_utf8()));
        }
        at += len;
    }
    out.places.push(u32::try_from(text.len()).unwrap_or(u32::MAX));
    Some(out)
}

/// Returns the character of an escape and the length of the escape after the backslash.
fn escape(rest: &str) -> Option<(Option<char>, usize)> {
    let simple = |char| Some((Some(char), 1));
    match rest.bytes().next()? {
        b'n' => simple('\n'),
        b'r' => simple('\r'),
        b't' => simple('\t'),
        b'"' => simple('"'),
        b'\'' => simple('\''),
        b'\\' => simple('\\'),
        b'/' => simple('/'),
        b'x' => hex(rest.get(1..3)?).map(|char| (Some(char), 3)),
        b'u' if rest.as_bytes().get(1) == Some(&b'{') => {
            let end = rest.bytes().take(10).position(|byte| byte == b'}')?;
            hex(rest.get(2..end)?).map(|char| (Some(char), end + 1))
        }
        b'u' => hex(rest.get(1..5)?).map(|char| (Some(char), 5)),
        _ => None,
    }
}

fn hex(digits: &str) -> Option<char> {
    char::from_u32(u32::from_str_radix(digits, 16).ok()?)
}

/// True if a character has zero width.
fn is_hidden(char: char) -> bool {
    matches!(char, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}
