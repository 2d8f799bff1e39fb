//! The documents that the editor has open and this side has not.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use mangle_syntax::text::FileId;

/// The documents that the editor has open and this side has not.
#[derive(Debug, Default)]
pub(super) struct Unopened {
    /// Those that may be policies, transcripts or settings.
    pub(super) missed: FxHashMap<FileId, Missed>,
    /// Those in languages that are of no interest.
    pub(super) foreign: FxHashSet<FileId>,
}

/// A document that the editor edits and whose text never arrived.
#[derive(Debug)]
pub(super) struct Missed {
    pub(super) uri: Arc<str>,
    /// Whether the message that opened it was seen and could not be read: the next whole text is as good.
    pub(super) is_opening_lost: bool,
}

impl Unopened {
    /// A document in a language that is of no interest was opened.
    pub(super) fn add_foreign(&mut self, file: FileId) {
        self.missed.remove(&file);
        self.foreign.insert(file);
    }

    /// A document was opened or closed. Gives whether it was missed.
    pub(super) fn remove(&mut self, file: FileId) -> bool {
        self.foreign.remove(&file);
        self.missed.remove(&file).is_some()
    }

    /// Whether a document was missed.
    pub(super) fn is_missed(&self, file: FileId) -> bool {
        self.missed.contains_key(&file)
    }

    /// The missed documents with their URIs.
    pub(super) fn missed(&self) -> impl Iterator<Item = (FileId, &Arc<str>)> {
        self.missed.iter().map(|(file, missed)| (*file, &missed.uri))
    }
}
