//! Map with a maximum size. New keys are dropped when the map is full.

use std::hash::Hash;

use rustc_hash::FxHashMap;

/// Maximum number of remembered names per kind: memory keys, phases, tasks and atoms that hold.
pub const MAX_TRACKED: usize = 100_000;

/// Map with at most [`MAX_TRACKED`] keys.
#[derive(Debug)]
pub(in crate::transcript) struct BoundedMap<K, V> {
    known: FxHashMap<K, V>,
    /// True if a key was dropped.
    pub(super) is_full: bool,
}

impl<K, V> Default for BoundedMap<K, V> {
    fn default() -> Self {
        Self { known: FxHashMap::default(), is_full: false }
    }
}

impl<K: Hash + Eq, V> BoundedMap<K, V> {
    pub(super) fn get(&self, key: &K) -> Option<&V> {
        self.known.get(key)
    }

    pub(super) fn insert(&mut self, key: K, value: V) -> Option<V> {
        if self.known.len() >= MAX_TRACKED && !self.known.contains_key(&key) {
            self.is_full = true;
            return None;
        }
        self.known.insert(key, value)
    }

    pub(super) fn remove(&mut self, key: &K) {
        self.known.remove(key);
    }

    /// True if a key is not in the map and no key was dropped.
    pub(super) fn lacks(&self, key: &K) -> bool {
        !self.is_full && !self.known.contains_key(key)
    }
}
