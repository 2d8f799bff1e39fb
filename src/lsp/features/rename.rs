//! `textDocument/prepareRename` and `textDocument/rename`

use std::sync::Arc;

use tower_lsp::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp::ls_types::{
    OneOf, PrepareRenameResponse, RenameOptions, RenameParams, TextDocumentPositionParams,
    WorkDoneProgressOptions, WorkspaceEdit,
};

use super::transcripts;
use crate::lsp::actions::workspace_edit;
use crate::lsp::session::ClientSession;
use crate::lsp::view::{DocumentPlace, View};
use mangle_host::relative;
use mangle_host::workspace::{SnapshotFile, SnapshotProgram};
use mangle_ide::Analysis;
use mangle_ide::rename::{self, RenameRefusal};
use mangle_ide::subject::Subject;

/// `RequestFailed`: the request was valid but cannot be executed.
const FAILED: ErrorCode = ErrorCode::ServerError(-32803);

pub(in crate::lsp) fn options(session: &ClientSession) -> OneOf<bool, RenameOptions> {
    let client = session.client.text_document.as_ref().and_then(|client| client.rename.as_ref());
    if client.is_some_and(|client| client.prepare_support == Some(true)) {
        let work_done_progress_options = WorkDoneProgressOptions::default();
        OneOf::Right(RenameOptions { prepare_provider: Some(true), work_done_progress_options })
    } else {
        OneOf::Left(true)
    }
}

/// Returns the range and the current name of the symbol to rename.
pub(in crate::lsp) fn prepare(
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
