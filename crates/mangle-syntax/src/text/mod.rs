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
