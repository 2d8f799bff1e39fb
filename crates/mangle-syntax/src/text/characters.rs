//! Character boundaries: adjustment of byte ranges to whole characters, and halves of surrogate
//! pairs, which a UTF-16 editor sends when it splits a character.

use text_size::{TextRange, TextSize};

use super::size;

/// Extends `range` to whole characters; CRLF is one character. The part beyond the end of `text` is
/// cut off. A byte that belongs to no character is treated as one.
///
/// Every range in output that was computed from bytes must use this function.
#[must_use]
pub fn whole_characters(text: &[u8], range: TextRange) -> TextRange {
    let start = character_start(text, range.start().into());
    let end = usize::from(range.end()).min(text.len());
    let end = if range.is_empty() { start } else { character_end(text, end).max(start) };
    TextRange::new(size(start), size(end))
}

/// True if both ends of a range are character boundaries of `text`. CR and LF are two characters.
#[must_use]
pub fn is_on_characters(text: &[u8], range: TextRange) -> bool {
    let is_between = |at: TextSize| {
        let at = usize::from(at);
        at <= text.len() && around(text, at).is_none()
    };
    is_between(range.start()) && is_between(range.end())
}

/// The last offset up to `offset` that is not inside of a character or a CRLF.
#[must_use]
pub fn character_start(text: &[u8], offset: usize) -> usize {
    let at = offset.min(text.len());
    let at = around(text, at).map_or(at, |(start, _)| start);
    if is_in_line_end(text, at) { at - 1 } else { at }
}

/// The first offset from `offset` on that is not inside of a character or a CRLF.
fn character_end(text: &[u8], offset: usize) -> usize {
    let at = around(text, offset).map_or(offset, |(_, end)| end);
    if is_in_line_end(text, at) { at + 1 } else { at }
}

fn is_in_line_end(text: &[u8], at: usize) -> bool {
    at > 0 && text.get(at - 1) == Some(&b'\r') && text.get(at) == Some(&b'\n')
}

/// The start and end of the character that contains `at`. `None` at a character boundary.
fn around(text: &[u8], at: usize) -> Option<(usize, usize)> {
    let is_inner = |at: usize| text.get(at).is_some_and(|byte| matches!(byte, 0x80..=0xbf));
    let back = (0..3).take_while(|back| is_inner(at.saturating_sub(*back))).count();
    let start = at.checked_sub(back).filter(|_| back > 0)?;
    // Bytes that form no character have boundaries between them.
    let end = start + first_len(text.get(start..text.len().min(start + 4))?);
    (end > at).then_some((start, end))
}

/// The length of the character at the start of the bytes, or 0 if there is none.
fn first_len(bytes: &[u8]) -> usize {
    let valid = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    valid.chars().next().map_or(0, char::len_utf8)
}

/// A half of a surrogate pair. UTF-8 text contains U+FFFD in its place, which has the same length
/// in UTF-16.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Half {
    /// The byte offset of its U+FFFD.
    pub at: usize,
    /// The UTF-16 unit, 0xD800 to 0xDFFF.
    pub unit: u16,
}

/// The length of U+FFFD in bytes.
pub(super) const HALF_LEN: usize = char::REPLACEMENT_CHARACTER.len_utf8();

/// A text with U+FFFD for each half of a surrogate pair.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HalvedText {
    /// The text as UTF-8, with U+FFFD for each half.
    pub text: String,
    /// The halves, sorted by offset.
    pub halves: Vec<Half>,
}

impl HalvedText {
    /// Reads [WTF-8](https://simonsapin.github.io/wtf-8): UTF-8 with encoded surrogate halves.
    /// `None` for other bytes.
    #[must_use]
    pub fn of_wtf8(mut bytes: Vec<u8>) -> Option<Self> {
        let halves = replace_halves(&mut bytes);
        Some(Self { text: String::from_utf8(bytes).ok()?, halves })
    }

    pub(super) fn push_half(&mut self, unit: u16) {
        self.halves.push(Half { at: self.text.len(), unit });
        self.text.push(char::REPLACEMENT_CHARACTER);
    }

    pub(super) fn push(&mut self, text: &str, halves: &[Half]) {
        let before = self.text.len();
        self.halves.extend(halves.iter().map(|half| Half { at: half.at + before, ..*half }));
        self.text.push_str(text);
    }

    /// Joins adjacent halves that form a character.
    pub(super) fn joined(self) -> Self {
        let pair = |two: &[Half]| match two {
            [high, low] if high.at + HALF_LEN == low.at => char_of(high.unit, low.unit),
            _ => None,
        };
        if !self.halves.windows(2).any(|two| pair(two).is_some()) {
            return self;
        }
        let (mut new, mut copied, mut rest) = (Self::default(), 0, self.halves.as_slice());
        while let Some(half) = rest.first() {
            new.text.push_str(self.text.get(copied..half.at).unwrap_or_default());
            let char = rest.get(..2).and_then(pair);
            match char {
                Some(char) => new.text.push(char),
                None => new.push_half(half.unit),
            }
            let used = if char.is_some() { 2 } else { 1 };
            copied = half.at + used * HALF_LEN;
            rest = rest.get(used..).unwrap_or_default();
        }
        new.text.push_str(self.text.get(copied..).unwrap_or_default());
        new
    }
}

/// The two halves of a character outside of the Basic Multilingual Plane.
pub(super) fn halves_of(char: char) -> [u16; 2] {
    let mut units = [0; 2];
    char.encode_utf16(&mut units);
    units
}

fn char_of(high: u16, low: u16) -> Option<char> {
    let is_pair = (0xd800..0xdc00).contains(&high) && (0xdc00..0xe000).contains(&low);
    is_pair.then(|| char::decode_utf16([high, low]).next()?.ok()).flatten()
}

/// Overwrites each encoded surrogate half with U+FFFD, which has the same length in bytes. Returns
/// the halves in order.
pub fn replace_halves(bytes: &mut [u8]) -> Vec<Half> {
    let mut halves = Vec::new();
    let mut at = 0;
    while let Some(found) = memchr::memchr(0xed, bytes.get(at..).unwrap_or_default()) {
        at += found;
        let three =
            bytes.get_mut(at..at + HALF_LEN).and_then(|three| <&mut [u8; HALF_LEN]>::try_from(three).ok());
        let Some(three) = three else { break };
        let &mut [_, second, third] = three;
        if !((0xa0..=0xbf).contains(&second) && (0x80..=0xbf).contains(&third)) {
            at += 1;
            continue;
        }
        let unit = 0xd000 | (u16::from(second & 0x3f) << 6) | u16::from(third & 0x3f);
        halves.push(Half { at, unit });
        char::REPLACEMENT_CHARACTER.encode_utf8(three);
        at += HALF_LEN;
    }
    halves
}

/// Replaces each surrogate half in JSON with U+FFFD, for escapes and for encoded bytes.
#[must_use]
pub fn without_halves(json: &[u8]) -> Vec<u8> {
    let mut bytes = json.to_vec();
    replace_halves(&mut bytes);
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', bytes.get(at..).unwrap_or_default()) {
        at += found;
        at += match (escaped_unit(&bytes, at), escaped_unit(&bytes, at + 6)) {
            (Some(0xd800..0xdc00), Some(0xdc00..0xe000)) => 12,
            (Some(0xd800..0xe000), _) => {
                if let Some(digits) = bytes.get_mut(at + 2..at + 6) {
                    digits.copy_from_slice(b"fffd");
                }
                6
            }
            _ => 2,
        };
    }
    bytes
}

/// The UTF-16 unit of a `\uXXXX` at this position.
fn escaped_unit(bytes: &[u8], at: usize) -> Option<u16> {
    let hex = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::*;

    fn range(start: usize, end: usize) -> TextRange {
        TextRange::new(size(start), size(end))
    }

    #[test]
    fn ranges_grow_to_the_characters_around_them() {
        let text = "aé\r\n🦀".as_bytes();
        assert_eq!(whole_characters(text, range(2, 2)), range(1, 1));
        assert_eq!(whole_characters(text, range(2, 4)), range(1, 5));
        assert_eq!(whole_characters(text, range(4, 6)), range(3, 9));
        assert_eq!(whole_characters(text, range(0, 90)), range(0, 9));
        assert_eq!(whole_characters(text, range(70, 90)), range(9, 9));
        assert_eq!(whole_characters(b"\xff\x80\xe2\x82", range(1, 3)), range(1, 3));
    }

    proptest! {
        #[test]
        fn every_range_of_every_text_fits(
            text in "(?s)[a🦀é\u{2028}\r\n]{0,12}", start in 0usize..40, len in 0usize..40
        ) {
            let given = range(start, start + len);
            let found = whole_characters(text.as_bytes(), given);
            let part = text.get(usize::from(found.start())..usize::from(found.end()));
            prop_assert!(part.is_some());
            prop_assert!(is_on_characters(text.as_bytes(), found));
            prop_assert_eq!(whole_characters(text.as_bytes(), found), found);
            let inside = given.intersect(TextRange::up_to(size(text.len())));
            prop_assert!(inside.is_none_or(|inside| found.contains_range(inside) || inside.is_empty()));
        }

        #[test]
        fn every_range_of_any_bytes_fits(
            bytes in prop::collection::vec(any::<u8>(), 0..12), start in 0usize..40, len in 0usize..40
        ) {
            let found = whole_characters(&bytes, range(start, start + len));
            prop_assert!(usize::from(found.end()) <= bytes.len());
            prop_assert_eq!(whole_characters(&bytes, found), found);
        }
    }

    #[test]
    fn halves_in_wtf8_become_replacement_characters() {
        let read = HalvedText::of_wtf8(b"a\xed\xa0\xbdb\xed\xb8\x80".to_vec()).unwrap();
        assert_eq!(read.text, "a\u{fffd}b\u{fffd}");
        assert_eq!(read.halves, [Half { at: 1, unit: 0xd83d }, Half { at: 5, unit: 0xde00 }]);
        assert_eq!(HalvedText::of_wtf8("\u{d7ff}퟿".into()).unwrap().halves, []);
        assert_eq!(HalvedText::of_wtf8(b"\xff".to_vec()), None);
        assert_eq!(HalvedText::of_wtf8(b"\xed\xa0".to_vec()), None);
    }

    #[test]
    fn halves_that_meet_are_one_character() {
        let of = |bytes: &[u8]| HalvedText::of_wtf8(bytes.to_vec()).unwrap().joined();
        assert_eq!(of(b"x\xed\xa0\xbd\xed\xb8\x80y").text, "x😀y");
        let three = of(b"\xed\xa0\xbd\xed\xa0\xbd\xed\xb8\x80\xed\xb8\x80");
        assert_eq!(three.text, "\u{fffd}😀\u{fffd}");
        assert_eq!(three.halves, [Half { at: 0, unit: 0xd83d }, Half { at: 7, unit: 0xde00 }]);
    }
}
