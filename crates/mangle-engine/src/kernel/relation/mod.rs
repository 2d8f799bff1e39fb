//! A relation: the tuples of a predicate, each once, in the order of their arrival.
//!
//! Tuples lie one behind the other. A tuple is known by its number, and numbers grow:
//! what a round of evaluation added is a range of them, which is all that semi-naive evaluation needs.
//! Indices over some of the columns are made when a join first asks for them, and catch up when asked again.

pub(super) mod columns;
mod index;
mod tuple_index;
mod tuples;

use std::ops::Range;

use rustc_hash::FxHashSet;

use self::index::Index;
use self::tuple_index::TupleIndex;
use self::tuples::Tuples;
use super::{ValueId, work};
use columns::{Columns, NONE};

/// The tuples of a predicate.
#[derive(Debug, Clone, Default)]
pub struct Relation {
    arity: usize,
    tuples: Tuples,
    known: TupleIndex,
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
        let (tuples, known) = (Tuples::new(arity), TupleIndex::new(arity));
        Self { arity, tuples, known, stale_from: NONE, ..Self::default() }
    }

    /// The number of tuples.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tuples.len() as usize
    }

    /// Whether there is no tuple.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tuples.len() == 0
    }

    /// The number of values in a tuple.
    #[must_use]
    pub fn arity(&self) -> usize {
        self.arity
    }

    /// The tuple of this number; empty for a number that there is not.
    #[must_use]
    pub fn tuple(&self, number: u32) -> &[ValueId] {
        self.tuples.get(number)
    }

    /// All tuples in the order of their arrival.
    pub fn tuples(&self) -> impl Iterator<Item = &[ValueId]> {
        (0..self.tuples.len()).map(|number| self.tuple(number))
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
        let (number, tuples) = (self.tuples.len(), &self.tuples);
        if !self.known.insert(tuple, number, |number| tuples.get(number)) {
            return None;
        }
        self.tuples.push(tuple);
        Some(number)
    }

    /// Adds a tuple that gives way at once, and is no obstacle to the same one later. Gives its number.
    pub(super) fn insert_gone(&mut self, tuple: &[ValueId]) -> u32 {
        let number = self.tuples.len();
        self.tuples.push(tuple);
        self.gone.insert(number);
        number
    }

    /// Lets a tuple give way.
    pub(super) fn let_go(&mut self, number: u32) {
        self.known.remove(self.tuples.get(number), number);
        self.gone.insert(number);
    }

    /// Whether rules see a tuple: what gave way only where they look at what a round `added`.
    pub(super) fn is_seen(&self, number: u32, added: bool) -> bool {
        self.gone.is_empty() || !self.gone.contains(&number) || (added && number >= self.stale_from)
    }

    /// Lets rules see what gives way from now on, when they look at what a round added.
    pub(super) fn keep_stale(&mut self) {
        self.stale_from = self.stale_from.min(self.tuples.len());
    }

    /// The relation of its first `len` tuples.
    pub(super) fn prefix(&self, len: u32) -> Self {
        let len = len.min(self.tuples.len());
        if len > self.tuples.len() / 2 && self.gone.is_empty() {
            return self.without_last(len);
        }
        let mut prefix = Self::new(self.arity);
        for number in 0..len {
            prefix.insert(self.tuple(number));
        }
        prefix
    }

    /// The relation of its first `len` tuples, by taking out the others.
    fn without_last(&self, len: u32) -> Self {
        let (tuples, known) = (self.tuples.prefix(len), self.known.clone());
        let mut prefix = Self { tuples, known, ..Self::new(self.arity) };
        for number in len..self.tuples.len() {
            prefix.known.remove(self.tuple(number), number);
        }
        prefix
    }

    /// Whether both have the same tuples under the same numbers.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.tuples == other.tuples
    }

    /// How many bytes it takes, its indices included.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let indices: usize = self.indices.iter().map(Index::bytes).sum();
        let gone = self.gone.capacity() * (size_of::<u32>() + 1) * 8 / 7;
        self.tuples.bytes() + self.known.bytes() + indices + gone
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
        let tuples = &self.tuples;
        if let Some(index) = self.indices.get_mut(at) {
            let start = index.len();
            index.extend(start..end.min(start.saturating_add(more)), |number| tuples.get(number));
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
