//! Search for words that name secrets.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::labels;

/// A lowercase pattern of the words, which allows a vectorized search. `None` if the pattern is
/// invalid.
static WORDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let words: Vec<_> = labels::words().map(regex::escape).collect();
    Regex::new(&format!("(?-u:{})", words.join("|"))).ok()
});

/// True if a text contains one of the words, in any case.
pub(super) fn occurs_in(text: &[u8]) -> bool {
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
                assert!(occurs_in(text.as_bytes()), "{text}");
            }
        }
        assert!(!occurs_in(b"passes its secre to ken"));
    }
}
