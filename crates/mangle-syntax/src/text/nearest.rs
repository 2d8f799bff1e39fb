//! Spelling suggestions.

/// The candidate closest to `word`, if it is similar enough: at most one edit per three characters,
/// or a different letter case. Edits are insertions, deletions, replacements and swaps of
/// neighbors. Among equally close candidates, the first.
#[must_use]
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = word.chars().count().div_ceil(3);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        if candidate.eq_ignore_ascii_case(word) && candidate != word {
            return Some(candidate);
        }
        // Words with a larger length difference cannot be close, and a distance costs the product
        // of the lengths.
        if candidate.len().abs_diff(word.len()) > allowed * 4 || word.len() > 200 {
            continue;
        }
        let distance = strsim::damerau_levenshtein(word, candidate);
        if (1..=allowed).contains(&distance) && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_found_and_far_ones_are_not() {
        let words = ["include", "exclude", "name"];
        let cases = [
            ("inculde", Some("include")),
            ("includes", Some("include")),
            ("NAME", Some("name")),
            ("name", None),
            ("colour", None),
            ("", None),
        ];
        for (word, expected) in cases {
            assert_eq!(nearest(word, words), expected, "{word}");
        }
    }
}
