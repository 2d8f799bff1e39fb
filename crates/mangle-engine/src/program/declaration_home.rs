//! Finds the position for a new `Decl`.

use super::{FileSummary, Program};
use mangle_syntax::syntax::ast::Item;
use mangle_syntax::text::{FileId, StatementId, TextRange, TextSize, size};

/// The end of the line of the last `Decl` of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DeclarationHome {
    /// The file, its last `Decl`, and an empty range at the end of the line of the `Decl`. The
    /// range is relative to the start of the statement.
    pub place: (FileId, StatementId, TextRange),
    /// The line ending of the file, `\n` or `\r\n`.
    pub line_end: &'static str,
}

impl DeclarationHome {
    /// Returns the position after the last `Decl` of the file with the most declarations, or the
    /// first of several such files. Only files accepted by `is_fit` are searched. Returns `None` if
    /// no `Decl` of that file ends its line outside damaged text.
    #[must_use]
    pub fn find(program: &Program, is_fit: impl Fn(&FileSummary) -> bool) -> Option<Self> {
        let files = program.files.iter().filter(|file| is_fit(file));
        let counted = files.map(|file| (file.declarations, file));
        let (_, file) = counted.rev().filter(|(count, _)| *count > 0).max_by_key(|(count, _)| *count)?;
        let (last, end) = last_declaration(file)?;
        let rest = file.text.get(usize::from(end)..)?;
        let line_end = if rest.starts_with("\r\n") { "\r\n" } else { "\n" };
        Some(Self {
            place: (file.id, last.statement.id, TextRange::empty(end.checked_sub(last.start)?)),
            line_end,
        })
    }
}

/// The last `Decl` of a file whose line contains only complete statements, and the end of the line.
fn last_declaration(file: &FileSummary) -> Option<(&Item, TextSize)> {
    let end_of = |item: &Item| item.statement.range().end() + item.start;
    let mut line_start = None;
    for (at, item) in file.items.iter().enumerate().rev() {
        // Each line is examined once, for its last `Decl`.
        let is_known = line_start.is_some_and(|start| end_of(item) >= start);
        if is_known || item.statement.declaration().is_none() {
            continue;
        }
        let end = end_of(item);
        let line = file.text.get(usize::from(end)..)?.split(['\r', '\n']).next().unwrap_or_default();
        let line_end = end + size(line.len());
        let on_line = file.items.get(at..)?.iter().take_while(|item| item.start < line_end);
        if on_line.into_iter().all(|item| !item.statement.damaged && end_of(item) <= line_end) {
            return Some((item, line_end));
        }
        let before = file.text.get(..usize::from(end))?;
        line_start = Some(size(before.rfind('\n').map_or(0, |at| at + 1)));
    }
    None
}
