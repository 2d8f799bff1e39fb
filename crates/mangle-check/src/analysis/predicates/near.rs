//! Suggestions for misspelled predicate names.

use std::collections::BTreeMap;

use mangle_engine::program::{FileSummary, Predicate, PredicateKey, Program};
use mangle_syntax::text::Symbol;

/// Maximum number of names in a message.
const LISTED: usize = 3;

/// Maximum length of a misspelled name. Longer names were not typed by hand.
const MAX_LEN: usize = 80;

/// Maximum number of edit distances per misspelled name. Later candidates are not suggested.
const COMPUTED: usize = 1_000;

/// Maximum number of missing predicates. With more, a part of the program is missing, and no names
/// are suggested.
const MISSING: usize = 2_000;

/// The existing predicates, indexed for the search of similar names.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    /// Sorted lists of names, by length.
    words: BTreeMap<usize, Vec<Word>>,
    missing: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Word {
    key: PredicateKey,
    letters: Letters,
}

/// Similar names, the most similar first.
pub(in crate::analysis) struct Near {
    found: Vec<Candidate>,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    /// Twice the edit distance, plus one if the arity differs. With equal distance, the name with
    /// the right arity comes first.
    score: usize,
    name: &'static str,
}

impl Vocabulary {
    /// Creates the index of the existing predicates of `program`.
    pub(crate) fn new(program: &Program) -> Self {
        let mut vocabulary = Self::default();
        for predicate in program.predicates.iter() {
            if predicate.exists() {
                let name = predicate.key.name.as_str();
                let word = Word { key: predicate.key, letters: Letters::from_name(name) };
                vocabulary.words.entry(name.len()).or_default().push(word);
            } else {
                vocabulary.missing += 1;
            }
        }
        vocabulary.words.values_mut().for_each(|words| words.sort_unstable_by_key(|word| word.key));
        vocabulary
    }

    /// Updates the index from one state of a predicate to another; `None` if nothing mentions it.
    /// Returns true if the suggestions of all missing names can change.
    pub(crate) fn update(&mut self, before: Option<&Predicate>, after: Option<&Predicate>) -> bool {
        let was_crowded = self.is_crowded();
        let is_missing = |predicate: &&Predicate| !predicate.exists();
        self.missing -= usize::from(before.is_some_and(|predicate| is_missing(&predicate)));
        self.missing += usize::from(after.is_some_and(|predicate| is_missing(&predicate)));
        let existed = before.filter(|predicate| predicate.exists());
        let exists = after.filter(|predicate| predicate.exists());
        match (existed, exists) {
            (None, Some(new)) => self.add(new.key),
            (Some(old), None) => self.remove(old.key),
            _ => {}
        }
        was_crowded != self.is_crowded()
    }

    fn is_crowded(&self) -> bool {
        self.missing > MISSING
    }

    fn add(&mut self, key: PredicateKey) {
        let name = key.name.as_str();
        let words = self.words.entry(name.len()).or_default();
        if let Err(at) = words.binary_search_by_key(&key, |word| word.key) {
            words.insert(at, Word { key, letters: Letters::from_name(name) });
        }
    }

    fn remove(&mut self, key: PredicateKey) {
        let words = self.words.entry(key.name.as_str().len()).or_default();
        if let Ok(at) = words.binary_search_by_key(&key, |word| word.key) {
            words.remove(at);
        }
    }

    /// True if the suggestions for `missing` can depend on the existence of `other`.
    pub(crate) fn may_suggest(missing: PredicateKey, other: PredicateKey) -> bool {
        let (name, written) = (missing.name.as_str(), other.name.as_str());
        let limit = distance_limit(name);
        missing.name == other.name
            || !other.package().is_empty()
            || !missing.package().is_empty()
            || limit > 0
                && written.len().abs_diff(name.len()) <= limit
                && Letters::from_name(name).may_be_near(Letters::from_name(written), limit)
    }

    /// The similar names that a clause of `file` can use, written relative to its package.
    pub(in crate::analysis) fn near(
        &self,
        program: &Program,
        file: &FileSummary,
        name: &str,
        arity: u16,
    ) -> Near {
        let limit = distance_limit(name);
        let mut found = Vec::new();
        if limit == 0 || self.is_crowded() {
            return Near { found };
        }
        let own = file.package.map_or("", |package| package.as_str());
        let letters = Letters::from_name(name);
        // Names are written without the package prefix inside of their package.
        let prefix = if own.is_empty() { 0 } else { own.len() + 1 };
        let lengths = name.len().saturating_sub(limit)..=name.len() + limit + prefix;
        let mut computed = 0;
        for word in self.words.range(lengths).flat_map(|(_, words)| words) {
            let is_own = !own.is_empty() && word.key.package() == own;
            let written = if is_own { own_name(word) } else { word.key.name.as_str() };
            let of_written = if is_own { Letters::from_name(written) } else { word.letters };
            if written.len().abs_diff(name.len()) > limit || !letters.may_be_near(of_written, limit) {
                continue;
            }
            computed += 1;
            if computed > COMPUTED {
                break;
            }
            let distance = edits(name, written);
            if distance <= limit && (is_own || is_visible(program, file, word)) {
                found.push(Candidate {
                    score: 2 * distance + usize::from(word.key.arity != arity),
                    name: written,
                });
            }
        }
        found.sort_unstable();
        found.dedup_by(|later, first| later.name == first.name);
        Near { found }
    }
}

fn is_visible(program: &Program, file: &FileSummary, word: &Word) -> bool {
    let package = word.key.package();
    package.is_empty() || program.uses_of(file.package).any(|used| used.as_str() == package)
}

fn own_name(word: &Word) -> &'static str {
    let name = word.key.name.as_str();
    name.get(word.key.package().len() + 1..).unwrap_or(name)
}

impl Near {
    /// Removes one name.
    pub(in crate::analysis) fn without(mut self, name: Option<Symbol>) -> Self {
        self.found.retain(|near| name.is_none_or(|name| name.as_str() != near.name));
        self
    }

    /// The names for a message: `` `a`, `b` or `c` ``. `None` if the list is empty.
    pub(in crate::analysis) fn list(&self) -> Option<String> {
        let names: Vec<_> = self.found.iter().take(LISTED).map(|near| format!("`{}`", near.name)).collect();
        let (last, rest) = names.split_last()?;
        Some(if rest.is_empty() { last.clone() } else { format!("{} or {last}", rest.join(", ")) })
    }

    /// The nearest name with the right arity. `None` if the distance is not unique.
    pub(in crate::analysis) fn unique_best(&self) -> Option<&'static str> {
        let (first, rest) = self.found.split_first()?;
        let right_arity = first.score.is_multiple_of(2);
        let alone = rest.iter().all(|other| other.score > first.score);
        (right_arity && alone).then_some(first.name)
    }
}

/// Maximum edit distance. Names of one or two letters are similar to every name.
fn distance_limit(name: &str) -> usize {
    match name.len() {
        0..3 => 0,
        3..6 => 1,
        len if len > MAX_LEN => 0,
        len => (len / 4).clamp(2, 4),
    }
}

/// The edit distance of two names. Common prefixes and suffixes are skipped, because the cost is
/// the product of the lengths.
fn edits(one: &str, other: &str) -> usize {
    let starts = one.char_indices().zip(other.chars()).find(|((_, one), other)| one != other);
    let Some(((start, _), _)) = starts else {
        return one.chars().count().abs_diff(other.chars().count());
    };
    let (one, other) = (one.get(start..).unwrap_or_default(), other.get(start..).unwrap_or_default());
    let equal = one.chars().rev().zip(other.chars().rev()).take_while(|(one, other)| one == other);
    let end: usize = equal.map(|(one, _)| one.len_utf8()).sum();
    let (one, other) = (one.get(..one.len() - end), other.get(..other.len() - end));
    strsim::osa_distance(one.unwrap_or_default(), other.unwrap_or_default())
}

/// The set of letters in a name. An edit removes and adds at most one letter, which excludes most
/// names without a distance computation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Letters(u64);

impl Letters {
    fn from_name(name: &str) -> Self {
        Self(name.bytes().fold(0, |letters, byte| letters | 1 << (byte & 63)))
    }

    fn may_be_near(self, other: Self, limit: usize) -> bool {
        let edits = |letters: u64| letters.count_ones() as usize;
        edits(self.0 & !other.0) <= limit && edits(other.0 & !self.0) <= limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All words of up to four letters from a two-letter alphabet.
    fn words() -> Vec<String> {
        let longer = |words: Vec<String>| {
            words.iter().flat_map(|word| [format!("{word}a"), format!("{word}ä")]).collect()
        };
        let all = std::iter::successors(Some(vec![String::new()]), |words: &Vec<String>| {
            Some(longer(words.clone()))
        });
        all.take(5).flatten().collect()
    }

    #[test]
    fn edits_are_the_distance_of_the_whole_names() {
        let words = words();
        for (one, other) in words.iter().flat_map(|one| words.iter().map(move |other| (one, other))) {
            assert_eq!(edits(one, other), strsim::osa_distance(one, other), "{one} {other}");
        }
    }
}
