//! Mapping between embedded text and its source bytes, through any number of escape levels.
//!
//! Mangle can be in a JSON string inside of a log line, or in an indented code block. Most of the
//! embedded text equals its source. Some characters come from several bytes (`\n`, `\u00e9`), and
//! some source bytes are omitted (indentation).

use std::borrow::Cow;
use std::sync::Arc;

use text_size::{TextRange, TextSize};

/// The kind of an embedded text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EmbeddedKind {
    /// A whole file.
    File,
    /// A code block of a Markdown file.
    Fence,
    /// One atom, with or without its period.
    Atom,
}

/// Mangle text and the mapping to its source.
#[derive(Debug, Clone)]
pub struct Embedded {
    /// The derived text, which is parsed as Mangle.
    pub text: Arc<str>,
    /// The mapping from its bytes to the bytes of the file.
    pub map: SegmentMap,
    /// The kind of text: a file, a code block, or an atom.
    pub kind: EmbeddedKind,
}

impl Embedded {
    /// Creates the text of a file that consists only of Mangle.
    #[must_use]
    pub fn file(text: Arc<str>) -> Self {
        Self { text, map: SegmentMap::identity(), kind: EmbeddedKind::File }
    }
}

/// A mapping from the bytes of a derived text to its source. Cheap to clone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SegmentMap(Segments);

/// The representation of a mapping.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
enum Segments {
    /// Text and source are equal.
    #[default]
    Identity,
    /// Some bytes of the text are two bytes in the source, all others are equal.
    Pairs(Pairs),
    /// Segments in the order of both texts, without gaps in the derived one.
    Stretches(Arc<Vec<Segment>>),
}

/// A segment of derived text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Segment {
    derived: TextRange,
    source: TextRange,
    /// True if the bytes are equal. Otherwise the segment is atomic, and no position is inside of
    /// it.
    copied: bool,
}

impl SegmentMap {
    /// The mapping of a text that equals its source.
    #[must_use]
    pub fn identity() -> Self {
        Self::default()
    }

    /// The mapping of a text from the range `source`. The source has two bytes for each byte at
    /// `places`, which are sorted text offsets. All other bytes are equal.
    #[must_use]
    pub fn of_pairs(source: TextRange, places: Vec<u32>) -> Self {
        Self(Segments::Pairs(Pairs { source, places: Arc::new(places) }))
    }

    /// The segments of the text. `None` if it equals its source.
    fn stretches(&self) -> Option<Cow<'_, [Segment]>> {
        match &self.0 {
            Segments::Identity => None,
            Segments::Pairs(pairs) => Some(stretches(pairs).into()),
            Segments::Stretches(segments) => Some(segments.as_slice().into()),
        }
    }

    /// True if the text equals its source.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        matches!(self.0, Segments::Identity)
    }

    /// The source range of a range of derived text. The result starts at the first source byte of
    /// the first character and ends at the last source byte of the last character. Positions past
    /// the end are clamped.
    #[must_use]
    pub fn to_source(&self, derived: TextRange) -> TextRange {
        let segments = match &self.0 {
            Segments::Identity => return derived,
            Segments::Pairs(pairs) => return pairs.to_source(derived),
            Segments::Stretches(segments) => segments,
        };
        let start = source_start(segments, derived.start());
        let end = if derived.is_empty() { start } else { source_end(segments, derived.end()) };
        TextRange::new(start.min(end), start.max(end))
    }

    /// The derived offset of a source offset. `None` if no derived text comes from it.
    #[must_use]
    pub fn to_derived(&self, source: TextSize) -> Option<TextSize> {
        let segments = match &self.0 {
            Segments::Identity => return Some(source),
            Segments::Pairs(pairs) => return pairs.to_derived(source),
            Segments::Stretches(segments) => segments,
        };
        let at = segments.partition_point(|segment| segment.source.end() < source);
        // At a boundary, the segment that starts there takes precedence.
        let next = segments.get(at + 1).filter(|segment| segment.source.start() == source);
        let segment = next.or_else(|| segments.get(at)).filter(|found| found.source.start() <= source)?;
        Some(match segment.copied {
            true => segment.derived.start() + (source - segment.source.start()),
            false if source == segment.source.end() => segment.derived.end(),
            false => segment.derived.start(),
        })
    }

    /// Composes two mappings: from this one's derived text to the source of `outer`, whose derived
    /// text is the source of this one.
    #[must_use]
    pub fn within(&self, outer: &Self) -> Self {
        let (Some(inner), Some(around)) = (self.stretches(), outer.stretches()) else {
            return if self.is_identity() { outer.clone() } else { self.clone() };
        };
        let mut builder = SegmentMapBuilder::default();
        for segment in inner.iter() {
            if segment.copied {
                copy_through(&around, segment.source, &mut builder);
            } else {
                builder.escape(segment.derived.len(), outer.to_source(segment.source));
            }
        }
        builder.finish()
    }
}

/// The start of the source of the character at `derived`.
fn source_start(segments: &[Segment], derived: TextSize) -> TextSize {
    let at = segments.partition_point(|segment| segment.derived.end() <= derived);
    match segments.get(at) {
        Some(segment) if segment.copied => segment.source.start() + (derived - segment.derived.start()),
        Some(segment) => segment.source.start(),
        None => segments.last().map_or(TextSize::new(0), |last| last.source.end()),
    }
}

/// The end of the source of the character before `derived`.
fn source_end(segments: &[Segment], derived: TextSize) -> TextSize {
    let at = segments.partition_point(|segment| segment.derived.end() < derived);
    match segments.get(at) {
        Some(segment) if segment.copied => segment.source.start() + (derived - segment.derived.start()),
        Some(segment) => segment.source.end(),
        None => segments.last().map_or(TextSize::new(0), |last| last.source.end()),
    }
}

/// Adds the segments of `middle`, a range of the derived text of `around`.
fn copy_through(around: &[Segment], middle: TextRange, builder: &mut SegmentMapBuilder) {
    let first = around.partition_point(|segment| segment.derived.end() <= middle.start());
    for segment in around.iter().skip(first) {
        let Some(part) = segment.derived.intersect(middle).filter(|part| !part.is_empty()) else { break };
        if segment.copied {
            let start = segment.source.start() + (part.start() - segment.derived.start());
            builder.copy(TextRange::at(start, part.len()));
        } else {
            builder.escape(part.len(), segment.source);
        }
    }
}

/// Builds a map while the derived text is written.
#[derive(Debug, Default)]
pub struct SegmentMapBuilder {
    segments: Vec<Segment>,
    end: TextSize,
}

/// Converts pairs to segments.
fn stretches(pairs: &Pairs) -> Vec<Segment> {
    let mut builder = SegmentMapBuilder::with_escapes(pairs.places.len());
    let (mut at, one) = (pairs.source.start(), TextSize::new(1));
    for place in pairs.places.iter() {
        let pair = pairs.offset(TextSize::new(*place));
        builder.copy(TextRange::new(at, pair));
        at = pair + one + one;
        builder.escape(one, TextRange::new(pair, at));
    }
    builder.copy(TextRange::new(at, pairs.source.end()));
    builder.segments
}

impl SegmentMapBuilder {
    /// Creates a builder with capacity for `escapes` escapes.
    #[must_use]
    pub fn with_escapes(escapes: usize) -> Self {
        Self { segments: Vec::with_capacity(2 * escapes + 1), end: TextSize::new(0) }
    }

    /// Records a copy of the bytes of `source`.
    #[inline]
    pub fn copy(&mut self, source: TextRange) {
        self.push(source.len(), source, true);
    }

    /// Records `len` derived bytes for the bytes of `source`.
    #[inline]
    pub fn escape(&mut self, len: TextSize, source: TextRange) {
        self.push(len, source, false);
    }

    /// Appends the mapping of a text that was appended. Identity mappings have no length and cannot
    /// be appended.
    pub fn append(&mut self, map: &SegmentMap) {
        for segment in map.stretches().unwrap_or_default().iter() {
            self.push(segment.derived.len(), segment.source, segment.copied);
        }
    }

    /// Returns the mapping.
    #[must_use]
    pub fn finish(self) -> SegmentMap {
        SegmentMap(Segments::Stretches(Arc::new(self.segments)))
    }

    #[inline]
    fn push(&mut self, len: TextSize, source: TextRange, copied: bool) {
        let end = self.end + len;
        if copied
            && let Some(last) = self.segments.last_mut()
            && last.copied
            && last.source.end() == source.start()
        {
            last.source = TextRange::new(last.source.start(), source.end());
            last.derived = TextRange::new(last.derived.start(), end);
        } else if end > self.end {
            self.segments.push(Segment { derived: TextRange::new(self.end, end), source, copied });
        }
        self.end = end;
    }
}

#[cfg(test)]
mod pair_tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn pairs_are_as_their_stretches(text in "[ab~]{0,12}", start in 0u32..4, ranges in prop::collection::vec((0u32..30, 0u32..6), 8)) {
            let places: Vec<u32> = (0..).zip(text.chars()).filter(|(_, char)| *char == '~').map(|(at, _)| at).collect();
            let len = u32::try_from(text.len() + places.len()).unwrap_or(u32::MAX);
            let pairs = SegmentMap::of_pairs(TextRange::at(start.into(), len.into()), places);
            let stretches = SegmentMap(Segments::Stretches(Arc::new(pairs.stretches().unwrap_or_default().into_owned())));
            for (at, len) in ranges {
                let range = TextRange::at(at.into(), len.into());
                // An empty text has no segments and therefore no position.
                if !text.is_empty() {
                    prop_assert_eq!(pairs.to_source(range), stretches.to_source(range));
                    prop_assert_eq!(pairs.to_derived(at.into()), stretches.to_derived(at.into()));
                }
            }
            prop_assert_eq!(pairs.within(&SegmentMap::identity()), pairs);
        }
    }
}

/// The bytes of a text that are two bytes in its source.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Pairs {
    /// The source range of the text.
    source: TextRange,
    /// The text offsets of bytes that are two bytes in the source, in order.
    places: Arc<Vec<u32>>,
}

impl Pairs {
    fn to_source(&self, derived: TextRange) -> TextRange {
        let start = self.offset(derived.start());
        let end = if derived.is_empty() { start } else { self.offset(derived.end()) };
        TextRange::new(start.min(end), end.max(start))
    }

    /// The source offset of a text offset. Offsets past the end are clamped.
    fn offset(&self, derived: TextSize) -> TextSize {
        let before = self.places.partition_point(|place| TextSize::new(*place) < derived);
        let offset = u32::from(self.source.start()).saturating_add(u32::from(derived));
        TextSize::new(offset.saturating_add(length(before))).min(self.source.end())
    }

    fn to_derived(&self, source: TextSize) -> Option<TextSize> {
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::*;
    use crate::text::{size, slice};

    /// Decodes simple escapes: `\n` and `\\`, and omits `~`.
    fn decode(source: &str) -> (String, SegmentMap) {
        let (mut text, mut builder) = (String::new(), SegmentMapBuilder::default());
        let mut chars = source.char_indices().peekable();
        while let Some((at, char)) = chars.next() {
            match (char, chars.peek()) {
                ('~', _) => {}
                ('\\', Some(&(_, escaped))) => {
                    chars.next();
                    text.push(if escaped == 'n' { '\n' } else { escaped });
                    let len = if escaped == 'n' { 1 } else { escaped.len_utf8() };
                    builder.escape(size(len), TextRange::at(size(at), size(1 + escaped.len_utf8())));
                }
                _ => {
                    text.push(char);
                    builder.copy(TextRange::at(size(at), size(char.len_utf8())));
                }
            }
        }
        (text, builder.finish())
    }

    #[test]
    fn escapes_are_whole_and_gaps_are_nowhere() {
        let (text, map) = decode(r"a\nb~~c");
        assert_eq!(text, "a\nbc");
        let source = |start, end| map.to_source(TextRange::new(size(start), size(end)));
        assert_eq!(source(1, 2), TextRange::new(size(1), size(3)));
        assert_eq!(source(2, 4), TextRange::new(size(3), size(7)));
        assert_eq!(source(9, 12), TextRange::empty(size(7)));
        assert_eq!(map.to_derived(size(2)), Some(size(1)));
        assert_eq!(map.to_derived(size(3)), Some(size(2)));
        assert_eq!(map.to_derived(size(5)), None);
        assert_eq!(map.to_derived(size(6)), Some(size(3)));
    }

    proptest! {
        #[test]
        fn two_levels_point_where_one_after_the_other_does(source in r"[a\\n~é🦀]{0,16}") {
            let (middle, outer) = decode(&source);
            let (text, inner) = decode(&middle);
            let both = inner.within(&outer);
            for (start, char) in text.char_indices() {
                let range = TextRange::at(size(start), size(char.len_utf8()));
                let there = both.to_source(range);
                prop_assert_eq!(there, outer.to_source(inner.to_source(range)));
                prop_assert!(!slice(&source, there).is_empty());
                prop_assert_eq!(both.to_derived(there.start()), Some(range.start()));
            }
        }

        #[test]
        fn any_offset_has_an_answer(source in r"[a\\n~é]{0,12}", start in 0u32..20, len in 0u32..20) {
            let (_, map) = decode(&source);
            let range = map.to_source(TextRange::at(TextSize::new(start), TextSize::new(len)));
            prop_assert!(range.end() <= size(source.len()));
            let _ = map.to_derived(TextSize::new(start));
        }
    }
}
