//! Decoding of JSON string escapes outside of the JSON decoder, as in the runtime.

/// An escape at the start of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Escape {
    /// Two bytes that are decoded to one byte.
    Byte(u8),
    /// A character and the length of its escape in bytes. A lone surrogate is decoded to U+FFFD.
    Char(char, usize),
    /// `\u` without four hexadecimal digits.
    Bad,
    /// An escape that is cut off at the end of the text.
    Cut,
}

/// Decodes the escape at the start of a text. An unknown escape is decoded to its second byte.
pub(super) fn read(text: &[u8]) -> Escape {
    let Some(byte) = text.get(1) else { return Escape::Cut };
    match byte {
        b'b' => Escape::Byte(8),
        b'f' => Escape::Byte(12),
        b'n' => Escape::Byte(b'\n'),
        b'r' => Escape::Byte(b'\r'),
        b't' => Escape::Byte(b'\t'),
        b'u' => unicode(text),
        byte => Escape::Byte(*byte),
    }
}

fn unicode(text: &[u8]) -> Escape {
    let Some(digits) = text.get(2..6) else { return Escape::Cut };
    let Some(high) = unit(digits) else { return Escape::Bad };
    if let 0xd800..0xdc00 = high
        && let Some(low @ 0xdc00..0xe000) = low(text)
        && let Some(char) = char::from_u32(0x1_0000 + ((high - 0xd800) << 10) + low - 0xdc00)
    {
        return Escape::Char(char, 12);
    }
    Escape::Char(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER), 6)
}

/// Returns the code unit of the second escape of a surrogate pair.
fn low(text: &[u8]) -> Option<u32> {
    unit(text.get(6..12)?.strip_prefix(b"\\u")?)
}

/// Parses four hexadecimal digits.
pub(super) fn unit(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |unit, digit| Some(unit * 16 + char::from(*digit).to_digit(16)?))
}
