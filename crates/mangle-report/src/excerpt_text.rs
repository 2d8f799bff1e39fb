//! Text of an excerpt: lines of bounded length without control characters.

use std::ops::Range;

use super::sink::is_hidden;
use mangle_syntax::text::{TextRange, size, whole_characters};

/// Longer lines (in bytes) are truncated before layout, so that the cost of a finding does not
/// depend on the length of its line.
pub(super) const MAX_LINE: usize = 600;

/// Lines of a file separated by `\n`.
#[derive(Debug)]
pub(super) struct Excerpt {
    pub(super) text: String,
    /// The number of the first line, from 0.
    pub(super) first_line: u32,
    /// The ranges in `text`.
    pub(super) ranges: Vec<Range<usize>>,
    /// True if the start of a line was truncated, so that columns differ from the file.
    pub(super) shifted: bool,
}

/// Extends a range to whole characters within the text. The renderer panics for other ranges.
pub(super) fn fitted(text: &str, range: Range<usize>) -> Range<usize> {
    let range = TextRange::new(size(range.start), size(range.end.max(range.start)));
    let range = whole_characters(text.as_bytes(), range);
    range.start().into()..range.end().into()
}

/// A visible character of the same UTF-8 length for a hidden character or a terminal control. The
/// renderer replaces the remaining ones.
pub(super) fn harmless(char: char) -> char {
    match char.len_utf8() {
        _ if !is_hidden(char) => char,
        2 => '¤',
        3 => char::REPLACEMENT_CHARACTER,
        4 => '\u{1f6c7}',
        _ => char,
    }
}
