//! Whether a text has a word that names secrets in it.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::labels;

/// The words, in small letters only: so the search for them takes several letters at once. `None` if they make no pattern.
static WORDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let words: Vec<_> = labels::words().map(regex::escape).collect();
    Regex::new(&format!("(?-u:{})", words.join("|"))).ok()
});

/// Whether one of the words is in a text, in any case.
pub(super) fn is_in(text: &[u8]) -> bool {
    super::steps::count(text.len());
    WORDS.as_ref().is_none_or(|words| words.is_match(&text.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_any_case() {
        for word in labels::words() {
            for text in [word.to_owned(), format!("é{word}s"), format!("a_{} b", word.to_ascii_uppercase())]
            {
                assert!(is_in(text.as_bytes()), "{text}");
            }
        }
        assert!(!is_in(b"passes its secre to ken"));
    }
}
