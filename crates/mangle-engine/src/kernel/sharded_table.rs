//! Hash table that grows in shards.
//!
//! Doubling a table with millions of entries takes tens of milliseconds without a check for
//! cancellation. A large table therefore consists of many small tables that double independently.

use hashbrown::HashTable;

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
