//! What a question is answered from: the workspace at one revision, and the client's abilities.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tower_lsp::ls_types::Uri;

use super::from_proto;
use super::session::Session;
use crate::host::workspace::{Snapshot, SnapshotFile};

/// A snapshot with its session. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct View {
    pub(super) session: Arc<Session>,
    pub(super) snapshot: Arc<Snapshot>,
    /// The revision that the writer is at by now.
    pub(super) newest: Arc<AtomicU64>,
}

impl View {
    /// Whether something changed since the snapshot was taken.
    pub(super) fn is_outdated(&self) -> bool {
        self.newest.load(Ordering::Acquire) != self.snapshot.revision
    }

    /// The file that a URI names.
    pub(super) fn file(&self, uri: &Uri) -> Option<&Arc<SnapshotFile>> {
        self.file_at(&from_proto::document_path(uri))
    }

    /// The file at a path.
    pub(super) fn file_at(&self, path: &Path) -> Option<&Arc<SnapshotFile>> {
        self.snapshot.file(self.snapshot.id(path)?)
    }
}
