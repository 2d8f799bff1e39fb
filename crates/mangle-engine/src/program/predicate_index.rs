//! What a file says of each predicate, by key: a sorted list, since there is one for each file of a program and it has to be small.

use rustc_hash::FxHashMap;

use super::{PredicateInFile, PredicateKey};

/// What a file says of the predicates that it names, in the order of their keys.
#[derive(Debug, Default)]
pub struct PredicateIndex {
    entries: Box<[(PredicateKey, PredicateInFile)]>,
}

impl PredicateIndex {
    pub(super) fn new(found: FxHashMap<PredicateKey, PredicateInFile>) -> Self {
        let mut entries: Box<[_]> = found.into_iter().collect();
        entries.sort_unstable_by_key(|(key, _)| *key);
        entries.iter_mut().for_each(|(_, there)| there.shrink_to_fit());
        Self { entries }
    }

    /// What the file says of a predicate; `None` if it does not name it.
    #[must_use]
    pub fn get(&self, key: &PredicateKey) -> Option<&PredicateInFile> {
        let at = self.entries.binary_search_by_key(key, |(key, _)| *key).ok()?;
        self.entries.get(at).map(|(_, there)| there)
    }

    /// Whether the file names a predicate.
    #[must_use]
    pub fn has(&self, key: &PredicateKey) -> bool {
        self.get(key).is_some()
    }

    /// The predicates that the file names.
    pub fn keys(&self) -> impl Iterator<Item = &PredicateKey> {
        self.entries.iter().map(|(key, _)| key)
    }

    /// The same with what the file says of them.
    pub fn iter(&self) -> impl Iterator<Item = (&PredicateKey, &PredicateInFile)> {
        self.entries.iter().map(|(key, there)| (key, there))
    }
}
