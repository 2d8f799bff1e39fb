//! Which tuples there are: a hash table that says the number of a tuple.
//!
//! Tuples of one or two values lie in the table themselves, so that a question costs one place of memory.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use super::super::ValueId;
use super::super::sharded_table::ShardedTable;

/// Tuples and their numbers.
#[derive(Debug, Clone)]
pub(super) enum TupleIndex {
    /// Tuples of at most two values, each with its number.
    Narrow(ShardedTable<[u32; 3]>),
    /// Half of a hash of a tuple, and its number.
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

    /// The number of a tuple. `tuple_of`: the tuple of a number.
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

    /// Makes this the number of a tuple, unless it has one already. Says whether it is new.
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

    /// Forgets the number of a tuple, if it is this one.
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

    /// About how many bytes it takes.
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

/// A large table takes the part from eight of the upper bits. They are the same for tuples with the same first value
/// whose second ones were made at about the same time: joins ask for such tuples one after the other, and a part is
/// small enough to stay near the processor.
#[inline]
fn narrow_hash([one, other]: [u32; 2]) -> u64 {
    const SCATTER: u64 = 0x9e37_79b9_7f4a_7c15;
    const PART: u64 = 0xff << 49;
    let all = (u64::from(one) << 32 | u64::from(other)).wrapping_mul(SCATTER);
    let part = (u64::from(one) << 20 | u64::from(other >> 12)).wrapping_mul(SCATTER);
    (all ^ (all >> 32)) & !PART | part & PART
}

/// A hash of a tuple, and the half of it from which the whole can be made again.
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

/// A hash from its half.
#[inline]
pub(super) fn spread(half: u32) -> u64 {
    u64::from(half) | u64::from(half.wrapping_mul(0x9e37_79b9)) << 32
}
