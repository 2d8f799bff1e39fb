//! Persistent collections for revisions of a program: cloning costs one pointer per part, and a
//! change copies one part.

use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

use rustc_hash::{FxBuildHasher, FxHashMap};

/// The number of elements in one part of a list.
const PART: usize = 32;

/// The number of parts of a map. With 100,000 keys, a part has some hundred entries.
const SHARDS: usize = 256;

/// An immutable list. An empty list does not allocate.
pub(crate) fn unchanging<T>(list: Vec<T>) -> Arc<[T]> {
    if list.is_empty() { Arc::default() } else { list.into() }
}

/// A list of copy-on-write parts.
#[derive(Debug, Clone)]
pub(crate) struct SharedList<T> {
    parts: Arc<Vec<Arc<Vec<T>>>>,
    len: usize,
}

impl<T> Default for SharedList<T> {
    fn default() -> Self {
        Self { parts: Arc::default(), len: 0 }
    }
}

impl<T: Clone> SharedList<T> {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn get(&self, at: usize) -> Option<&T> {
        self.parts.get(at / PART)?.get(at % PART)
    }

    /// A mutable reference to an element. Copies its part if another revision shares it.
    pub(crate) fn get_mut(&mut self, at: usize) -> Option<&mut T> {
        if at >= self.len {
            return None;
        }
        Arc::make_mut(Arc::make_mut(&mut self.parts).get_mut(at / PART)?).get_mut(at % PART)
    }

    pub(crate) fn push(&mut self, element: T) {
        let parts = Arc::make_mut(&mut self.parts);
        match parts.last_mut().filter(|part| part.len() < PART) {
            Some(part) => Arc::make_mut(part).push(element),
            None => {
                let mut part = Vec::with_capacity(PART);
                part.push(element);
                parts.push(Arc::new(part));
            }
        }
        self.len += 1;
    }

    /// The indexes of different elements, and of elements that exist only in `self`. Skips shared
    /// parts.
    pub(crate) fn different(
        &self,
        other: &Self,
        is_same: impl Fn(&T, &T) -> bool,
    ) -> impl Iterator<Item = u32> {
        let mut places = Vec::new();
        for (at, part) in self.parts.iter().enumerate() {
            let before = other.parts.get(at);
            if before.is_some_and(|before| Arc::ptr_eq(part, before)) {
                continue;
            }
            for (inner, element) in part.iter().enumerate() {
                let known = before.and_then(|before| before.get(inner));
                if !known.is_some_and(|known| is_same(known, element)) {
                    places.extend(u32::try_from(at * PART + inner));
                }
            }
        }
        places.into_iter()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> + Clone {
        self.parts.iter().flat_map(|part| part.iter())
    }
}

impl<T: Clone> FromIterator<T> for SharedList<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        let mut list = Self::default();
        elements.into_iter().for_each(|element| list.push(element));
        list
    }
}

/// A map of copy-on-write parts.
#[derive(Debug, Clone)]
pub(crate) struct SharedMap<K, V> {
    shards: Arc<Vec<Arc<FxHashMap<K, V>>>>,
}

impl<K, V> Default for SharedMap<K, V> {
    fn default() -> Self {
        Self { shards: Arc::default() }
    }
}

impl<K: Clone + Eq + Hash, V: Clone> SharedMap<K, V> {
    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        self.shards.get(shard(key))?.get(key)
    }

    /// A mutable reference to the part of a key.
    pub(crate) fn of_mut(&mut self, key: &K) -> &mut FxHashMap<K, V> {
        let shards = Arc::make_mut(&mut self.shards);
        if shards.is_empty() {
            shards.resize_with(SHARDS, Arc::default);
        }
        Arc::make_mut(&mut shards[shard(key)])
    }

    pub(crate) fn insert(&mut self, key: K, value: V) {
        self.of_mut(&key).insert(key, value);
    }

    pub(crate) fn remove(&mut self, key: &K) {
        if self.get(key).is_some() {
            self.of_mut(key).remove(key);
        }
    }
}

/// The index of the part of a key. Uses other bits of the hash than the map of the part.
fn shard<K: Hash>(key: &K) -> usize {
    (scattered(key) >> 24) as usize % SHARDS
}

/// A hash with well mixed bits, suitable for sums of hashes.
pub(crate) fn scattered(value: &impl Hash) -> u64 {
    FxBuildHasher.hash_one(value).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn copies_do_not_see_later_changes() {
        let mut list: SharedList<usize> = (0..100).collect();
        let before = list.clone();
        *list.get_mut(40).unwrap() = 7;
        list.push(100);
        assert_eq!((list.get(40), list.get(100), list.len()), (Some(&7), Some(&100), 101));
        assert_eq!((before.get(40), before.get(100), before.len()), (Some(&40), None, 100));
        assert!(before.iter().copied().eq(0..100));
        let shared = |part: usize| Arc::ptr_eq(&before.parts[part], &list.parts[part]);
        assert_eq!([0, 1, 2, 3].map(shared), [true, false, true, false]);
    }

    #[test]
    fn maps_share_what_is_equal() {
        let mut map: SharedMap<u32, u32> = SharedMap::default();
        (0..1_000).for_each(|at| map.insert(at, at));
        let before = map.clone();
        map.insert(5, 6);
        map.remove(&7);
        assert_eq!([map.get(&5), map.get(&7), map.get(&9)], [Some(&6), None, Some(&9)]);
        assert_eq!([before.get(&5), before.get(&7)], [Some(&5), Some(&7)]);
        let same = before.shards.iter().zip(map.shards.iter()).filter(|(one, other)| Arc::ptr_eq(one, other));
        assert!(same.count() >= SHARDS - 2);
    }
}
