//! Ranges that begin and end between characters, whatever made them.

use text_size::{TextRange, TextSize};

use super::size;

/// The characters that `range` has bytes of, CRLF counting as one: it begins at the start of a character and ends at the
/// end of one. What lies behind the end of `text` is cut off. A byte that belongs to no character counts as one.
///
/// Every range that output shows and that was computed from bytes goes through here.
#[must_use]
pub fn whole_characters(text: &[u8], range: TextRange) -> TextRange {
    let start = character_start(text, range.start().into());
    let end = usize::from(range.end()).min(text.len());
    let end = if range.is_empty() { start } else { character_end(text, end).max(start) };
    TextRange::new(size(start), size(end))
}

/// Whether both ends of a range lie between characters of `text`, where CR and LF count as two.
#[must_use]
pub fn is_on_characters(text: &[u8], range: TextRange) -> bool {
    let is_between = |at: TextSize| {
        let at = usize::from(at);
        at <= text.len() && around(text, at).is_none()
    };
    is_between(range.start()) && is_between(range.end())
}

/// The last place up to `offset` that is not inside of a character or of a CRLF.
#[must_use]
pub fn character_start(text: &[u8], offset: usize) -> usize {
    let at = offset.min(text.len());
    let at = around(text, at).map_or(at, |(start, _)| start);
    if is_in_line_end(text, at) { at - 1 } else { at }
}

/// The first place from `offset` on that is not inside of a character or of a CRLF.
fn character_end(text: &[u8], offset: usize) -> usize {
    let at = around(text, offset).map_or(offset, |(_, end)| end);
    if is_in_line_end(text, at) { at + 1 } else { at }
}

fn is_in_line_end(text: &[u8], at: usize) -> bool {
    at > 0 && text.get(at - 1) == Some(&b'\r') && text.get(at) == Some(&b'\n')
}

/// Where the character begins and ends that `at` is inside of.
fn around(text: &[u8], at: usize) -> Option<(usize, usize)> {
    let is_inner = |at: usize| text.get(at).is_some_and(|byte| matches!(byte, 0x80..=0xbf));
    let back = (0..3).take_while(|back| is_inner(at.saturating_sub(*back))).count();
    let start = at.checked_sub(back).filter(|_| back > 0)?;
    // What is no character has places between its bytes.
    let end = start + first_len(text.get(start..text.len().min(start + 4))?);
    (end > at).then_some((start, end))
}

/// The length of the character that begins some bytes; 0 if none does.
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
