//! Conversion of markup to the client's format.

use tower_lsp::ls_types::{MarkupContent, MarkupKind};

use crate::lsp::view::View;
use mangle_ide::markup::Markup;
use mangle_report::sink;
use piggyback::envelope::secrets::redacted;

/// The hover formats that the client supports, in order of preference.
pub(super) fn formats(view: &View) -> Option<&Vec<MarkupKind>> {
    view.session.client.text_document.as_ref()?.hover.as_ref()?.content_format.as_ref()
}

/// Returns Markdown if the client supports it, or plain text.
pub(in crate::lsp) fn markup(markup: &Markup, formats: Option<&Vec<MarkupKind>>) -> MarkupContent {
    let (kind, value) = match formats.is_some_and(|formats| formats.contains(&MarkupKind::Markdown)) {
        true => (MarkupKind::Markdown, markup.to_markdown()),
        false => (MarkupKind::PlainText, markup.to_plain()),
    };
    MarkupContent { kind, value: sink::lines(&redacted(&value)) }
}
