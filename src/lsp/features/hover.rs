//! `textDocument/hover`

use tower_lsp::ls_types::{Hover, HoverContents, HoverParams};

use super::markup::{formats, markup};
use super::{paths, property, transcripts};
use crate::lsp::view::View;
use crate::lsp::virtual_documents::shown_conversation;
use mangle_ide::Place;
use mangle_ide::hover::prompts;
use mangle_syntax::text::FileId;

pub(in crate::lsp) fn hover(view: &View, params: &HoverParams) -> Option<Hover> {
    if view.transcript(&params.text_document_position_params.text_document.uri).is_some() {
        return transcripts::hover(view, &params.text_document_position_params);
    }
    let uri = &params.text_document_position_params.text_document.uri;
    if let Some(conversation) = shown_conversation(view, uri) {
        return conversation.hover(params, |raw| hover(view, raw));
    }
    let at = view.spot(&params.text_document_position_params)?;
    let found = match at.place() {
        Some(place) => paths::hover(&at).or_else(|| of_policy(view, at.file.id, place)),
        // A session file or prompt atoms.
        None => view.with_provenance(at.file.id, |provenance| {
            prompts::prompts_in_source_file(at.file.id, at.file.text(), at.offset, provenance)
        }),
    }?;
    Some(Hover {
        contents: HoverContents::Markup(markup(&found.markup, formats(view))),
        range: Some(at.range(found.range)),
    })
}

/// Returns the hover at a position of a policy: documentation, evaluation results, and uses in
/// prompts.
fn of_policy(view: &View, file: FileId, place: Place<'_>) -> Option<mangle_ide::hover::Hover> {
    let provenance = view.with_provenance(file, |provenance| prompts::prompts(place, provenance));
    let property = view.snapshot.file(file).and_then(|file| property::hover(view, file, place.offset));
    let Some(mut found) = mangle_ide::hover::hover(place) else { return provenance.or(property) };
    let figures = view.evaluations_of(file).with(|tried| mangle_ide::hover::evaluation_results(place, tried));
    found.markup =
        found.markup.and(figures).and(provenance.map(|provenance| provenance.markup).unwrap_or_default());
    found.markup = found.markup.and(property.map(|property| property.markup).unwrap_or_default());
    Some(found)
}
