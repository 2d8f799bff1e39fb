//! `textDocument/references` and `textDocument/documentHighlight`

use rustc_hash::FxHashSet;
use tower_lsp::ls_types::{
    DocumentHighlight, DocumentHighlightKind, DocumentHighlightParams, Location, ReferenceParams,
};

use super::transcripts;
use crate::ide::highlight::{Kind, highlights};
use crate::ide::references::references;
use crate::ide::subject::Subject;
use crate::lsp::to_proto;
use crate::lsp::view::View;

/// The places in all programs that the file is part of.
pub(in crate::lsp) fn find(view: &View, params: &ReferenceParams) -> Option<Vec<Location>> {
    let at = view.spot(&params.text_document_position)?;
    let declarations = params.context.include_declaration;
    let mut seen = FxHashSet::default();
    let mut found: Vec<_> = at.everywhere().flat_map(|place| references(place, declarations)).collect();
    found.retain(|occurrence| seen.insert((occurrence.file, occurrence.range)));
    // Files in the order of their paths: the same in every session.
    found.sort_by_cached_key(|occurrence| {
        let path = view.snapshot.file(occurrence.file).map(|file| file.path.clone());
        (path, occurrence.range.start())
    });
    let subjects = at.everywhere().find_map(|place| Some((Subject::at(place)?.0, place.program())));
    let in_transcripts = subjects.map(|(subject, program)| transcripts::mentions(view, subject, program));
    let locations =
        found.iter().filter_map(|occurrence| to_proto::location(view, occurrence.file, occurrence.range));
    Some(locations.chain(in_transcripts.unwrap_or_default()).collect())
}

/// The places in the document.
pub(in crate::lsp) fn highlight(
    view: &View,
    params: &DocumentHighlightParams,
) -> Option<Vec<DocumentHighlight>> {
    let at = view.spot(&params.text_document_position_params)?;
    let found = highlights(at.place()?);
    let kind = |kind| match kind {
        Kind::Read => DocumentHighlightKind::READ,
        Kind::Write => DocumentHighlightKind::WRITE,
        Kind::Text => DocumentHighlightKind::TEXT,
    };
    let one = |(range, of)| DocumentHighlight { range: at.range(range), kind: Some(kind(of)) };
    Some(found.into_iter().map(one).collect())
}
