//! Documents that are open in the editor but missing in the workspace.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use mangle_syntax::text::FileId;

#[derive(Debug, Default)]
pub(super) struct Unopened {
    /// Documents that may be policies, transcripts or configurations.
    pub(super) missed: FxHashMap<FileId, MissedDocument>,
    /// Documents in irrelevant languages.
    pub(super) foreign: FxHashSet<FileId>,
}

/// A document that the editor edits although its text was never received.
#[derive(Debug)]
pub(super) struct MissedDocument {
    pub(super) uri: Arc<str>,
    /// True if the opening message arrived but could not be read. The next whole text replaces it.
    pub(super) is_opening_lost: bool,
}

impl Unopened {
    /// Adds a document in an irrelevant language.
    pub(super) fn add_foreign(&mut self, file: FileId) {
        self.missed.remove(&file);
        self.foreign.insert(file);
    }

    /// Removes a document that was opened or closed. Returns true if it was missed.
    pub(super) fn remove(&mut self, file: FileId) -> bool {
        self.foreign.remove(&file);
        self.missed.remove(&file).is_some()
    }

    pub(super) fn is_missed(&self, file: FileId) -> bool {
        self.missed.contains_key(&file)
    }

    /// Returns the missed documents with their URIs.
    pub(super) fn missed(&self) -> impl Iterator<Item = (FileId, &Arc<str>)> {
        self.missed.iter().map(|(file, missed)| (*file, &missed.uri))
    }
}
