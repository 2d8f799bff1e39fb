//! What is kept from one check to the next, for a process that checks more than once.

use std::sync::Arc;

use dashmap::DashMap;
use parking_lot::Mutex;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::workspace::{ClosedWorkspace, Snapshot};
use super::{FileTable, FileText, Overlay, Resolution};
use mangle_engine::program::FileSummary;
use mangle_syntax::text::FileId;

/// Files as they were read last, and what was found in their statements. A check with a fresh memory and one with an
/// old memory give the same.
#[derive(Debug, Default)]
pub struct Memory {
    table: Arc<FileTable>,
    files: DashMap<FileId, Arc<FileSummary>, FxBuildHasher>,
    workspace: Mutex<ClosedWorkspace>,
}

impl Memory {
    /// The ids of the files.
    #[must_use]
    pub fn table(&self) -> &FileTable {
        &self.table
    }

    /// The summary of a file with this text: that of the last time if the text is the same, else that which `make`
    /// gives.
    pub(super) fn summary(
        &self,
        file: FileId,
        text: &FileText,
        make: impl FnOnce() -> Arc<FileSummary>,
    ) -> Arc<FileSummary> {
        // What was wrong with reading a file is part of its summary, and not of its text.
        if !text.findings.is_empty() {
            self.files.remove(&file);
            return make();
        }
        if let Some(known) = self.files.get(&file)
            && known.text == text.text
        {
            return Arc::clone(&known);
        }
        let summary = make();
        self.files.insert(file, Arc::clone(&summary));
        summary
    }

    /// The programs of `resolution`, whose files [`super::load`] gave, as they are in an editor without open documents.
    #[must_use]
    pub fn snapshot(
        &self,
        resolution: &Resolution,
        files: &FxHashMap<FileId, Arc<FileSummary>>,
        overlay: &Overlay,
    ) -> Snapshot {
        self.workspace.lock().snapshot(resolution, files, overlay, &self.table)
    }
}
