//! The word that was probably meant.

/// The candidate that is closest to `word`, if one is close enough to be worth suggesting: at most
/// one slip in three characters (insertions, deletions, replacements and swaps of neighbours), or
/// the same word in another case. Of equally close ones, the first.
#[must_use]
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = word.chars().count().div_ceil(3);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        if candidate.eq_ignore_ascii_case(word) && candidate != word {
            return Some(candidate);
        }
        // Lengths that differ by more cannot be close; distances cost the product of the lengths.
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
