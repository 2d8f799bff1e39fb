//! Parallel reading and parsing of the files of a resolution. Results are kept for a process that
//! checks repeatedly.

use std::path::Path;
use std::sync::Arc;

use dashmap::DashMap;
use parking_lot::Mutex;
use rayon::prelude::*;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::decode::is_unparsed;
use super::disk::plain;
use super::read::{MAX_FILES_PER_JOB, summarise};
use super::resolve::{Problem, Resolution};
use super::workspace::{ClosedWorkspace, Snapshot};
use super::{CheckTarget, FileTable, FileText, Overlay, read};
use mangle_engine::program::FileSummary;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::FileId;

/// Reads every file of `resolution` once. A file with the same text as in `memory` is not parsed
/// again. `done` is called after each file, on any thread.
///
/// An unreadable file is a problem and missing from the result.
#[must_use]
pub fn load(
    resolution: &Resolution,
    targets: &[CheckTarget],
    overlay: &Overlay,
    memory: &CheckCache,
    done: impl Fn() + Sync,
) -> (FxHashMap<FileId, Arc<FileSummary>>, Vec<Problem>) {
    let one = |id: FileId| {
        let loaded = load_file(id, targets, overlay, memory);
        done();
        loaded.map(|file| (id, file))
    };
    let wanted = resolution.files().into_par_iter().with_max_len(MAX_FILES_PER_JOB);
    let results: Vec<_> = wanted.map(one).collect();
    let mut files = FxHashMap::default();
    let mut problems = Vec::new();
    for result in results {
        match result {
            Ok((id, file)) => drop(files.insert(id, file)),
            Err(problem) => problems.push(problem),
        }
    }
    (files, problems)
}

/// Returns the existing program files that were ignored because they are too long or not text.
#[must_use]
pub fn unparsed(
    files: &FxHashMap<FileId, Arc<FileSummary>>,
    targets: &[CheckTarget],
    table: &FileTable,
) -> Vec<Problem> {
    let problem = |file: &Arc<FileSummary>| {
        let why = file
            .findings
            .iter()
            .find(|finding| is_unparsed(finding))?
            .message
            .trim_end_matches('.')
            .to_owned();
        let path = table.path(file.id);
        Some(Problem { named: is_named(&path, targets), path: path.to_path_buf(), why })
    };
    let mut problems: Vec<_> = files.values().filter_map(problem).collect();
    problems.sort_by(|a, b| a.path.cmp(&b.path));
    problems
}

fn is_named(path: &Path, targets: &[CheckTarget]) -> bool {
    targets
        .iter()
        .any(|target| matches!(target, CheckTarget::File(file) | CheckTarget::Other(file) if file == path))
}

fn load_file(
    id: FileId,
    targets: &[CheckTarget],
    overlay: &Overlay,
    memory: &CheckCache,
) -> Result<Arc<FileSummary>, Problem> {
    let path = memory.table().path(id);
    let text = read(&path, overlay).map_err(|error| Problem {
        path: path.to_path_buf(),
        why: plain(&error),
        named: is_named(&path, targets),
    })?;
    Ok(memory.summary(id, &text, || {
        let source = SourceFile::parse(Arc::clone(&text.text)).without_tree();
        summarise(id, &source, &text.findings)
    }))
}

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
