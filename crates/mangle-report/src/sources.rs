//! Names and texts of the files that diagnostics refer to.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use super::FilePart;
use mangle_engine::program::FileSummary;
use mangle_syntax::text::{Encoding, FileId, LineCol, LineIndex, TextIndex, TextSize, slice};
use piggyback::envelope::secrets::{SecretContext, masked_with_secrets};

#[derive(Debug, Default)]
pub struct Sources {
    files: FxHashMap<FileId, SourceText>,
}

#[derive(Debug)]
pub struct SourceText {
    pub name: String,
    pub text: Arc<str>,
    /// The absolute path; empty without a file.
    path: PathBuf,
    /// The statements, if any.
    summary: Option<Arc<FileSummary>>,
    /// The kept parts, if the text is not kept.
    part: Option<FilePart>,
    masked: OnceLock<MaskedText>,
    index: TextIndex,
}

/// A text for output, and the secrets that it masks.
#[derive(Debug)]
struct MaskedText {
    text: Arc<str>,
    secrets: SecretContext,
}

impl Sources {
    pub fn insert(&mut self, file: FileId, name: String, text: Arc<str>) {
        self.insert_source(file, SourceText::new(name, text));
    }

    pub fn insert_source(&mut self, file: FileId, source: SourceText) {
        self.files.insert(file, source);
    }

    #[must_use]
    pub fn get(&self, file: FileId) -> Option<&SourceText> {
        self.files.get(&file)
    }

    /// The display name of a file.
    #[must_use]
    pub fn name(&self, file: FileId) -> &str {
        self.files.get(&file).map_or("?", |source| &source.name)
    }

    /// Converts an offset to an offset from the start of the file. For a part, the file is its
    /// owner.
    #[must_use]
    pub fn offset(&self, file: FileId, offset: TextSize) -> u64 {
        self.files.get(&file).map_or_else(|| u32::from(offset).into(), |source| source.offset(offset))
    }

    /// The file itself, or the owner of a part.
    #[must_use]
    pub fn owner(&self, file: FileId) -> FileId {
        self.files.get(&file).and_then(SourceText::part).map_or(file, FilePart::owner)
    }

    /// The line and column of an offset, from 1. The column is in Unicode scalar values.
    #[must_use]
    pub fn place(&self, file: FileId, offset: TextSize) -> LineCol {
        self.files.get(&file).map_or(LineCol { line: 1, col: 1 }, |source| source.place(offset))
    }
}

impl SourceText {
    #[must_use]
    pub fn new(name: String, text: Arc<str>) -> Self {
        let (path, summary, part) = (PathBuf::new(), None, None);
        Self { name, text, path, summary, part, masked: OnceLock::new(), index: TextIndex::default() }
    }

    /// A part of a file whose text is not kept.
    #[must_use]
    pub fn of_part(name: String, part: FilePart) -> Self {
        Self { part: Some(part), ..Self::new(name, "".into()) }
    }

    /// Converts an offset to an offset from the start of the file.
    #[must_use]
    pub fn offset(&self, offset: TextSize) -> u64 {
        self.part.as_ref().map_or_else(|| u32::from(offset).into(), |part| part.offset(offset))
    }

    /// The kept parts, if the text is not kept.
    pub(super) fn part(&self) -> Option<&FilePart> {
        self.part.as_ref()
    }

    /// The text for output. Asterisks mask credentials without a change of byte length.
    pub(super) fn shown(&self) -> &str {
        &self.masked().text
    }

    fn masked(&self) -> &MaskedText {
        self.masked.get_or_init(|| {
            let (masked, secrets) = masked_with_secrets(&self.text);
            let text = match masked {
                Cow::Borrowed(_) => Arc::clone(&self.text),
                Cow::Owned(masked) => masked.into(),
            };
            MaskedText { text, secrets }
        })
    }

    /// The secrets; for a part, the secrets near the displayed text.
    pub(super) fn secrets(&self) -> &SecretContext {
        match &self.part {
            Some(part) => part.secrets(),
            None => &self.masked().secrets,
        }
    }

    /// True if no text is available.
    pub(super) fn is_unknown(&self) -> bool {
        self.part.is_none() && self.text.is_empty()
    }

    /// The same file at the absolute `path`.
    #[must_use]
    pub fn at(self, path: &Path) -> Self {
        Self { path: path.into(), ..self }
    }

    /// The same file with statements.
    #[must_use]
    pub fn with_statements(self, summary: &Arc<FileSummary>) -> Self {
        Self { summary: Some(Arc::clone(summary)), ..self }
    }

    /// The absolute path; empty without a file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn lines(&self) -> &LineIndex {
        self.index.lines(&self.text)
    }

    #[must_use]
    pub fn statement(&self, offset: TextSize) -> Option<&str> {
        let summary = self.summary.as_ref()?;
        let item = summary.items.get(summary.item_at(offset)?)?;
        Some(slice(&self.text, item.statement.range() + item.start))
    }

    /// The line at `offset`, trimmed.
    #[must_use]
    pub fn line(&self, offset: TextSize) -> &str {
        if let Some(part) = &self.part {
            return part.line(offset);
        }
        slice(&self.text, self.lines().line_range(self.lines().line_of(offset))).trim()
    }

    /// The line and column of an offset, from 1, like [`Sources::place`].
    pub(super) fn place(&self, offset: TextSize) -> LineCol {
        if let Some(part) = &self.part {
            return part.spot(offset).into();
        }
        self.place_in(offset, Encoding::Utf32)
    }

    /// The line and column of an offset, from 1. The column is in UTF-16 code units.
    pub(super) fn place_utf16(&self, offset: TextSize) -> LineCol {
        if let Some(part) = &self.part {
            let spot = part.spot(offset);
            return LineCol { line: spot.line + 1, col: spot.utf16 + 1 };
        }
        self.place_in(offset, Encoding::Utf16)
    }

    fn place_in(&self, offset: TextSize, encoding: Encoding) -> LineCol {
        let LineCol { line, col } = self.index.line_col(&self.text, offset, encoding);
        LineCol { line: line + 1, col: col + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_the_line_index() {
        let text = format!("a\r\n{}\rb🦀\n\n", "é🦀x".repeat(300));
        let mut sources = Sources::default();
        sources.insert(FileId(0), "a.mg".into(), text.as_str().into());
        let lines = LineIndex::new(&text);
        for (offset, _) in text.char_indices().chain([(text.len(), ' ')]) {
            let offset = TextSize::try_from(offset).unwrap_or_default();
            let expected = |encoding| {
                let LineCol { line, col } = lines.line_col(&text, offset, encoding);
                LineCol { line: line + 1, col: col + 1 }
            };
            assert_eq!(sources.place(FileId(0), offset), expected(Encoding::Utf32));
            let utf16 = sources.get(FileId(0)).map(|source| source.place_utf16(offset));
            assert_eq!(utf16, Some(expected(Encoding::Utf16)));
        }
    }
}
