//! Suspect documents: documents whose text may differ from the editor's, because an edit was lost
//! or their opening was never received.

use std::path::Path;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::document::{ChangeError, OpenDocument};
use super::unopened::MissedDocument;
use super::{Workspace, kind};
use mangle_settings::DOCUMENT_OUT_OF_SYNC;
use mangle_syntax::lint::{Diagnostic, Finding};
use mangle_syntax::text::{Encoding, FileId, SentChange, TextRange};

impl Workspace {
    /// Applies changes to a document that is not open. A whole text replaces the lost opening; any
    /// other change makes the document suspect.
    pub(super) fn change_unopened(
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
}

fn out_of_sync() -> Finding {
    Finding::new(&DOCUMENT_OUT_OF_SYNC, TextRange::default(), "document is out of sync with the editor")
        .note("an edit did not reach the server, so no other finding of the document is shown")
        .help("close the document and open it again")
}
