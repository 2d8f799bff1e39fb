//! Changes of texts as edits of the protocol.

use std::collections::HashMap;
use std::sync::Arc;

use tower_lsp::ls_types::{
    DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier, TextDocumentEdit, TextEdit, Uri,
    WorkspaceEdit,
};

use crate::ide::fixes::difference;
use crate::lint::FileEdit;
use crate::lsp::to_proto;
use crate::lsp::view::View;
use crate::program::FileSummary;
use crate::text::FileId;

/// The edit that leads to these texts; `None` when nothing differs, or in documents that we may not touch.
pub(super) fn workspace_edit_of_texts(view: &View, changed: &[Arc<FileSummary>]) -> Option<WorkspaceEdit> {
    let mut edits = Vec::new();
    for new in changed {
        let old = view.snapshot.file(new.id)?;
        let changes = difference(old.text(), &new.text).into_iter();
        edits.extend(changes.map(|(range, text)| FileEdit { file: new.id, range, text }));
    }
    workspace_edit(view, &edits).filter(|_| !edits.is_empty())
}

/// `None` when an edit is in a document that we may not touch.
pub(in crate::lsp) fn workspace_edit(view: &View, edits: &[FileEdit]) -> Option<WorkspaceEdit> {
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
