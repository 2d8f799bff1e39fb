//! Verification of fixes that claim to be safe. Changed statements must keep their meaning,
//! neighboring statements must stay the same, and no new errors can appear. Fixes that fail the
//! check are offered as unsafe.
//!
//! * [`window`]: the part of a file that the edits change, with all syntax fixes applied
//! * [`reading`]: independent comparison of the statements that a person reads
//! * [`errors`]: compares the errors before and after, checks the effect on other statements, and
//!   tracks the inputs of verdicts
//!
//! Verdicts are cached, so that a keystroke only repeats the checks of affected fixes.

mod errors;
mod reading;
mod window;

#[cfg(test)]
mod damage_tests;
#[cfg(test)]
mod reading_tests;
#[cfg(test)]
mod tests;

pub(crate) use errors::{Change, Dependencies};
pub(crate) use window::Claim;

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use mangle_engine::program::{FileSummary, Program};
use mangle_engine::types::ProgramTypes;
use window::EditedWindow;
use window::Window;

/// Maximum number of cached verdicts. All are dropped if the limit is reached.
const MAX_VERDICTS: usize = 20_000;

/// The verdicts about fixes, kept between the revisions of a program.
#[derive(Debug, Default)]
pub(super) struct FixChecks {
    known: Mutex<FxHashMap<u64, Verdict>>,
}

/// The remaining work of fix checks, in bytes of text plus findings of whole files. A statement can
/// have as many fixes as words, and each check reads the whole statement. Unchecked fixes are not
/// safe.
#[derive(Debug)]
pub(super) struct Budget(usize);

impl Budget {
    /// A budget for a file whose statements have a few fixes each.
    pub(super) fn for_file(file: &FileSummary) -> Self {
        Self((128 << 10) + 8 * file.text.len())
    }

    /// A budget without a limit.
    pub(super) fn unlimited() -> Self {
        Self(usize::MAX)
    }

    /// Takes some of the budget. Returns false if too little is left.
    fn spend(&mut self, bytes: usize) -> bool {
        let left = self.0.checked_sub(bytes);
        self.0 = left.unwrap_or(0);
        left.is_some()
    }
}

/// The verdict about one fix in one file.
#[derive(Debug, Clone)]
enum Verdict {
    /// The fix loses a part of the program.
    Loses,
    /// The fix loses nothing. The flag is true if it causes no errors; the number is a fingerprint
    /// of everything that the statements refer to.
    Keeps(Arc<EditedWindow>, u64, bool),
}

impl FixChecks {
    /// True if the fix passes the check within `effort`. Dependencies on other files are added to
    /// `dependencies`.
    pub(super) fn holds(
        &self,
        program: &Program,
        types: &ProgramTypes,
        claim: Claim<'_>,
        effort: &mut Budget,
        dependencies: &mut Dependencies,
    ) -> bool {
        claim.edits.chunk_by(|one, other| one.file == other.file).all(|edits| {
            let file = edits.first().and_then(|edit| program.file(edit.file));
            let window = file.and_then(|file| Window::new(file, claim, edits));
            // Also charged for cached verdicts, so that the result does not depend on earlier
            // checks.
            let cost = |window: &Window<'_>| window.text().len() + window.file.findings.len();
            let window = window.filter(|window| effort.spend(cost(window)));
            window.is_some_and(|window| self.holds_in(program, types, &window, dependencies))
        })
    }

    fn holds_in(
        &self,
        program: &Program,
        types: &ProgramTypes,
        window: &Window<'_>,
        dependencies: &mut Dependencies,
    ) -> bool {
        let key = window.key();
        let known = self.known.lock().get(&key).cloned();
        let settled = match &known {
            Some(Verdict::Loses) => return false,
            Some(Verdict::Keeps(settled, ..)) => Some(Arc::clone(settled)),
            None => {
                Some(window).filter(|window| reading::keeps(window)).and_then(window::settle).map(Arc::new)
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
        let holds = check.adds_no_errors();
        self.keep(key, Verdict::Keeps(settled, fingerprint, holds));
        holds
    }

    fn keep(&self, key: u64, verdict: Verdict) {
        let mut known = self.known.lock();
        if known.len() >= MAX_VERDICTS {
            known.clear();
        }
        known.insert(key, verdict);
    }
}

impl Hash for Window<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (reading::stretch(self), self.text(), self.ranges(), self.file.package, self.continues()).hash(state);
        for item in self.items {
            (item.statement.digest, item.statement.damaged).hash(state);
        }
        for (range, text) in &self.edits {
            (range, text).hash(state);
        }
    }
}
