//! Counts by word: rule, role (shard), model or version.

use rustc_hash::FxHashMap;

use mangle_syntax::text::shorten;
use piggyback::envelope::secrets::redacted;
use piggyback::transcript::statistics::OTHERS;

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
pub(super) const MAX_WORD_LEN: usize = 80;

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
