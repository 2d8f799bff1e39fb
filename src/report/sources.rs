//! The names and texts of the files that diagnostics point into.

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use crate::text::{FileId, LineCol, LineIndex, TextSize};

/// Files by id, as output shows them.
#[derive(Debug, Default)]
pub struct Sources {
    files: FxHashMap<FileId, SourceText>,
}

/// One file.
#[derive(Debug)]
pub struct SourceText {
    /// What output calls it.
    pub name: String,
    /// Its text.
    pub text: Arc<str>,
    lines: OnceLock<LineIndex>,
    chars: OnceLock<CharIndex>,
}

impl Sources {
    /// Adds a file.
    pub fn insert(&mut self, file: FileId, name: String, text: Arc<str>) {
        self.files.insert(file, SourceText { name, text, lines: OnceLock::new(), chars: OnceLock::new() });
    }

    /// A file.
    #[must_use]
    pub fn get(&self, file: FileId) -> Option<&SourceText> {
        self.files.get(&file)
    }

    /// What output calls a file.
    #[must_use]
    pub fn name(&self, file: FileId) -> &str {
        self.files.get(&file).map_or("?", |source| &source.name)
    }

    /// Line and column of a place, both counted from 1, the column in Unicode scalar values.
    #[must_use]
    pub fn place(&self, file: FileId, offset: TextSize) -> LineCol {
        self.files.get(&file).map_or(LineCol { line: 1, col: 1 }, |source| source.place(offset))
    }
}

impl SourceText {
    /// Its lines.
    pub fn lines(&self) -> &LineIndex {
        self.lines.get_or_init(|| LineIndex::new(&self.text))
    }

    /// Line and column of a place, counted from 1 as [`Sources::place`] does.
    pub(super) fn place(&self, offset: TextSize) -> LineCol {
        let offset = usize::from(offset).min(self.text.len());
        let line = self.lines().line_of(TextSize::new(u32::try_from(offset).unwrap_or(u32::MAX)));
        let start = usize::from(self.lines().line_range(line).start());
        let chars = self.chars.get_or_init(|| CharIndex::new(&self.text));
        let col = chars.before(&self.text, offset) - chars.before(&self.text, start);
        LineCol { line: line + 1, col: col + 1 }
    }
}

/// How many characters stand before each block of a text. A file of one endless line with many
/// findings would otherwise be counted from its start for each of them.
#[derive(Debug)]
struct CharIndex {
    blocks: Vec<u32>,
}

/// Bytes in a block.
const BLOCK: usize = 512;

impl CharIndex {
    fn new(text: &str) -> Self {
        let mut count = 0;
        let block = |bytes: &[u8]| {
            let before = count;
            count += chars_in(bytes);
            before
        };
        let mut blocks: Vec<_> = text.as_bytes().chunks(BLOCK).map(block).collect();
        blocks.push(count);
        Self { blocks }
    }

    /// The characters that start before the byte `offset`.
    fn before(&self, text: &str, offset: usize) -> u32 {
        let block = offset / BLOCK;
        let rest = text.as_bytes().get(block * BLOCK..offset).unwrap_or_default();
        self.blocks.get(block).copied().unwrap_or(0) + chars_in(rest)
    }
}

/// The characters that start in `bytes`, which are UTF-8 cut anywhere.
fn chars_in(bytes: &[u8]) -> u32 {
    let starts = bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count();
    u32::try_from(starts).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Encoding;

    #[test]
    fn places_are_those_of_the_line_index() {
        let text = format!("a\r\n{}\rb🦀\n\n", "é🦀x".repeat(3 * BLOCK / 7));
        let mut sources = Sources::default();
        sources.insert(FileId(0), "a.mg".into(), text.as_str().into());
        let lines = LineIndex::new(&text);
        for (offset, _) in text.char_indices().chain([(text.len(), ' ')]) {
            let offset = TextSize::try_from(offset).unwrap_or_default();
            let LineCol { line, col } = lines.line_col(&text, offset, Encoding::Utf32);
            assert_eq!(sources.place(FileId(0), offset), LineCol { line: line + 1, col: col + 1 });
        }
    }
}
