//! Quote characters and the costs of pairing them as string delimiters.

/// A kind of quote character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in super::super) enum Quote {
    /// `"`
    Double,
    /// `'`
    Single,
    /// A typographic double quote.
    TypographicDouble,
    /// A typographic single quote.
    TypographicSingle,
}

/// A quote without a preceding backslash.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    pub(super) at: usize,
    pub(super) len: usize,
    pub(super) quote: Quote,
}

impl Quote {
    /// Returns the cost of a string that begins with this quote.
    pub(super) fn opening_cost(self) -> u32 {
        match self {
            Self::Double => 0,
            Self::Single => 1,
            Self::TypographicDouble | Self::TypographicSingle => 2,
        }
    }

    /// Returns the cost of `end` as the closing quote of a string that begins with this quote.
    /// `None` if it cannot close the string.
    pub(super) fn closing_cost(self, end: Self) -> Option<u32> {
        match (self, end) {
            (Self::Double, Self::Double) | (Self::Single, Self::Single) => Some(0),
            (Self::TypographicDouble, Self::TypographicDouble)
            | (Self::TypographicSingle, Self::TypographicSingle) => Some(1),
            (Self::TypographicDouble, Self::Double)
            | (Self::TypographicSingle, Self::Single)
            | (Self::Double, Self::TypographicDouble) => Some(2),
            (Self::Single, Self::TypographicSingle) => Some(3),
            (Self::Single | Self::TypographicSingle, Self::Double) => Some(4),
            (Self::Double, Self::Single | Self::TypographicSingle) => Some(5),
            _ => None,
        }
    }

    /// Returns the cost of `inner` inside a string that begins with this quote.
    pub(super) fn inner_cost(self, inner: Self) -> u32 {
        match (self, inner) {
            (Self::Double, Self::Double) | (Self::Single, Self::Single) => 2,
            (Self::TypographicDouble, Self::TypographicDouble | Self::Double)
            | (Self::TypographicSingle, Self::TypographicSingle | Self::Single | Self::Double) => 1,
            _ => 0,
        }
    }
}

/// Returns the quote at the start of a text and its length in bytes.
pub(in super::super) fn quote_at(text: &[u8]) -> Option<(Quote, usize)> {
    Some(match text {
        [b'"', ..] => (Quote::Double, 1),
        [b'\'', ..] => (Quote::Single, 1),
        [b'`', ..] => (Quote::TypographicSingle, 1),
        // Acute accent and primes.
        [0xc2, 0xb4, ..] => (Quote::TypographicSingle, 2),
        [0xe2, 0x80, 0xb2, ..] => (Quote::TypographicSingle, 3),
        [0xe2, 0x80, 0xb3, ..] => (Quote::TypographicDouble, 3),
        // U+201C to U+201F, U+2018 to U+201B.
        [0xe2, 0x80, 0x9c..=0x9f, ..] => (Quote::TypographicDouble, 3),
        [0xe2, 0x80, 0x98..=0x9b, ..] => (Quote::TypographicSingle, 3),
        // `‹` and `›`.
        [0xe2, 0x80, 0xb9 | 0xba, ..] => (Quote::TypographicSingle, 3),
        // `«` and `»`.
        [0xc2, 0xab | 0xbb, ..] => (Quote::TypographicDouble, 2),
        // Chinese and Japanese quotes, and the full-width quote.
        [0xe3, 0x80, 0x8c..=0x8f | 0x9d..=0x9f, ..] => (Quote::TypographicDouble, 3),
        [0xef, 0xbc, 0x82, ..] => (Quote::TypographicDouble, 3),
        _ => return None,
    })
}

/// Returns the quotes of a text that begins at offset `start`. `None` if there are no quotes or
/// more than `most`.
pub(super) fn marks(text: &[u8], start: usize, most: usize) -> Option<Vec<Mark>> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(byte) = text.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' | b'\'' | b'`' | 0xc2 | 0xe2 | 0xe3 | 0xef => match quote_at(text.get(at..)?) {
                Some((_, len)) if is_separator(text, at, len) => at += len,
                Some((quote, len)) => {
                    found.push(Mark { at: start + at, len, quote });
                    at += len;
                }
                None => at += 1,
            },
            _ => at += 1,
        }
        if found.len() > most {
            return None;
        }
    }
    (!found.is_empty()).then_some(found)
}

/// True if an apostrophe separates digits of a number, as in `1'000`.
fn is_separator(text: &[u8], at: usize, len: usize) -> bool {
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let behind = text.get(at + len..).unwrap_or(&[]);
    text.get(at) != Some(&b'"')
        && is_digit(at.checked_sub(1).and_then(|before| text.get(before)))
        && (0..3).all(|place| is_digit(behind.get(place)))
        && !is_digit(behind.get(3))
}
