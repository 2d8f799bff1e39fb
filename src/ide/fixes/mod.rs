//! Applying fixes: the one engine behind `check --fix` and the editor's "fix all".
//!
//! Takes programs and a wish (which findings, safe fixes only or guesses too); gives the new texts of the
//! files that change. Works in passes: what does not get in each other's way is applied together, and then
//! everything is checked anew, because one fix may show, mend or make another finding. Whatever a fix
//! promised is verified: its finding is gone and the file can be read no worse than before. A fix that
//! breaks its promise is taken back and reported.

mod edits;
mod passes;
mod select;
mod verify;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use rustc_hash::FxHashMap;

pub use self::edits::difference;
pub use self::passes::fix;
use super::diagnostics::{FindingCache, diagnostics, once};
use crate::config::RuleSettings;
use crate::lint::{Applicability, Diagnostic, Group};
use crate::program::{Embedding, FileSummary, Program};
use crate::text::FileId;

/// Files that are checked as one program.
#[derive(Debug)]
pub struct Unit {
    /// All of them.
    pub files: Vec<FileId>,
    /// Those whose findings count, sorted.
    pub reported: Vec<FileId>,
    /// The severities.
    pub rules: Arc<RuleSettings>,
    /// What surrounds the program.
    pub embedding: Arc<Embedding>,
    /// What was found earlier.
    pub cache: Arc<FindingCache>,
}

/// The files and how they are checked: what fixes work on.
#[derive(Debug)]
pub struct Bench {
    /// The programs. A file may be in several.
    pub units: Vec<Unit>,
    /// Their files.
    pub files: FxHashMap<FileId, Arc<FileSummary>>,
}

/// Which findings are to be fixed.
#[derive(Clone, Copy)]
pub struct Wish<'w> {
    /// Also by fixes that guess.
    pub guesses: bool,
    /// Which of those that have a fix.
    pub wanted: &'w dyn Fn(FileId, &Diagnostic) -> bool,
    /// Which files may change.
    pub editable: &'w dyn Fn(FileId) -> bool,
    /// The most passes. With one, only what is offered now is done.
    pub passes: usize,
}

impl std::fmt::Debug for Wish<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Wish").field("guesses", &self.guesses).finish_non_exhaustive()
    }
}

/// So many passes are enough for anything but fixes that undo each other.
pub const MAX_PASSES: usize = 100;

/// What [`fix`] did.
#[derive(Debug, Default)]
pub struct Fixed {
    /// The files that changed, as they are now, by id.
    pub changed: Vec<Arc<FileSummary>>,
    /// How many fixes were applied.
    pub count: usize,
    /// Fixes that did not do what they promised and were taken back, as the finding was at that time.
    pub failed: Vec<(FileId, Diagnostic)>,
    /// Whether fixes undo each other or never end. Nothing was fixed then.
    pub endless: bool,
}

/// The diagnostics of the reported files, each once.
type Found = FxHashMap<FileId, Vec<Diagnostic>>;

impl Bench {
    /// Checks everything.
    fn check(&self) -> Found {
        let mut all: FxHashMap<FileId, Vec<Vec<Diagnostic>>> = FxHashMap::default();
        for unit in &self.units {
            let files = unit.files.iter().filter_map(|file| self.files.get(file).map(Arc::clone));
            let program = Program::embedded(files.collect(), Arc::clone(&unit.embedding));
            for (file, found) in diagnostics(&program, &unit.rules, &unit.cache) {
                if unit.reported.binary_search(&file).is_ok() {
                    all.entry(file).or_default().push(found);
                }
            }
        }
        let joined = |lists: Vec<Vec<Diagnostic>>| {
            let lists: Vec<_> = lists.iter().map(Vec::as_slice).collect();
            once(&lists).into_iter().cloned().collect()
        };
        all.into_iter().map(|(file, lists)| (file, joined(lists))).collect()
    }

    /// Whether edits may touch a file: its text is what is on disk. Bytes that are no text are not in it.
    fn is_editable(&self, file: FileId) -> bool {
        let file = self.files.get(&file);
        file.is_some_and(|file| {
            file.findings.iter().all(|finding| finding.rule.group != Group::Configuration)
        })
    }
}

/// Whether a diagnostic has a fix that may be applied without looking.
#[must_use]
pub fn is_safely_fixable(diagnostic: &Diagnostic) -> bool {
    diagnostic.fix.as_ref().is_some_and(|fix| fix.applicability == Applicability::Safe)
}
