//! Relations: sets of tuples of a predicate, in order of insertion.
//!
//! Tuples are stored consecutively and numbered. The tuples of one evaluation round are a range of
//! numbers, which is sufficient for semi-naive evaluation. Indexes over columns are built when a
//! join first needs them, and updated on later use.

mod index;

use std::ops::Range;

pub use index::Columns;
use index::{Index, NONE, TupleIndex};
use rustc_hash::FxHashSet;

use super::{ValueId, work};

/// The tuples of a predicate.
#[derive(Debug, Clone, Default)]
pub struct Relation {
    arity: usize,
    tuples: Tuples,
    known: TupleIndex,
    /// The numbers of tuples that a merge has replaced, or that were never valid.
    replaced: FxHashSet<u32>,
    /// From this number on, rules still see replaced tuples when they read the results of a round.
    replaced_visible_from: u32,
    indices: Vec<Index>,
}

/// The tuples with a certain key, from the newest to the oldest.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chain {
    index: usize,
    at: u32,
    /// The smallest number to visit.
    start: u32,
}

impl Relation {
    /// An empty relation.
    #[must_use]
    pub fn new(arity: usize) -> Self {
        let (tuples, known) = (Tuples::new(arity), TupleIndex::new(arity));
        Self { arity, tuples, known, replaced_visible_from: NONE, ..Self::default() }
    }

    /// The number of tuples.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tuples.len() as usize
    }

    /// True if the relation has no tuples.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tuples.len() == 0
    }

    /// The number of values in a tuple.
    #[must_use]
    pub fn arity(&self) -> usize {
        self.arity
    }

    /// The tuple with this number. Empty if the number is out of range.
    #[must_use]
    pub fn tuple(&self, number: u32) -> &[ValueId] {
        self.tuples.get(number)
    }

    /// All tuples, in order of insertion.
    pub fn tuples(&self) -> impl Iterator<Item = &[ValueId]> {
        (0..self.tuples.len()).map(|number| self.tuple(number))
    }

    /// The number of a tuple, if the relation contains it.
    #[must_use]
    pub fn find(&self, tuple: &[ValueId]) -> Option<u32> {
        self.known.find(tuple, |number| self.tuple(number))
    }

    /// Adds a tuple and returns its number. `None` if the relation already contains it.
    pub fn insert(&mut self, tuple: &[ValueId]) -> Option<u32> {
        debug_assert_eq!(tuple.len(), self.arity);
        work::record_work(1);
        let (number, tuples) = (self.tuples.len(), &self.tuples);
        if !self.known.insert(tuple, number, |number| tuples.get(number)) {
            return None;
        }
        self.tuples.push(tuple);
        Some(number)
    }

    /// Adds an already replaced tuple and returns its number. The same tuple can be inserted later.
    pub(super) fn insert_replaced(&mut self, tuple: &[ValueId]) -> u32 {
        let number = self.tuples.len();
        self.tuples.push(tuple);
        self.replaced.insert(number);
        number
    }

    /// Marks a tuple as replaced.
    pub(super) fn mark_replaced(&mut self, number: u32) {
        self.known.remove(self.tuples.get(number), number);
        self.replaced.insert(number);
    }

    /// True if rules see a tuple. Replaced tuples are visible only among the results of a round
    /// (`added`).
    pub(super) fn is_visible(&self, number: u32, added: bool) -> bool {
        self.replaced.is_empty()
            || !self.replaced.contains(&number)
            || (added && number >= self.replaced_visible_from)
    }

    /// Makes tuples that are replaced from now on visible among the results of a round.
    pub(super) fn keep_stale(&mut self) {
        self.replaced_visible_from = self.replaced_visible_from.min(self.tuples.len());
    }

    /// A relation of the first `len` tuples.
    pub(super) fn prefix(&self, len: u32) -> Self {
        let len = len.min(self.tuples.len());
        if len > self.tuples.len() / 2 && self.replaced.is_empty() {
            return self.without_last(len);
        }
        let mut prefix = Self::new(self.arity);
        for number in 0..len {
            prefix.insert(self.tuple(number));
        }
        prefix
    }

    /// A relation of the first `len` tuples, built by removing all others.
    fn without_last(&self, len: u32) -> Self {
        let (tuples, known) = (self.tuples.prefix(len), self.known.clone());
        let mut prefix = Self { tuples, known, ..Self::new(self.arity) };
        for number in len..self.tuples.len() {
            prefix.known.remove(self.tuple(number), number);
        }
        prefix
    }

    /// True if both relations have the same tuples with the same numbers.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.tuples == other.tuples
    }

    /// The allocated memory in bytes, including indexes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let indices: usize = self.indices.iter().map(Index::bytes).sum();
        let gone = self.replaced.capacity() * (size_of::<u32>() + 1) * 8 / 7;
        self.tuples.bytes() + self.known.bytes() + indices + gone
    }

    /// The number of the index over `columns`, if it contains all tuples below `end`.
    pub(super) fn index_up_to(&self, columns: Columns, end: u32) -> Option<usize> {
        let is_it = |index: &Index| index.columns == columns && index.len() >= end;
        self.indices.iter().position(is_it)
    }

    /// Extends the index over `columns` by up to `more` tuples below `end`.
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

    /// The tuples of a range with `key`, which has one value per indexed column in column order.
    pub(super) fn chain(&self, index: usize, key: &[ValueId], range: &Range<u32>) -> Chain {
        let Some(found) = self.indices.get(index) else { return Chain { index, at: NONE, start: 0 } };
        let mut at = found.last(key, |number| self.tuple(number));
        // Skips tuples after the range, which are newer.
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

/// The number of tuples in a chunk, as a power of two.
const CHUNK_BITS: u32 = 12;

/// The maximum arity for preallocated chunks. Chunks of wider tuples grow on demand.
const WIDEST: usize = 64;

/// Tuples of one width.
#[derive(Debug, Clone, Default)]
struct Tuples {
    arity: usize,
    len: u32,
    /// The chunks. All but the last are full.
    pieces: Vec<Vec<ValueId>>,
    /// The capacity of the chunks in values.
    capacity: usize,
}

impl Tuples {
    fn new(arity: usize) -> Self {
        Self { arity, ..Self::default() }
    }

    fn len(&self) -> u32 {
        self.len
    }

    /// The tuple with a number. Empty if the number is out of range.
    #[inline]
    fn get(&self, number: u32) -> &[ValueId] {
        work::record_work(1);
        let within = (number & ((1 << CHUNK_BITS) - 1)) as usize * self.arity;
        let piece = self.pieces.get((number >> CHUNK_BITS) as usize);
        piece.and_then(|piece| piece.get(within..)).and_then(|rest| rest.get(..self.arity)).unwrap_or(&[])
    }

    fn push(&mut self, tuple: &[ValueId]) {
        if self.len & ((1 << CHUNK_BITS) - 1) == 0 {
            // The first chunk does not reserve capacity.
            let room = if self.len == 0 || self.arity > WIDEST { 0 } else { self.arity << CHUNK_BITS };
            self.pieces.push(Vec::with_capacity(room));
            self.capacity += room;
        }
        if let Some(last) = self.pieces.last_mut() {
            let before = last.capacity();
            last.extend_from_slice(tuple);
            self.capacity += last.capacity() - before;
        }
        self.len += 1;
    }

    /// The first `len` tuples.
    fn prefix(&self, len: u32) -> Self {
        let mut prefix = Self::new(self.arity);
        let whole = (len >> CHUNK_BITS) as usize;
        prefix.pieces.extend(self.pieces.get(..whole).unwrap_or(&[]).iter().cloned());
        prefix.capacity = prefix.pieces.iter().map(Vec::capacity).sum();
        prefix.len = u32::try_from(prefix.pieces.len()).unwrap_or(0) << CHUNK_BITS;
        for number in prefix.len..len.min(self.len) {
            prefix.push(self.get(number));
        }
        prefix
    }

    /// The allocated memory in bytes.
    fn bytes(&self) -> usize {
        self.capacity * size_of::<ValueId>() + self.pieces.capacity() * size_of::<Vec<ValueId>>()
    }
}

impl PartialEq for Tuples {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.pieces == other.pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tuples(arity: usize, count: u32) -> Tuples {
        let mut tuples = Tuples::new(arity);
        for number in 0..count {
            tuples.push(&vec![ValueId(number); arity]);
        }
        tuples
    }

    #[test]
    fn tuples_are_found_by_number() {
        for arity in [0, 1, 3, 100] {
            let all = tuples(arity, 10_000);
            assert!((0..10_000).all(|number| all.get(number) == vec![ValueId(number); arity]));
            assert_eq!(all.get(10_000), &[]);
        }
    }

    #[test]
    fn prefixes_are_those_of_the_tuples() {
        let all = tuples(2, 10_000);
        for len in [0, 1, 4095, 4096, 4097, 10_000, 20_000] {
            assert!(all.prefix(len) == tuples(2, len.min(10_000)), "{len}");
        }
    }

    #[test]
    fn little_is_taken_beyond_what_is_held() {
        let all = tuples(3, 100_000);
        assert!((1_200_000..1_300_000).contains(&all.bytes()), "{}", all.bytes());
    }
}
