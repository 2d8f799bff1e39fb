//! Compact segment map for texts whose source has two-byte escapes such as `\"` and `\n`: one
//! number per escape.

use std::sync::Arc;

use text_size::{TextRange, TextSize};

/// The bytes of a text that are two bytes in its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pairs {
    /// The source range of the text.
    pub(super) source: TextRange,
    /// The text offsets of bytes that are two bytes in the source, in order.
    pub(super) places: Arc<Vec<u32>>,
}

impl Pairs {
    pub(super) fn to_source(&self, derived: TextRange) -> TextRange {
        let start = self.offset(derived.start());
        let end = if derived.is_empty() { start } else { self.offset(derived.end()) };
        TextRange::new(start.min(end), end.max(start))
    }

    /// The source offset of a text offset. Offsets past the end are clamped.
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
        // The number of pairs before the offset: each shifts the offset by one.
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
