//! `textDocument/selectionRange`

use tower_lsp::ls_types::{Position, Range, SelectionRange, SelectionRangeParams};

use crate::ide::selection::selections;
use crate::lsp::view::View;
use crate::lsp::{from_proto, to_proto};

/// Answers the request: one chain of ranges for each position.
pub(in crate::lsp) fn selection_ranges(
    view: &View,
    params: &SelectionRangeParams,
) -> Option<Vec<SelectionRange>> {
    let file = view.file(&params.text_document.uri)?;
    let chain = |position: &Position| {
        let at = from_proto::line_col(*position);
        let offset = file.lines().offset(file.text(), at, view.session.encoding);
        let offset = file.map().to_derived(offset).unwrap_or_default();
        let ranges = selections(file.source(), file.summary(), offset);
        let ranges = ranges.into_iter().rev().map(|range| to_proto::range(view, file, range));
        let add = |parent: Option<SelectionRange>, range| {
            Some(SelectionRange { range, parent: parent.map(Box::new) })
        };
        let here = SelectionRange { range: Range { start: *position, end: *position }, parent: None };
        ranges.fold(None, add).unwrap_or(here)
    };
    Some(params.positions.iter().map(chain).collect())
}
