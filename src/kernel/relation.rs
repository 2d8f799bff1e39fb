//! A relation: the tuples of a predicate, each once, in the order of their arrival.
//!
//! Tuples lie one behind the other in a single vector. A tuple is known by its number, and numbers grow:
//! what a round of evaluation added is a range of them, which is all that semi-naive evaluation needs.
//! Indices over some of the columns are made when a join first asks for them, and catch up when asked again.

use std::hash::Hasher;
use std::ops::Range;

use hashbrown::HashTable;
use rustc_hash::{FxHashSet, FxHasher};

use super::ValueId;

/// No tuple: the end of a chain.
const NONE: u32 = u32::MAX;

/// A set of columns, bit by bit. Columns from the 64th on are never part of an index.
pub(super) type Columns = u64;

/// The tuples of a predicate.
#[derive(Debug, Clone, Default)]
pub struct Relation {
    arity: usize,
    len: u32,
    values: Vec<ValueId>,
    known: HashTable<u32>,
    /// The numbers of tuples that hold no more, or never did: they gave way to others.
    gone: FxHashSet<u32>,
    /// From this number on the rules still see those that gave way, when they look at what a round added.
    stale_from: u32,
    indices: Vec<Index>,
}

/// Tuples by the values in some columns: for each combination the last tuple, and for each tuple the one
/// before it with the same.
#[derive(Debug, Clone)]
struct Index {
    columns: Columns,
    last: HashTable<u32>,
    before: Vec<u32>,
}

/// Where the tuples with a certain key are found: walked from the newest to the oldest.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chain {
    index: usize,
    at: u32,
    /// The number at which the walk ends.
    start: u32,
}

impl Relation {
    /// An empty relation.
    #[must_use]
    pub fn new(arity: usize) -> Self {
        Self { arity, stale_from: NONE, ..Self::default() }
    }

    /// The number of tuples.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether there is no tuple.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The number of values in a tuple.
    #[must_use]
    pub fn arity(&self) -> usize {
        self.arity
    }

    /// The tuple of this number; empty for a number that there is not.
    #[must_use]
    pub fn tuple(&self, number: u32) -> &[ValueId] {
        let start = number as usize * self.arity;
        self.values.get(start..start + self.arity).unwrap_or(&[])
    }

    /// All tuples in the order of their arrival.
    pub fn tuples(&self) -> impl Iterator<Item = &[ValueId]> {
        (0..self.len).map(|number| self.tuple(number))
    }

    /// The number of a tuple, if it is there.
    #[must_use]
    pub fn find(&self, tuple: &[ValueId]) -> Option<u32> {
        self.known.find(hash(tuple.iter().copied()), |&number| self.tuple(number) == tuple).copied()
    }

    /// Adds a tuple. Gives its number, or `None` if it was there already.
    pub fn insert(&mut self, tuple: &[ValueId]) -> Option<u32> {
        debug_assert_eq!(tuple.len(), self.arity);
        let (arity, values) = (self.arity, &self.values);
        let of = |number: u32| {
            values.get(number as usize * arity..).and_then(|rest| rest.get(..arity)).unwrap_or(&[])
        };
        let entry = self.known.entry(
            hash(tuple.iter().copied()),
            |&number| of(number) == tuple,
            |&number| hash(of(number).iter().copied()),
        );
        let hashbrown::hash_table::Entry::Vacant(vacant) = entry else { return None };
        let number = self.len;
        vacant.insert(number);
        self.values.extend_from_slice(tuple);
        self.len += 1;
        Some(number)
    }

    /// Adds a tuple that gives way at once, and is no obstacle to the same one later. Gives its number.
    pub(super) fn insert_gone(&mut self, tuple: &[ValueId]) -> u32 {
        let number = self.len;
        self.values.extend_from_slice(tuple);
        self.len += 1;
        self.gone.insert(number);
        number
    }

    /// Lets a tuple give way.
    pub(super) fn let_go(&mut self, number: u32) {
        let (arity, values) = (self.arity, &self.values);
        let of = |number: u32| {
            values.get(number as usize * arity..).and_then(|rest| rest.get(..arity)).unwrap_or(&[])
        };
        let known = self.known.find_entry(hash(of(number).iter().copied()), |&other| other == number);
        if let Ok(known) = known {
            known.remove();
        }
        self.gone.insert(number);
    }

    /// Whether rules see a tuple: what gave way only where they look at what a round `added`.
    pub(super) fn is_seen(&self, number: u32, added: bool) -> bool {
        self.gone.is_empty() || !self.gone.contains(&number) || (added && number >= self.stale_from)
    }

    /// Lets rules see what gives way from now on, when they look at what a round added.
    pub(super) fn keep_stale(&mut self) {
        self.stale_from = self.stale_from.min(self.len);
    }

    /// The relation of its first `len` tuples.
    pub(super) fn prefix(&self, len: u32) -> Self {
        let mut prefix = Self::new(self.arity);
        for number in 0..len.min(self.len) {
            prefix.insert(self.tuple(number));
        }
        prefix
    }

    /// Whether both have the same tuples under the same numbers.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.len == other.len && self.values == other.values
    }

    /// About how many bytes it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let indices: usize =
            self.indices.iter().map(|index| index.before.len() * 4 + index.last.capacity() * 5).sum();
        self.values.len() * size_of::<ValueId>() + self.known.capacity() * 5 + indices
    }

    /// Makes the index over `columns` hold all tuples that there are. Gives its number.
    pub(super) fn index(&mut self, columns: Columns) -> usize {
        let at = self.indices.iter().position(|index| index.columns == columns).unwrap_or_else(|| {
            self.indices.push(Index { columns, last: HashTable::new(), before: Vec::new() });
            self.indices.len() - 1
        });
        let (arity, values) = (self.arity, &self.values);
        if let Some(index) = self.indices.get_mut(at) {
            index.catch_up(self.len, |number| {
                values.get(number as usize * arity..).and_then(|rest| rest.get(..arity)).unwrap_or(&[])
            });
        }
        at
    }

    /// The tuples of a range that have `key`, a value for each column of the index in their order.
    pub(super) fn chain(&self, index: usize, key: &[ValueId], range: &Range<u32>) -> Chain {
        let Some(found) = self.indices.get(index) else { return Chain { index, at: NONE, start: 0 } };
        let same = |&number: &u32| found.key(self.tuple(number)).eq(key.iter().copied());
        let mut at = found.last.find(hash(key.iter().copied()), same).copied().unwrap_or(NONE);
        // What came after the range is newer: the walk passes it.
        while at != NONE && at >= range.end {
            at = found.before.get(at as usize).copied().unwrap_or(NONE);
        }
        Chain { index, at, start: range.start }
    }

    /// The next tuple of a chain.
    pub(super) fn next(&self, chain: &mut Chain) -> Option<u32> {
        let at = chain.at;
        if at == NONE || at < chain.start {
            return None;
        }
        let before = self.indices.get(chain.index).and_then(|index| index.before.get(at as usize));
        chain.at = before.copied().unwrap_or(NONE);
        Some(at)
    }
}

impl Index {
    fn key<'t>(&self, tuple: &'t [ValueId]) -> impl Iterator<Item = ValueId> + use<'t> {
        let columns = self.columns;
        tuple
            .iter()
            .enumerate()
            .filter(move |(at, _)| *at < 64 && columns & (1 << at) != 0)
            .map(|(_, value)| *value)
    }

    fn catch_up<'t>(&mut self, len: u32, tuple: impl Fn(u32) -> &'t [ValueId]) {
        let start = u32::try_from(self.before.len()).unwrap_or(len);
        self.before.reserve(len.saturating_sub(start) as usize);
        let columns = self.columns;
        let of = |number: u32| {
            let tuple = tuple(number);
            tuple
                .iter()
                .enumerate()
                .filter(move |(at, _)| *at < 64 && columns & (1 << at) != 0)
                .map(|(_, value)| *value)
        };
        for number in start..len {
            let entry = self.last.entry(
                hash(of(number)),
                |&other| of(other).eq(of(number)),
                |&other| hash(of(other)),
            );
            match entry {
                hashbrown::hash_table::Entry::Occupied(mut last) => {
                    self.before.push(*last.get());
                    *last.get_mut() = number;
                }
                hashbrown::hash_table::Entry::Vacant(vacant) => {
                    self.before.push(NONE);
                    vacant.insert(number);
                }
            }
        }
    }
}

fn hash(values: impl Iterator<Item = ValueId>) -> u64 {
    let mut hasher = FxHasher::default();
    values.for_each(|value| hasher.write_u32(value.0));
    hasher.finish()
}
