//! Set of letters in a word as bits, for fast exclusion tests.

/// The letters of a word, ignoring case. Some characters share a bit: the set can contain
/// additional letters, but never lacks one.
///
/// ```
/// use mangle_syntax::text::LetterSet;
/// let word = LetterSet::from_word("door_open");
/// assert!(word.may_hold(LetterSet::from_word("Open")) && !word.may_hold(LetterSet::from_word("locked")));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LetterSet(u64);

impl LetterSet {
    /// The letters of a word.
    #[must_use]
    pub fn from_word(word: &str) -> Self {
        Self(word.chars().fold(0, |bits, letter| bits | 1 << (u32::from(letter.to_ascii_lowercase()) % 64)))
    }

    /// True if the set possibly contains all letters of the other set.
    #[must_use]
    pub fn may_hold(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::LetterSet;

    proptest! {
        #[test]
        fn a_word_may_hold_each_of_its_parts(before in ".*", part in ".*", behind in ".*") {
            let whole = format!("{before}{}{behind}", part.to_ascii_uppercase());
            prop_assert!(LetterSet::from_word(&whole).may_hold(LetterSet::from_word(&part)));
        }
    }
}
