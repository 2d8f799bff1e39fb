//! Text and positions, independent of Mangle.
//!
//! * byte ranges ([`TextRange`]) and their conversion to lines and columns ([`LineIndex`])
//! * editable documents ([`Document`])
//! * interned words ([`Symbol`])
//! * ids of files and statements ([`FileId`], [`StatementId`])
//! * texts inside of texts ([`Embedded`], [`SegmentMap`])
//! * ranges of whole characters ([`whole_characters`])
//! * quotes for messages ([`shorten`])
//! * cancellation of long computations ([`Cancel`])

mod characters;
mod document;
mod interned;
mod line_index;
mod segments;

pub use super::parallel::Cancel;
pub use characters::{
    Half, HalvedText, character_start, is_on_characters, replace_halves, whole_characters, without_halves,
};
pub use document::{ContentChange, Document, EditError, SentChange, TextEdit};
pub use interned::{FileId, StatementId, Symbol, compare_paths, without_new_words};
pub use line_index::{Encoding, LineCol, LineIndex, TextIndex};
pub use segments::{Embedded, EmbeddedKind, SegmentMap, SegmentMapBuilder};
pub use text_size::{TextRange, TextSize};

use std::borrow::Cow;

/// Converts a number of bytes to a [`TextSize`]. 4 GiB and more saturate; the size limit of `host`
/// excludes such files.
#[must_use]
#[inline]
pub fn size(bytes: usize) -> TextSize {
    TextSize::new(u32::try_from(bytes).unwrap_or(u32::MAX))
}

/// The length of `text` in bytes, see [`size`].
#[must_use]
pub fn text_len(text: &str) -> TextSize {
    size(text.len())
}

/// The part of `text` that `range` covers. Empty if the range is past the end or inside of a
/// character.
#[must_use]
pub fn slice(text: &str, range: TextRange) -> &str {
    text.get(usize::from(range.start())..usize::from(range.end())).unwrap_or("")
}

/// Converts the LF line endings of `new` to the line endings of the first line of `file`.
#[must_use]
pub fn with_line_ends(file: &str, new: String) -> String {
    let first = file.split_inclusive('\n').next().unwrap_or("");
    if first.ends_with("\r\n") { new.replace('\n', "\r\n") } else { new }
}

/// Applies `edits`, which must be sorted and not overlap. `None` if they do not fit the text.
#[must_use]
pub fn apply<'e>(text: &str, edits: impl IntoIterator<Item = (TextRange, &'e str)>) -> Option<String> {
    let mut new = String::with_capacity(text.len());
    let mut at = 0;
    for (range, replacement) in edits {
        new.push_str(text.get(at..usize::from(range.start()))?);
        new.push_str(replacement);
        at = usize::from(range.end());
    }
    new.push_str(text.get(at..)?);
    Some(new)
}

/// The position of `range` after sorted `edits`, in two variants. Text inserted directly at an end
/// is excluded in the first variant and included in the second.
#[must_use]
pub fn moved(range: TextRange, edits: &[(TextRange, &str)]) -> [TextRange; 2] {
    let [mut inner, mut outer] = [(0, 0); 2];
    let (start, end) = (i64::from(u32::from(range.start())), i64::from(u32::from(range.end())));
    for (edit, text) in edits {
        let (from, to) = (i64::from(u32::from(edit.start())), i64::from(u32::from(edit.end())));
        let new = i64::from(u32::from(text_len(text)));
        let grown = new - (to - from);
        if from == to && to == start && start == end {
            // For an empty range, the insertion can be before or after it.
            (outer.0, outer.1) = (outer.0 + grown, outer.1 + grown);
        } else if to < start || (to == start && from < start) {
            (inner.0, inner.1, outer.0, outer.1) =
                (inner.0 + grown, inner.1 + grown, outer.0 + grown, outer.1 + grown);
        } else if from == start && to == start && start < end {
            // An insertion at the start.
            (inner.0, inner.1, outer.1) = (inner.0 + grown, inner.1 + grown, outer.1 + grown);
        } else if from < end && to <= end {
            (inner.1, outer.1) = (inner.1 + grown, outer.1 + grown);
        } else if from <= end {
            outer.1 += grown;
        }
    }
    let place = |by: (i64, i64)| {
        let at = |offset: i64| TextSize::new(u32::try_from(offset.max(0)).unwrap_or(u32::MAX));
        let start = at(start + by.0);
        TextRange::new(start, at(end + by.1).max(start))
    };
    [place(inner), place(outer)]
}

/// Shortens `text` to one line, and omits the middle if it has more than `most` characters. Outputs
/// show other control characters as symbols.
///
/// The cost depends on `most` and not on the length of the text, so that many messages can quote a
/// long text.
///
/// ```
/// use mangle_syntax::text::shorten;
/// assert_eq!(shorten("p(X),\n q(X)", 20), "p(X),  q(X)");
/// assert_eq!(shorten("a_very_long_predicate(X)", 12), "a_very_…e(X)");
/// ```
#[must_use]
pub fn shorten(text: &str, most: usize) -> Cow<'_, str> {
    const LINE_ENDS: [char; 2] = ['\n', '\r'];
    let on_one_line = |part: &str| part.replace(LINE_ENDS, " ");
    if text.chars().nth(most).is_none() {
        return if text.contains(LINE_ENDS) { on_one_line(text).into() } else { text.into() };
    }
    let tail = most.saturating_sub(1) * 2 / 5;
    let head = most.saturating_sub(1) - tail;
    let head = text.char_indices().nth(head).map_or(text, |(at, _)| text.get(..at).unwrap_or(text));
    let tail = text.char_indices().rev().take(tail).last().map_or("", |(at, _)| text.get(at..).unwrap_or(""));
    format!("{}…{}", on_one_line(head), on_one_line(tail)).into()
}

/// [`shorten`], in backticks.
///
/// ```
/// assert_eq!(mangle_syntax::text::quoted("p(X)", 20), "`p(X)`");
/// ```
#[must_use]
pub fn quoted(text: &str, most: usize) -> String {
    format!("`{}`", shorten(text, most))
}

/// Formats names as a list, each in backticks.
///
/// ```
/// assert_eq!(mangle_syntax::text::listed(["a", "b"]), "`a`, `b`");
/// ```
pub fn listed<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

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

    use super::{LetterSet, shorten, *};

    #[test]
    fn long_text_lacks_its_middle() {
        assert_eq!(shorten("é", 1), "é");
        assert_eq!(shorten(&"é".repeat(13), 10), "éééééé…ééé");
        assert_eq!(shorten("a\nb", 10), "a b");
        assert_eq!(shorten("", 0), "");
        assert_eq!(shorten("abc", 0), "…");
    }

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

    proptest! {
        #[test]
        fn a_word_may_hold_each_of_its_parts(before in ".*", part in ".*", behind in ".*") {
            let whole = format!("{before}{}{behind}", part.to_ascii_uppercase());
            prop_assert!(LetterSet::from_word(&whole).may_hold(LetterSet::from_word(&part)));
        }
    }
}
