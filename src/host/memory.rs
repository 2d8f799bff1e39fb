//! What is kept from one check to the next, for a process that checks more than once.

use std::path::PathBuf;
use std::sync::Arc;

use dashmap::DashMap;
use rustc_hash::FxBuildHasher;

use super::{FileTable, FileText, ProgramFiles};
use crate::ide::registry;
use mangle_check::diagnostics::FindingCache;
use mangle_engine::program::FileSummary;
use mangle_syntax::text::FileId;

/// Files as they were read last, and what was found in their statements. A check with a fresh memory and one with an
/// old memory give the same.
#[derive(Debug, Default)]
pub struct Memory {
    table: FileTable,
    files: DashMap<FileId, Arc<FileSummary>, FxBuildHasher>,
    caches: DashMap<Key, Arc<FindingCache>, FxBuildHasher>,
}

/// A program: its name, its root, and the kernel or test that is checked with it.
type Key = (String, PathBuf, Option<FileId>);

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

    /// What was found in the statements of a program.
    pub(super) fn cache(&self, program: &ProgramFiles, single: Option<FileId>) -> Arc<FindingCache> {
        let key = (program.name.clone(), program.root.clone(), single);
        Arc::clone(&self.caches.entry(key).or_insert_with(|| Arc::new(FindingCache::new(registry::all()))))
    }
}
