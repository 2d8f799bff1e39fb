//! Ids that anchor ranges: a file of the workspace, a statement of a file.

use std::sync::atomic::{AtomicU32, Ordering};

/// A file known to the tool: an index into the host's table of paths. Stable for the life of the
/// process, never reused for another path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// One lowered statement. A statement that an edit does not touch keeps its id (and its
/// content) while its place in the file moves; a changed statement gets a fresh one. Ids of
/// dropped statements are not used again before 2³² statements were lowered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StatementId(u32);

impl StatementId {
    /// An id that no living statement has.
    #[must_use]
    pub fn fresh() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}
