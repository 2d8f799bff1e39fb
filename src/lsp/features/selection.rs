//! `textDocument/selectionRange`

use tower_lsp::ls_types::{Position, Range, SelectionRange, SelectionRangeParams};

use crate::lsp::from_proto;
use crate::lsp::view::View;
use mangle_host::workspace::SnapshotTranscript;
use mangle_ide::folding::selections;
use mangle_syntax::text::{TextRange, TextSize};

/// Answers the request: one chain of ranges for each position.
pub(in crate::lsp) fn selection_ranges(
    view: &View,
    params: &SelectionRangeParams,
) -> Option<Vec<SelectionRange>> {
    let file = view.file(&params.text_document.uri)?;
    let chain = |position: &Position| {
        let at = from_proto::line_col(*position);
        let offset = file.lines().offset(file.text(), at, view.session.encoding);
        let ranges = match view.snapshot.transcript(file.id) {
            Some(transcript) => in_transcript(transcript, offset),
            None => {
                let offset = file.map().to_derived(offset).unwrap_or_default();
                selections(file.source(), file.summary(), offset)
            }
        };
        let ranges = ranges.into_iter().rev().map(|range| view.range(file, range));
        let add = |parent: Option<SelectionRange>, range| {
            Some(SelectionRange { range, parent: parent.map(Box::new) })
        };
        let here = SelectionRange { range: Range { start: *position, end: *position }, parent: None };
        ranges.fold(None, add).unwrap_or(here)
    };
    Some(params.positions.iter().map(chain).collect())
}

/// Returns the ranges around an offset in the Mangle of a transcript. Empty outside Mangle.
fn in_transcript(transcript: &SnapshotTranscript, offset: TextSize) -> Vec<TextRange> {
    let Some((start, text, inside)) = transcript.mangle_at(offset) else { return Vec::new() };
    let ranges = selections(text.source(), text.summary(), inside).into_iter();
    let mut ranges: Vec<_> = ranges.map(|range| text.to_source(range) + start).collect();
    ranges.retain(|range| range.contains_inclusive(offset));
    ranges.dedup();
    ranges
}
