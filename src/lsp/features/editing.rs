//! Edits of the text: `textDocument/rename`, `textDocument/linkedEditingRange`,
//! `textDocument/formatting`, `textDocument/rangeFormatting` and `textDocument/onTypeFormatting`.
//!
//! The formatter uses the settings of the project, and the editor's settings are ignored. Its edits are
//! minimal, so that cursors keep their positions.

use std::sync::Arc;

use tower_lsp::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp::ls_types::{
    DocumentFormattingParams, DocumentOnTypeFormattingOptions, DocumentOnTypeFormattingParams,
    DocumentRangeFormattingParams, LinkedEditingRangeParams, LinkedEditingRanges, OneOf,
    PrepareRenameResponse, RenameOptions, RenameParams, TextDocumentPositionParams, TextEdit, Uri,
    WorkDoneProgressOptions, WorkspaceEdit,
};

use super::transcripts;
use crate::lsp::from_proto;
use crate::lsp::session::ClientSession;
use crate::lsp::to_proto::workspace_edit;
use crate::lsp::view::{DocumentPlace, View};
use mangle_host::workspace::{SnapshotFile, SnapshotProgram};
use mangle_host::{is_test, relative};
use mangle_ide::format::{TRIGGERS, on_type, range, whole};
use mangle_ide::linked_editing::{PATTERN, linked};
use mangle_ide::rename::RenameRefusal;
use mangle_ide::subject::Subject;
use mangle_ide::{Analysis, rename};
use mangle_settings::FormatSettings;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::TextRange;

/// `RequestFailed`: the request was valid but cannot be executed.
const FAILED: ErrorCode = ErrorCode::ServerError(-32803);

pub(in crate::lsp) fn rename_options(session: &ClientSession) -> OneOf<bool, RenameOptions> {
    let client = session.client.text_document.as_ref().and_then(|client| client.rename.as_ref());
    if client.is_some_and(|client| client.prepare_support == Some(true)) {
        let work_done_progress_options = WorkDoneProgressOptions::default();
        OneOf::Right(RenameOptions { prepare_provider: Some(true), work_done_progress_options })
    } else {
        OneOf::Left(true)
    }
}

/// Returns the range and the current name of the symbol to rename.
pub(in crate::lsp) fn prepare_rename(
    view: &View,
    params: &TextDocumentPositionParams,
) -> Result<Option<PrepareRenameResponse>> {
    let Some(at) = view.spot(params) else { return Ok(None) };
    is_policy(&at)?;
    is_in_sync(view, at.file)?;
    let Some(place) = at.place() else { return Ok(None) };
    let found = rename::prepare(place).map_err(|refusal| refused(view, &refusal))?;
    Ok(found.map(|found| PrepareRenameResponse::RangeWithPlaceholder {
        range: at.range(found.range),
        placeholder: found.name,
    }))
}

/// Returns the edits of a rename in all programs that share files with the program of the
/// document.
pub(in crate::lsp) fn rename(view: &View, params: &RenameParams) -> Result<Option<WorkspaceEdit>> {
    let Some(at) = view.spot(&params.text_document_position) else { return Ok(None) };
    is_policy(&at)?;
    is_in_sync(view, at.file)?;
    let Some(place) = at.place() else { return Ok(None) };
    let programs = programs(&at);
    let others: Vec<&dyn Analysis> = programs
        .iter()
        .filter(|program| !std::ptr::eq(program.program().as_ref(), place.program()))
        .map(|program| program.as_ref() as &dyn Analysis)
        .collect();
    let edits =
        rename::rename(place, &others, &params.new_name).map_err(|refusal| refused(view, &refusal))?;
    for file in edits.iter().filter_map(|edit| view.snapshot.file(edit.file)) {
        is_in_sync(view, file)?;
    }
    if let Some((subject, _)) = Subject::at(place) {
        transcripts::warn_of_mentions(view, subject, place.program(), &params.new_name);
    }
    Ok(workspace_edit(view, &edits))
}

/// Refuses a rename in a transcript, because recorded replies must not be changed.
fn is_policy(at: &DocumentPlace<'_>) -> Result<()> {
    match at.inside {
        Some(_) => {
            Err(failed("A transcript is a record and is not renamed. Rename this in the policy.".to_owned()))
        }
        None => Ok(()),
    }
}

/// Refuses a rename in a suspect document, because edits would damage it.
fn is_in_sync(view: &View, file: &SnapshotFile) -> Result<()> {
    if view.snapshot.is_editable(file.id) {
        return Ok(());
    }
    let name = shown(view, file);
    Err(failed(format!(
        "An edit of {name} was lost, so its text may differ. Close it and open it again, then rename."
    )))
}

/// Returns the programs that mention the symbol at a position: the programs of its file, and all
/// programs that share a file with a mention.
fn programs<'v>(at: &DocumentPlace<'v>) -> Vec<&'v Arc<SnapshotProgram>> {
    let snapshot = &at.view.snapshot;
    let mut programs: Vec<_> = snapshot.programs_with(at.file.id).collect();
    let Some((subject, _)) = at.everywhere().find_map(Subject::at) else { return programs };
    let mut looked_at = 0;
    while let Some(program) = programs.get(looked_at) {
        looked_at += 1;
        let mut files: Vec<_> =
            subject.occurrences(program.program()).iter().map(|found| found.file).collect();
        files.dedup();
        for program in files.into_iter().flat_map(|file| snapshot.programs_with(file)) {
            if !programs.iter().any(|known| Arc::ptr_eq(known, program)) {
                programs.push(program);
            }
        }
    }
    programs
}

fn failed(message: String) -> Error {
    Error { code: FAILED, message: message.into(), data: None }
}

/// Returns the error for a refused rename: the reason, and the related position.
fn refused(view: &View, refusal: &RenameRefusal) -> Error {
    let place = refusal.at.and_then(|(file, range)| {
        let file = view.snapshot.file(file)?;
        let line = file.line_col(file.map().to_source(range).start(), view.session.encoding).line;
        Some(format!(" ({}:{})", shown(view, file), line + 1))
    });
    failed(format!("{}{}", refusal.message, place.unwrap_or_default()))
}

/// Returns the path of a file, relative to its workspace folder.
fn shown(view: &View, file: &SnapshotFile) -> String {
    let folders = view.session.folders.iter().filter(|folder| file.path.starts_with(folder));
    let folder = folders.max_by_key(|folder| folder.as_os_str().len());
    folder.map_or_else(|| file.path.display().to_string(), |folder| relative(folder, &file.path))
}

/// Returns the occurrences of a variable in its clause.
pub(in crate::lsp) fn linked_ranges(
    view: &View,
    params: &LinkedEditingRangeParams,
) -> Option<LinkedEditingRanges> {
    let at = view.spot(&params.text_document_position_params)?;
    // The client edits the returned ranges directly.
    view.snapshot.is_editable(at.file.id).then_some(())?;
    let found = linked(at.place()?);
    let ranges = found.into_iter().map(|range| at.range(range)).collect::<Vec<_>>();
    (!ranges.is_empty()).then(|| LinkedEditingRanges { ranges, word_pattern: Some(PATTERN.into()) })
}

/// Returns the trigger characters.
pub(in crate::lsp) fn on_type_options() -> DocumentOnTypeFormattingOptions {
    let mut triggers = TRIGGERS.iter().map(ToString::to_string);
    DocumentOnTypeFormattingOptions {
        first_trigger_character: triggers.next().unwrap_or_default(),
        more_trigger_character: Some(triggers.collect()),
    }
}

/// Returns the edits that format a document.
pub(in crate::lsp) fn format_document(
    view: &View,
    params: &DocumentFormattingParams,
) -> Option<Vec<TextEdit>> {
    let at = Editable::new(view, &params.text_document.uri)?;
    Some(at.edits(
        whole(at.source, at.settings, at.is_test()).edits.iter().map(|edit| (edit.range, edit.text())),
    ))
}

/// Returns the edits that format the statements in a range.
pub(in crate::lsp) fn format_selection(
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
pub(in crate::lsp) fn format_typed(
    view: &View,
    params: &DocumentOnTypeFormattingParams,
) -> Option<Vec<TextEdit>> {
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
