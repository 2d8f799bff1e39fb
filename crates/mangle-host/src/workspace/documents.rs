//! Suspect documents: documents whose text may differ from the editor's, because an edit was lost
//! or their opening was never received.

use std::path::Path;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::document::{ChangeError, OpenDocument};
use super::state::{MissedDocument, Workspace, kind, names_grammar};
use super::{document, transcript};
use crate::ResolvedPath;
use crate::transcripts::is_markdown;
use mangle_settings::DOCUMENT_OUT_OF_SYNC;
use mangle_syntax::lint::{Diagnostic, Finding};
use mangle_syntax::text::{ContentChange, Encoding, FileId, Half, SentChange, TextRange};

impl Workspace {
    /// Applies changes to a document that is not open. A whole text replaces the lost opening; any
    /// other change makes the document suspect.
    fn change_unopened(
        &mut self,
        path: &Path,
        uri: &str,
        version: i32,
        changes: &[SentChange],
        encoding: Encoding,
    ) -> Result<(), ChangeError> {
        let id = self.id(path).unwrap_or_else(|| self.table.id(path));
        let missed = self.unopened.missed.get(&id);
        let is_whole = changes.iter().any(|sent| sent.change.range.is_none());
        if is_whole && missed.is_some_and(|missed| missed.is_opening_lost) {
            self.open(path, uri, "", i32::MIN, "");
            let document = self.documents.get_mut(&id);
            return document.map_or(Ok(()), |document| document.change(version, changes, encoding));
        }
        if missed.is_none() && self.miss(path, uri, false) { Err(ChangeError::NotOpen) } else { Ok(()) }
    }

    /// Records that the message that opened a document could not be read. Returns true if the
    /// document was not suspect before.
    pub fn lose_opening(&mut self, path: &Path, uri: &str) -> bool {
        let is_open = self.id(path).is_some_and(|id| self.documents.contains_key(&id));
        if is_open { self.mark_suspect(path) } else { self.miss(path, uri, true) }
    }

    fn miss(&mut self, path: &Path, uri: &str, is_opening_lost: bool) -> bool {
        let id = self.id(path).unwrap_or_else(|| self.table.id(path));
        let is_of_interest = kind(path, "").is_some() || self.programs.reports(id);
        if !is_of_interest || (self.unopened.foreign.contains(&id) && !is_opening_lost) {
            return false;
        }
        self.touch();
        self.unopened.missed.insert(id, MissedDocument { uri: uri.into(), is_opening_lost }).is_none()
    }

    /// Marks a document as suspect after a lost edit, until it is opened again or sent as a whole.
    /// Returns true if it was not suspect before.
    pub fn mark_suspect(&mut self, path: &Path) -> bool {
        let id = self.id(path);
        let Some(document) = id.and_then(|id| self.documents.get_mut(&id)) else { return false };
        let is_news = !document.is_suspect();
        document.mark_suspect();
        self.touch();
        is_news
    }

    /// Marks all open documents as suspect after a lost edit of an unknown document. Returns the
    /// number of newly suspect documents.
    pub fn mark_all_suspect(&mut self) -> usize {
        let news = self.documents.values().filter(|document| !document.is_suspect()).count();
        self.openings_mut().for_each(OpenDocument::mark_suspect);
        if news > 0 {
            self.touch();
        }
        news
    }

    #[must_use]
    pub fn is_open(&self, path: &Path) -> bool {
        self.id(path).is_some_and(|id| self.documents.contains_key(&id))
    }

    /// True if the text of a document may differ from the editor's.
    #[must_use]
    pub fn is_suspect(&self, path: &Path) -> bool {
        let Some(id) = self.id(path) else { return false };
        self.unopened.is_missed(id) || self.documents.get(&id).is_some_and(OpenDocument::is_suspect)
    }

    /// Returns the finding of each suspect document, which replaces all other findings.
    pub(super) fn suspects(&self) -> FxHashMap<FileId, Arc<[Diagnostic]>> {
        let open = self.documents.iter().filter(|(_, document)| document.is_suspect());
        let files = open.map(|(id, _)| *id).chain(self.unopened.missed().map(|(id, _)| id));
        files.map(|id| (id, self.programs.found_in(id, &self.table.path(id), out_of_sync()).into())).collect()
    }

    /// Closes the document at a URI; `path` is the path of the URI. Returns true if the file is
    /// open at no other URI.
    pub fn close_at(&mut self, uri: &str, path: &Path) -> bool {
        let before = self.duplicate_documents.len();
        self.duplicate_documents.retain(|shadow| shadow.uri() != uri);
        if self.duplicate_documents.len() != before {
            self.note_spelled();
            self.touch();
            return false;
        }
        let id = self.id_at(uri, path);
        id.into_iter().for_each(|id| self.close_file(id));
        id.is_none_or(|id| !self.documents.contains_key(&id))
    }

    /// Adds a document that the editor opened. Documents in irrelevant languages are ignored.
    pub fn open(&mut self, path: &Path, uri: &str, language: &str, version: i32, text: &str) {
        // The document may be recorded as missed under its unresolved path.
        self.table.known(path).into_iter().for_each(|id| _ = self.unopened.remove(id));
        let resolved = ResolvedPath::read(path);
        self.resolve_again(std::slice::from_ref(&resolved));
        self.place_documents();
        let identity = self.identities.identity(&resolved);
        let path = identity.as_path();
        let is_added = self
            .programs
            .projects()
            .iter()
            .any(|project| project.settings.files.adds(path) && path.starts_with(&project.root));
        let kind = if is_added { Some(document::Kind::Policy) } else { kind(path, language) };
        let id = self.table.id(path);
        let Some(kind) = kind else { return self.unopened.add_foreign(id) };
        self.unopened.remove(id);
        if !self.loaded {
            // The next scan starts with the folder of this document.
            self.stop_scan();
        }
        let document = OpenDocument::new(id, self.table.path(id), kind, uri.into(), version, text);
        self.refresh_if_uses_changed(id, |workspace| workspace.add_opening(document.at(resolved)));
        if kind == document::Kind::Other {
            if names_grammar(path, self.programs.projects()) && !self.programs.is_grammar(id) {
                self.look_for_programs();
            }
            let can_be = transcript::can_be(path, language);
            if can_be && self.may_be_transcript(path) && !self.programs.is_transcript(id) {
                self.look_for_programs();
            }
            self.invalidate_previews_reading(id, path);
        } else if !path.is_absolute() {
            self.programs.add_lone(id, path);
        } else if kind == document::Kind::Configuration || !self.programs.reports(id) {
            self.look_for_programs();
        } else {
            self.due.files.insert(id);
        }
        self.touch();
    }

    /// Sets the unpaired surrogates that were replaced with U+FFFD in the text of a document that
    /// was just opened.
    pub fn opened_with(&mut self, uri: &str, text: &str, halves: &[Half]) {
        if let Some(document) = self.opened_at(uri) {
            document.opened_with(text, halves);
        }
    }

    /// True if a scan may show that a document is a transcript.
    fn may_be_transcript(&self, path: &Path) -> bool {
        let is_outside = !self.identities.folders().any(|folder| path.starts_with(folder));
        !self.loaded || is_outside || is_markdown(path) || transcript::may_be(path, self.programs.projects())
    }

    /// Applies the changes of one version of a document.
    ///
    /// # Errors
    ///
    /// If a change cannot be applied. The document is suspect then
    /// ([`OpenState::suspect`](super::OpenState::suspect)).
    pub fn change(
        &mut self,
        path: &Path,
        version: i32,
        changes: &[ContentChange],
        encoding: Encoding,
    ) -> Result<(), ChangeError> {
        let changes: Vec<_> = changes.iter().cloned().map(SentChange::from).collect();
        self.change_sent(path, &path.to_string_lossy(), version, &changes, encoding)
    }

    /// [`Workspace::change`] with the URI of the document and the unpaired surrogates in the
    /// changes.
    ///
    /// # Errors
    ///
    /// As [`Workspace::change`].
    pub fn change_sent(
        &mut self,
        path: &Path,
        uri: &str,
        version: i32,
        changes: &[SentChange],
        encoding: Encoding,
    ) -> Result<(), ChangeError> {
        let id = self.id_at(uri, path).filter(|id| self.documents.contains_key(id));
        let Some(id) = id else { return self.change_unopened(path, uri, version, changes, encoding) };
        self.edits += 1;
        let result = self.refresh_if_uses_changed(id, |workspace| {
            let edits = workspace.edits;
            let document = workspace.documents.get_mut(&id)?;
            document.note_edit(edits);
            workspace.due.programs |= document.kind() == document::Kind::Configuration;
            let result = document.change(version, changes, encoding);
            let is_other = document.kind() == document::Kind::Other;
            Some((result, is_other, Arc::clone(&document.file().path)))
        });
        let Some((result, is_other, path)) = result else { return Ok(()) };
        if is_other {
            self.invalidate_previews_reading(id, &path);
        }
        self.touch();
        result
    }

    /// Removes a document that the editor closed. The file on disk is used after it was read
    /// again.
    pub fn close(&mut self, path: &Path) {
        let id = self.id(path);
        id.into_iter().for_each(|id| self.close_file(id));
    }

    fn close_file(&mut self, id: FileId) {
        self.refresh_if_uses_changed(id, |workspace| workspace.end_opening(id));
    }

    fn end_opening(&mut self, id: FileId) {
        if self.unopened.remove(id) {
            self.touch();
        }
        let Some(mut document) = self.remove_opening(id) else { return };
        let path = Arc::clone(&document.file().path);
        let path = &*path;
        if self.documents.contains_key(&id) {
            // The file is also open at another URI.
            self.due.programs |= document.kind() == document::Kind::Configuration;
            self.invalidate_previews_reading(id, path);
            self.touch();
            return;
        }
        self.due.programs |= self.programs.is_only_while_open(id) || self.programs.is_grammar(id);
        if document.kind() == document::Kind::Other {
            self.invalidate_previews_reading(id, path);
            self.close_transcript(id, document);
            return;
        }
        if document.kind() == document::Kind::Configuration || !self.closed.contains_key(&id) {
            self.look_for_programs();
        } else {
            self.due.files.insert(id);
        }
        if path.is_absolute() {
            document.flush();
            self.closed.insert(id, Arc::new(document.file().without_syntax_tree()));
        } else {
            self.programs.remove_lone(id);
        }
        self.touch();
    }

    /// Keeps the editor's text of a closed transcript until its file was read, if closed
    /// transcripts are checked.
    fn close_transcript(&mut self, id: FileId, mut document: OpenDocument) {
        if let Some(limit) = self.programs.closed_limit(id) {
            document.flush();
            if document.text().len() as u64 <= limit {
                self.closed.insert(id, Arc::new(document.file().without_syntax_tree()));
            }
            self.due.files.insert(id);
        }
        self.touch();
    }
}

fn out_of_sync() -> Finding {
    Finding::new(&DOCUMENT_OUT_OF_SYNC, TextRange::default(), "document is out of sync with the editor")
        .note("an edit did not reach the server, so no other finding of the document is shown")
        .help("close the document and open it again")
}
