//! A document as an editor has it: edits by line and column in each of the three encodings, done
//! in a way that shares nothing with the server's.

use serde_json::{Value, json};

/// The unit of columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Columns {
    Utf8,
    Utf16,
    Utf32,
}

impl Columns {
    pub const ALL: [Self; 3] = [Self::Utf8, Self::Utf16, Self::Utf32];

    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16 => "utf-16",
            Self::Utf32 => "utf-32",
        }
    }

    fn width(self, char: char) -> usize {
        match self {
            Self::Utf8 => char.len_utf8(),
            Self::Utf16 => char.len_utf16(),
            Self::Utf32 => 1,
        }
    }
}

/// The position of the `index`th character.
pub fn position(text: &[char], index: usize, columns: Columns) -> Value {
    let (mut line, mut column) = (0, 0);
    let mut at = 0;
    while at < index {
        let char = text[at];
        let crlf = char == '\r' && text.get(at + 1) == Some(&'\n');
        if char == '\n' || char == '\r' && !crlf {
            (line, column) = (line + 1, 0);
        } else {
            column += columns.width(char);
        }
        at += 1;
    }
    json!({ "line": line, "character": column })
}

/// The checksum that `mangle/status` gives.
pub fn checksum(text: &str) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in text.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("{hash:016x}")
}

/// Numbers that look random and are the same in every run.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % limit.max(1)
    }
}
