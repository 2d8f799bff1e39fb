//! Lines of a file as they are shown: of a bounded length, without control characters.

use std::ops::Range;

use super::sink::is_hidden;
use mangle_syntax::text::{TextRange, size, whole_characters};

/// Lines longer than this many bytes are cut around the place before they are laid out, so that
/// the cost of a finding does not depend on the length of its line.
pub(super) const MAX_LINE: usize = 600;

/// Lines of a file with `\n` between them.
#[derive(Debug)]
pub(super) struct Excerpt {
    pub(super) text: String,
    /// The number of the first, counted from 0.
    pub(super) first_line: u32,
    /// The ranges in `text`.
    pub(super) ranges: Vec<Range<usize>>,
    /// Whether something was cut off in front, so that columns are not those of the file.
    pub(super) shifted: bool,
}

/// A range as one that `text` has: of whole characters, and not behind the end. The renderer panics at any other.
pub(super) fn fitted(text: &str, range: Range<usize>) -> Range<usize> {
    let range = TextRange::new(size(range.start), size(range.end.max(range.start)));
    let range = whole_characters(text.as_bytes(), range);
    range.start().into()..range.end().into()
}

/// A character for one that would steer the terminal or hides, of the same length in bytes. The renderer replaces the others
/// of that kind.
pub(super) fn harmless(char: char) -> char {
    match char.len_utf8() {
        _ if !is_hidden(char) => char,
        2 => '¤',
        3 => char::REPLACEMENT_CHARACTER,
        4 => '\u{1f6c7}',
        _ => char,
    }
}
