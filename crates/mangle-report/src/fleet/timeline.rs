//! Counts by time, in at most [`MAX_SPANS`] spans. The length of the spans grows with the time
//! range.

use std::collections::BTreeMap;

use super::bucket::{Bucket, EMPTY};

/// The maximum number of spans.
pub(super) const MAX_SPANS: i64 = 60;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// The lengths of spans in seconds. Each length divides the next one, so that spans can be merged.
const LENGTHS: [i64; 14] = [
    MINUTE,
    5 * MINUTE,
    15 * MINUTE,
    HOUR,
    3 * HOUR,
    6 * HOUR,
    12 * HOUR,
    DAY,
    7 * DAY,
    28 * DAY,
    84 * DAY,
    336 * DAY,
    1_680 * DAY,
    6_720 * DAY,
];

/// Weeks start on Mondays; 1970 started on a Thursday.
const MONDAY: i64 = -3 * DAY;

#[derive(Debug, Default)]
pub(super) struct Timeline {
    buckets: BTreeMap<i64, Bucket>,
    /// The index of the span length in [`LENGTHS`].
    length: usize,
}

impl Timeline {
    /// The length of a span in seconds.
    pub(super) fn length(&self) -> i64 {
        LENGTHS.get(self.length).copied().unwrap_or(DAY)
    }

    /// The counts of the span that contains a second.
    pub(super) fn bucket(&mut self, second: i64) -> &mut Bucket {
        while self.span_with(self.number(second)) > MAX_SPANS && self.length + 1 < LENGTHS.len() {
            self.coarsen();
        }
        let number = self.number(second);
        self.buckets.entry(number).or_default()
    }

    /// All spans from the first to the last, including empty ones, with their start in seconds.
    pub(super) fn buckets(&self) -> impl Iterator<Item = (i64, &Bucket)> {
        let numbers = self.ends().map_or(0..0, |(first, last)| first..last + 1);
        let of = |number| (MONDAY + number * self.length(), self.buckets.get(&number).unwrap_or(&EMPTY));
        numbers.map(of)
    }

    fn ends(&self) -> Option<(i64, i64)> {
        Some((*self.buckets.first_key_value()?.0, *self.buckets.last_key_value()?.0))
    }

    fn number(&self, second: i64) -> i64 {
        (second - MONDAY).div_euclid(self.length())
    }

    /// The number of spans including one more.
    fn span_with(&self, number: i64) -> i64 {
        self.ends().map_or(1, |(first, last)| last.max(number) - first.min(number) + 1)
    }

    /// Merges spans to the next length.
    fn coarsen(&mut self) {
        let before = self.length();
        self.length += 1;
        let factor = self.length() / before;
        for (number, bucket) in std::mem::take(&mut self.buckets) {
            self.buckets.entry(number.div_euclid(factor)).or_default().merge(bucket);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(timeline: &Timeline) -> Vec<(i64, u64)> {
        timeline.buckets().map(|(second, bucket)| (second, bucket.answers)).collect()
    }

    #[test]
    fn spans_become_longer_as_times_spread() {
        let mut timeline = Timeline::default();
        let monday = 1_767_571_200; // 2026-01-05
        timeline.bucket(monday + 59).answers += 1;
        timeline.bucket(monday + 61).answers += 1;
        assert_eq!(counts(&timeline), [(monday, 1), (monday + 60, 1)]);
        timeline.bucket(monday + HOUR + MINUTE).answers += 1;
        assert_eq!((timeline.length(), timeline.buckets().count()), (5 * MINUTE, 13));
        timeline.bucket(monday + 100 * DAY).answers += 1;
        assert_eq!(timeline.length(), 7 * DAY);
        let all = counts(&timeline);
        assert_eq!((all.len(), all[0], all[14].1), (15, (monday, 3), 1));
    }

    #[test]
    fn any_times_fit() {
        let mut timeline = Timeline::default();
        for second in [7_258_118_399, 631_152_000, 1_767_571_200] {
            timeline.bucket(second).answers += 1;
        }
        assert!(timeline.buckets().count() as i64 <= MAX_SPANS, "{}", timeline.buckets().count());
        assert_eq!(timeline.buckets().map(|(_, bucket)| bucket.answers).sum::<u64>(), 3);
    }
}
