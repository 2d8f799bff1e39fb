//! The passes: apply what goes together, check anew, take back what did not work, until nothing is left.

use rustc_hash::FxHashSet;

use super::select::{Candidate, select};
use super::verify::{Changes, RemainingFindings};
use super::{FileDiagnostics, FixOutcome, FixRequest, MAX_PASSES};
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::{FileId, TextRange};

/// How often fixes are tried at most, so that texts in which most of them fail take no time without end. What is not tried
/// is left as it is.
const MOST_ATTEMPTS: usize = 2_000;

/// From how many fixes on those that visibly did not work are left out before halves are tried.
const MANY: usize = 16;

/// Texts that are checked together, and that fixes are applied to.
pub(super) trait Workpiece {
    /// All of the texts; cheap to copy.
    type Texts: Clone;

    /// What the texts are now.
    fn texts(&self) -> Self::Texts;

    /// Takes other texts.
    fn set(&mut self, texts: Self::Texts);

    /// A number for the texts.
    fn state(&self) -> u64;

    /// What is found in them.
    fn check(&self) -> FileDiagnostics;

    /// Whether edits may touch a file at all.
    fn is_editable(&self, file: FileId) -> bool;

    /// Applies changes, which are those of `candidates`. Says whether they fit, and leave what can be read no worse
    /// than before, as far as that shows without a check.
    fn put(&mut self, changes: &Changes<'_>, candidates: &[Candidate<'_>]) -> bool;

    /// Whether what was found before and after `candidates` were applied says that all can be read no worse.
    fn is_no_worse(
        &self,
        before: &FileDiagnostics,
        after: &FileDiagnostics,
        candidates: &[Candidate<'_>],
    ) -> bool;
}

/// Applies the fixes that `wish` asks for, until none is left. `bench` is afterwards what they made of it.
pub(super) fn run<W: Workpiece>(bench: &mut W, wish: FixRequest<'_>) -> FixOutcome {
    let original = bench.texts();
    let mut run =
        PassState { result: FixOutcome::default(), given_up: FxHashSet::default(), attempts: MOST_ATTEMPTS };
    let mut found = bench.check();
    let mut seen = FxHashSet::from_iter([bench.state()]);
    let (mut passes, mut retried) = (0, false);
    while passes < wish.passes {
        let Some(after) = run.pass(bench, wish, &found) else {
            // What did not work together with others may work alone.
            if retried || !run.forgive() {
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

/// What is kept from pass to pass.
struct PassState {
    result: FixOutcome,
    /// Findings whose fix did not work: file, code, place.
    given_up: FxHashSet<(FileId, &'static str, TextRange)>,
    /// How many more attempts there are.
    attempts: usize,
}

/// Fixes that work together, and what they lead to.
struct FixBatch<'f, W: Workpiece> {
    candidates: Vec<Candidate<'f>>,
    texts: W::Texts,
    found: FileDiagnostics,
}

/// Why fixes do not work together: those whose finding is still there, by their place in the list, if it is that.
struct FixConflict(Vec<usize>);

impl PassState {
    /// Forgets which fixes did not work; says whether there are any.
    fn forgive(&mut self) -> bool {
        self.result.failed.clear();
        !std::mem::take(&mut self.given_up).is_empty()
    }

    /// One pass over what was found. Gives what is found afterwards; `None` when nothing was fixed.
    fn pass<W: Workpiece>(
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
        let changes = Changes::of(&candidates);
        let given_up = std::mem::take(&mut self.given_up).into_iter();
        self.given_up =
            given_up.map(|(file, code, range)| (file, code, changes.places_of(file, range)[0])).collect();
        self.result.count += candidates.len();
        self.result.edited.extend(candidates.iter().map(Candidate::files));
        Some(found)
    }
}

/// A pass that is under way.
struct Pass<'p, 'f, W: Workpiece> {
    bench: &'p mut W,
    /// The texts before it.
    base: W::Texts,
    /// What was found in them.
    before: &'f FileDiagnostics,
    /// What works until now.
    applied: Option<FixBatch<'f, W>>,
    failed: Vec<Candidate<'f>>,
    attempts: &'p mut usize,
    /// Whether no attempt was left for some.
    is_cut: bool,
}

impl<'f, W: Workpiece> Pass<'_, 'f, W> {
    /// Adds `more` to the fixes that are applied; where they do not work together, one half after the other, so
    /// that those that fail are found in few steps.
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
                if more.len() > MANY && !own.is_empty() && own.len() < more.len() {
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

    /// Applies fixes to the texts as they were before the pass.
    fn attempt(&mut self, candidates: Vec<Candidate<'f>>) -> Result<FixBatch<'f, W>, FixConflict> {
        let changes = Changes::of(&candidates);
        self.bench.set(self.base.clone());
        if !self.bench.put(&changes, &candidates) {
            return Err(FixConflict(Vec::new()));
        }
        let found = self.bench.check();
        let left = RemainingFindings::of(&found);
        let persists = |(at, one): (usize, &Candidate<'_>)| left.persists(one, &changes).then_some(at);
        let persisting: Vec<_> = candidates.iter().enumerate().filter_map(persists).collect();
        if !persisting.is_empty() || !self.bench.is_no_worse(self.before, &found, &candidates) {
            return Err(FixConflict(persisting));
        }
        Ok(FixBatch { candidates, texts: self.bench.texts(), found })
    }
}
