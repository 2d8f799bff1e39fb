//! Candidate texts for the tests of a place: each test, several tests together, and longer texts.

use mangle_engine::kernel::{Datum, ValueId, Values};

use super::graph::Comparison;
use super::matching_texts::matching_texts;
use super::truncations::Truncations;

/// The maximum number of texts per place.
const MAX_TEXTS: usize = 500;

/// The maximum number of parts that are combined in pairs, in both orders.
const MAX_PAIRED: usize = 24;
const MAX_IN_BOTH_ORDERS: usize = 4;

/// Required prefixes, parts and suffixes of texts.
struct Tests {
    prefixes: Vec<String>,
    parts: Vec<String>,
    suffixes: Vec<String>,
}

/// Returns the texts of a place with these tests. `distinct` texts pass each single test.
pub(super) fn texts(
    tests: &[(Comparison, ValueId)],
    distinct: usize,
    values: &mut Values,
    cuts: &Truncations<'_>,
) -> Vec<ValueId> {
    let of = |wanted: Comparison| -> Vec<String> {
        let of_kind = tests.iter().filter(|(meeting, _)| *meeting == wanted);
        let texts = of_kind.filter_map(|(_, value)| match values.get(*value) {
            Datum::String(text) => Some(text.to_string()),
            _ => None,
        });
        texts.collect()
    };
    let matched =
        of(Comparison::Matches).iter().flat_map(|pattern| matching_texts(pattern)).collect::<Vec<_>>();
    let tests = Tests {
        prefixes: of(Comparison::Prefix),
        parts: of(Comparison::Contains),
        suffixes: of(Comparison::Suffix),
    };
    let mut texts = Vec::new();
    if !(tests.prefixes.is_empty() && tests.parts.is_empty() && tests.suffixes.is_empty()) {
        texts.extend(tests.single(distinct));
        texts.extend(tests.combined(cuts));
    }
    texts.extend(matched);
    let mut seen = rustc_hash::FxHashSet::default();
    texts.retain(|text| !text.is_empty() && seen.insert(text.clone()));
    cuts.shorten(&mut texts, MAX_TEXTS, "too many texts pass the tests of one argument");
    texts.iter().map(|text| values.string(text)).collect()
}

impl Tests {
    /// Returns a letter that occurs in no test, if possible.
    fn unused(&self) -> char {
        let tests = self.prefixes.iter().chain(&self.parts).chain(&self.suffixes);
        "xyzwvqkj".chars().find(|letter| !tests.clone().any(|test| test.contains(*letter))).unwrap_or('x')
    }

    /// Returns texts that pass one test, without and with additional letters.
    fn single(&self, distinct: usize) -> Vec<String> {
        let letter = self.unused();
        let mut longer = vec![String::new(), letter.to_string()];
        longer.extend((2..distinct).map(|at| format!("{letter}{at}{letter}")));
        let mut texts = Vec::new();
        for more in &longer {
            texts.extend(self.prefixes.iter().map(|prefix| format!("{prefix}{more}")));
            texts.extend(self.suffixes.iter().map(|suffix| format!("{more}{suffix}")));
            texts.extend(self.parts.iter().map(|part| format!("{more}{part}{more}")));
        }
        texts
    }

    /// Returns texts that pass several tests, ordered by the number of tests.
    fn combined(&self, cuts: &Truncations<'_>) -> Vec<String> {
        let with_none = |texts: &[String]| -> Vec<(usize, String)> {
            let texts = texts.iter().map(|text| (1, text.clone()));
            std::iter::once((0, String::new())).chain(texts).collect()
        };
        let (prefixes, suffixes) = (with_none(&self.prefixes), with_none(&self.suffixes));
        let mut texts = Vec::new();
        for (in_middle, middle) in &self.middles(cuts) {
            for (at_end, suffix) in &suffixes {
                for (at_start, prefix) in &prefixes {
                    texts.push((in_middle + at_end + at_start, format!("{prefix}{middle}{suffix}")));
                }
            }
        }
        let letter = self.unused();
        for prefix in &self.prefixes {
            texts.extend(self.suffixes.iter().map(|suffix| (2, format!("{prefix}{letter}{suffix}"))));
        }
        texts.sort_by_key(|(count, _)| *count);
        texts.into_iter().map(|(_, text)| text).collect()
    }

    /// Returns the middle parts of texts: empty, each part, and several parts.
    ///
    /// Each result has its number of parts. The combination of all parts counts as two.
    fn middles(&self, cuts: &Truncations<'_>) -> Vec<(usize, String)> {
        let parts = &self.parts;
        let mut middles = vec![(0, String::new())];
        middles.extend(parts.iter().map(|part| (1, part.clone())));
        if parts.len() > MAX_PAIRED {
            cuts.add("too many texts that one argument can contain");
        }
        for (at, one) in parts.iter().enumerate().take(MAX_PAIRED) {
            for other in parts.iter().skip(at + 1).take(MAX_PAIRED) {
                middles.push((2, format!("{one}{other}")));
                if parts.len() <= MAX_IN_BOTH_ORDERS {
                    middles.push((2, format!("{other}{one}")));
                }
            }
        }
        if parts.len() <= MAX_IN_BOTH_ORDERS {
            for left_out in 0..parts.len() {
                let rest =
                    parts.iter().enumerate().filter(|(at, _)| *at != left_out).map(|(_, part)| part.as_str());
                middles.push((3, rest.collect()));
            }
        }
        middles.push((2, parts.concat()));
        let mut seen = rustc_hash::FxHashSet::default();
        middles.retain(|(_, middle)| seen.insert(middle.clone()));
        middles
    }
}
