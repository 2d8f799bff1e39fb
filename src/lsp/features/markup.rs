//! Our markup as the client shows it.

use tower_lsp::ls_types::{MarkupContent, MarkupKind};

use crate::ide::markup::Markup;
use crate::lsp::view::View;
use crate::report::sink;
use piggyback::envelope::secrets::redacted;

/// The forms that the client shows in a hover, the best first.
pub(super) fn formats(view: &View) -> Option<&Vec<MarkupKind>> {
    view.session.client.text_document.as_ref()?.hover.as_ref()?.content_format.as_ref()
}

/// Words for a reader: as Markdown if the client shows that, else as plain text.
pub(in crate::lsp) fn markup(markup: &Markup, formats: Option<&Vec<MarkupKind>>) -> MarkupContent {
    let (kind, value) = match formats.is_some_and(|formats| formats.contains(&MarkupKind::Markdown)) {
        true => (MarkupKind::Markdown, markup.to_markdown()),
        false => (MarkupKind::PlainText, markup.to_plain()),
    };
    MarkupContent { kind, value: sink::lines(&redacted(&value)) }
}
