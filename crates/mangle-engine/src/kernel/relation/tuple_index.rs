//! Hash table from tuples to their numbers.
//!
//! Tuples of one or two values are stored in the table itself, so that a lookup needs one memory
//! access.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use super::super::ValueId;
use super::super::sharded_table::ShardedTable;

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
pub(super) fn half_hash(values: impl Iterator<Item = ValueId>) -> u32 {
    let mut hasher = FxHasher::default();
    values.for_each(|value| hasher.write_u32(value.0));
    (hasher.finish() >> 16) as u32
}

/// The full hash for a half.
#[inline]
pub(super) fn spread(half: u32) -> u64 {
    u64::from(half) | u64::from(half.wrapping_mul(0x9e37_79b9)) << 32
}
