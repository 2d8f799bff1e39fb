//! The letters of a word as bits, to tell without looking at it that it lacks some.

/// Which letters a word has, in either case. Some characters share a bit, so a set may seem to hold one that is not there,
/// and never lacks one that is.
///
/// ```
/// use mangle_syntax::text::LetterSet;
/// let word = LetterSet::of("door_open");
/// assert!(word.may_hold(LetterSet::of("Open")) && !word.may_hold(LetterSet::of("locked")));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LetterSet(u64);

impl LetterSet {
    /// The letters of a word.
    #[must_use]
    pub fn of(word: &str) -> Self {
        Self(word.chars().fold(0, |bits, letter| bits | 1 << (u32::from(letter.to_ascii_lowercase()) % 64)))
    }

    /// Whether all letters of another word may be here.
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
            prop_assert!(LetterSet::of(&whole).may_hold(LetterSet::of(&part)));
        }
    }
}
