//! Line index: converts between byte offsets and line/column positions of an immutable text, also in
//! long lines.
//!
//! Lines end at LF, CRLF or a lone CR, as in the language server protocol. Offsets past the end and
//! columns past the end of a line are clamped. Invalid positions do not panic.

use std::sync::OnceLock;

use text_size::{TextRange, TextSize};

use super::{size, text_len};

/// The unit of columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// UTF-16 code units, the protocol's default.
    Utf16,
    /// Unicode scalar values.
    Utf32,
}

impl Encoding {
    /// The length of `text` in this unit.
    #[must_use]
    pub fn len(self, text: &str) -> u32 {
        let count = match self {
            Self::Utf8 => text.len(),
            Self::Utf16 => text.chars().map(char::len_utf16).sum(),
            Self::Utf32 => text.chars().count(),
        };
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// The byte offset of `column` in `line`. Clamped to the end of the line, and to the start of a
    /// character if the column is inside of one.
    #[must_use]
    pub fn byte_of(self, line: &str, column: u32) -> usize {
        let mut left = column;
        for (at, char) in line.char_indices() {
            let width = match self {
                Self::Utf8 => char.len_utf8(),
                Self::Utf16 => char.len_utf16(),
                Self::Utf32 => 1,
            };
            let width = u32::try_from(width).unwrap_or(1);
            if left < width {
                return at;
            }
            left -= width;
        }
        line.len()
    }
}

/// A line and a column, both 0-based. The unit of the column is an [`Encoding`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineCol {
    /// 0-based line.
    pub line: u32,
    /// 0-based column.
    pub col: u32,
}

/// The line starts of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineIndex {
    starts: Vec<TextSize>,
    len: TextSize,
}

impl LineIndex {
    /// Indexes `text`.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![TextSize::new(0)];
        for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            let crlf = bytes[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n');
            if !crlf {
                starts.push(size(at + 1));
            }
        }
        Self { starts, len: text_len(text) }
    }

    /// The number of lines, at least one.
    #[must_use]
    pub fn line_count(&self) -> u32 {
        u32::try_from(self.starts.len()).unwrap_or(u32::MAX)
    }

    /// The range of a line, including its line ending. Empty and at the end of the text for a line
    /// that does not exist.
    #[must_use]
    pub fn line_range(&self, line: u32) -> TextRange {
        let start = self.starts.get(line as usize).copied().unwrap_or(self.len);
        let end = self.starts.get(line as usize + 1).copied().unwrap_or(self.len);
        TextRange::new(start, end.max(start))
    }

    /// The line that contains `offset`.
    #[must_use]
    pub fn line_of(&self, offset: TextSize) -> u32 {
        let after = self.starts.partition_point(|&start| start <= offset);
        u32::try_from(after.saturating_sub(1)).unwrap_or(u32::MAX)
    }

    /// Line and column of `offset` in `text`, which must be the indexed text. Offsets inside of a
    /// character or line ending are moved to its start.
    #[must_use]
    pub fn line_col(&self, text: &str, offset: TextSize, encoding: Encoding) -> LineCol {
        let end = between_characters(text, offset);
        let line = self.line_of(size(end));
        let start = usize::from(self.line_range(line).start());
        let col = encoding.len(text.get(start..end).unwrap_or(""));
        LineCol { line, col }
    }

    /// The byte offset of a position in `text`, which must be the indexed text. A column past the
    /// end of its line is clamped to the line ending. A line past the end is clamped to the end of
    /// the text.
    #[must_use]
    pub fn offset(&self, text: &str, at: LineCol, encoding: Encoding) -> TextSize {
        let range = self.line_range(at.line);
        let line = super::slice(text, range).trim_end_matches(['\n', '\r']);
        let byte = encoding.byte_of(line, at.col);
        range.start() + TextSize::new(u32::try_from(byte).unwrap_or(0))
    }
}

/// In bytes: columns of longer lines use an index instead of counting from the line start.
const LONG_LINE: u32 = 4096;

/// Lines and columns of one text, which is a parameter of each method. The indexes are built when
/// they are first needed.
#[derive(Debug, Default)]
pub struct TextIndex {
    lines: OnceLock<LineIndex>,
    /// Columns of long lines, in UTF-16 and UTF-32.
    units: [OnceLock<UnitIndex>; 2],
}

impl TextIndex {
    /// The line starts of `text`.
    pub fn lines(&self, text: &str) -> &LineIndex {
        self.lines.get_or_init(|| LineIndex::new(text))
    }

    /// Line and column of `offset` in `text`, like [`LineIndex::line_col`], also in long lines.
    #[must_use]
    pub fn line_col(&self, text: &str, offset: TextSize, encoding: Encoding) -> LineCol {
        let lines = self.lines(text);
        let line = lines.line_of(offset);
        let range = lines.line_range(line);
        let units = match encoding {
            _ if u32::from(range.len()) <= LONG_LINE => return lines.line_col(text, offset, encoding),
            Encoding::Utf8 => return lines.line_col(text, offset, encoding),
            Encoding::Utf16 => &self.units[0],
            Encoding::Utf32 => &self.units[1],
        };
        let units = units.get_or_init(|| UnitIndex::new(text, encoding));
        let at = between_characters(text, offset);
        let col = units.before(text, at) - units.before(text, range.start().into());
        LineCol { line, col }
    }
}

/// The last character boundary up to `offset`. CRLF is one character.
fn between_characters(text: &str, offset: TextSize) -> usize {
    let mut at = usize::from(offset).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let bytes = text.as_bytes();
    let in_crlf = at > 0 && bytes.get(at - 1) == Some(&b'\r') && bytes.get(at) == Some(&b'\n');
    if in_crlf { at - 1 } else { at }
}

/// The number of units of an encoding before each block of a text. Without the index, each finding
/// in a file with a single long line would require counting from its start.
#[derive(Debug)]
struct UnitIndex {
    encoding: Encoding,
    blocks: Vec<u32>,
}

/// Bytes per block.
const BLOCK: usize = 512;

impl UnitIndex {
    /// Counts the units of `text`.
    fn new(text: &str, encoding: Encoding) -> Self {
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
    fn before(&self, text: &str, offset: usize) -> u32 {
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::*;

    const ENCODINGS: [Encoding; 3] = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32];

    #[test]
    fn lines_end_at_lf_crlf_and_cr() {
        let text = "a\nb\r\nc\rd";
        let index = LineIndex::new(text);
        let lines: Vec<_> =
            (0..index.line_count()).map(|l| super::super::slice(text, index.line_range(l))).collect();
        assert_eq!(lines, ["a\n", "b\r\n", "c\r", "d"]);
    }

    #[test]
    fn columns_after_an_emoji() {
        let text = "# 🦀é!";
        let index = LineIndex::new(text);
        let bang = TextSize::new(u32::try_from(text.find('!').unwrap()).unwrap());
        let cols = ENCODINGS.map(|e| index.line_col(text, bang, e).col);
        assert_eq!(cols, [8, 5, 4]);
    }

    #[test]
    fn wild_positions_are_clamped() {
        let text = "ab\ncd";
        let index = LineIndex::new(text);
        let offset = |line, col| u32::from(index.offset(text, LineCol { line, col }, Encoding::Utf16));
        assert_eq!((offset(0, 99), offset(7, 3), offset(1, u32::MAX)), (2, 5, 5));
        assert_eq!(index.line_of(TextSize::new(900)), 1);
    }

    #[test]
    fn no_column_inside_a_character_or_a_line_end() {
        let text = "aé\r\nb";
        let index = LineIndex::new(text);
        let place = |offset| index.line_col(text, TextSize::new(offset), Encoding::Utf32);
        assert_eq!(place(2), LineCol { line: 0, col: 1 });
        assert_eq!(place(4), LineCol { line: 0, col: 2 });
        assert_eq!(place(5), LineCol { line: 1, col: 0 });
        assert_eq!(place(99), LineCol { line: 1, col: 1 });
    }

    proptest! {
        #[test]
        fn every_offset_survives_the_round_trip(text in "(?s)[a🦀é\r\n]{0,40}") {
            let index = LineIndex::new(&text);
            for (at, _) in text.char_indices() {
                // The byte between CR and LF is not a separate position.
                if text.as_bytes().get(at) == Some(&b'\n') && at > 0 && text.as_bytes()[at - 1] == b'\r' {
                    continue;
                }
                let offset = TextSize::new(u32::try_from(at).unwrap());
                for encoding in ENCODINGS {
                    let there = index.line_col(&text, offset, encoding);
                    prop_assert_eq!(index.offset(&text, there, encoding), offset);
                }
            }
        }
    }
}
