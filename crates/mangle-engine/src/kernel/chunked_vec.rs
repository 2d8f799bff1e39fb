//! Vector that grows in chunks.
//!
//! A doubling vector copies all its elements without a check for cancellation. This vector never
//! moves an element after the first chunk is full.

/// The number of elements in a chunk, as a power of two.
const BITS: u32 = 12;

#[derive(Debug, Clone)]
pub(super) struct ChunkedVec<T> {
    /// The chunks. All but the last are full.
    pieces: Vec<Vec<T>>,
}

impl<T> Default for ChunkedVec<T> {
    fn default() -> Self {
        Self { pieces: Vec::new() }
    }
}

impl<T> ChunkedVec<T> {
    pub(super) fn len(&self) -> usize {
        self.pieces.last().map_or(0, |last| ((self.pieces.len() - 1) << BITS) + last.len())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    #[inline]
    pub(super) fn get(&self, at: usize) -> Option<&T> {
        self.pieces.get(at >> BITS)?.get(at & ((1 << BITS) - 1))
    }

    pub(super) fn push(&mut self, element: T) {
        let pieces = self.pieces.len();
        match self.pieces.last_mut().filter(|last| last.len() < 1 << BITS) {
            Some(last) => last.push(element),
            None => {
                // The first chunk does not reserve capacity.
                let mut piece = Vec::with_capacity(if pieces == 0 { 0 } else { 1 << BITS });
                piece.push(element);
                self.pieces.push(piece);
            }
        }
    }

    /// Keeps the first `len` elements.
    pub(super) fn truncate(&mut self, len: usize) {
        self.pieces.truncate(len.div_ceil(1 << BITS));
        let within = len - (self.pieces.len().saturating_sub(1) << BITS).min(len);
        self.pieces.last_mut().into_iter().for_each(|last| last.truncate(within));
    }

    /// The allocated memory in bytes, including unused capacity.
    pub(super) fn bytes(&self) -> usize {
        let full = self.pieces.len().saturating_sub(1) << BITS;
        let places = full + self.pieces.last().map_or(0, Vec::capacity);
        places * size_of::<T>() + self.pieces.capacity() * size_of::<Vec<T>>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_stay_where_they_are() {
        let mut chunked = ChunkedVec::default();
        assert!(chunked.is_empty());
        for number in 0..20_000 {
            assert_eq!((chunked.len(), chunked.get(number)), (number, None));
            chunked.push(number);
        }
        let place = chunked.get(5000).map(std::ptr::from_ref);
        (20_000..40_000).for_each(|number| chunked.push(number));
        assert_eq!(chunked.get(5000).map(std::ptr::from_ref), place);
        assert!((0..40_000).all(|number| chunked.get(number) == Some(&number)));
        for len in [8193, 8192, 8191, 1, 0] {
            chunked.truncate(len);
            assert_eq!((chunked.len(), chunked.get(len)), (len, None));
            assert_eq!(chunked.get(len.wrapping_sub(1)).copied(), len.checked_sub(1));
        }
    }
}
