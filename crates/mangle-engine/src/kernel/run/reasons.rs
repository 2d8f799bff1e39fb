//! First derivation of each tuple of a relation: the clause and the tuples that its premises
//! matched.

use super::super::chunked_vec::ChunkedVec;
use super::super::plan::RuleId;
use super::Derivation;

/// The number of entries in a chunk of the support, as a power of two.
const BITS: u32 = 14;

/// The first derivation of each tuple of a relation.
#[derive(Debug, Clone, Default)]
pub(in crate::kernel) struct Reasons {
    /// The clause of each tuple, and the start of its support.
    rules: ChunkedVec<(RuleId, u32)>,
    /// The support of each tuple, preceded by its length. A support longer than a chunk has its own
    /// chunk.
    pieces: Vec<Vec<u32>>,
    /// The capacity of the chunks in entries.
    capacity: usize,
}

impl Reasons {
    pub(super) fn push(&mut self, rule: RuleId, support: &[u32]) {
        let needed = support.len() + 1;
        let fits = |piece: &&mut Vec<u32>| piece.len() + needed <= 1 << BITS;
        if self.pieces.last_mut().filter(fits).is_none() {
            // The first chunk does not reserve capacity.
            let room = if self.pieces.is_empty() { 0 } else { needed.max(1 << BITS) };
            self.pieces.push(Vec::with_capacity(room));
            self.capacity += room;
        }
        let at = self.pieces.len().saturating_sub(1);
        let Some(piece) = self.pieces.last_mut() else { return };
        let start = at << BITS | piece.len();
        let before = piece.capacity();
        piece.push(u32::try_from(support.len()).unwrap_or(u32::MAX));
        piece.extend_from_slice(support);
        self.capacity += piece.capacity() - before;
        self.rules.push((rule, u32::try_from(start).unwrap_or(u32::MAX)));
    }

    /// Keeps the first `len` derivations.
    pub(super) fn truncate(&mut self, len: u32) {
        let Some((_, start)) = self.rules.get(len as usize).copied() else { return };
        let (at, within) = place(start);
        self.pieces.truncate(at + 1);
        self.pieces.last_mut().into_iter().for_each(|piece| piece.truncate(within));
        self.capacity = self.pieces.iter().map(Vec::capacity).sum();
        self.rules.truncate(len as usize);
    }

    /// The clause of a tuple.
    pub(super) fn rule(&self, number: u32) -> RuleId {
        self.rules.get(number as usize).map_or(RuleId::ASSERTED, |(rule, _)| *rule)
    }

    pub(super) fn get(&self, number: u32) -> Option<Derivation<'_>> {
        let (rule, start) = *self.rules.get(number as usize)?;
        let (at, within) = place(start);
        let (len, rest) = self.pieces.get(at)?.get(within..)?.split_first()?;
        Some(Derivation { rule, support: rest.get(..*len as usize)? })
    }

    /// The allocated memory in bytes.
    pub(in crate::kernel) fn bytes(&self) -> usize {
        let pieces = self.pieces.capacity() * size_of::<Vec<u32>>();
        self.rules.bytes() + self.capacity * size_of::<u32>() + pieces
    }
}

/// The chunk of a start, and the offset within the chunk.
fn place(start: u32) -> (usize, usize) {
    ((start >> BITS) as usize, (start & ((1 << BITS) - 1)) as usize)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn reasons(sizes: &[usize]) -> Reasons {
        let mut reasons = Reasons::default();
        for (number, size) in (0u32..).zip(sizes) {
            reasons.push(RuleId(number), &vec![number; *size]);
        }
        reasons
    }

    #[test]
    fn supports_of_all_sizes_are_kept_and_cut_off() {
        let sizes: Vec<usize> = (0..3000).map(|at| if at % 500 == 7 { 20_000 } else { at % 90 }).collect();
        let mut all = reasons(&sizes);
        for len in [3000, 2501, 1008, 1007, 1, 0] {
            all.truncate(len);
            for number in 0..len {
                let found = all.get(number).unwrap();
                assert_eq!(found.rule, RuleId(number));
                assert_eq!(found.support, vec![number; sizes[number as usize]]);
            }
            assert_eq!(all.get(len), None);
            all.push(RuleId(9), &[1, 2]);
            assert_eq!(all.get(len).unwrap().support, [1, 2]);
            all.truncate(len);
        }
    }
}
