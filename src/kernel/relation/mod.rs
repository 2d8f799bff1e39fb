//! A relation: the tuples of a predicate, each once, in the order of their arrival.
//!
//! Tuples lie one behind the other in a single vector. A tuple is known by its number, and numbers grow:
//! what a round of evaluation added is a range of them, which is all that semi-naive evaluation needs.
//! Indices over some of the columns are made when a join first asks for them, and catch up when asked again.

mod index;
mod known;

use std::ops::Range;

use rustc_hash::FxHashSet;

use self::index::Index;
use self::known::Known;
use super::{ValueId, work};

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
    known: Known,
    /// The numbers of tuples that hold no more, or never did: they gave way to others.
    gone: FxHashSet<u32>,
    /// From this number on the rules still see those that gave way, when they look at what a round added.
    stale_from: u32,
    indices: Vec<Index>,
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
        Self { arity, known: Known::new(arity), stale_from: NONE, ..Self::default() }
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
        tuple_of(&self.values, self.arity, number)
    }

    /// All tuples in the order of their arrival.
    pub fn tuples(&self) -> impl Iterator<Item = &[ValueId]> {
        (0..self.len).map(|number| self.tuple(number))
    }

    /// The number of a tuple, if it is there.
    #[must_use]
    pub fn find(&self, tuple: &[ValueId]) -> Option<u32> {
        self.known.find(tuple, |number| self.tuple(number))
    }

    /// Adds a tuple. Gives its number, or `None` if it was there already.
    pub fn insert(&mut self, tuple: &[ValueId]) -> Option<u32> {
        debug_assert_eq!(tuple.len(), self.arity);
        work::done(1);
        let (number, arity, values) = (self.len, self.arity, &self.values);
        if !self.known.insert(tuple, number, |number| tuple_of(values, arity, number)) {
            return None;
        }
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
        self.known.remove(tuple_of(&self.values, self.arity, number), number);
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
        if len > self.len / 2 && self.gone.is_empty() {
            return self.without_last(len.min(self.len));
        }
        let mut prefix = Self::new(self.arity);
        for number in 0..len.min(self.len) {
            prefix.insert(self.tuple(number));
        }
        prefix
    }

    /// The relation of its first `len` tuples, by taking out the others.
    fn without_last(&self, len: u32) -> Self {
        let values = self.values.get(..len as usize * self.arity).unwrap_or(&[]).to_vec();
        let mut prefix = Self { len, values, known: self.known.clone(), ..Self::new(self.arity) };
        for number in len..self.len {
            prefix.known.remove(self.tuple(number), number);
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
        let indices: usize = self.indices.iter().map(Index::bytes).sum();
        self.values.len() * size_of::<ValueId>() + self.known.bytes() + indices
    }

    /// The number of the index over `columns`, if it holds all tuples below `end`.
    pub(super) fn index_up_to(&self, columns: Columns, end: u32) -> Option<usize> {
        let is_it = |index: &Index| index.columns == columns && index.len() >= end;
        self.indices.iter().position(is_it)
    }

    /// Makes the index over `columns` hold `more` tuples more, but only those below `end`.
    pub(super) fn index(&mut self, columns: Columns, end: u32, more: u32) {
        let at = self.indices.iter().position(|index| index.columns == columns).unwrap_or_else(|| {
            self.indices.push(Index::new(columns));
            self.indices.len() - 1
        });
        let (arity, values) = (self.arity, &self.values);
        if let Some(index) = self.indices.get_mut(at) {
            let start = index.len();
            index
                .extend(start..end.min(start.saturating_add(more)), |number| tuple_of(values, arity, number));
        }
    }

    /// The tuples of a range that have `key`, a value for each column of the index in their order.
    pub(super) fn chain(&self, index: usize, key: &[ValueId], range: &Range<u32>) -> Chain {
        let Some(found) = self.indices.get(index) else { return Chain { index, at: NONE, start: 0 } };
        let mut at = found.last(key, |number| self.tuple(number));
        // What came after the range is newer: the walk passes it.
        while at != NONE && at >= range.end {
            at = found.before(at);
        }
        Chain { index, at, start: range.start }
    }

    /// The next tuple of a chain.
    #[inline]
    pub(super) fn next(&self, chain: &mut Chain) -> Option<u32> {
        let at = chain.at;
        if at == NONE || at < chain.start {
            return None;
        }
        chain.at = self.indices.get(chain.index).map_or(NONE, |index| index.before(at));
        Some(at)
    }
}

/// The tuple of a number; empty for a number that there is not.
#[inline]
fn tuple_of(values: &[ValueId], arity: usize, number: u32) -> &[ValueId] {
    work::done(1);
    values.get(number as usize * arity..).and_then(|rest| rest.get(..arity)).unwrap_or(&[])
}
