//! Results that are kept between checks, for a process that checks repeatedly.

use std::sync::Arc;

use dashmap::DashMap;
use parking_lot::Mutex;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::workspace::{ClosedWorkspace, Snapshot};
use super::{FileTable, FileText, Overlay, Resolution};
use mangle_engine::program::FileSummary;
use mangle_syntax::text::FileId;

/// The last parsed version of each file, and the findings of its statements. The content does not
/// affect the result of a check, only its duration.
#[derive(Debug, Default)]
pub struct CheckCache {
    table: Arc<FileTable>,
    files: DashMap<FileId, Arc<FileSummary>, FxBuildHasher>,
    workspace: Mutex<ClosedWorkspace>,
}

impl CheckCache {
    #[must_use]
    pub fn table(&self) -> &FileTable {
        &self.table
    }

    /// Returns the cached summary of a file if the text is unchanged, or the result of `make`.
    pub(super) fn summary(
        &self,
        file: FileId,
        text: &FileText,
        make: impl FnOnce() -> Arc<FileSummary>,
    ) -> Arc<FileSummary> {
        // Read errors are part of the summary, but not of the text.
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

    /// Returns the programs of `resolution` as a snapshot without open documents. `files` is the
    /// result of [`super::load`].
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
