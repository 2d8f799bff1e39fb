//! Halves of surrogate pairs, which a UTF-16 editor sends when it splits a character.

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
    let mut whole = json.to_vec();
    replace_halves(&mut whole);
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', whole.get(at..).unwrap_or_default()) {
        at += found;
        at += match (escaped_unit(&whole, at), escaped_unit(&whole, at + 6)) {
            (Some(0xd800..0xdc00), Some(0xdc00..0xe000)) => 12,
            (Some(0xd800..0xe000), _) => {
                if let Some(digits) = whole.get_mut(at + 2..at + 6) {
                    digits.copy_from_slice(b"fffd");
                }
                6
            }
            _ => 2,
        };
    }
    whole
}

/// The UTF-16 unit of a `\uXXXX` at this position.
fn escaped_unit(bytes: &[u8], at: usize) -> Option<u16> {
    let hex = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

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
