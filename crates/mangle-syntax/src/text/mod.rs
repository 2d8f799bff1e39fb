//! Text and positions, knowing nothing of Mangle.
//!
//! Takes the bytes of files and the edits of editors; gives byte ranges ([`TextRange`]), the
//! conversion between bytes and lines with columns in UTF-8, UTF-16, UTF-32 and in characters
//! ([`LineIndex`]), editable documents ([`Document`]), interned words ([`Symbol`]) and the ids that
//! anchor a range to a file or to a statement of it ([`FileId`], [`StatementId`]), texts inside texts
//! ([`Embedded`], [`SegmentMap`]), ranges of whole characters ([`whole_characters`]), quotes for messages ([`shorten`]). Also the flag that stops long work ([`Cancel`]).

mod cancel;
mod characters;
mod document;
mod halves;
mod id;
mod letter_set;
mod line_index;
mod nearest;
mod quote;
mod segments;
mod symbol;
mod units;

pub use cancel::Cancel;
pub use characters::{character_start, is_on_characters, whole_characters};
pub use document::{ContentChange, Document, EditError, SentChange, TextEdit};
pub use halves::{Half, HalvedText, replace_halves, without_halves};
pub use id::{FileId, StatementId, compare_paths};
pub use letter_set::LetterSet;
pub use line_index::{Encoding, LineCol, LineIndex, between_characters};
pub use nearest::nearest;
pub use quote::{listed, quoted, shorten};
pub use segments::{Embedded, EmbeddedKind, SegmentMap, SegmentMapBuilder};
pub use symbol::{Symbol, without_new_words};
pub use text_size::{TextRange, TextSize};
pub use units::UnitIndex;

/// A number of bytes as a [`TextSize`]; 4 GiB and more saturate (files of that size never get this
/// far, see the size limit of `host`).
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

/// The part of `text` that `range` covers, or the empty string where the range does not fit
/// (past the end, or inside a character).
#[must_use]
pub fn slice(text: &str, range: TextRange) -> &str {
    text.get(usize::from(range.start())..usize::from(range.end())).unwrap_or("")
}

/// `new`, which has LF, with the line ends of the first line of `file`.
#[must_use]
pub fn with_line_ends(file: &str, new: String) -> String {
    let first = file.split_inclusive('\n').next().unwrap_or("");
    if first.ends_with("\r\n") { new.replace('\n', "\r\n") } else { new }
}

/// The text after `edits`, replacements that are sorted and do not overlap; `None` where they do not
/// fit.
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

/// Where `range` is after sorted `edits`. Twice, for text that was inserted right at an end of it may have
/// become a part of it or not: without and with that text.
#[must_use]
pub fn moved(range: TextRange, edits: &[(TextRange, &str)]) -> [TextRange; 2] {
    let [mut inner, mut outer] = [(0, 0); 2];
    let (start, end) = (i64::from(u32::from(range.start())), i64::from(u32::from(range.end())));
    for (edit, text) in edits {
        let (from, to) = (i64::from(u32::from(edit.start())), i64::from(u32::from(edit.end())));
        let new = i64::from(u32::from(text_len(text)));
        let grown = new - (to - from);
        if from == to && to == start && start == end {
            // At an empty place: before it or behind it.
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
