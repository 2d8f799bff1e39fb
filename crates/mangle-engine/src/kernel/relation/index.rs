//! Hash indexes of tuples: by the values in some columns, and by the whole tuple.
//!
//! An index by columns stores the last tuple of each key, and for each tuple the previous tuple with
//! the same key. In the table of whole tuples, tuples of one or two values are stored in the table
//! itself, so that a lookup needs one memory access.

use std::hash::Hasher;
use std::ops::Range;

use rustc_hash::FxHasher;

use crate::kernel::ValueId;
use crate::kernel::collections::{ChunkedVec, ShardedTable};

/// The end of a chain of tuples.
pub(super) const NONE: u32 = u32::MAX;

/// A bit set of columns. Columns from index 64 on are never part of an index.
pub type Columns = u64;

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

/// Tuples and their numbers.
#[derive(Debug, Clone)]
pub(super) enum TupleIndex {
    /// Tuples of at most two values, each with its number.
    Narrow(ShardedTable<[u32; 3]>),
    /// Half of the hash of a tuple, with its number.
    Wide(ShardedTable<[u32; 2]>),
}

impl Default for TupleIndex {
    fn default() -> Self {
        Self::new(0)
    }
}

impl TupleIndex {
    pub(super) fn new(arity: usize) -> Self {
        if arity <= 2 { Self::Narrow(ShardedTable::default()) } else { Self::Wide(ShardedTable::default()) }
    }

    /// The number of a tuple. `tuple_of` returns the tuple with a number.
    #[inline]
    pub(super) fn find<'t>(&self, tuple: &[ValueId], tuple_of: impl Fn(u32) -> &'t [ValueId]) -> Option<u32> {
        match self {
            Self::Narrow(table) => {
                let [one, other] = narrow(tuple);
                let found =
                    table.find(narrow_hash([one, other]), |entry| entry[0] == one && entry[1] == other);
                found.map(|entry| entry[2])
            }
            Self::Wide(table) => {
                let (hash, half) = wide_hash(tuple);
                let found = table.find(hash, |entry| entry[0] == half && tuple_of(entry[1]) == tuple);
                found.map(|entry| entry[1])
            }
        }
    }

    /// Adds a tuple with this number, unless the table contains the tuple. Returns true if it is
    /// new.
    #[inline]
    pub(super) fn insert<'t>(
        &mut self,
        tuple: &[ValueId],
        number: u32,
        tuple_of: impl Fn(u32) -> &'t [ValueId],
    ) -> bool {
        match self {
            Self::Narrow(table) => {
                let [one, other] = narrow(tuple);
                table.insert(
                    narrow_hash([one, other]),
                    |entry| entry[0] == one && entry[1] == other,
                    |entry| narrow_hash([entry[0], entry[1]]),
                    [one, other, number],
                )
            }
            Self::Wide(table) => {
                let (hash, half) = wide_hash(tuple);
                table.insert(
                    hash,
                    |entry| entry[0] == half && tuple_of(entry[1]) == tuple,
                    |entry| spread(entry[0]),
                    [half, number],
                )
            }
        }
    }

    /// Removes a tuple, if it has this number.
    pub(super) fn remove(&mut self, tuple: &[ValueId], number: u32) {
        match self {
            Self::Narrow(table) => {
                table.remove(narrow_hash(narrow(tuple)), |entry| entry[2] == number);
            }
            Self::Wide(table) => {
                table.remove(wide_hash(tuple).0, |entry| entry[1] == number);
            }
        }
    }

    /// The approximate memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Narrow(table) => table.bytes(),
            Self::Wide(table) => table.bytes(),
        }
    }
}

fn narrow(tuple: &[ValueId]) -> [u32; 2] {
    match *tuple {
        [one, other] => [one.0, other.0],
        [one] => [0, one.0],
        _ => [0, 0],
    }
}

/// The hash of a narrow tuple, optimized for locality.
///
/// A large table selects the shard by eight of the upper bits. The bits are equal for tuples with
/// the same first value and a second value of similar age. Joins look up such tuples consecutively,
/// and one shard is small enough for the CPU cache.
#[inline]
fn narrow_hash([one, other]: [u32; 2]) -> u64 {
    const SCATTER: u64 = 0x9e37_79b9_7f4a_7c15;
    const PART: u64 = 0xff << 49;
    let all = (u64::from(one) << 32 | u64::from(other)).wrapping_mul(SCATTER);
    let part = (u64::from(one) << 20 | u64::from(other >> 12)).wrapping_mul(SCATTER);
    (all ^ (all >> 32)) & !PART | part & PART
}

/// The hash of a tuple, and the half hash that determines the full hash.
fn wide_hash(tuple: &[ValueId]) -> (u64, u32) {
    let half = half_hash(tuple.iter().copied());
    (spread(half), half)
}

/// Half of a hash of some values.
#[inline]
fn half_hash(values: impl Iterator<Item = ValueId>) -> u32 {
    let mut hasher = FxHasher::default();
    values.for_each(|value| hasher.write_u32(value.0));
    (hasher.finish() >> 16) as u32
}

/// The full hash for a half.
#[inline]
pub(super) fn spread(half: u32) -> u64 {
    u64::from(half) | u64::from(half.wrapping_mul(0x9e37_79b9)) << 32
}
