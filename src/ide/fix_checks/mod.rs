//! Checks every fix that claims to be safe: the statements that it changes still say all that they said, their neighbours
//! stay what they are, and nothing in them is an error that was none before. A fix that fails is offered as unsafe.
//!
//! Takes a fix with its edits placed in files; gives yes or no. [`window`] is the stretch of a file that the edits change,
//! [`settle`] what becomes of it once all its notation is read, [`errors`] what is wrong with it then, [`program`] what that
//! means for other statements. Verdicts are kept, so
//! that a keystroke costs the checks of the fixes that it changes.

mod errors;
mod program;
mod settle;
mod window;

#[cfg(test)]
mod tests;

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHasher};

use self::settle::Settled;
use self::window::Window;
use crate::lint::{FileEdit, Fix};
use crate::program::{FileSummary, Program};
use crate::text::{FileId, TextRange, TextSize};
use crate::types::ProgramTypes;

/// So many verdicts are kept; then all are forgotten.
const KEPT: usize = 20_000;

/// The verdicts about fixes, kept between the revisions of a program.
#[derive(Debug, Default)]
pub(super) struct FixChecks {
    known: Mutex<FxHashMap<u64, Verdict>>,
}

/// What is known of one fix in one file.
#[derive(Debug, Clone)]
enum Verdict {
    /// It loses something.
    Loses,
    /// It loses nothing; and whether it brings no error, under a fingerprint of what the statements refer to.
    Keeps(Arc<Settled>, u64, bool),
}

/// A fix of a finding in a file, and where both stand.
#[derive(Debug, Clone, Copy)]
pub(super) struct Claim<'f> {
    /// The file of the finding.
    pub(super) file: FileId,
    /// What the ranges of `fix` count from.
    pub(super) start: TextSize,
    /// What the finding underlines, in the file.
    pub(super) range: TextRange,
    pub(super) fix: &'f Fix,
    /// The edits, sorted.
    pub(super) edits: &'f [FileEdit],
}

impl FixChecks {
    /// Whether a fix keeps what it claims.
    pub(super) fn holds(&self, program: &Program, types: &ProgramTypes, claim: Claim<'_>) -> bool {
        claim.edits.chunk_by(|one, other| one.file == other.file).all(|edits| {
            let file = edits.first().and_then(|edit| program.file(edit.file));
            file.is_some_and(|file| self.holds_in(program, types, file, claim, edits))
        })
    }

    fn holds_in(
        &self,
        program: &Program,
        types: &ProgramTypes,
        file: &FileSummary,
        claim: Claim<'_>,
        edits: &[FileEdit],
    ) -> bool {
        let Some(window) = Window::new(file, claim, edits) else { return false };
        let key = window.key();
        let known = self.known.lock().get(&key).cloned();
        let settled = match &known {
            Some(Verdict::Loses) => return false,
            Some(Verdict::Keeps(settled, ..)) => Some(Arc::clone(settled)),
            None => settle::settle(&window).map(Arc::new),
        };
        let Some(settled) = settled else {
            self.keep(key, Verdict::Loses);
            return false;
        };
        let check = errors::Check { program, types, file, window: &window, settled: &settled };
        let fingerprint = check.fingerprint();
        if let Some(Verdict::Keeps(_, before, holds)) = known
            && before == fingerprint
        {
            return holds;
        }
        let holds = check.brings_none();
        self.keep(key, Verdict::Keeps(settled, fingerprint, holds));
        holds
    }

    fn keep(&self, key: u64, verdict: Verdict) {
        let mut known = self.known.lock();
        if known.len() >= KEPT {
            known.clear();
        }
        known.insert(key, verdict);
    }
}

/// A number for what is hashed.
fn hash(feed: impl FnOnce(&mut FxHasher)) -> u64 {
    let mut hasher = FxHasher::default();
    feed(&mut hasher);
    hasher.finish()
}

impl Hash for Window<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.text(), self.ranges(), self.file.package, self.goes_on()).hash(state);
        for item in self.items {
            (item.statement.digest, item.statement.damaged).hash(state);
        }
        for (range, text) in &self.edits {
            (range, text).hash(state);
        }
    }
}
