//! Index for columns in long lines: avoids counting from the start of the line for each position.

use super::Encoding;

/// The number of units of an encoding before each block of a text. Without the index, each finding
/// in a file with a single long line would require counting from its start.
#[derive(Debug)]
pub struct UnitIndex {
    encoding: Encoding,
    blocks: Vec<u32>,
}

/// Bytes per block.
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

    /// The units of the characters that start before the byte `offset` of the indexed text.
    #[must_use]
    pub fn before(&self, text: &str, offset: usize) -> u32 {
        let block = offset / BLOCK;
        let rest = text.as_bytes().get(block * BLOCK..offset).unwrap_or_default();
        self.blocks.get(block).copied().unwrap_or(0) + units_in(rest, self.encoding)
    }
}

/// The units of the characters that start in `bytes`, which are UTF-8 cut at any position.
fn units_in(bytes: &[u8], encoding: Encoding) -> u32 {
    let units = |byte: &u8| match (byte, encoding) {
        (_, Encoding::Utf8) => 1,
        (0x80..=0xbf, _) => 0,
        (0xf0.., Encoding::Utf16) => 2,
        _ => 1,
    };
    bytes.iter().map(units).sum()
}
