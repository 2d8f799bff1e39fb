//! A map of bounded size: what comes when it is full is not kept.

use std::hash::Hash;

use rustc_hash::FxHashMap;

/// How many names of one kind are remembered: keys of memory, phases, tasks, atoms that hold.
pub const MOST_KNOWN: usize = 100_000;

/// A table that remembers only so much.
#[derive(Debug)]
pub(in crate::transcript) struct BoundedMap<K, V> {
    known: FxHashMap<K, V>,
    /// Whether something was not taken in.
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
        if self.known.len() >= MOST_KNOWN && !self.known.contains_key(&key) {
            self.is_full = true;
            return None;
        }
        self.known.insert(key, value)
    }

    pub(super) fn remove(&mut self, key: &K) {
        self.known.remove(key);
    }

    /// Whether it is certain that a key never came.
    pub(super) fn lacks(&self, key: &K) -> bool {
        !self.is_full && !self.known.contains_key(key)
    }
}
