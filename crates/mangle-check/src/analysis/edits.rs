//! Edits that several families offer.

use mangle_engine::program::FileSummary;
use mangle_syntax::syntax::ast::Item;
use mangle_syntax::text::{TextRange, TextSize, text_len};

/// What to delete, from the start of the statement, so that the statement is gone: its bytes, and
/// the rest of its line when nothing else stands on it.
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
