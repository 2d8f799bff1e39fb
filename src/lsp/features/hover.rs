//! `textDocument/hover`

use tower_lsp::ls_types::{Hover, HoverContents, HoverParams, MarkupContent, MarkupKind};

use super::transcripts;
use crate::ide;
use crate::ide::markup::Markup;
use crate::lsp::view::View;

/// Answers the request.
pub(in crate::lsp) fn hover(view: &View, params: &HoverParams) -> Option<Hover> {
    if view.transcript(&params.text_document_position_params.text_document.uri).is_some() {
        return transcripts::hover(view, &params.text_document_position_params);
    }
    let at = view.spot(&params.text_document_position_params)?;
    let place = at.place()?;
    let found = ide::hover::hover(place)?;
    let figures = view.tried(at.file.id).with(|tried| ide::hover::figures(place, tried));
    let shown = found.markup.and(figures);
    Some(Hover {
        contents: HoverContents::Markup(markup(&shown, formats(view))),
        range: Some(at.range(found.range)),
    })
}

/// The forms that the client shows in a hover, the best first.
pub(super) fn formats(view: &View) -> Option<&Vec<MarkupKind>> {
    view.session.client.text_document.as_ref()?.hover.as_ref()?.content_format.as_ref()
}

/// Words for a reader: as Markdown if the client shows that, else as plain text.
pub(in crate::lsp) fn markup(markup: &Markup, formats: Option<&Vec<MarkupKind>>) -> MarkupContent {
    match formats.is_some_and(|formats| formats.contains(&MarkupKind::Markdown)) {
        true => MarkupContent { kind: MarkupKind::Markdown, value: markup.to_markdown() },
        false => MarkupContent { kind: MarkupKind::PlainText, value: markup.to_plain() },
    }
}
