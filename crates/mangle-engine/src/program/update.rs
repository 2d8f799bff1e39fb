//! Incremental construction of a program after an edit, and the difference between two revisions of
//! a program.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustc_hash::{FxHashMap, FxHashSet};

use super::dependencies::Dependencies;
use super::{
    FileSummary, PredicateId, PredicateInFile, PredicateKey, Program, ProgramEnvironment, Signature,
};

/// The maximum number of changed files for an incremental update. Above it, the program is joined
/// from scratch.
const MAX_CHANGED_FILES: usize = 32;

/// The minimum number of unmentioned predicates for joining from scratch, which frees their
/// numbers.
const MIN_RETIRED: usize = 1_000;

impl Program {
    /// Returns the program of these files, with the same content as [`Program::embedded`]. After an
    /// edit of a few files, the cost is proportional to the predicates of these files.
    #[must_use]
    pub fn succeed(&self, mut files: Vec<Arc<FileSummary>>, embedding: &Arc<ProgramEnvironment>) -> Self {
        if !Arc::ptr_eq(embedding, &self.embedding) && **embedding != *self.embedding {
            return Self::embedded(files, Arc::clone(embedding));
        }
        if !self.is_of(&files) {
            files.sort_by_key(|file| embedding.order(file.id));
        }
        let is_crowded = self.retired.len() > MIN_RETIRED.max(self.predicates.count() / 2);
        if is_crowded || !self.is_of(&files) {
            return Self::embedded(files, Arc::clone(embedding));
        }
        let changed =
            self.files.iter().zip(&files).enumerate().filter(|(_, (old, new))| !Arc::ptr_eq(old, new));
        let changed: Vec<u32> = changed.filter_map(|(at, _)| u32::try_from(at).ok()).collect();
        let speaks_of_packages =
            |file: &FileSummary| file.package.is_some() || !file.used_packages.is_empty();
        let is_packaged = |at: &u32| {
            let both = [self.files.get(*at as usize), files.get(*at as usize)];
            both.into_iter().flatten().any(|file| speaks_of_packages(file))
        };
        if changed.len() > MAX_CHANGED_FILES || changed.iter().any(is_packaged) {
            return Self::embedded(files, Arc::clone(embedding));
        }
        self.after(Arc::new(files), &changed)
    }

    /// True if the files are files of this program, in the same order.
    fn is_of(&self, files: &[Arc<FileSummary>]) -> bool {
        self.files.len() == files.len() && self.files.iter().zip(files).all(|(old, new)| old.id == new.id)
    }

    fn after(&self, files: Arc<Vec<Arc<FileSummary>>>, changed: &[u32]) -> Self {
        let mut program = self.with_files(files);
        for &at in changed {
            let (Some(old), Some(new)) =
                (self.files.get(at as usize), program.files.get(at as usize).cloned())
            else {
                continue;
            };
            program.exchange(at, old, &new);
        }
        let difference = Arc::new(Difference::compute(self, &program));
        if let Some(dependencies) = self.dependencies.get() {
            let _ = program.dependencies.set(Dependencies::after(dependencies, self, &program, &difference));
        }
        program.since = Some((self.revision.number, difference));
        program
    }

    /// Replaces a file.
    fn exchange(&mut self, at: u32, old: &FileSummary, new: &FileSummary) {
        self.statements = self.statements.wrapping_sub(old.digest).wrapping_add(new.digest);
        let keys: FxHashSet<PredicateKey> =
            old.predicates.keys().chain(new.predicates.keys()).copied().collect();
        let mut keys: Vec<_> = keys.into_iter().collect();
        // New numbers must not depend on the order of a hash map.
        keys.sort_unstable();
        for key in keys {
            let (before, after) = (old.predicates.get(&key), new.predicates.get(&key));
            let is_defined = [before, after].into_iter().flatten().any(super::PredicateInFile::defines);
            if before.is_some() && after.is_some() && !is_defined {
                continue;
            }
            self.update(at, key, after.is_some());
        }
    }

    /// Records if a file mentions a predicate, and recomputes the signature of the predicate.
    fn update(&mut self, at: u32, key: PredicateKey, is_mentioned: bool) {
        let id = self.intern(key);
        let Some(before) = self.predicates.list.get(id.0 as usize).cloned() else { return };
        self.count_out(id, &before);
        let files = Arc::clone(&self.files);
        let Some(predicate) = self.predicates.list.get_mut(id.0 as usize) else { return };
        match (predicate.files.binary_search_by_key(&at, |(file, _)| *file), is_mentioned) {
            (Err(place), true) => predicate.files.insert(place, (at, key)),
            (Ok(place), false) => drop(predicate.files.remove(place)),
            _ => {}
        }
        predicate.signature = Signature { host: before.signature.host, ..Signature::default() };
        (predicate.declared_at, predicate.defined_at) = (None, None);
        for (index, key) in predicate.files.clone() {
            let Some(file) = files.get(index as usize) else { continue };
            if let Some(in_file) = file.predicates.get(&key) {
                predicate.characterise(index, file, in_file);
            }
        }
        predicate.fingerprint = predicate.signature.fingerprint();
        let after = predicate.clone();
        self.count_in(id, &after);
        if after.is_retired() {
            self.retire(id, key);
        }
    }
}

/// The identity of a program. Programs of the same line number predicates and files alike.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Revision {
    line: u64,
    pub(super) number: u64,
}

static LAST: AtomicU64 = AtomicU64::new(0);

impl Revision {
    /// The revision of a program without predecessor.
    pub(super) fn first() -> Self {
        let number = 1 + LAST.fetch_add(1, Ordering::Relaxed);
        Self { line: number, number }
    }

    /// The revision of a successor.
    pub(super) fn next(self) -> Self {
        Self { number: 1 + LAST.fetch_add(1, Ordering::Relaxed), ..self }
    }
}

/// The changes of a program since an earlier revision. All lists are sorted without duplicates.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Difference {
    /// The changed files: indexes into [`Program::files`].
    pub files: Vec<u32>,
    /// The predicates with a changed signature, or with statements that were added, removed or
    /// reordered.
    pub touched: Vec<PredicateId>,
    /// The predicates with a changed signature.
    pub signatures: Vec<PredicateId>,
    /// The predicates that were created or removed.
    pub existence: Vec<PredicateId>,
    /// The predicates that have or had rules in a changed file.
    pub heads: Vec<PredicateId>,
}

impl Difference {
    /// Returns the difference between two programs. `None` unless `new` is a successor of `old` or
    /// the same program.
    #[must_use]
    pub fn between(old: &Program, new: &Program) -> Option<Arc<Self>> {
        if old.revision.line != new.revision.line || old.files.len() != new.files.len() {
            return None;
        }
        if old.revision == new.revision {
            return Some(Arc::default());
        }
        let known = new.since.as_ref().filter(|(since, _)| *since == old.revision.number);
        Some(
            known.map_or_else(|| Arc::new(Self::compute(old, new)), |(_, difference)| Arc::clone(difference)),
        )
    }

    pub(super) fn compute(old: &Program, new: &Program) -> Self {
        let mut difference = Self::default();
        let id = |key: &PredicateKey| new.by_key.get(key).or_else(|| new.retired.get(key)).copied();
        for (at, (before, after)) in (0u32..).zip(old.files.iter().zip(new.files.iter())) {
            if Arc::ptr_eq(before, after) {
                continue;
            }
            difference.files.push(at);
            difference.touched.extend(changed_keys(before, after).iter().filter_map(id));
            for file in [before, after] {
                let rules = file.predicates.iter().filter(|(_, in_file)| !in_file.rules.is_empty());
                difference.heads.extend(rules.filter_map(|(key, _)| id(key)));
                // A definition may have moved without a change of its statement.
                let keys = file.predicates.iter().filter(|(_, in_file)| in_file.defines());
                for id in keys.filter_map(|(key, _)| id(key)) {
                    let (then, now) = (old.predicates.list.get(id.0 as usize), new.get(id));
                    if then.is_none_or(|then| then.fingerprint != now.fingerprint) {
                        difference.signatures.push(id);
                    }
                    if then.is_some_and(super::Predicate::exists) != now.exists() {
                        difference.existence.push(id);
                    }
                }
            }
        }
        difference.touched.extend(&difference.signatures);
        let Self { touched, signatures, existence, heads, .. } = &mut difference;
        for list in [touched, signatures, existence, heads] {
            list.sort_unstable();
            list.dedup();
        }
        difference
    }
}

/// The keys, as written, whose statements differ between `old` and `new`.
fn changed_keys(old: &FileSummary, new: &FileSummary) -> FxHashSet<PredicateKey> {
    let keys = || old.predicates.keys().chain(new.predicates.keys());
    if is_shuffled(old, new) {
        return keys().copied().collect();
    }
    let is_same = |key: &&PredicateKey| match (old.predicates.get(key), new.predicates.get(key)) {
        (Some(before), Some(after)) => is_same(old, before, new, after),
        _ => false,
    };
    keys().filter(|key| !is_same(key)).copied().collect()
}

/// True if the common statements are in a different order.
fn is_shuffled(old: &FileSummary, new: &FileSummary) -> bool {
    let places: FxHashMap<_, _> =
        old.items.iter().enumerate().map(|(at, item)| (item.statement.id, at)).collect();
    let common = new.items.iter().filter_map(|item| places.get(&item.statement.id));
    !common.is_sorted()
}

fn is_same(old: &FileSummary, before: &PredicateInFile, new: &FileSummary, after: &PredicateInFile) -> bool {
    let id = |file: &FileSummary, at: u32| file.items.get(at as usize).map(|item| item.statement.id);
    let lists =
        |in_file: &PredicateInFile| [in_file.declarations.len(), in_file.facts.len(), in_file.rules.len()];
    let statements = |file: &FileSummary, in_file: &PredicateInFile| {
        let all = in_file.declarations.iter().chain(&in_file.facts).chain(&in_file.rules);
        all.map(|&at| id(file, at)).collect::<Vec<_>>()
    };
    let uses = |file: &FileSummary, in_file: &PredicateInFile| {
        let all = in_file.uses.iter().map(|used| (id(file, used.item), used.range, used.kind));
        all.collect::<Vec<_>>()
    };
    lists(before) == lists(after)
        && before.annotated_head == after.annotated_head
        && statements(old, before) == statements(new, after)
        && uses(old, before) == uses(new, after)
}
