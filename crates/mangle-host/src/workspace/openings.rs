//! Files that are open at several URIs, because of links or different spellings of a URI.
//!
//! A program uses one text per file: of the document that was edited last or, without edits,
//! opened first. Requests for another opening are answered while its text is the same.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::document::OpenDocument;
use super::file::Opening;
use super::state::Workspace;
use crate::ResolvedPath;
use mangle_syntax::text::FileId;

impl Workspace {
    /// Selects the document at a URI as the active opening of its file, because it is about to be
    /// edited.
    pub fn activate(&mut self, uri: &str) {
        let Some(at) = self.duplicate_documents.iter().position(|shadow| shadow.uri() == uri) else { return };
        let document = self.duplicate_documents.remove(at);
        self.refresh_if_uses_changed(document.id(), |workspace| {
            let before = workspace.documents.insert(document.id(), document);
            workspace.duplicate_documents.extend(before);
        });
        self.touch();
    }

    /// Returns the file of the document at a URI; `path` is the path of the URI.
    pub(super) fn id_at(&self, uri: &str, path: &Path) -> Option<FileId> {
        let document = self.documents.values().find(|document| document.uri() == uri);
        document.map(OpenDocument::id).or_else(|| self.id(path))
    }

    /// Returns all openings of files.
    pub(super) fn openings_mut(&mut self) -> impl Iterator<Item = &mut OpenDocument> {
        self.documents.values_mut().chain(&mut self.duplicate_documents)
    }

    pub(super) fn opened_at(&mut self, uri: &str) -> Option<&mut OpenDocument> {
        self.openings_mut().find(|document| document.uri() == uri)
    }

    /// True if a file is open at several URIs.
    #[must_use]
    pub fn has_duplicates(&self) -> bool {
        !self.duplicate_documents.is_empty()
    }

    /// Adds an opening of a file. The current opening stays active unless it has the same URI, or
    /// the new one was edited later. A document may be assigned to this file after its edits.
    pub(super) fn add_opening(&mut self, document: OpenDocument) {
        let uri = document.uri();
        self.duplicate_documents.retain(|shadow| shadow.uri() != uri);
        let moved = self.documents.values().find(|known| known.uri() == uri && known.id() != document.id());
        if let Some(moved) = moved.map(OpenDocument::id) {
            self.remove_opening(moved);
        }
        let known = self.documents.get(&document.id()).filter(|known| known.uri() != document.uri());
        if known.is_some_and(|known| known.last_edit() >= document.last_edit()) {
            self.duplicate_documents.push(document);
        } else {
            let is_further = known.is_some();
            let before = self.documents.insert(document.id(), document);
            self.duplicate_documents.extend(before.filter(|_| is_further));
        }
        self.note_spelled();
    }

    /// Removes the active opening of a file. Another opening becomes active.
    pub(super) fn remove_opening(&mut self, id: FileId) -> Option<OpenDocument> {
        let document = self.documents.remove(&id)?;
        if let Some(at) = self.duplicate_documents.iter().rposition(|shadow| shadow.id() == id) {
            let next = self.duplicate_documents.remove(at);
            self.documents.insert(id, next);
        }
        self.note_spelled();
        Some(document)
    }

    /// Updates the identities of all open documents, which depend on the workspace folders and on
    /// the links in programs. Returns true if an identity changed.
    pub(super) fn place_documents(&mut self) -> bool {
        let identity =
            |document: &OpenDocument| self.table.id(&self.identities.identity(document.resolved()));
        let moving = |document: &OpenDocument| {
            let id = document.path().is_absolute().then(|| identity(document))?;
            Some((document.uri().to_owned(), id)).filter(|(_, id)| *id != document.id())
        };
        // Active openings stay active within their group.
        let mut all: Vec<_> = self.documents.values().filter_map(moving).collect();
        all.sort_unstable();
        all.extend(self.duplicate_documents.iter().filter_map(moving));
        let moving = all;
        for (uri, id) in &moving {
            self.activate(uri);
            let old = self.documents.values().find(|document| document.uri() == uri).map(OpenDocument::id);
            let Some(document) = old.and_then(|old| self.remove_opening(old)) else { continue };
            self.due.programs = true;
            self.add_opening(document.moved(*id, self.table.path(*id)));
        }
        !moving.is_empty()
    }

    /// Returns the paths in the URIs of open documents.
    pub(super) fn spelled_paths(&self) -> Vec<PathBuf> {
        let all = self.documents.values().chain(&self.duplicate_documents);
        all.map(|document| document.resolved().spelled().to_path_buf()).collect()
    }

    /// Updates the resolved paths of open documents, because links may change.
    pub(super) fn resolve_again(&mut self, resolved: &[ResolvedPath]) {
        for document in self.openings_mut() {
            let spelled = document.resolved().spelled();
            if let Some(now) = resolved.iter().find(|path| path.spelled() == spelled) {
                document.resolve(now.clone());
            }
        }
    }

    /// Schedules a scan if documents were opened or closed during the last scan, which started
    /// with the documents in `open`. Its result may lack new documents, and has no text of closed
    /// documents.
    pub(super) fn rescan_changed_openings(&mut self, open: &[ResolvedPath]) {
        let known: FxHashSet<&Path> = open.iter().map(ResolvedPath::spelled).collect();
        let is_placed = |id| self.programs.reports(id) || self.programs.is_transcript(id);
        let mut opened = self.documents.values().filter(|document| document.path().is_absolute());
        let is_left_out = opened
            .any(|document| !known.contains(document.resolved().spelled()) && !is_placed(document.id()));
        let now: FxHashSet<_> = self.spelled_paths().into_iter().collect();
        let closed = open.iter().filter(|path| !now.contains(path.spelled()));
        let closed: Vec<_> =
            closed.filter_map(|path| self.table.known(&self.identities.identity(path))).collect();
        for id in closed.into_iter().filter(|id| !self.documents.contains_key(id)) {
            if self.programs.is_only_while_open(id) {
                self.due.programs = true;
            } else if self.programs.reports(id) || self.programs.is_transcript(id) {
                self.due.files.insert(id);
            }
        }
        self.due.programs |= is_left_out;
    }

    pub(super) fn note_spelled(&mut self) {
        let all = self.documents.values().chain(&self.duplicate_documents);
        let spelled = all.map(|document| (document.resolved().spelled().to_path_buf(), document.id()));
        let differing = spelled.filter(|(spelled, id)| self.table.known(spelled) != Some(*id));
        self.ids_by_uri_path = Arc::new(differing.collect());
    }

    /// Returns the additional openings of files, by URI.
    pub(super) fn duplicate_openings(&mut self) -> FxHashMap<Arc<str>, Opening> {
        let mut openings = FxHashMap::default();
        for shadow in &mut self.duplicate_documents {
            let text = shadow.flushed_text();
            let counts = self.documents.get_mut(&shadow.id()).map(OpenDocument::flushed_text);
            let is_suspect = shadow.is_suspect();
            let is_same = counts.is_some_and(|counts| counts == text) && !is_suspect;
            openings.insert(shadow.uri().into(), Opening { file: Arc::clone(shadow.file()), is_same });
        }
        openings
    }
}
