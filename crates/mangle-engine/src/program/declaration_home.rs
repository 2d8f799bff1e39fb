//! Where a new `Decl` belongs.

use super::{FileSummary, Program};
use mangle_syntax::text::{FileId, StatementId, TextRange, size};

/// The end of the last `Decl` of a file, on its own line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DeclarationHome {
    /// The file, the last `Decl` in it, and an empty range at the end of its line; the range counts from the start of that
    /// statement.
    pub place: (FileId, StatementId, TextRange),
    /// How lines end in that file.
    pub line_end: &'static str,
}

impl DeclarationHome {
    /// The end of the last `Decl` in the file with most of them, the first of several. Only files that `is_fit` takes count.
    #[must_use]
    pub fn find(program: &Program, is_fit: impl Fn(&FileSummary) -> bool) -> Option<Self> {
        let files = program.files.iter().filter(|file| is_fit(file));
        let counted = files.map(|file| (file.declarations, file));
        let (_, file) = counted.rev().filter(|(count, _)| *count > 0).max_by_key(|(count, _)| *count)?;
        let last = file.items.iter().rfind(|item| item.statement.declaration().is_some())?;
        let end = last.statement.range().end() + last.start;
        let rest = file.text.get(usize::from(end)..)?;
        let line = rest.split(['\r', '\n']).next().unwrap_or("");
        let line_end = if rest.get(line.len()..)?.starts_with("\r\n") { "\r\n" } else { "\n" };
        let at = end + size(line.len()) - last.start;
        Some(Self { place: (file.id, last.statement.id, TextRange::empty(at)), line_end })
    }
}
