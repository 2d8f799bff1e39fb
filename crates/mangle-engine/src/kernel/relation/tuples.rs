//! Storage of the tuples of a relation, in chunks that never move.
//!
//! A single vector would double its capacity: both copies exist during the move, and up to half of
//! the memory is unused.

use super::super::{ValueId, work};

/// The number of tuples in a chunk, as a power of two.
const BITS: u32 = 12;

/// The maximum arity for preallocated chunks. Chunks of wider tuples grow on demand.
const WIDEST: usize = 64;

/// Tuples of one width.
#[derive(Debug, Clone, Default)]
pub(super) struct Tuples {
    arity: usize,
    len: u32,
    /// The chunks. All but the last are full.
    pieces: Vec<Vec<ValueId>>,
    /// The capacity of the chunks in values.
    capacity: usize,
}

impl Tuples {
    pub(super) fn new(arity: usize) -> Self {
        Self { arity, ..Self::default() }
    }

    pub(super) fn len(&self) -> u32 {
        self.len
    }

    /// The tuple with a number. Empty if the number is out of range.
    #[inline]
    pub(super) fn get(&self, number: u32) -> &[ValueId] {
        work::record_work(1);
        let within = (number & ((1 << BITS) - 1)) as usize * self.arity;
        let piece = self.pieces.get((number >> BITS) as usize);
        piece.and_then(|piece| piece.get(within..)).and_then(|rest| rest.get(..self.arity)).unwrap_or(&[])
    }

    pub(super) fn push(&mut self, tuple: &[ValueId]) {
        if self.len & ((1 << BITS) - 1) == 0 {
            // The first chunk does not reserve capacity.
            let room = if self.len == 0 || self.arity > WIDEST { 0 } else { self.arity << BITS };
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
    pub(super) fn prefix(&self, len: u32) -> Self {
        let mut prefix = Self::new(self.arity);
        let whole = (len >> BITS) as usize;
        prefix.pieces.extend(self.pieces.get(..whole).unwrap_or(&[]).iter().cloned());
        prefix.capacity = prefix.pieces.iter().map(Vec::capacity).sum();
        prefix.len = u32::try_from(prefix.pieces.len()).unwrap_or(0) << BITS;
        for number in prefix.len..len.min(self.len) {
            prefix.push(self.get(number));
        }
        prefix
    }

    /// The allocated memory in bytes.
    pub(super) fn bytes(&self) -> usize {
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
