//! Alignment of trailing comments: two blanks before them. Comments that the author aligned on
//! neighboring lines stay aligned, including continuation lines.

use super::edit::LayoutEdit;

/// A comment whose column is not known yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct TrailingComment {
    /// The index of the edit that places the comment.
    pub(super) edit: usize,
    pub(super) old_line: u32,
    pub(super) new_line: u32,
    /// The column in the original text.
    pub(super) old_column: u32,
    /// The end column of the code on its line in the new text. `None` for a continuation of another
    /// comment.
    pub(super) code_end: Option<u32>,
}

/// Blanks between code and a trailing comment.
const GAP: u32 = 2;

/// Sets the blanks before the comments.
pub(super) fn align(aligned: &[TrailingComment], edits: &mut [LayoutEdit]) {
    let together = |above: &TrailingComment, below: &TrailingComment| {
        above.old_column == below.old_column
            && above.old_line + 1 == below.old_line
            && above.new_line + 1 == below.new_line
    };
    for run in aligned.chunk_by(together) {
        let column = run.iter().filter_map(|comment| comment.code_end).max().map_or(0, |end| end + GAP);
        for comment in run {
            if let Some(edit) = edits.get_mut(comment.edit) {
                edit.spaces = column.saturating_sub(comment.code_end.unwrap_or(0));
            }
        }
    }
}
