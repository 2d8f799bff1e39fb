//! Code actions: the fixes of the diagnostics at a place, and all safe ones of a file at once.

use std::collections::HashMap;

use tower_lsp::ls_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, Diagnostic, DocumentChanges, OneOf,
    OptionalVersionedTextDocumentIdentifier, TextDocumentEdit, TextEdit, Uri, WorkspaceEdit,
};

use super::capabilities::FIX_ALL;
use super::view::View;
use super::{from_proto, to_proto};
use crate::host::workspace::SnapshotFile;
use crate::lint::{self, Applicability, FileEdit, ResolvedFix};
use crate::text::FileId;

/// The actions that the client asks for.
pub(super) fn code_actions(view: &View, params: &CodeActionParams) -> Vec<CodeActionOrCommand> {
    let Some(file) = view.file(&params.text_document.uri) else { return Vec::new() };
    let wants = |kind: &CodeActionKind| wants(params, kind);
    let mut actions = Vec::new();
    let all = view.snapshot.diagnostics(file.id);
    if wants(&CodeActionKind::QUICKFIX) {
        let range = from_proto::text_range(file.text(), file.lines(), params.range, view.session.encoding);
        let here = all.iter().filter(|diagnostic| diagnostic.range.intersect(range).is_some());
        actions.extend(here.filter_map(|diagnostic| quick_fix(view, file, diagnostic, params)));
    }
    // Without a wish it is offered only where something is to be fixed.
    if wants(&FIX_ALL) && (params.context.only.is_some() || !actions.is_empty()) {
        actions.extend(fix_all(view, &all));
    }
    actions.into_iter().map(CodeActionOrCommand::CodeAction).collect()
}

/// Whether the client wants actions of this kind: it names the kind, a kind above it, or none.
fn wants(params: &CodeActionParams, kind: &CodeActionKind) -> bool {
    let covers = |wanted: &CodeActionKind| {
        let rest = kind.as_str().strip_prefix(wanted.as_str());
        rest.is_some_and(|rest| wanted.as_str().is_empty() || rest.is_empty() || rest.starts_with('.'))
    };
    params.context.only.as_ref().is_none_or(|only| only.iter().any(covers))
}

fn quick_fix(
    view: &View,
    file: &SnapshotFile,
    diagnostic: &lint::Diagnostic,
    params: &CodeActionParams,
) -> Option<CodeAction> {
    let fix = diagnostic.fix.as_ref()?;
    let is_safe = fix.applicability == Applicability::Safe;
    Some(CodeAction {
        title: fix.title.clone(),
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![as_sent(to_proto::diagnostic(view, file, diagnostic), params)]),
        edit: Some(workspace_edit(view, &fix.edits)?),
        is_preferred: (is_safe && view.session.preferred_actions).then_some(true),
        ..CodeAction::default()
    })
}

/// The diagnostic in the client's own words, if it sent it along.
fn as_sent(diagnostic: Diagnostic, params: &CodeActionParams) -> Diagnostic {
    let same = |sent: &&Diagnostic| sent.range == diagnostic.range && sent.code == diagnostic.code;
    params.context.diagnostics.iter().find(same).cloned().unwrap_or(diagnostic)
}

/// Every safe fix of a file that does not get in the way of one before it.
fn fix_all(view: &View, diagnostics: &[&lint::Diagnostic]) -> Option<CodeAction> {
    let is_safe = |fix: &&ResolvedFix| fix.applicability == Applicability::Safe;
    let fixes = diagnostics.iter().filter_map(|diagnostic| diagnostic.fix.as_ref()).filter(is_safe);
    let mut edits: Vec<FileEdit> = Vec::new();
    for fix in fixes {
        let overlaps = |edit: &FileEdit| edits.iter().any(|other| overlap(edit, other));
        if !fix.edits.iter().any(overlaps) {
            edits.extend(fix.edits.iter().cloned());
        }
    }
    if edits.is_empty() {
        return None;
    }
    Some(CodeAction {
        title: "Apply all safe fixes in this file".into(),
        kind: Some(FIX_ALL),
        edit: Some(workspace_edit(view, &edits)?),
        ..CodeAction::default()
    })
}

/// Whether two edits touch: also two insertions at one place, whose order would be chance.
fn overlap(a: &FileEdit, b: &FileEdit) -> bool {
    a.file == b.file && a.range.intersect(b.range).is_some()
}

/// `None` when an edit is in a document that we may not touch.
fn workspace_edit(view: &View, edits: &[FileEdit]) -> Option<WorkspaceEdit> {
    let mut files: Vec<(FileId, Vec<TextEdit>)> = Vec::new();
    for edit in edits {
        let file = view.snapshot.file(edit.file).filter(|file| file.is_editable())?;
        let new = TextEdit { range: to_proto::range(view, file, edit.range), new_text: edit.text.clone() };
        match files.iter_mut().find(|(id, _)| *id == edit.file) {
            Some((_, edits)) => edits.push(new),
            None => files.push((edit.file, vec![new])),
        }
    }
    let named = files.into_iter().map(|(id, edits)| {
        let file = view.snapshot.file(id)?;
        Some((to_proto::uri(file)?, file.open.as_ref().map(|open| open.version), edits))
    });
    let named: Vec<(Uri, Option<i32>, Vec<TextEdit>)> = named.collect::<Option<_>>()?;
    Some(if view.session.document_changes {
        let edit = |(uri, version, edits): (Uri, Option<i32>, Vec<TextEdit>)| TextDocumentEdit {
            text_document: OptionalVersionedTextDocumentIdentifier { uri, version },
            edits: edits.into_iter().map(OneOf::Left).collect(),
        };
        let edits = named.into_iter().map(edit).collect();
        WorkspaceEdit { document_changes: Some(DocumentChanges::Edits(edits)), ..WorkspaceEdit::default() }
    } else {
        let changes: HashMap<_, _> = named.into_iter().map(|(uri, _, edits)| (uri, edits)).collect();
        WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }
    })
}
