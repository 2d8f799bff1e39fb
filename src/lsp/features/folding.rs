//! `textDocument/foldingRange`

use tower_lsp::ls_types::{FoldingRange, FoldingRangeKind, FoldingRangeParams};

use crate::lsp::view::View;
use crate::lsp::virtual_documents::shown_conversation;
use mangle_ide::folding::{Fold, FoldKind, folds};
use mangle_ide::transcripts;

pub(in crate::lsp) fn folding_ranges(view: &View, params: &FoldingRangeParams) -> Option<Vec<FoldingRange>> {
    if let Some(conversation) = shown_conversation(view, &params.text_document.uri) {
        return Some(conversation.folds());
    }
    let file = view.file(&params.text_document.uri)?;
    let client = view.session.client.text_document.as_ref().and_then(|text| text.folding_range.as_ref());
    let by_line = client.is_some_and(|client| client.line_folding_only == Some(true));
    let shows_text = client.and_then(|client| client.folding_range.as_ref()?.collapsed_text) == Some(true);
    let limit = client.and_then(|client| client.range_limit).map_or(usize::MAX, |limit| limit as usize);
    let convert = |Fold { range, kind, summary }: Fold| {
        let range = view.range(file, range);
        FoldingRange {
            start_line: range.start.line,
            start_character: (!by_line).then_some(range.start.character),
            end_line: range.end.line,
            end_character: (!by_line).then_some(range.end.character),
            kind: match kind {
                FoldKind::Comment => Some(FoldingRangeKind::Comment),
                FoldKind::Imports => Some(FoldingRangeKind::Imports),
                FoldKind::Region => Some(FoldingRangeKind::Region),
                FoldKind::Code => None,
            },
            collapsed_text: summary.filter(|_| shows_text),
        }
    };
    let found = match view.snapshot.transcript(file.id) {
        Some(transcript) => transcripts::symbols::folds(transcript.opened()),
        None => folds(file.source(), file.summary()),
    };
    Some(found.into_iter().take(limit).map(convert).collect())
}
