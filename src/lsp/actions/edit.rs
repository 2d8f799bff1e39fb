//! Conversion of text changes to LSP edits.

use std::collections::HashMap;

use tower_lsp::ls_types::{
    CreateFile, DocumentChangeOperation, DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier,
    Range, ResourceOp, TextDocumentEdit, TextEdit, Uri, WorkspaceEdit,
};

use crate::lsp::to_proto;
use crate::lsp::view::View;
use mangle_host::workspace::SnapshotFile;
use mangle_host::{exists, test_path};
use mangle_ide::fixes::difference;
use mangle_syntax::lint::FileEdit;
use mangle_syntax::text::{FileId, TextRange, text_len, with_line_ends};

/// Returns the edit to these texts. Returns `None` if nothing differs, or if a document is
/// suspect.
pub(in crate::lsp) fn workspace_edit_of_texts<'t>(
    view: &View,
    texts: impl IntoIterator<Item = (FileId, &'t str)>,
) -> Option<WorkspaceEdit> {
    let mut edits = Vec::new();
    for (file, new) in texts {
        let old = view.snapshot.file(file)?;
        let changes = difference(old.text(), new).into_iter();
        edits.extend(changes.map(|(range, text)| FileEdit { file, range, text }));
    }
    workspace_edit(view, &edits).filter(|_| !edits.is_empty())
}

/// Returns the edit that appends a text to the test file of a policy. A missing file is created.
/// Returns `None` for a document that is not on disk, or if the client cannot create files.
pub(super) fn test_file_edit(view: &View, file: &SnapshotFile, text: &str) -> Option<WorkspaceEdit> {
    if !view.snapshot.is_editable(file.id) {
        return None;
    }
    let path = test_path(&file.path);
    let known = view.snapshot.id(&path).and_then(|id| view.snapshot.file(id));
    if let Some(tests) = known {
        return workspace_edit(view, &[appended(tests, text)]);
    }
    // An existing file that is not in the workspace (ignored by git, too large) is not
    // overwritten.
    if !view.session.create_files || !path.is_absolute() || exists(&path) {
        return None;
    }
    let uri = to_proto::path_uri(&path)?;
    let create = CreateFile { uri: uri.clone(), options: None, annotation_id: None };
    let text_document = OptionalVersionedTextDocumentIdentifier { uri, version: None };
    let new_text = with_line_ends(file.text(), format!("{text}\n"));
    let edits = vec![OneOf::Left(TextEdit { range: Range::default(), new_text })];
    let operations = vec![
        DocumentChangeOperation::Op(ResourceOp::Create(create)),
        DocumentChangeOperation::Edit(TextDocumentEdit { text_document, edits }),
    ];
    let document_changes = Some(DocumentChanges::Operations(operations));
    Some(WorkspaceEdit { document_changes, ..WorkspaceEdit::default() })
}

/// Returns the edit that appends a text to a test file, after a blank line.
pub(super) fn appended(tests: &SnapshotFile, text: &str) -> FileEdit {
    let gap = match tests.text() {
        before if before.is_empty() || before.ends_with("\n\n") => "",
        before if before.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    let text = with_line_ends(tests.text(), format!("{gap}{text}\n"));
    FileEdit { file: tests.id, range: TextRange::empty(text_len(tests.text())), text }
}

/// Returns `None` if an edit affects a suspect document.
pub(in crate::lsp) fn workspace_edit(view: &View, edits: &[FileEdit]) -> Option<WorkspaceEdit> {
    let mut files: Vec<(FileId, Vec<TextEdit>)> = Vec::new();
    for edit in edits {
        let file = view.shown(edit.file).filter(|file| view.snapshot.is_editable(file.id))?;
        let new = TextEdit { range: view.range(file, edit.range), new_text: edit.text.clone() };
        match files.iter_mut().find(|(id, _)| *id == edit.file) {
            Some((_, edits)) => edits.push(new),
            None => files.push((edit.file, vec![new])),
        }
    }
    let named = files.into_iter().map(|(id, edits)| {
        let file = view.shown(id)?;
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
