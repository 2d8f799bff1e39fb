//! A scan of the disk: finds programs and reads files that are not open. The scan runs on another
//! thread while edits continue, and its result is applied afterwards.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::file::SnapshotFile;
use crate::disk::plain;
use crate::read::{MAX_FILES_PER_JOB, is_marked};
use crate::resolve::{is_large, resolve_open};
use crate::transcripts::{closed_limits, read_closed};
use crate::{CheckTarget, FileTable, FileText, Overlay, Problem, Resolution, ResolvedPath, read};
use mangle_syntax::lint::Finding;
use mangle_syntax::syntax::rules::BOM;
use mangle_syntax::text::{Cancel, FileId};

/// Input of a scan.
#[derive(Debug)]
pub struct Scan {
    /// The folders and open documents to find programs for. `None` if only `files` must be read.
    pub(super) targets: Option<Vec<CheckTarget>>,
    /// Files to read again.
    pub(super) files: FxHashSet<FileId>,
    /// The known closed transcripts, with the maximum number of bytes to read of each.
    pub(super) transcripts: FxHashMap<FileId, u64>,
    /// The paths in the URIs of open documents.
    pub(super) open: Vec<PathBuf>,
    pub(super) overlay: Overlay,
    /// The files at the last scan.
    pub(super) known: FxHashMap<FileId, Arc<SnapshotFile>>,
    pub(super) table: Arc<FileTable>,
    pub(super) stage: Stage,
    pub(super) cancel: Cancel,
}

/// The stage of scanning a workspace.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Stage {
    /// The first scan. In large folders, only the folders of open documents are scanned.
    #[default]
    First,
    /// The scan of the remaining files after a partial first scan. Requests about open documents
    /// are answered meanwhile.
    Remaining,
    /// Any later scan.
    Rescan,
}

#[derive(Debug, Default)]
pub struct ScanResult {
    /// The programs, if the scan searched for them.
    pub(super) resolution: Option<Resolution>,
    /// New and changed files.
    pub(super) files: Vec<Arc<SnapshotFile>>,
    /// Files that were to be read and are missing or unreadable.
    pub(super) gone: Vec<FileId>,
    /// The resolved paths of the URIs of open documents.
    pub(super) open: Vec<ResolvedPath>,
    /// For open files: true if the file on disk starts with a byte order mark.
    pub(super) marks: Vec<(FileId, bool)>,
    pub(super) problems: Vec<Problem>,
    /// True if only the folders of open documents were scanned.
    pub(super) is_partial: bool,
    /// True if the scan was canceled. The other fields are then unusable.
    pub(super) is_cancelled: bool,
}

enum Outcome {
    Same,
    New(Arc<SnapshotFile>),
    Gone(FileId, Problem),
    /// The file is open. The flag is true if the file on disk starts with a byte order mark.
    Open(FileId, bool),
}

impl Scan {
    /// True if requests are answered meanwhile, so that the scan must not occupy their threads.
    #[must_use]
    pub fn is_aside(&self) -> bool {
        self.stage == Stage::Remaining
    }

    /// Runs the scan. `progress` receives the numbers of finished and of all files now and then,
    /// from any thread.
    #[must_use]
    pub fn run(self, progress: impl Fn(usize, usize) + Sync) -> ScanResult {
        let targets = self.targets.as_deref();
        let has_open = self.overlay.paths().next().is_some();
        let is_partial = self.stage == Stage::First
            && has_open
            && targets.is_some_and(|targets| is_large(targets, &self.cancel));
        let resolution = targets
            .map(|targets| resolve_open(targets, &self.overlay, &self.table, is_partial, &self.cancel));
        let (wanted, limits) = match &resolution {
            Some(resolution) => {
                let limits = closed_limits(&resolution.transcripts, &self.overlay, &self.table);
                let closed = limits.iter().map(|(file, _)| *file);
                (resolution.files().into_iter().chain(closed).collect(), limits.iter().copied().collect())
            }
            None => (self.files.iter().copied().collect::<Vec<_>>(), self.transcripts.clone()),
        };
        let done = AtomicUsize::new(0);
        let one = |&id: &FileId| {
            if self.cancel.is_cancelled() {
                return Outcome::Same;
            }
            let outcome = self.look(id, limits.get(&id).copied());
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, wanted.len());
            outcome
        };
        let outcomes: Vec<Outcome> = wanted.par_iter().with_max_len(MAX_FILES_PER_JOB).map(one).collect();
        if self.cancel.is_cancelled() {
            return ScanResult { is_cancelled: true, ..ScanResult::default() };
        }
        let open = self.open.iter().map(|path| ResolvedPath::read(path)).collect();
        let mut scanned = ScanResult { resolution, open, is_partial, ..ScanResult::default() };
        for outcome in outcomes {
            match outcome {
                Outcome::Same => {}
                Outcome::Open(id, marked) => scanned.marks.push((id, marked)),
                Outcome::New(file) => scanned.files.push(file),
                Outcome::Gone(id, problem) => {
                    scanned.gone.push(id);
                    scanned.problems.push(problem);
                }
            }
        }
        if let Some(resolution) = &mut scanned.resolution {
            scanned.problems.append(&mut resolution.problems);
        }
        scanned
    }

    /// Reads a file. `limit` is the maximum number of bytes to read of a transcript.
    fn look(&self, id: FileId, limit: Option<u64>) -> Outcome {
        let path = self.table.path(id);
        if self.overlay.get(&path).is_some() {
            return Outcome::Open(id, is_marked(&path));
        }
        let file = match limit {
            Some(limit) => read_closed(&path, limit),
            None => read(&path, &Overlay::default()).map(FileText::policy_without_mark),
        };
        let file = match file {
            Ok(file) => file,
            Err(error) => {
                let problem = Problem { path: path.to_path_buf(), why: plain(&error), named: false };
                return Outcome::Gone(id, problem);
            }
        };
        let known = self.known.get(&id);
        let same = |known: &&Arc<SnapshotFile>| {
            let is_whole =
                known.findings.is_empty() && file.findings.is_empty() || is_marked_alone(known, &file);
            let is_left_out = limit.is_some() && !known.findings.is_empty() && !file.findings.is_empty();
            known.text() == &file.text && (is_whole || is_left_out)
        };
        if known.is_some_and(|known| same(&known)) {
            return Outcome::Same;
        }
        if limit.is_some() {
            return Outcome::New(Arc::new(SnapshotFile::transcript(id, path, file)));
        }
        let file = SnapshotFile::closed(id, path, file);
        // Computed during the scan, so that the first keystroke does not wait for it.
        let _ = file.summary();
        Outcome::New(Arc::new(file))
    }
}

/// True if neither the known nor the new text has a problem other than a byte order mark.
fn is_marked_alone(known: &SnapshotFile, file: &FileText) -> bool {
    let is_mark = |findings: &[Finding]| matches!(findings, [finding] if finding.rule == &BOM);
    is_mark(&known.findings) && is_mark(&file.findings)
}
