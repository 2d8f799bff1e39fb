//! Edits that several rule families offer.

use mangle_engine::program::FileSummary;
use mangle_syntax::syntax::ast::Item;
use mangle_syntax::text::{TextRange, TextSize, text_len};

/// The range to delete for a statement, relative to its start. Includes the rest of the line if the
/// line is otherwise empty.
pub(super) fn statement_removal(file: &FileSummary, item: &Item) -> TextRange {
    let start = usize::from(item.start);
    let end = usize::from(item.start + item.statement.len);
    let before = file.text.get(..start).unwrap_or("");
    let after = file.text.get(end..).unwrap_or("");
    let rest = after.split_inclusive('\n').next().unwrap_or("");
    let alone = before.is_empty() || before.ends_with('\n');
    let with_line_end = if alone && rest.trim().is_empty() { text_len(rest) } else { TextSize::new(0) };
    TextRange::up_to(item.statement.len + with_line_end)
}
