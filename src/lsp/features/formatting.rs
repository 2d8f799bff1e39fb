//! `textDocument/formatting`, `textDocument/rangeFormatting`, `textDocument/onTypeFormatting`
//!
//! The settings of the project apply, and the editor's settings are ignored. Edits are minimal, so
//! that cursors keep their positions.

use std::sync::Arc;

use tower_lsp::ls_types::{
    DocumentFormattingParams, DocumentOnTypeFormattingOptions, DocumentOnTypeFormattingParams,
    DocumentRangeFormattingParams, TextEdit, Uri,
};

use crate::lsp::from_proto;
use crate::lsp::view::View;
use mangle_host::is_test;
use mangle_host::workspace::SnapshotFile;
use mangle_ide::format::{TRIGGERS, on_type, range, whole};
use mangle_settings::FormatSettings;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::TextRange;

/// Returns the trigger characters.
pub(in crate::lsp) fn on_type_options() -> DocumentOnTypeFormattingOptions {
    let mut triggers = TRIGGERS.iter().map(ToString::to_string);
    DocumentOnTypeFormattingOptions {
        first_trigger_character: triggers.next().unwrap_or_default(),
        more_trigger_character: Some(triggers.collect()),
    }
}

/// Returns the edits that format a document.
pub(in crate::lsp) fn document(view: &View, params: &DocumentFormattingParams) -> Option<Vec<TextEdit>> {
    let at = Editable::new(view, &params.text_document.uri)?;
    Some(at.edits(
        whole(at.source, at.settings, at.is_test()).edits.iter().map(|edit| (edit.range, edit.text())),
    ))
}

/// Returns the edits that format the statements in a range.
pub(in crate::lsp) fn selection(
    view: &View,
    params: &DocumentRangeFormattingParams,
) -> Option<Vec<TextEdit>> {
    let at = Editable::new(view, &params.text_document.uri)?;
    let selected =
        from_proto::text_range(at.file.text(), at.file.lines(), params.range, view.session.encoding);
    Some(
        at.edits(
            range(at.source, at.settings, selected, at.is_test())
                .edits
                .iter()
                .map(|edit| (edit.range, edit.text())),
        ),
    )
}

/// Returns the edits after a typed character.
pub(in crate::lsp) fn typed(view: &View, params: &DocumentOnTypeFormattingParams) -> Option<Vec<TextEdit>> {
    let place = &params.text_document_position;
    let at = Editable::new(view, &place.text_document.uri)?;
    let position = from_proto::line_col(place.position);
    let offset = at.file.lines().offset(at.file.text(), position, view.session.encoding);
    Some(at.edits(on_type(at.source, at.settings, offset, &params.ch).into_iter()))
}

/// A document that the server may edit.
struct Editable<'v> {
    view: &'v View,
    file: &'v Arc<SnapshotFile>,
    source: &'v SourceFile,
    settings: FormatSettings,
}

impl<'v> Editable<'v> {
    /// Returns `None` for documents that are suspect, not Mangle, or different from the editor's
    /// text.
    fn new(view: &'v View, uri: &Uri) -> Option<Self> {
        let file = view.file(uri)?;
        let source = file.source();
        let is_whole = file.findings.is_empty() && file.map().is_identity() && source.text() == file.text();
        let settings = view.snapshot.format(file.id);
        (view.snapshot.is_editable(file.id) && is_whole).then_some(Self { view, file, source, settings })
    }

    fn is_test(&self) -> bool {
        is_test(&self.file.path)
    }

    fn edits(&self, edits: impl Iterator<Item = (TextRange, String)>) -> Vec<TextEdit> {
        let edit = |(range, new_text)| TextEdit { range: self.view.range(self.file, range), new_text };
        edits.map(edit).collect()
    }
}
