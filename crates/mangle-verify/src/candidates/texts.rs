//! Candidate texts for the tests of a place: each test, several tests together, and longer texts.
//!
//! Texts that match a regular expression are generated: several for each alternative, shortest first.

use mangle_engine::kernel::{Datum, ValueId, Values};
use mangle_settings::gate_pattern;
use regex_syntax::hir::{Class, Hir, HirKind};

use super::flow::Truncations;
use super::graph::Comparison;

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

/// The maximum number of texts per part of a pattern.
const MAX_MATCHING_TEXTS: usize = 12;

/// The maximum length of a text in bytes.
const MAX_MATCHING_BYTES: usize = 400;

/// The maximum nesting depth of a pattern.
const MAX_DEPTH: usize = 64;

/// Returns texts that match a pattern. Empty for an invalid pattern.
fn matching_texts(pattern: &str) -> Vec<String> {
    let Ok(compiled) = gate_pattern(pattern) else { return Vec::new() };
    let Ok(parsed) = regex_syntax::parse(compiled.as_str()) else { return Vec::new() };
    let mut texts = of_part(&parsed, 0);
    // Assertions about surrounding text, such as word boundaries, are not modeled.
    texts.retain(|text| compiled.is_match(text));
    texts
}

fn of_part(part: &Hir, depth: usize) -> Vec<String> {
    if depth > MAX_DEPTH {
        return Vec::new();
    }
    let mut texts = match part.kind() {
        HirKind::Empty | HirKind::Look(_) => vec![String::new()],
        HirKind::Literal(literal) => std::str::from_utf8(&literal.0).map(str::to_owned).into_iter().collect(),
        HirKind::Class(class) => of_class(class),
        HirKind::Capture(capture) => of_part(&capture.sub, depth + 1),
        HirKind::Concat(parts) => {
            let none = vec![String::new()];
            parts.iter().fold(none, |before, part| joined(&before, &of_part(part, depth + 1)))
        }
        HirKind::Alternation(parts) => {
            let each: Vec<_> = parts.iter().map(|part| of_part(part, depth + 1)).collect();
            // The first texts of all alternatives precede the second texts.
            let longest = each.iter().map(Vec::len).max().unwrap_or(0);
            (0..longest).flat_map(|at| each.iter().filter_map(move |texts| texts.get(at).cloned())).collect()
        }
        HirKind::Repetition(repetition) => {
            let once = of_part(&repetition.sub, depth + 1);
            let least = repetition.min as usize;
            let most = repetition.max.map_or(least + 1, |most| most as usize).min(least + 1);
            (least..=most).flat_map(|count| repeated(&once, count)).collect()
        }
    };
    texts.retain(|text| text.len() <= MAX_MATCHING_BYTES);
    texts.truncate(MAX_MATCHING_TEXTS);
    texts
}

/// Returns the first letter or digit of a class, its first visible character, or its first
/// character.
fn of_class(class: &Class) -> Vec<String> {
    let ranges: Vec<(char, char)> = match class {
        Class::Unicode(class) => class.ranges().iter().map(|range| (range.start(), range.end())).collect(),
        Class::Bytes(class) => {
            class.ranges().iter().map(|range| (char::from(range.start()), char::from(range.end()))).collect()
        }
    };
    let contains = |wanted: &char| ranges.iter().any(|(start, end)| (start..=end).contains(&wanted));
    let plain = ('a'..='z').chain('0'..='9').chain('A'..='Z').filter(contains).take(2);
    let mut found: Vec<char> = plain.collect();
    if found.is_empty() {
        found.extend(('!'..='~').filter(contains).take(2));
    }
    if found.is_empty() {
        found.extend(ranges.first().map(|(start, _)| *start));
    }
    found.into_iter().map(String::from).collect()
}

/// Concatenates each text of `before` with each text of `after`, up to [`MAX_MATCHING_TEXTS`].
fn joined(before: &[String], after: &[String]) -> Vec<String> {
    let pairs = before.iter().flat_map(|one| after.iter().map(move |other| format!("{one}{other}")));
    pairs.filter(|text| text.len() <= MAX_MATCHING_BYTES).take(MAX_MATCHING_TEXTS).collect()
}

/// Returns repetitions of the first two texts.
fn repeated(texts: &[String], count: usize) -> Vec<String> {
    if count == 0 {
        return vec![String::new()];
    }
    let fits = |text: &&String| text.len().saturating_mul(count) <= MAX_MATCHING_BYTES;
    texts.iter().filter(fits).take(2).map(|text| text.repeat(count)).collect()
}

#[cfg(test)]
mod tests {
    use super::matching_texts;

    #[test]
    fn texts_match_their_pattern() {
        for (pattern, first) in [
            ("^[a-z-]+$", "a"),
            ("migration", "migration"),
            ("^$", ""),
            (r"^/etc/(passwd|shadow)$", "/etc/passwd"),
            (r"rm\s+-rf", "rm\t-rf"),
            (r"^\d{3}-\d{4}$", "000-0000"),
            ("(?i)^drop table", "DROP TABLE"),
        ] {
            let texts = matching_texts(pattern);
            assert!(texts.iter().any(|text| text.eq_ignore_ascii_case(first)), "{pattern}: {texts:?}");
        }
        assert!(matching_texts(r"^/etc/(passwd|shadow)$").contains(&"/etc/shadow".to_owned()));
    }

    #[test]
    fn no_texts_are_made_of_patterns_without_any() {
        for pattern in ["([un", r"a\bb", "^b$a", "x{1000}"] {
            assert_eq!(matching_texts(pattern), Vec::<String>::new(), "{pattern}");
        }
    }
}
