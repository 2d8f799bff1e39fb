//! The workspace of a command, without open documents.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::programs::Programs;
use super::prompt_revisions::PromptRevisions;
use super::{Snapshot, SnapshotFile};
use crate::{FileTable, Overlay, Resolution};
use mangle_engine::program::FileSummary;
use mangle_syntax::text::FileId;

/// Programs that are kept between checks. Unchanged parts are not recomputed.
#[derive(Debug)]
pub(crate) struct ClosedWorkspace {
    programs: Programs,
    files: FxHashMap<FileId, Arc<SnapshotFile>>,
    revision: u64,
}

impl Default for ClosedWorkspace {
    fn default() -> Self {
        Self { programs: Programs::of_commands(), files: FxHashMap::default(), revision: 0 }
    }
}

impl ClosedWorkspace {
    /// Returns the programs of a resolution. `summaries` are its files. Files that previews read
    /// in addition to policies come from the resolution.
    pub(crate) fn snapshot(
        &mut self,
        resolution: &Resolution,
        summaries: &FxHashMap<FileId, Arc<FileSummary>>,
        overlay: &Overlay,
        table: &Arc<FileTable>,
    ) -> Snapshot {
        self.revision += 1;
        self.programs.take_programs(resolution, table);
        let known = std::mem::take(&mut self.files);
        let file = |(id, summary): (&FileId, &Arc<FileSummary>)| {
            let known = known.get(id).filter(|known| Arc::ptr_eq(known.summary(), summary));
            let new = || Arc::new(SnapshotFile::summarised(table.path(*id), Arc::clone(summary)));
            (*id, known.map_or_else(new, Arc::clone))
        };
        self.files = summaries.iter().map(file).collect();
        let prompt_revisions = PromptRevisions { all: self.revision, atoms: self.revision };
        let programs = self.programs.at(&self.files, prompt_revisions);
        let (files, table) = (self.files.clone(), Arc::clone(table));
        let mut snapshot =
            Snapshot::new(self.revision, programs, Vec::new(), files, FxHashMap::default(), table);
        (snapshot.prompt_revisions, snapshot.prompt_overlay) = (prompt_revisions, Arc::new(overlay.clone()));
        snapshot.read_previews.clone_from(&resolution.previews);
        snapshot
    }
}
