//! `textDocument/linkedEditingRange`

use tower_lsp::ls_types::{LinkedEditingRangeParams, LinkedEditingRanges};

use crate::lsp::view::View;
use mangle_ide::linked_editing::{PATTERN, linked};

/// Returns the occurrences of a variable in its clause.
pub(in crate::lsp) fn ranges(view: &View, params: &LinkedEditingRangeParams) -> Option<LinkedEditingRanges> {
    let at = view.spot(&params.text_document_position_params)?;
    // The client edits the returned ranges directly.
    view.snapshot.is_editable(at.file.id).then_some(())?;
    let found = linked(at.place()?);
    let ranges = found.into_iter().map(|range| at.range(range)).collect::<Vec<_>>();
    (!ranges.is_empty()).then(|| LinkedEditingRanges { ranges, word_pattern: Some(PATTERN.into()) })
}
