//! Fix passes: select fixes whose edits do not touch, apply them, check again, revert failures, and
//! repeat until no fix is left.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Edit, FileDiagnostics, FixOutcome, FixRequest, MAX_PASSES};
use mangle_engine::program::PredicateKey;
use mangle_syntax::lint::{Diagnostic, FileEdit, ResolvedFix};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::syntax::ast::{Atom, StatementKind};
use mangle_syntax::text::{FileId, TextRange, TextSize, moved, text_len};

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

/// A finding with its fix.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate<'f> {
    pub(super) file: FileId,
    pub(super) diagnostic: &'f Diagnostic,
    pub(super) fix: &'f ResolvedFix,
}

impl Candidate<'_> {
    /// Returns the files edited by the fix.
    pub(super) fn files(&self) -> Vec<FileId> {
        let mut files: Vec<_> = self.fix.edits.iter().map(|edit| edit.file).collect();
        files.sort_unstable();
        files.dedup();
        files
    }
}

/// Returns the fixes of one pass, sorted by file and range. `is_editable` filters the files to
/// edit, and `is_given_up` returns true for findings whose fix failed.
pub(super) fn select<'f>(
    is_editable: &dyn Fn(FileId) -> bool,
    found: &'f FileDiagnostics,
    wish: FixRequest<'_>,
    is_given_up: &dyn Fn(FileId, &Diagnostic) -> bool,
) -> Vec<Candidate<'f>> {
    let mut candidates: Vec<_> = found
        .iter()
        .flat_map(|(file, found)| found.iter().map(move |diagnostic| (*file, diagnostic)))
        .filter(|(file, diagnostic)| !is_given_up(*file, diagnostic) && (wish.wanted)(*file, diagnostic))
        .filter_map(|(file, diagnostic)| {
            let fix = diagnostic.fix.as_ref()?;
            let editable = |file| is_editable(file) && (wish.editable)(file);
            let fits = !fix.edits.is_empty() && fix.edits.iter().all(|edit| editable(edit.file));
            (wish.accepts(fix) && fits).then_some(Candidate { file, diagnostic, fix })
        })
        .collect();
    candidates.sort_by_key(|candidate| {
        let range = candidate.diagnostic.range;
        (candidate.file, range.start(), range.end(), candidate.diagnostic.rule.code)
    });
    let mut taken = EditedRanges::default();
    candidates.retain(|candidate| taken.take(candidate.fix));
    candidates
}

/// Edits and new predicates of a pass.
#[derive(Debug, Default)]
struct EditedRanges {
    /// End of each edit, by file and start.
    edits: BTreeMap<(FileId, TextSize), TextSize>,
    predicates: FxHashSet<PredicateKey>,
}

impl EditedRanges {
    /// Adds a fix. Returns false if it conflicts with an earlier one.
    fn take(&mut self, fix: &ResolvedFix) -> bool {
        let predicates: Vec<_> = fix.edits.iter().flat_map(|edit| introduced(&edit.text)).collect();
        if fix.edits.iter().any(|edit| self.touches(edit))
            || predicates.iter().any(|key| self.predicates.contains(key))
        {
            return false;
        }
        self.predicates.extend(predicates);
        for edit in &fix.edits {
            let end = self.edits.entry((edit.file, edit.range.start())).or_default();
            *end = (*end).max(edit.range.end());
        }
        true
    }

    /// True if an edit touches an earlier one. Two insertions at the same offset touch, because
    /// their order would be arbitrary.
    fn touches(&self, edit: &FileEdit) -> bool {
        let (start, end) = (edit.range.start(), edit.range.end());
        let before = self.edits.range(..=(edit.file, end)).next_back();
        before.is_some_and(|((file, _), until)| *file == edit.file && *until >= start)
    }
}

/// Returns the predicates that inserted statements declare or define.
fn introduced(text: &str) -> Vec<PredicateKey> {
    if !text.contains("Decl ") && !text.contains(":-") {
        return Vec::new();
    }
    let source = SourceFile::parse(text.into());
    let key = |atom: &Atom| PredicateKey { name: atom.name.symbol, arity: atom.arity() };
    let head = |kind: &StatementKind| match kind {
        StatementKind::Declaration(declaration) => Some(key(&declaration.atom)),
        StatementKind::Clause(clause) => Some(key(&clause.head)),
        _ => None,
    };
    source.items().iter().filter_map(|item| head(&item.statement.kind)).collect()
}

/// Sorted edits by file.
#[derive(Debug, Default)]
pub(super) struct Changes<'f>(FxHashMap<FileId, FileEdits<'f>>);

#[derive(Debug, Default)]
struct FileEdits<'f> {
    edits: Vec<Edit<'f>>,
    /// Growth of the text in bytes before each edit, and before the end of the file.
    grown: Vec<i64>,
}

impl<'f> Changes<'f> {
    fn from_candidates(candidates: &[Candidate<'f>]) -> Self {
        let mut files: FxHashMap<FileId, FileEdits<'f>> = FxHashMap::default();
        for edit in candidates.iter().flat_map(|candidate| &candidate.fix.edits) {
            files.entry(edit.file).or_default().edits.push((edit.range, edit.text.as_str()));
        }
        for file in files.values_mut() {
            file.edits.sort_by_key(|(range, _)| (range.start(), range.end()));
            let mut sum = 0;
            file.grown.push(0);
            for (range, text) in &file.edits {
                sum += i64::from(u32::from(text_len(text))) - i64::from(u32::from(range.len()));
                file.grown.push(sum);
            }
        }
        Self(files)
    }

    pub(super) fn files(&self) -> impl Iterator<Item = (FileId, &[Edit<'f>])> {
        self.0.iter().map(|(file, changes)| (*file, changes.edits.as_slice()))
    }

    pub(super) fn in_file(&self, file: FileId) -> &[Edit<'f>] {
        self.0.get(&file).map_or(&[], |changes| changes.edits.as_slice())
    }

    /// Returns the possible new ranges of a range of a file, see [`moved`]. Examines only the edits
    /// around it.
    fn places_of(&self, file: FileId, range: TextRange) -> [TextRange; 2] {
        let Some(FileEdits { edits, grown }) = self.0.get(&file) else { return [range; 2] };
        let first = edits.partition_point(|(edit, _)| edit.end() < range.start());
        let end = edits.partition_point(|(edit, _)| edit.start() <= range.end()).max(first);
        let near = moved(range, edits.get(first..end).unwrap_or_default());
        near.map(|place| shifted(place, grown.get(first).copied().unwrap_or(0)))
    }
}

fn shifted(range: TextRange, by: i64) -> TextRange {
    let at = |offset| u32::try_from(i64::from(u32::from(offset)) + by).unwrap_or(0).into();
    TextRange::new(at(range.start()), at(range.end()))
}

/// Findings after applying fixes.
#[derive(Debug)]
struct RemainingFindings(FxHashSet<(FileId, &'static str, TextRange)>);

impl RemainingFindings {
    fn new(found: &FileDiagnostics) -> Self {
        let all = found.iter().flat_map(|(file, found)| found.iter().map(move |one| (*file, one)));
        Self(all.map(|(file, one)| (file, one.rule.code, one.range)).collect())
    }

    /// True if the finding of a fix still exists.
    fn persists(&self, candidate: &Candidate<'_>, changes: &Changes<'_>) -> bool {
        let (file, diagnostic) = (candidate.file, candidate.diagnostic);
        let places = changes.places_of(file, diagnostic.range);
        // A finding whose whole range was deleted is gone, even if a new one starts at the same
        // offset.
        let is_deleted = !diagnostic.range.is_empty() && places.iter().all(|place| place.is_empty());
        !is_deleted && places.iter().any(|place| self.0.contains(&(file, diagnostic.rule.code, *place)))
    }
}
