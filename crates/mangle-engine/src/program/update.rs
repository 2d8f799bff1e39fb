//! Incremental construction of a program after an edit.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::dependencies::Dependencies;
use super::difference::Difference;
use super::{FileSummary, PredicateKey, Program, ProgramEnvironment, Signature};

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
            if let Some(there) = file.predicates.get(&key) {
                predicate.characterise(index, file, there);
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
