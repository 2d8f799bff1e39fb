//! A look at the disk: which files are which program now, and what is in those that no editor has
//! open. Runs aside while edits go on; what it finds is taken over afterwards.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::file::SnapshotFile;
use crate::host::walk::plain;
use crate::host::{FileTable, Overlay, Problem, Resolution, Shell, Target, read, resolve};
use crate::text::FileId;

/// What to look for.
#[derive(Debug)]
pub struct Scan {
    /// The folders and open documents that programs are to be found for; `None` when only `files`
    /// have to be read.
    pub(super) targets: Option<Vec<Target>>,
    /// Files that are to be read again.
    pub(super) files: FxHashSet<FileId>,
    /// The open documents.
    pub(super) overlay: Overlay,
    /// The files as they were the last time.
    pub(super) known: FxHashMap<FileId, Arc<SnapshotFile>>,
    pub(super) table: Arc<FileTable>,
}

/// What was found.
#[derive(Debug, Default)]
pub struct Scanned {
    /// The programs, if they were looked for.
    pub(super) resolution: Option<Resolution>,
    /// The files that are new or different.
    pub(super) files: Vec<Arc<SnapshotFile>>,
    /// Files that were to be read and are not there, or not readable.
    pub(super) gone: Vec<FileId>,
    /// What could not be read.
    pub(super) problems: Vec<Problem>,
}

enum Outcome {
    Same,
    New(Arc<SnapshotFile>),
    Gone(FileId, Problem),
}

impl Scan {
    /// Looks. `progress` is told now and then how many files of how many are done, from any thread.
    #[must_use]
    pub fn run(self, progress: impl Fn(usize, usize) + Sync) -> Scanned {
        let resolution =
            self.targets.as_ref().map(|targets| resolve(targets, Shell::Editor, &self.overlay, &self.table));
        let wanted = match &resolution {
            Some(resolution) => resolution.files(),
            None => self.files.iter().copied().collect(),
        };
        let done = AtomicUsize::new(0);
        let one = |&id: &FileId| {
            let outcome = self.look(id);
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, wanted.len());
            outcome
        };
        let outcomes: Vec<Outcome> = wanted.par_iter().map(one).collect();
        let mut scanned = Scanned { resolution, ..Scanned::default() };
        for outcome in outcomes {
            match outcome {
                Outcome::Same => {}
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

    fn look(&self, id: FileId) -> Outcome {
        let path = self.table.path(id);
        if self.overlay.get(&path).is_some() {
            return Outcome::Same;
        }
        let file = match read(&path, &Overlay::default()) {
            Ok(file) => file,
            Err(error) => {
                let problem = Problem { path: path.to_path_buf(), why: plain(&error), named: false };
                return Outcome::Gone(id, problem);
            }
        };
        let known = self.known.get(&id);
        let same = |known: &&Arc<SnapshotFile>| {
            known.text() == &file.text && known.findings.is_empty() && file.findings.is_empty()
        };
        if known.is_some_and(|known| same(&known)) {
            return Outcome::Same;
        }
        let file = SnapshotFile::closed(id, path, file);
        // Made here, where there is time, and not when the first keystroke waits for it.
        let _ = file.summary();
        Outcome::New(Arc::new(file))
    }
}
