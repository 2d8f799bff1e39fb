//! Texts of whose source some bytes are written as two, such as `\"` and `\n`: a number for each of those bytes.

use std::sync::Arc;

use text_size::{TextRange, TextSize};

/// Which bytes of a text are two in its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pairs {
    /// All bytes that the text comes from.
    pub(super) source: TextRange,
    /// The offsets of the bytes of the text that are two in the source, in their order.
    pub(super) places: Arc<Vec<u32>>,
}

impl Pairs {
    pub(super) fn to_source(&self, derived: TextRange) -> TextRange {
        let start = self.offset(derived.start());
        let end = if derived.is_empty() { start } else { self.offset(derived.end()) };
        TextRange::new(start.min(end), end.max(start))
    }

    /// Where in the source an offset of the text is. What lies past the end is clamped.
    pub(super) fn offset(&self, derived: TextSize) -> TextSize {
        let before = self.places.partition_point(|place| TextSize::new(*place) < derived);
        let offset = u32::from(self.source.start()).saturating_add(u32::from(derived));
        TextSize::new(offset.saturating_add(length(before))).min(self.source.end())
    }

    pub(super) fn to_derived(&self, source: TextSize) -> Option<TextSize> {
        if source < self.source.start() || source > self.source.end() {
            return None;
        }
        let offset = u32::from(source - self.source.start());
        // How many pairs begin in front of the offset: each is further on by those before it.
        let (mut low, mut high) = (0, self.places.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.places.get(middle) {
                Some(place) if place + length(middle) < offset => low = middle + 1,
                _ => high = middle,
            }
        }
        let last = low.checked_sub(1).and_then(|last| Some((*self.places.get(last)?, length(last))));
        Some(TextSize::new(match last {
            // Between the two bytes.
            Some((place, before)) if offset < place + before + 2 => place,
            _ => offset - length(low),
        }))
    }
}

fn length(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
