//! Deferred edits of code actions: a short description that the client stores, and the edit that
//! is computed when the action is resolved.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{CodeAction, Uri, WorkspaceEdit};

use crate::lsp::features::test;
use crate::lsp::from_proto;
use crate::lsp::to_proto::{appended, test_file_edit, workspace_edit, workspace_edit_of_texts};
use crate::lsp::view::View;
use mangle_check::suppression::{SuppressionScope, suppress};
use mangle_engine::program::FileSummary;
use mangle_host::workspace::{SnapshotFile, SnapshotTranscript};
use mangle_ide::assists::assist;
use mangle_ide::fixes::{FixRequest, MAX_PASSES, is_safely_fixable};
use mangle_ide::transcripts::profile_at;
use mangle_ide::{Place, registry, transcripts};
use mangle_settings::{Profile, pin_profile};
use mangle_syntax::lint::{Diagnostic, FileEdit};
use mangle_syntax::text::{FileId, TextRange, TextSize};

/// The `data` of an action.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct DeferredAction {
    /// The document of the request.
    pub(super) uri: Uri,
    /// The version of that document, or `None` if it is not open.
    pub(super) version: Option<i32>,
    pub(super) what: ActionKind,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum ActionKind {
    /// The fix of one diagnostic.
    Fix(DiagnosticRef),
    /// The fix of one diagnostic for an alternative interpretation of the text.
    OtherFix(DiagnosticRef),
    /// The safe fixes of one rule in the document, by rule code.
    FixKind(String),
    /// The safe fixes in the document.
    FixFile,
    /// The safe fixes in the workspace.
    FixWorkspace,
    /// A comment that silences a diagnostic in its line.
    SilenceHere(DiagnosticRef),
    /// A comment that silences a diagnostic in its file.
    SilenceFile(DiagnosticRef),
    /// Writes the profile of the JSON reply (envelope) at an offset to the configuration file.
    PinProfile(u32),
    /// Adds the counterexample of the property with this name as a case to its test file.
    AddTestCase(String),
    /// The assist with this name at a selection of the document.
    Assist {
        id: String,
        /// The start of the selection.
        start: u32,
        end: u32,
    },
}

/// A diagnostic of the document: the code of its rule and its byte range.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct DiagnosticRef {
    code: String,
    start: u32,
    end: u32,
}

impl DiagnosticRef {
    pub(super) fn from_diagnostic(diagnostic: &Diagnostic) -> Self {
        let range = diagnostic.range;
        Self { code: diagnostic.rule.code.into(), start: range.start().into(), end: range.end().into() }
    }
}

/// Returns the document of an action to resolve.
pub(in crate::lsp) fn document(action: &CodeAction) -> Option<PathBuf> {
    read(action).map(|deed| from_proto::document_path(&deed.uri))
}

fn read(action: &CodeAction) -> Option<DeferredAction> {
    serde_json::from_value(action.data.clone()?).ok()
}

/// Completes an action from [`super::code_actions`].
///
/// # Errors
///
/// If the document was edited since the offer, or the action is from another source.
pub(in crate::lsp) fn resolve(view: &View, mut action: CodeAction) -> Result<CodeAction> {
    // An action that only runs a command is complete, but some clients resolve it anyway.
    if action.data.is_none() && action.command.is_some() {
        return Ok(action);
    }
    let deed = read(&action).ok_or_else(|| Error::invalid_params("not an action of this server"))?;
    let file = view.file(&deed.uri).ok_or_else(Error::content_modified)?;
    if version(file) != deed.version {
        return Err(Error::content_modified());
    }
    action.edit = Some(compute_edit(view, file, &deed.what).ok_or_else(Error::content_modified)?);
    Ok(action)
}

/// Returns the editor's version of a document, if it is open.
pub(super) fn version(file: &SnapshotFile) -> Option<i32> {
    file.open.as_ref().map(|open| open.version)
}

/// Computes the edit of an action. Returns `None` if nothing remains to be done, or if a document
/// is suspect.
pub(super) fn compute_edit(view: &View, file: &SnapshotFile, what: &ActionKind) -> Option<WorkspaceEdit> {
    match what {
        ActionKind::Fix(spot) => {
            let fix = find(view, file, |found| {
                DiagnosticRef::from_diagnostic(found) == *spot && found.fix.is_some()
            })?
            .fix
            .as_ref()?;
            workspace_edit(view, &fix.edits)
        }
        ActionKind::OtherFix(spot) => {
            let has_other =
                |found: &Diagnostic| found.fix.as_ref().is_some_and(|fix| fix.alternative.is_some());
            let found =
                find(view, file, |found| DiagnosticRef::from_diagnostic(found) == *spot && has_other(found))?;
            workspace_edit(view, &found.fix.as_ref()?.alternative.as_ref()?.edits)
        }
        ActionKind::SilenceHere(spot) => silenced(view, file, spot, SuppressionScope::Here),
        ActionKind::SilenceFile(spot) => silenced(view, file, spot, SuppressionScope::File),
        ActionKind::PinProfile(at) => {
            let pin = pin(view.snapshot.transcript(file.id)?, (*at).into())?;
            let config = view.snapshot.file(pin.file)?;
            let (range, text) = pin_profile(config.text(), pin.profile)?;
            workspace_edit(view, &[FileEdit { file: pin.file, range, text }])
        }
        ActionKind::AddTestCase(name) => {
            let all = test::answered(view, file);
            let of = all.iter().find(|of| of.property.name == *name)?;
            let text = test::test_case(view, file, of)?;
            workspace_edit(view, &[appended(file, &text)])
        }
        ActionKind::Assist { id, start, end } => {
            let selection = TextRange::new((*start).into(), (*end).into());
            let program = view.snapshot.programs_of(file.id).next()?;
            let place = Place::new(program.as_ref(), file.id, selection.start())?;
            let assist = assist(place, selection, id)?;
            match &assist.test_file_text {
                Some(text) => test_file_edit(view, file, text),
                None => workspace_edit(view, &assist.edits),
            }
        }
        ActionKind::FixKind(code) => {
            fixed(view, file, &|found, diagnostic| found == file.id && diagnostic.rule.code == code)
        }
        ActionKind::FixFile => fixed(view, file, &|found, _| found == file.id),
        ActionKind::FixWorkspace => fix_workspace(view),
    }
}

fn find<'v>(
    view: &'v View,
    file: &SnapshotFile,
    wanted: impl Fn(&Diagnostic) -> bool,
) -> Option<&'v Diagnostic> {
    view.snapshot.diagnostics(file.id).into_iter().find(|diagnostic| wanted(diagnostic))
}

fn silenced(
    view: &View,
    file: &SnapshotFile,
    spot: &DiagnosticRef,
    scope: SuppressionScope,
) -> Option<WorkspaceEdit> {
    let diagnostic = find(view, file, |found| DiagnosticRef::from_diagnostic(found) == *spot)?;
    let edit = match view.snapshot.transcript(file.id) {
        Some(transcript) => {
            let scope = match scope {
                SuppressionScope::Here => transcripts::Scope::Here,
                SuppressionScope::File => transcripts::Scope::All,
            };
            let at = diagnostic.range.start();
            let (range, text) = transcripts::silence(transcript.opened(), diagnostic.rule, at, scope)?;
            FileEdit { file: file.id, range, text }
        }
        None => suppress(file.summary(), diagnostic, scope, registry::all())?,
    };
    workspace_edit(view, &[edit])
}

/// Applies the safe fixes in the programs of a file.
fn fixed(
    view: &View,
    file: &SnapshotFile,
    wanted: &dyn Fn(FileId, &Diagnostic) -> bool,
) -> Option<WorkspaceEdit> {
    if view.snapshot.transcript(file.id).is_some() {
        return fixed_at_once(view, file, wanted);
    }
    let programs: Vec<_> = view.snapshot.programs_of(file.id).cloned().collect();
    let wish = FixRequest {
        include_unsafe: false,
        evidence: false,
        wanted,
        editable: &|_| true,
        passes: MAX_PASSES,
    };
    workspace_edit_of_texts(view, texts(&view.snapshot.fix(&programs, wish).changed))
}

/// Applies the safe fixes of a transcript that do not overlap. The remaining findings are reported
/// again afterwards.
fn fixed_at_once(
    view: &View,
    file: &SnapshotFile,
    wanted: &dyn Fn(FileId, &Diagnostic) -> bool,
) -> Option<WorkspaceEdit> {
    let mut edits: Vec<FileEdit> = Vec::new();
    for diagnostic in view.snapshot.diagnostics(file.id) {
        let Some(fix) = diagnostic.fix.as_ref().filter(|_| is_safely_fixable(diagnostic)) else { continue };
        let is_free = |edit: &FileEdit| edits.iter().all(|other| edit.range.intersect(other.range).is_none());
        if wanted(file.id, diagnostic) && fix.edits.iter().all(is_free) {
            edits.extend(fix.edits.iter().cloned());
        }
    }
    workspace_edit(view, &edits).filter(|_| !edits.is_empty())
}

/// Applies the safe fixes in all programs.
pub(super) fn fix_workspace(view: &View) -> Option<WorkspaceEdit> {
    let wish = FixRequest {
        include_unsafe: false,
        evidence: false,
        wanted: &|_, _| true,
        editable: &|_| true,
        passes: MAX_PASSES,
    };
    workspace_edit_of_texts(view, texts(&view.snapshot.fix(&view.snapshot.programs, wish).changed))
}

fn texts(changed: &[Arc<FileSummary>]) -> impl Iterator<Item = (FileId, &str)> {
    changed.iter().map(|file| (file.id, &*file.text))
}

/// True if a known finding in the workspace has a safe fix.
pub(super) fn is_workspace_fixable(view: &View) -> bool {
    let programs = view.snapshot.programs.iter();
    let mut files = programs.flat_map(|program| program.files.iter().map(move |file| (program, file.id)));
    files.any(|(program, file)| {
        program.reports(file) && program.diagnostics(file).iter().any(is_safely_fixable)
    })
}

/// The text to insert, and its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pin {
    pub(super) file: FileId,
    pub(super) profile: Profile,
}

/// Returns the pin for the envelope at an offset. Returns `None` if the settings already have a
/// profile, or without a configuration file.
pub(super) fn pin(transcript: &SnapshotTranscript, at: TextSize) -> Option<Pin> {
    let file = transcript.configuration.filter(|_| transcript.settings.profile.is_none())?;
    Some(Pin { file, profile: profile_at(transcript.opened(), at)? })
}
