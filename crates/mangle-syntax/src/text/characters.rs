//! Adjustment of byte ranges to character boundaries.

use text_size::{TextRange, TextSize};

use super::size;

/// Extends `range` to whole characters; CRLF is one character. The part beyond the end of `text` is
/// cut off. A byte that belongs to no character is treated as one.
///
/// Every range in output that was computed from bytes must use this function.
#[must_use]
pub fn whole_characters(text: &[u8], range: TextRange) -> TextRange {
    let start = character_start(text, range.start().into());
    let end = usize::from(range.end()).min(text.len());
    let end = if range.is_empty() { start } else { character_end(text, end).max(start) };
    TextRange::new(size(start), size(end))
}

/// True if both ends of a range are character boundaries of `text`. CR and LF are two characters.
#[must_use]
pub fn is_on_characters(text: &[u8], range: TextRange) -> bool {
    let is_between = |at: TextSize| {
        let at = usize::from(at);
        at <= text.len() && around(text, at).is_none()
    };
    is_between(range.start()) && is_between(range.end())
}

/// The last offset up to `offset` that is not inside of a character or a CRLF.
#[must_use]
pub fn character_start(text: &[u8], offset: usize) -> usize {
    let at = offset.min(text.len());
    let at = around(text, at).map_or(at, |(start, _)| start);
    if is_in_line_end(text, at) { at - 1 } else { at }
}

/// The first offset from `offset` on that is not inside of a character or a CRLF.
fn character_end(text: &[u8], offset: usize) -> usize {
    let at = around(text, offset).map_or(offset, |(_, end)| end);
    if is_in_line_end(text, at) { at + 1 } else { at }
}

fn is_in_line_end(text: &[u8], at: usize) -> bool {
    at > 0 && text.get(at - 1) == Some(&b'\r') && text.get(at) == Some(&b'\n')
}

/// The start and end of the character that contains `at`. `None` at a character boundary.
fn around(text: &[u8], at: usize) -> Option<(usize, usize)> {
    let is_inner = |at: usize| text.get(at).is_some_and(|byte| matches!(byte, 0x80..=0xbf));
    let back = (0..3).take_while(|back| is_inner(at.saturating_sub(*back))).count();
    let start = at.checked_sub(back).filter(|_| back > 0)?;
    // Bytes that form no character have boundaries between them.
    let end = start + first_len(text.get(start..text.len().min(start + 4))?);
    (end > at).then_some((start, end))
}

/// The length of the character at the start of the bytes, or 0 if there is none.
fn first_len(bytes: &[u8]) -> usize {
    let valid = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    valid.chars().next().map_or(0, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn range(start: usize, end: usize) -> TextRange {
        TextRange::new(size(start), size(end))
    }

    #[test]
    fn ranges_grow_to_the_characters_around_them() {
        let text = "aé\r\n🦀".as_bytes();
        assert_eq!(whole_characters(text, range(2, 2)), range(1, 1));
        assert_eq!(whole_characters(text, range(2, 4)), range(1, 5));
        assert_eq!(whole_characters(text, range(4, 6)), range(3, 9));
        assert_eq!(whole_characters(text, range(0, 90)), range(0, 9));
        assert_eq!(whole_characters(text, range(70, 90)), range(9, 9));
        assert_eq!(whole_characters(b"\xff\x80\xe2\x82", range(1, 3)), range(1, 3));
    }

    proptest! {
        #[test]
        fn every_range_of_every_text_fits(
            text in "(?s)[a🦀é\u{2028}\r\n]{0,12}", start in 0usize..40, len in 0usize..40
        ) {
            let given = range(start, start + len);
            let found = whole_characters(text.as_bytes(), given);
            let part = text.get(usize::from(found.start())..usize::from(found.end()));
            prop_assert!(part.is_some());
            prop_assert!(is_on_characters(text.as_bytes(), found));
            prop_assert_eq!(whole_characters(text.as_bytes(), found), found);
            let inside = given.intersect(TextRange::up_to(size(text.len())));
            prop_assert!(inside.is_none_or(|inside| found.contains_range(inside) || inside.is_empty()));
        }

        #[test]
        fn every_range_of_any_bytes_fits(
            bytes in prop::collection::vec(any::<u8>(), 0..12), start in 0usize..40, len in 0usize..40
        ) {
            let found = whole_characters(&bytes, range(start, start + len));
            prop_assert!(usize::from(found.end()) <= bytes.len());
            prop_assert_eq!(whole_characters(&bytes, found), found);
        }
    }
}
