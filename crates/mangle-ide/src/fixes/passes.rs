//! Fix passes: apply compatible fixes, check again, revert failures, and repeat until no fix is
//! left.

use rustc_hash::FxHashSet;

use super::select::{Candidate, select};
use super::verify::{Changes, RemainingFindings};
use super::{FileDiagnostics, FixOutcome, FixRequest, MAX_PASSES};
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::{FileId, TextRange};

/// Maximum number of attempts per run. Bounds the run time for texts with many failing fixes; the
/// remaining fixes are not tried.
const MAX_ATTEMPTS: usize = 2_000;

/// Minimum batch size to drop the visibly failing fixes before bisecting the batch.
const MIN_FILTER_BATCH: usize = 16;

/// A set of texts that is checked as a whole and modified by fixes.
pub(super) trait FixTarget {
    /// Snapshot of all texts. Must be cheap to clone.
    type Texts: Clone;

    fn texts(&self) -> Self::Texts;

    /// Replaces all texts.
    fn set(&mut self, texts: Self::Texts);

    /// Hash of the texts.
    fn state(&self) -> u64;

    fn check(&self) -> FileDiagnostics;

    /// True if edits may modify a file.
    fn is_editable(&self, file: FileId) -> bool;

    /// Applies the changes of `candidates`. Returns false if the edits do not fit, or if they make
    /// the texts less parsable, if known without a check.
    fn put(&mut self, changes: &Changes<'_>, candidates: &[Candidate<'_>]) -> bool;

    /// True if the findings before and after applying `candidates` show no additional damage.
    fn is_no_worse(
        &self,
        before: &FileDiagnostics,
        after: &FileDiagnostics,
        candidates: &[Candidate<'_>],
    ) -> bool;
}

/// Applies the requested fixes until none is left. Afterwards, `bench` contains the result.
pub(super) fn run<W: FixTarget>(bench: &mut W, wish: FixRequest<'_>) -> FixOutcome {
    let original = bench.texts();
    let mut run =
        PassState { result: FixOutcome::default(), given_up: FxHashSet::default(), attempts: MAX_ATTEMPTS };
    let mut found = bench.check();
    let mut seen = FxHashSet::from_iter([bench.state()]);
    let (mut passes, mut retried) = (0, false);
    while passes < wish.passes {
        let Some(after) = run.pass(bench, wish, &found) else {
            // A fix that failed together with others may succeed alone.
            if retried || !run.reset_failures() {
                break;
            }
            retried = true;
            continue;
        };
        found = after;
        passes += 1;
        if passes == MAX_PASSES || !seen.insert(bench.state()) {
            bench.set(original);
            return FixOutcome { endless: true, ..FixOutcome::default() };
        }
    }
    run.result
}

/// State shared by all passes.
struct PassState {
    result: FixOutcome,
    /// Findings whose fix failed: file, rule code and range.
    given_up: FxHashSet<(FileId, &'static str, TextRange)>,
    /// Number of remaining attempts.
    attempts: usize,
}

/// Compatible fixes and their result.
struct FixBatch<'f, W: FixTarget> {
    candidates: Vec<Candidate<'f>>,
    texts: W::Texts,
    found: FileDiagnostics,
}

/// Indexes of the fixes whose findings persist. Empty if the batch failed for another reason.
struct FixConflict(Vec<usize>);

impl PassState {
    /// Clears the failed fixes. Returns true if there were any.
    fn reset_failures(&mut self) -> bool {
        self.result.failed.clear();
        !std::mem::take(&mut self.given_up).is_empty()
    }

    /// Runs one pass. Returns the findings afterwards, or `None` if nothing was fixed.
    fn pass<W: FixTarget>(
        &mut self,
        bench: &mut W,
        wish: FixRequest<'_>,
        found: &FileDiagnostics,
    ) -> Option<FileDiagnostics> {
        let is_given_up = |file: FileId, diagnostic: &Diagnostic| {
            self.given_up.contains(&(file, diagnostic.rule.code, diagnostic.range))
        };
        let selected = select(&|file| bench.is_editable(file), found, wish, &is_given_up);
        let (base, attempts) = (bench.texts(), &mut self.attempts);
        let mut pass =
            Pass { base, bench, before: found, applied: None, failed: Vec::new(), attempts, is_cut: false };
        pass.extend(selected);
        let Pass { base, bench, applied, failed, is_cut, .. } = pass;
        self.result.unfinished |= is_cut;
        bench.set(applied.as_ref().map_or(base, |applied| applied.texts.clone()));
        for Candidate { file, diagnostic, .. } in failed {
            self.given_up.insert((file, diagnostic.rule.code, diagnostic.range));
            self.result.failed.push((file, diagnostic.clone()));
        }
        let FixBatch { candidates, found, .. } = applied?;
        let changes = Changes::from_candidates(&candidates);
        let given_up = std::mem::take(&mut self.given_up).into_iter();
        self.given_up =
            given_up.map(|(file, code, range)| (file, code, changes.places_of(file, range)[0])).collect();
        self.result.count += candidates.len();
        self.result.edited.extend(candidates.iter().map(Candidate::files));
        Some(found)
    }
}

/// A running pass.
struct Pass<'p, 'f, W: FixTarget> {
    bench: &'p mut W,
    /// Texts before the pass.
    base: W::Texts,
    /// Findings before the pass.
    before: &'f FileDiagnostics,
    /// Fixes that succeeded so far.
    applied: Option<FixBatch<'f, W>>,
    failed: Vec<Candidate<'f>>,
    attempts: &'p mut usize,
    /// True if some fixes were not tried for lack of attempts.
    is_cut: bool,
}

impl<'f, W: FixTarget> Pass<'_, 'f, W> {
    /// Adds `more` to the applied fixes. If the batch fails, tries both halves separately, so that
    /// failing fixes are isolated in few steps.
    fn extend(&mut self, mut more: Vec<Candidate<'f>>) {
        if more.is_empty() || *self.attempts == 0 {
            self.is_cut |= !more.is_empty();
            return;
        }
        *self.attempts -= 1;
        let known = self.applied.as_ref().map_or(&[][..], |applied| &applied.candidates);
        let known_len = known.len();
        let all: Vec<_> = known.iter().chain(&more).copied().collect();
        match self.attempt(all) {
            Ok(works) => self.applied = Some(works),
            Err(_) if more.len() == 1 => self.failed.append(&mut more),
            Err(FixConflict(persisting)) => {
                let own: FxHashSet<_> =
                    persisting.iter().filter_map(|at| at.checked_sub(known_len)).collect();
                if more.len() > MIN_FILTER_BATCH && !own.is_empty() && own.len() < more.len() {
                    let (mut bad, mut good) = (Vec::new(), Vec::new());
                    for (at, one) in more.into_iter().enumerate() {
                        if own.contains(&at) { bad.push(one) } else { good.push(one) }
                    }
                    self.failed.append(&mut bad);
                    return self.extend(good);
                }
                let second = more.split_off(more.len() / 2);
                self.extend(more);
                self.extend(second);
            }
        }
    }

    /// Applies fixes to the texts from before the pass.
    fn attempt(&mut self, candidates: Vec<Candidate<'f>>) -> Result<FixBatch<'f, W>, FixConflict> {
        let changes = Changes::from_candidates(&candidates);
        self.bench.set(self.base.clone());
        if !self.bench.put(&changes, &candidates) {
            return Err(FixConflict(Vec::new()));
        }
        let found = self.bench.check();
        let left = RemainingFindings::new(&found);
        let persists = |(at, one): (usize, &Candidate<'_>)| left.persists(one, &changes).then_some(at);
        let persisting: Vec<_> = candidates.iter().enumerate().filter_map(persists).collect();
        if !persisting.is_empty() || !self.bench.is_no_worse(self.before, &found, &candidates) {
            return Err(FixConflict(persisting));
        }
        Ok(FixBatch { candidates, texts: self.bench.texts(), found })
    }
}
