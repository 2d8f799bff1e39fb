//! Index of tuples by the values in some columns. Stores the last tuple of each key, and for each
//! tuple the previous tuple with the same key.

use std::ops::Range;

use super::super::ValueId;
use super::super::chunked_vec::ChunkedVec;
use super::super::sharded_table::ShardedTable;
use super::columns::{Columns, NONE};
use super::tuple_index::{half_hash, spread};

#[derive(Debug, Clone)]
pub(super) struct Index {
    pub(super) columns: Columns,
    /// The column, if the index has a single one.
    only: Option<usize>,
    /// The value of the single column, or half of the hash of several, and the last such tuple.
    last: ShardedTable<[u32; 2]>,
    before: ChunkedVec<u32>,
}

impl Index {
    pub(super) fn new(columns: Columns) -> Self {
        let only = columns.is_power_of_two().then_some(columns.trailing_zeros() as usize);
        Self { columns, only, last: ShardedTable::default(), before: ChunkedVec::default() }
    }

    /// The number of indexed tuples.
    pub(super) fn len(&self) -> u32 {
        u32::try_from(self.before.len()).unwrap_or(u32::MAX)
    }

    /// The allocated memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.before.bytes() + self.last.bytes()
    }

    fn key<'t>(&self, tuple: &'t [ValueId]) -> impl Iterator<Item = ValueId> + use<'t> {
        let columns = self.columns;
        let is_key = move |(at, _): &(usize, &ValueId)| *at < 64 && columns & (1 << at) != 0;
        tuple.iter().enumerate().filter(is_key).map(|(_, value)| *value)
    }

    /// Adds a range of tuples that directly follows the indexed tuples.
    pub(super) fn extend<'t>(&mut self, numbers: Range<u32>, tuple_of: impl Fn(u32) -> &'t [ValueId]) {
        for number in numbers {
            let tuple = tuple_of(number);
            let before = match self.only {
                Some(column) => self.put(tuple.get(column).map_or(0, |value| value.0), number, |_| true),
                None => {
                    let (columns, half) = (self.columns, half_hash(self.key(tuple)));
                    let is_same = |other: u32| same_key(columns, tuple_of(other), tuple);
                    self.put(half, number, is_same)
                }
            };
            self.before.push(before);
        }
    }

    /// Makes a tuple the last of its key. Returns the previous last tuple.
    fn put(&mut self, half: u32, number: u32, is_same: impl Fn(u32) -> bool) -> u32 {
        if let Some(last) = self.last.find_mut(spread(half), |entry| entry[0] == half && is_same(entry[1])) {
            return std::mem::replace(&mut last[1], number);
        }
        self.last.insert(spread(half), |_| false, |entry| spread(entry[0]), [half, number]);
        NONE
    }

    /// The last tuple with a key. The key has one value per indexed column, in column order.
    #[inline]
    pub(super) fn last<'t>(&self, key: &[ValueId], tuple_of: impl Fn(u32) -> &'t [ValueId]) -> u32 {
        let found = match (self.only, key) {
            (Some(_), [only]) => self.last.find(spread(only.0), |entry| entry[0] == only.0),
            _ => {
                let half = half_hash(key.iter().copied());
                let is_same = |other: u32| self.key(tuple_of(other)).eq(key.iter().copied());
                self.last.find(spread(half), |entry| entry[0] == half && is_same(entry[1]))
            }
        };
        found.map_or(NONE, |entry| entry[1])
    }

    /// The previous tuple with the same key.
    #[inline]
    pub(super) fn before(&self, number: u32) -> u32 {
        self.before.get(number as usize).copied().unwrap_or(NONE)
    }
}

fn same_key(columns: Columns, one: &[ValueId], other: &[ValueId]) -> bool {
    let mut pairs = one.iter().zip(other).enumerate();
    pairs.all(|(at, (one, other))| at >= 64 || columns & (1 << at) == 0 || one == other)
}
