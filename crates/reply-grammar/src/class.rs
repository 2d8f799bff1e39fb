//! Character classes.

use std::ops::RangeInclusive;

/// A set of characters, as sorted ranges with gaps between them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CharClass {
    ranges: Vec<(char, char)>,
}

impl CharClass {
    /// The characters of the given ranges.
    #[must_use]
    pub fn from_ranges(ranges: &[RangeInclusive<char>]) -> Self {
        let mut sorted: Vec<_> = ranges.iter().map(|range| (*range.start(), *range.end())).collect();
        sorted.sort_unstable();
        let mut joined: Vec<(char, char)> = Vec::new();
        for (start, end) in sorted {
            match joined.last_mut() {
                Some(last) if after(last.1).is_none_or(|next| start <= next) => last.1 = last.1.max(end),
                _ => joined.push((start, end)),
            }
        }
        Self { ranges: joined }
    }

    /// The characters of a text.
    #[must_use]
    pub fn chars(text: &str) -> Self {
        Self::from_ranges(&text.chars().map(|char| char..=char).collect::<Vec<_>>())
    }

    /// All characters outside of the class.
    #[must_use]
    pub fn complement(&self) -> Self {
        let mut ranges = Vec::new();
        let mut next = Some('\0');
        for (start, end) in &self.ranges {
            if let (Some(from), Some(to)) = (next, before(*start))
                && from <= to
            {
                ranges.push((from, to));
            }
            next = after(*end);
        }
        ranges.extend(next.map(|from| (from, char::MAX)));
        Self { ranges }
    }

    /// The class without the characters of a text.
    #[must_use]
    pub fn without(&self, text: &str) -> Self {
        let mut outside = self.complement().ranges;
        outside.extend(text.chars().map(|char| (char, char)));
        let outside: Vec<_> = outside.into_iter().map(|(start, end)| start..=end).collect();
        Self::from_ranges(&outside).complement()
    }

    /// True if the class contains the character.
    #[must_use]
    pub fn contains(&self, char: char) -> bool {
        self.ranges.iter().any(|(start, end)| (*start..=*end).contains(&char))
    }

    /// The ranges, with inclusive ends.
    #[must_use]
    pub fn ranges(&self) -> &[(char, char)] {
        &self.ranges
    }

    /// True if the negated form of the class is shorter.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        self.contains(char::MAX)
    }

    /// The UTF-8 length of the longest character.
    #[must_use]
    pub fn longest(&self) -> usize {
        self.ranges.last().map_or(0, |(_, end)| end.len_utf8())
    }
}

/// The next character, skipping surrogates.
fn after(char: char) -> Option<char> {
    (char..=char::MAX).nth(1)
}

fn before(char: char) -> Option<char> {
    ('\0'..char).next_back()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complements_and_differences_are_sets() {
        let class = CharClass::from_ranges(&['b'..='d', 'c'..='f', 'a'..='a']);
        assert_eq!(class.ranges(), [('a', 'f')]);
        assert_eq!(class.complement().ranges(), [('\0', '`'), ('g', char::MAX)]);
        assert_eq!(class.complement().complement(), class);
        assert_eq!(class.without("ace").ranges(), [('b', 'b'), ('d', 'd'), ('f', 'f')]);
        assert!(CharClass::chars("").complement().is_negative());
        assert_eq!((class.longest(), class.complement().longest()), (1, 4));
    }
}
