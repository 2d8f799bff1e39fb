//! Counts of the page: by word (rule, role, model or version), by time, and totals of all files.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use mangle_syntax::lint::Severity;
use mangle_syntax::text::shorten;
use piggyback::envelope::secrets::redacted;
use piggyback::transcript::statistics::{OTHERS, Statistics};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dimension {
    Rule,
    Shard,
    Model,
    Version,
}

/// The maximum number of distinct words of a dimension. Further words are counted as [`OTHERS`].
const MAX_WORDS: usize = 200;

/// The maximum length of a word in characters.
const MAX_WORD_LEN: usize = 80;

#[derive(Debug, Default)]
pub(super) struct Tallies {
    /// The numbers of displayed words.
    numbers: FxHashMap<Option<String>, u32>,
    /// A cache of the numbers of original words.
    known: FxHashMap<String, u32>,
    list: Vec<Tally>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Tally {
    /// `None` for records without a value.
    pub(super) word: Option<String>,
    pub(super) answers: u64,
    pub(super) violations: u64,
    /// The numbers of the word in buckets.
    pub(super) numbers: Vec<u32>,
}

impl Tallies {
    pub(super) fn answer(&mut self, word: Option<&str>) {
        let number = self.number(word);
        self.list.iter_mut().skip(number as usize).take(1).for_each(|tally| tally.answers += 1);
    }

    /// Counts a violation. Returns the number of the word.
    pub(super) fn violation(&mut self, word: Option<&str>) -> u32 {
        let number = self.number(word);
        self.list.iter_mut().skip(number as usize).take(1).for_each(|tally| tally.violations += 1);
        number
    }

    fn number(&mut self, word: Option<&str>) -> u32 {
        // The search for credentials is slower than this lookup.
        if let Some(number) = self.known.get(word.unwrap_or_default()).filter(|_| word.is_some()) {
            return *number;
        }
        let clean = word.map(shortened);
        let is_new = !self.numbers.contains_key(&clean);
        let is_full = is_new && clean.is_some() && self.list.len() >= MAX_WORDS;
        let clean = if is_full { Some(OTHERS.to_owned()) } else { clean };
        let list = &mut self.list;
        let number = *self.numbers.entry(clean.clone()).or_insert_with(|| {
            let number = u32::try_from(list.len()).unwrap_or(u32::MAX);
            list.push(Tally { word: clean, numbers: vec![number], ..Tally::default() });
            number
        });
        if let Some(word) = word.filter(|word| self.known.len() < MAX_WORDS && word.len() <= MAX_WORD_LEN) {
            self.known.insert(word.to_owned(), number);
        }
        number
    }

    /// The words with the most violations, then the most replies. Words beyond `most` are one tally
    /// with their number.
    pub(super) fn top(&self, most: usize) -> (Vec<Tally>, Option<(usize, Tally)>) {
        let mut list = self.list.clone();
        list.sort_by(|a, b| {
            (b.violations, b.answers).cmp(&(a.violations, a.answers)).then_with(|| a.word.cmp(&b.word))
        });
        let rest = list.split_off(most.min(list.len()));
        let mut other = Tally::default();
        for tally in &rest {
            other.answers += tally.answers;
            other.violations += tally.violations;
            other.numbers.extend(&tally.numbers);
        }
        (list, (!rest.is_empty()).then_some((rest.len(), other)))
    }
}

/// A word of a transcript without credentials, truncated.
fn shortened(word: &str) -> String {
    shorten(&redacted(word), MAX_WORD_LEN).into_owned()
}

/// The maximum number of spans.
const MAX_SPANS: i64 = 60;

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

/// Counts by time, in at most [`MAX_SPANS`] spans. The length of the spans grows with the time range.
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

/// The counts of a time span.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Bucket {
    pub(super) answers: u64,
    /// Tokens of replies and prompts.
    pub(super) said: u64,
    /// The growth of the asserted facts in tokens.
    pub(super) state: i64,
    /// The number of blocks by the constitution.
    pub(super) blocked: u64,
    /// Violations by dimension and word number.
    pub(super) violations: [BTreeMap<u32, u64>; 4],
}

/// The counts of a time span without replies.
static EMPTY: Bucket =
    Bucket { answers: 0, said: 0, state: 0, blocked: 0, violations: [const { BTreeMap::new() }; 4] };

impl Bucket {
    pub(super) fn merge(&mut self, other: Self) {
        self.answers += other.answers;
        self.said += other.said;
        self.state += other.state;
        self.blocked += other.blocked;
        for (own, more) in self.violations.iter_mut().zip(other.violations) {
            for (number, count) in more {
                *own.entry(number).or_default() += count;
            }
        }
    }
}

/// The maximum number of distinct blocked actions.
const MAX_ACTIONS: usize = 200;

#[derive(Debug, Default, PartialEq)]
pub(super) struct Totals {
    pub(super) files: u64,
    pub(super) sessions: u64,
    pub(super) answers: u64,
    pub(super) prompts: u64,
    /// Replies by extraction method of the runtime.
    pub(super) methods: BTreeMap<&'static str, u64>,
    /// Updates by outcome.
    pub(super) kept: u64,
    pub(super) dropped: u64,
    pub(super) blocked: u64,
    pub(super) withdrawn: u64,
    /// Blocks by the constitution, by lock and action.
    pub(super) blocks: BTreeMap<(&'static str, String), u64>,
    /// Files without a policy to replay against.
    pub(super) unjudged: u64,
    pub(super) said: u64,
    pub(super) state: u64,
    pub(super) errors: u64,
    pub(super) warnings: u64,
    /// Findings of a lower severity.
    lower: u64,
}

impl Totals {
    pub(super) fn found(&mut self, severity: Severity) {
        match severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
            Severity::Information | Severity::Hint => self.lower += 1,
        }
    }

    pub(super) fn add(&mut self, figures: &Statistics, latest: bool) {
        self.files += 1;
        self.answers += figures.answers;
        self.prompts += figures.prompts;
        for (method, count) in &figures.methods {
            *self.methods.entry(method).or_default() += count;
        }
        self.kept += figures.atoms.kept;
        self.dropped += figures.atoms.dropped;
        self.blocked += figures.atoms.blocked;
        self.withdrawn += figures.atoms.withdrawn;
        self.unjudged += u64::from(figures.blocks.is_none());
        for ((lock, action), count) in figures.blocks.iter().flatten() {
            let key = (*lock, action.clone());
            let is_known = self.blocks.contains_key(&key) || self.blocks.len() < MAX_ACTIONS;
            let key = if is_known { key } else { (*lock, OTHERS.to_owned()) };
            *self.blocks.entry(key).or_default() += count;
        }
        self.said += figures.compression.original;
        self.state += figures.compression.state(latest);
    }

    pub(super) fn violations(&self) -> u64 {
        self.errors + self.warnings
    }

    /// The number of blocks.
    pub(super) fn all_blocks(&self) -> u64 {
        self.blocks.values().sum()
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
