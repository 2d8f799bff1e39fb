//! Columns in long lines: how many units stand before a byte, without counting from the start of the line
//! each time.

use super::Encoding;

/// How many units of an encoding stand before each block of a text. A file of one endless line with
/// many findings would otherwise be counted from its start for each of them.
#[derive(Debug)]
pub struct UnitIndex {
    encoding: Encoding,
    blocks: Vec<u32>,
}

/// Bytes in a block.
const BLOCK: usize = 512;

impl UnitIndex {
    /// Counts the units of `text`.
    #[must_use]
    pub fn new(text: &str, encoding: Encoding) -> Self {
        let mut count = 0;
        let block = |bytes: &[u8]| {
            let before = count;
            count += units_in(bytes, encoding);
            before
        };
        let mut blocks: Vec<_> = text.as_bytes().chunks(BLOCK).map(block).collect();
        blocks.push(count);
        Self { encoding, blocks }
    }

    /// The units of the characters that start before the byte `offset` of the text that was counted.
    #[must_use]
    pub fn before(&self, text: &str, offset: usize) -> u32 {
        let block = offset / BLOCK;
        let rest = text.as_bytes().get(block * BLOCK..offset).unwrap_or_default();
        self.blocks.get(block).copied().unwrap_or(0) + units_in(rest, self.encoding)
    }
}

/// The units of the characters that start in `bytes`, which are UTF-8 cut anywhere.
fn units_in(bytes: &[u8], encoding: Encoding) -> u32 {
    let units = |byte: &u8| match (byte, encoding) {
        (_, Encoding::Utf8) => 1,
        (0x80..=0xbf, _) => 0,
        (0xf0.., Encoding::Utf16) => 2,
        _ => 1,
    };
    bytes.iter().map(units).sum()
}
