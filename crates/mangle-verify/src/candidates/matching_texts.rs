//! Generation of texts that match a regular expression: several for each alternative, shortest
//! first.

use mangle_settings::gate_pattern;
use regex_syntax::hir::{Class, Hir, HirKind};

/// The maximum number of texts per part of a pattern.
const MAX_TEXTS: usize = 12;

/// The maximum length of a text in bytes.
const MAX_BYTES: usize = 400;

/// The maximum nesting depth of a pattern.
const MAX_DEPTH: usize = 64;

/// Returns texts that match a pattern. Empty for an invalid pattern.
pub(super) fn matching_texts(pattern: &str) -> Vec<String> {
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
    texts.retain(|text| text.len() <= MAX_BYTES);
    texts.truncate(MAX_TEXTS);
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

/// Concatenates each text of `before` with each text of `after`, up to [`MAX_TEXTS`].
fn joined(before: &[String], after: &[String]) -> Vec<String> {
    let pairs = before.iter().flat_map(|one| after.iter().map(move |other| format!("{one}{other}")));
    pairs.filter(|text| text.len() <= MAX_BYTES).take(MAX_TEXTS).collect()
}

/// Returns repetitions of the first two texts.
fn repeated(texts: &[String], count: usize) -> Vec<String> {
    if count == 0 {
        return vec![String::new()];
    }
    let fits = |text: &&String| text.len().saturating_mul(count) <= MAX_BYTES;
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
