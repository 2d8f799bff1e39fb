//! The names and texts of the files that diagnostics point into.

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use crate::text::{Encoding, FileId, LineCol, LineIndex, TextSize};

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
}

impl Sources {
    /// Adds a file.
    pub fn insert(&mut self, file: FileId, name: String, text: Arc<str>) {
        self.files.insert(file, SourceText { name, text, lines: OnceLock::new() });
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

    pub(super) fn place(&self, offset: TextSize) -> LineCol {
        let place = self.lines().line_col(&self.text, offset, Encoding::Utf32);
        LineCol { line: place.line + 1, col: place.col + 1 }
    }
}
