//! Collections for millions of tuples and values: a vector and a hash table without long pauses
//! while they grow, and a copy-on-write value.
//!
//! A doubling vector copies all its elements without a check for cancellation, and doubling a hash
//! table with millions of entries takes tens of milliseconds. The collections of this module
//! therefore grow in parts.

use std::ops::Deref;
use std::sync::Arc;

use hashbrown::HashTable;

/// The number of elements in a chunk, as a power of two.
const CHUNK_BITS: u32 = 12;

#[derive(Debug, Clone)]
pub(super) struct ChunkedVec<T> {
    /// The chunks. All but the last are full.
    pieces: Vec<Vec<T>>,
}

impl<T> Default for ChunkedVec<T> {
    fn default() -> Self {
        Self { pieces: Vec::new() }
    }
}

impl<T> ChunkedVec<T> {
    pub(super) fn len(&self) -> usize {
        self.pieces.last().map_or(0, |last| ((self.pieces.len() - 1) << CHUNK_BITS) + last.len())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    #[inline]
    pub(super) fn get(&self, at: usize) -> Option<&T> {
        self.pieces.get(at >> CHUNK_BITS)?.get(at & ((1 << CHUNK_BITS) - 1))
    }

    pub(super) fn push(&mut self, element: T) {
        let pieces = self.pieces.len();
        match self.pieces.last_mut().filter(|last| last.len() < 1 << CHUNK_BITS) {
            Some(last) => last.push(element),
            None => {
                // The first chunk does not reserve capacity.
                let mut piece = Vec::with_capacity(if pieces == 0 { 0 } else { 1 << CHUNK_BITS });
                piece.push(element);
                self.pieces.push(piece);
            }
        }
    }

    /// Keeps the first `len` elements.
    pub(super) fn truncate(&mut self, len: usize) {
        self.pieces.truncate(len.div_ceil(1 << CHUNK_BITS));
        let within = len - (self.pieces.len().saturating_sub(1) << CHUNK_BITS).min(len);
        self.pieces.last_mut().into_iter().for_each(|last| last.truncate(within));
    }

    /// The allocated memory in bytes, including unused capacity.
    pub(super) fn bytes(&self) -> usize {
        let full = self.pieces.len().saturating_sub(1) << CHUNK_BITS;
        let places = full + self.pieces.last().map_or(0, Vec::capacity);
        places * size_of::<T>() + self.pieces.capacity() * size_of::<Vec<T>>()
    }
}

/// The number of entries that causes a split of the table.
const SPLIT_LEN: usize = 1 << 14;

/// The number of shards of a large table, as a power of two.
const SHARD_BITS: u32 = 8;

/// A hash table with one or many shards.
#[derive(Debug, Clone)]
pub(super) struct ShardedTable<T> {
    /// One table, or one per shard.
    shards: Vec<HashTable<T>>,
    len: usize,
    /// The memory of the tables in bytes.
    bytes: usize,
}

impl<T> Default for ShardedTable<T> {
    fn default() -> Self {
        Self { shards: Vec::new(), len: 0, bytes: 0 }
    }
}

impl<T> ShardedTable<T> {
    /// The allocated memory in bytes, including unused capacity.
    pub(super) fn bytes(&self) -> usize {
        self.bytes + self.shards.capacity() * size_of::<HashTable<T>>()
    }

    /// The entry with this hash that satisfies `is_it`.
    #[inline]
    pub(super) fn find(&self, hash: u64, is_it: impl FnMut(&T) -> bool) -> Option<&T> {
        self.shards.get(self.shard(hash))?.find(hash, is_it)
    }

    /// A mutable reference to the entry with this hash that satisfies `is_it`.
    #[inline]
    pub(super) fn find_mut(&mut self, hash: u64, is_it: impl FnMut(&T) -> bool) -> Option<&mut T> {
        let shard = self.shard(hash);
        self.shards.get_mut(shard)?.find_mut(hash, is_it)
    }

    /// Adds an entry, unless an equal one exists. Returns true if it was added.
    #[inline]
    pub(super) fn insert(
        &mut self,
        hash: u64,
        is_it: impl FnMut(&T) -> bool,
        hash_of: impl Fn(&T) -> u64,
        entry: T,
    ) -> bool {
        let shard = self.shard(hash);
        let Some(table) = self.shards.get_mut(shard) else {
            self.shards.push(HashTable::new());
            return self.insert(hash, is_it, hash_of, entry);
        };
        let before = (table.len() == table.capacity()).then(|| table.allocation_size());
        let hashbrown::hash_table::Entry::Vacant(vacant) = table.entry(hash, is_it, &hash_of) else {
            return false;
        };
        vacant.insert(entry);
        if let Some(before) = before {
            self.bytes = (self.bytes + table.allocation_size()).saturating_sub(before);
        }
        self.len += 1;
        if self.len == SPLIT_LEN && self.shards.len() == 1 {
            self.take_apart(&hash_of);
        }
        true
    }

    /// Removes an entry.
    pub(super) fn remove(&mut self, hash: u64, is_it: impl FnMut(&T) -> bool) {
        let shard = self.shard(hash);
        if let Some(Ok(entry)) = self.shards.get_mut(shard).map(|table| table.find_entry(hash, is_it)) {
            entry.remove();
            self.len -= 1;
        }
    }

    #[inline]
    fn shard(&self, hash: u64) -> usize {
        // The small table uses the lower bits and the upper seven. The shard uses the bits below.
        if self.shards.len() > 1 { (hash >> (57 - SHARD_BITS)) as usize & ((1 << SHARD_BITS) - 1) } else { 0 }
    }

    #[cold]
    fn take_apart(&mut self, hash_of: &impl Fn(&T) -> u64) {
        let Some(whole) = self.shards.pop() else { return };
        self.shards
            .extend((0..1 << SHARD_BITS).map(|_| HashTable::with_capacity(SPLIT_LEN >> (SHARD_BITS - 1))));
        for entry in whole {
            let hash = hash_of(&entry);
            let shard = self.shard(hash);
            if let Some(table) = self.shards.get_mut(shard) {
                table.insert_unique(hash, entry, hash_of);
            }
        }
        self.bytes = self.shards.iter().map(HashTable::allocation_size).sum();
    }
}

/// A value with one or several owners.
#[derive(Debug)]
pub(super) enum MaybeShared<T> {
    /// The value has one owner.
    Own(Box<T>),
    /// The value may have several owners.
    Common(Arc<T>),
}

impl<T> MaybeShared<T> {
    pub(super) fn new(value: T) -> Self {
        Self::Own(Box::new(value))
    }
}

impl<T: Clone + Default> MaybeShared<T> {
    /// A mutable reference. Copies the value if it is shared.
    pub(super) fn make_mut(&mut self) -> &mut T {
        if let Self::Common(common) = self {
            let own = Arc::get_mut(common).map(std::mem::take);
            *self = Self::new(own.unwrap_or_else(|| T::clone(common)));
        }
        match self {
            Self::Own(own) => own,
            // Unreachable: the value was made exclusive above.
            Self::Common(common) => Arc::make_mut(common),
        }
    }

    /// Returns a shared copy.
    pub(super) fn share(&mut self) -> Self {
        if let Self::Own(own) = self {
            *self = Self::Common(Arc::new(std::mem::take(&mut **own)));
        }
        match self {
            Self::Common(common) => Self::Common(Arc::clone(common)),
            Self::Own(own) => Self::Own(own.clone()),
        }
    }
}

impl<T: Default> Default for MaybeShared<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> Deref for MaybeShared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Self::Own(own) => own,
            Self::Common(common) => common,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_stay_where_they_are() {
        let mut chunked = ChunkedVec::default();
        assert!(chunked.is_empty());
        for number in 0..20_000 {
            assert_eq!((chunked.len(), chunked.get(number)), (number, None));
            chunked.push(number);
        }
        let place = chunked.get(5000).map(std::ptr::from_ref);
        (20_000..40_000).for_each(|number| chunked.push(number));
        assert_eq!(chunked.get(5000).map(std::ptr::from_ref), place);
        assert!((0..40_000).all(|number| chunked.get(number) == Some(&number)));
        for len in [8193, 8192, 8191, 1, 0] {
            chunked.truncate(len);
            assert_eq!((chunked.len(), chunked.get(len)), (len, None));
            assert_eq!(chunked.get(len.wrapping_sub(1)).copied(), len.checked_sub(1));
        }
    }

    fn hash(number: &u64) -> u64 {
        number.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    #[test]
    fn small_and_large_tables_hold_what_was_added() {
        let mut table = ShardedTable::default();
        let count = 3 * SPLIT_LEN as u64;
        for number in 0..count {
            assert!(table.insert(hash(&number), |known| *known == number, hash, number));
            assert!(!table.insert(hash(&number), |known| *known == number, hash, number));
        }
        for number in (0..count).step_by(3) {
            table.remove(hash(&number), |known| *known == number);
        }
        for number in 0..count {
            let found = table.find(hash(&number), |known| *known == number);
            assert_eq!(found.is_some(), number % 3 != 0, "{number}");
        }
        assert_eq!(table.shards.len(), 1 << SHARD_BITS);
        assert_eq!(table.bytes, table.shards.iter().map(HashTable::allocation_size).sum::<usize>());
    }

    #[test]
    fn a_change_is_seen_by_nobody_else() {
        let mut one = MaybeShared::new(vec![1]);
        let mut other = one.share();
        other.make_mut().push(2);
        let third = one.share();
        one.make_mut().push(3);
        assert_eq!((&*one, &*other, &*third), (&vec![1, 3], &vec![1, 2], &vec![1]));
    }

    #[test]
    fn what_nobody_else_has_is_not_copied() {
        let mut one = MaybeShared::new(vec![1]);
        drop(one.share());
        let place = one.as_ptr();
        one.make_mut();
        assert_eq!(one.as_ptr(), place);
    }
}
