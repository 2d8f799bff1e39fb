//! Checks every fix that claims to be safe: the statements that it changes still say all that they said, their neighbours
//! stay what they are, and nothing in them is an error that was none before. A fix that fails is offered as unsafe.
//!
//! Takes a fix with its edits placed in files; gives yes or no. [`window`] is the stretch of a file that the edits change,
//! [`reading`] the independent comparison of what a person reads, [`settle`] what becomes of it once all its notation is read, [`errors`] what is wrong with it then, [`program`] what that
//! means for other statements, [`dependencies`] what all this was decided by. Verdicts are kept, so
//! that a keystroke costs the checks of the fixes that it changes.

mod claim;
mod dependencies;
mod errors;
mod program;
mod reading;
mod settle;
mod window;

#[cfg(test)]
mod damage_tests;
#[cfg(test)]
mod reading_tests;
#[cfg(test)]
mod tests;

pub(crate) use claim::Claim;
pub(crate) use dependencies::{Change, Dependencies};

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use self::settle::EditedWindow;
use self::window::Window;
use mangle_engine::program::{FileSummary, Program};
use mangle_engine::types::ProgramTypes;

/// So many verdicts are kept; then all are forgotten.
const KEPT: usize = 20_000;

/// The verdicts about fixes, kept between the revisions of a program.
#[derive(Debug, Default)]
pub(super) struct FixChecks {
    known: Mutex<FxHashMap<u64, Verdict>>,
}

/// How much fix checks may look at, in bytes of text and findings of whole files. A statement may have as many fixes as it has words, and each is checked
/// with the whole statement. Fixes that are not checked are not safe.
#[derive(Debug)]
pub(super) struct Effort(usize);

impl Effort {
    /// Enough for each fix of a file whose statements have a few fixes each.
    pub(super) fn for_file(file: &FileSummary) -> Self {
        Self((128 << 10) + 8 * file.text.len())
    }

    /// Enough for all fixes, however long that takes.
    pub(super) fn unlimited() -> Self {
        Self(usize::MAX)
    }

    /// Takes so much of it; says whether it was there.
    fn spend(&mut self, bytes: usize) -> bool {
        let left = self.0.checked_sub(bytes);
        self.0 = left.unwrap_or(0);
        left.is_some()
    }
}

/// What is known of one fix in one file.
#[derive(Debug, Clone)]
enum Verdict {
    /// It loses something.
    Loses,
    /// It loses nothing; and whether it brings no error, under a fingerprint of what the statements refer to.
    Keeps(Arc<EditedWindow>, u64, bool),
}

impl FixChecks {
    /// Whether a fix keeps what it claims, as far as `effort` allows to find out. What that depends on outside of the file
    /// is added to `dependencies`.
    pub(super) fn holds(
        &self,
        (program, types): (&Program, &ProgramTypes),
        claim: Claim<'_>,
        effort: &mut Effort,
        dependencies: &mut Dependencies,
    ) -> bool {
        claim.edits.chunk_by(|one, other| one.file == other.file).all(|edits| {
            let file = edits.first().and_then(|edit| program.file(edit.file));
            let window = file.and_then(|file| Window::new(file, claim, edits));
            // Also where the verdict is known: what is offered must not depend on what was asked before.
            let cost = |window: &Window<'_>| window.text().len() + window.file.findings.len();
            let window = window.filter(|window| effort.spend(cost(window)));
            window.is_some_and(|window| self.holds_in((program, types), &window, dependencies))
        })
    }

    fn holds_in(
        &self,
        (program, types): (&Program, &ProgramTypes),
        window: &Window<'_>,
        dependencies: &mut Dependencies,
    ) -> bool {
        let key = window.key();
        let known = self.known.lock().get(&key).cloned();
        let settled = match &known {
            Some(Verdict::Loses) => return false,
            Some(Verdict::Keeps(settled, ..)) => Some(Arc::clone(settled)),
            None => {
                Some(window).filter(|window| reading::keeps(window)).and_then(settle::settle).map(Arc::new)
            }
        };
        let Some(settled) = settled else {
            self.keep(key, Verdict::Loses);
            return false;
        };
        let check = errors::Check { program, types, file: window.file, window, settled: &settled };
        dependencies.add(&check);
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

impl Hash for Window<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (reading::stretch(self), self.text(), self.ranges(), self.file.package, self.goes_on()).hash(state);
        for item in self.items {
            (item.statement.digest, item.statement.damaged).hash(state);
        }
        for (range, text) in &self.edits {
            (range, text).hash(state);
        }
    }
}
