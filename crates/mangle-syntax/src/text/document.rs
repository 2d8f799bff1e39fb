//! Editable document: a rope that applies edits of the language server protocol.

use ropey::Rope;
use text_size::{TextRange, TextSize};

use super::characters::{HALF_LEN, Half, HalvedText, halves_of};
use super::{Encoding, LineCol, size};

/// A change in the form of the protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentChange {
    /// Start and end in the document after the previous changes. `None` replaces the whole text.
    pub range: Option<(LineCol, LineCol)>,
    /// The new text.
    pub text: String,
}

/// A change as sent by a client, with the surrogate halves that its text represents as U+FFFD.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentChange {
    /// The change in the form of the protocol.
    pub change: ContentChange,
    /// The halves in its text, sorted by offset.
    pub halves: Vec<Half>,
}

impl From<ContentChange> for SentChange {
    fn from(change: ContentChange) -> Self {
        Self { change, halves: Vec::new() }
    }
}

/// A change in bytes: the replaced range, and the length of the replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextEdit {
    /// The replaced range in the text before this edit.
    pub range: TextRange,
    /// The length of the replacement.
    pub new_len: TextSize,
}

impl TextEdit {
    /// Computes the single edit that leads from `old` to `new`.
    #[must_use]
    pub fn between(old: &str, new: &str) -> Self {
        let mut prefix = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
        while !old.is_char_boundary(prefix) || !new.is_char_boundary(prefix) {
            prefix -= 1;
        }
        let (old_rest, new_rest) = (old.get(prefix..).unwrap_or(""), new.get(prefix..).unwrap_or(""));
        let mut suffix =
            old_rest.bytes().rev().zip(new_rest.bytes().rev()).take_while(|(a, b)| a == b).count();
        while !old_rest.is_char_boundary(old_rest.len() - suffix)
            || !new_rest.is_char_boundary(new_rest.len() - suffix)
        {
            suffix -= 1;
        }
        let range = TextRange::at(size(prefix), size(old_rest.len() - suffix));
        Self { range, new_len: size(new_rest.len() - suffix) }
    }
}

/// The reason that a change was not applied. The text stays as it was before that change.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The change names a line that does not exist.
    #[error("the edit names line {line} of a document of {lines} lines")]
    LinePastEnd {
        /// The 0-based line.
        line: u32,
        /// The number of lines of the document.
        lines: usize,
    },
    /// The change starts or ends inside of a character. Only UTF-16 clients can split characters.
    #[error("the edit cuts a character of line {line} in two")]
    InsideCharacter {
        /// The 0-based line.
        line: u32,
    },
    /// The document would exceed the maximum length.
    #[error("the document would grow to {len} bytes, more than the {limit} that are handled")]
    TooLong {
        /// Length after the change.
        len: usize,
        /// The limit in bytes.
        limit: usize,
    },
}

/// An open document.
#[derive(Debug, Clone, Default)]
pub struct Document {
    rope: Rope,
    /// The surrogate halves that the editor has in place of U+FFFD in this text, sorted by offset.
    halves: Vec<Half>,
}

/// A position named by a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    byte: usize,
    /// The character at `byte`, if the position is between its two UTF-16 units.
    inside: Option<char>,
}

impl Document {
    /// Maximum length of an editable document, in bytes. [`TextSize`] could address 4 GiB.
    pub const MAX_LEN: usize = 256 << 20;

    /// Creates a document from `text`.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self { rope: Rope::from_str(text), halves: Vec::new() }
    }

    /// Creates a document from `text`, with U+FFFD for each of these surrogate halves.
    #[must_use]
    pub fn with_halves(text: &str, halves: &[Half]) -> Self {
        Self { rope: Rope::from_str(text), halves: halves.to_vec() }
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> String {
        self.rope.to_string()
    }

    /// Applies one change and returns the replaced range. A reversed range is swapped, and a column
    /// past the end of its line is clamped.
    ///
    /// # Errors
    /// If the change names a line past the end, splits a UTF-8 character, or makes the document too
    /// long.
    pub fn apply(&mut self, change: &ContentChange, encoding: Encoding) -> Result<TextEdit, EditError> {
        self.apply_halved(change, &[], encoding)
    }

    /// [`Document::apply`] for a change whose text has U+FFFD for `halves`. With UTF-16 columns, a
    /// change can split a character, which is restored when its halves meet again.
    ///
    /// # Errors
    /// See [`Document::apply`].
    pub fn apply_halved(
        &mut self,
        change: &ContentChange,
        halves: &[Half],
        encoding: Encoding,
    ) -> Result<TextEdit, EditError> {
        let (start, end) = match change.range {
            None => (Place { byte: 0, inside: None }, Place { byte: self.rope.len_bytes(), inside: None }),
            Some((start, end)) => {
                let (start, end) = (self.place_of(start, encoding)?, self.place_of(end, encoding)?);
                (start.min(end), start.max(end))
            }
        };
        let (mut from, mut to) = (start.byte, end.byte);
        let mut new = HalvedText::default();
        if let Some(char) = start.inside {
            new.push_half(halves_of(char)[0]);
        }
        new.push(&change.text, halves);
        if let Some(char) = end.inside {
            new.push_half(halves_of(char)[1]);
            to += char.len_utf8();
        }
        if encoding == Encoding::Utf16 && change.range.is_some() {
            (from, to, new) = self.with_halves_beside(from, to, new);
        }
        if encoding == Encoding::Utf16 {
            new = new.joined();
        }
        self.replace(from, to, &new)
    }

    /// Extends a replacement over adjacent halves, which can form characters with the halves of the
    /// new text.
    fn with_halves_beside(&self, from: usize, to: usize, new: HalvedText) -> (usize, usize, HalvedText) {
        let half_at = |at: usize| self.halves.binary_search_by_key(&at, |half| half.at).ok();
        let unit = |index: usize| self.halves.get(index).map(|half| half.unit);
        let before = from.checked_sub(HALF_LEN).and_then(half_at).and_then(unit);
        let after = half_at(to).and_then(unit);
        if before.is_none() && after.is_none() {
            return (from, to, new);
        }
        let mut wide = HalvedText::default();
        before.into_iter().for_each(|unit| wide.push_half(unit));
        wide.push(&new.text, &new.halves);
        after.into_iter().for_each(|unit| wide.push_half(unit));
        let (back, on) = (before.map_or(0, |_| HALF_LEN), after.map_or(0, |_| HALF_LEN));
        (from - back, to + on, wide)
    }

    fn replace(&mut self, from: usize, to: usize, new: &HalvedText) -> Result<TextEdit, EditError> {
        let len = self.rope.len_bytes() - (to - from) + new.text.len();
        if len > Self::MAX_LEN {
            return Err(EditError::TooLong { len, limit: Self::MAX_LEN });
        }
        let chars = self.rope.byte_to_char(from)..self.rope.byte_to_char(to);
        let at = chars.start;
        self.rope.remove(chars);
        self.rope.insert(at, &new.text);
        let behind = self.halves.iter().filter(|half| half.at >= to);
        let behind = behind.map(|half| Half { at: half.at - to + from + new.text.len(), ..*half });
        let inserted = new.halves.iter().map(|half| Half { at: half.at + from, ..*half });
        let moved: Vec<_> = inserted.chain(behind).collect();
        self.halves.retain(|half| half.at < from);
        self.halves.extend(moved);
        Ok(TextEdit { range: TextRange::new(size(from), size(to)), new_len: size(new.text.len()) })
    }

    fn place_of(&self, at: LineCol, encoding: Encoding) -> Result<Place, EditError> {
        let lines = self.rope.len_lines();
        let line = at.line as usize;
        if line >= lines {
            return Err(EditError::LinePastEnd { line: at.line, lines });
        }
        // Copying costs the length of the line, and lines are usually short.
        let content = self.rope.line(line).to_string();
        let content = content.trim_end_matches(['\n', '\r']);
        let in_line = encoding.byte_of(content, at.col);
        let (before, rest) = content.split_at_checked(in_line).unwrap_or((content, ""));
        let cut = rest.chars().next().filter(|_| encoding.len(before) < at.col);
        let byte = self.rope.line_to_byte(line) + in_line;
        match (cut, encoding) {
            (None, _) => Ok(Place { byte, inside: None }),
            (Some(char), Encoding::Utf16) => Ok(Place { byte, inside: Some(char) }),
            (Some(_), _) => Err(EditError::InsideCharacter { line: at.line }),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;

    fn check(before: &str, range: Option<((u32, u32), (u32, u32))>, text: &str, after: &str) {
        let mut document = Document::new(before);
        let at = |(line, col)| LineCol { line, col };
        let change = ContentChange { range: range.map(|(a, b)| (at(a), at(b))), text: text.into() };
        document.apply(&change, Encoding::Utf16).unwrap();
        assert_eq!(document.text(), after);
    }

    #[test]
    fn inserts_deletes_and_replaces() {
        check("p(1).\nq(2).", Some(((1, 2), (1, 3))), "17", "p(1).\nq(17).");
        check("p(1).", None, "", "");
        check("", Some(((0, 0), (0, 0))), "p().", "p().");
    }

    #[test]
    fn counts_utf16_after_an_emoji() {
        check("# 🦀x", Some(((0, 4), (0, 5))), "y", "# 🦀y");
    }

    #[test]
    fn reversed_and_overlong_ranges() {
        check("abc\n", Some(((0, 3), (0, 1))), "-", "a-\n");
        check("abc\r\ndef", Some(((0, 1), (0, 99))), "", "a\r\ndef");
    }

    #[test]
    fn a_line_past_the_end_is_refused() {
        let mut document = Document::new("a\n");
        let at = LineCol { line: 5, col: 0 };
        let change = ContentChange { range: Some((at, at)), text: "x".into() };
        assert_eq!(
            document.apply(&change, Encoding::Utf8),
            Err(EditError::LinePastEnd { line: 5, lines: 2 })
        );
        assert_eq!(document.text(), "a\n");
    }

    #[test]
    fn a_cut_inside_a_character_of_utf8_is_refused() {
        let mut document = Document::new("é");
        let at = LineCol { line: 0, col: 1 };
        let change = ContentChange { range: Some((at, at)), text: "x".into() };
        assert_eq!(document.apply(&change, Encoding::Utf8), Err(EditError::InsideCharacter { line: 0 }));
        assert_eq!(document.text(), "é");
    }

    /// Converts UTF-16 units of a message to a text and its halves.
    fn halved(units: &[u16]) -> HalvedText {
        let mut bytes = Vec::new();
        for char in char::decode_utf16(units.iter().copied()) {
            match char {
                Ok(char) => bytes.extend(char.to_string().bytes()),
                Err(half) => {
                    let unit = half.unpaired_surrogate();
                    let [high, low] =
                        [(unit >> 6) & 0x3f, unit & 0x3f].map(|bits| 0x80 | bits.to_le_bytes()[0]);
                    bytes.extend([0xed, high, low]);
                }
            }
        }
        HalvedText::of_wtf8(bytes).unwrap()
    }

    fn unit() -> impl Strategy<Value = u16> {
        prop_oneof![Just(0xd83d), Just(0xde00), Just(0xd83e), Just(0xfffd), Just(0xe9), Just(0x61)]
    }

    proptest! {
        #[test]
        fn edits_in_utf16_lead_to_the_text_of_the_client(
            start in prop::collection::vec(unit(), 0..8),
            edits in prop::collection::vec(
                (0_usize..12, 0_usize..4, prop::collection::vec(unit(), 0..4)), 0..8),
        ) {
            let (mut client, opened) = (start.clone(), halved(&start));
            let mut document = Document::with_halves(&opened.text, &opened.halves);
            for (at, len, units) in edits {
                let from = at.min(client.len());
                let to = (from + len).min(client.len());
                let col = |at: usize| LineCol { line: 0, col: u32::try_from(at).unwrap() };
                let HalvedText { text, halves } = halved(&units);
                let change = ContentChange { range: Some((col(from), col(to))), text };
                let before = document.text();
                let edit = document.apply_halved(&change, &halves, Encoding::Utf16).unwrap();
                client.splice(from..to, units);
                let after = document.text();
                prop_assert_eq!(&after, &String::from_utf16_lossy(&client));
                let (start, end) = (usize::from(edit.range.start()), usize::from(edit.range.end()));
                let inserted = &after[start..start + usize::from(edit.new_len)];
                prop_assert_eq!(format!("{}{}{}", &before[..start], inserted, &before[end..]), after.clone());
            }
        }

        #[test]
        fn a_difference_leads_to_the_new_text(old in "[aé🦀\n]{0,8}", new in "[aé🦀\n]{0,8}") {
            let edit = TextEdit::between(&old, &new);
            let (start, end) = (usize::from(edit.range.start()), usize::from(edit.range.end()));
            let inserted = &new[start..start + usize::from(edit.new_len)];
            prop_assert_eq!(format!("{}{}{}", &old[..start], inserted, &old[end..]), new);
        }
    }
}
