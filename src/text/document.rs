//! A text that an editor changes: a rope that takes the protocol's edits.

use ropey::Rope;
use text_size::{TextRange, TextSize};

use super::{Encoding, LineCol, size};

/// One change as the protocol states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentChange {
    /// Start and end in the document as the changes before this one left it; `None` replaces the
    /// whole text.
    pub range: Option<(LineCol, LineCol)>,
    /// What stands there afterwards.
    pub text: String,
}

/// A change in bytes: what it replaced, and how long the replacement is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextEdit {
    /// The bytes that were replaced, in the text before this edit.
    pub range: TextRange,
    /// The length of what replaced them.
    pub new_len: TextSize,
}

impl TextEdit {
    /// The one edit that leads from `old` to `new`.
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

/// Why a change was not applied. The text is as it was before that change.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The change names a line that the document does not have.
    #[error("the edit names line {line} of a document of {lines} lines")]
    LinePastEnd {
        /// 0-based line that was named.
        line: u32,
        /// How many lines the document has.
        lines: usize,
    },
    /// The change would make the document longer than the limit.
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
}

impl Document {
    /// Documents longer than this many bytes are not edited in place (4 GiB is the reach of
    /// [`TextSize`]; nobody writes policies of a tenth of that).
    pub const MAX_LEN: usize = 256 << 20;

    /// A document that holds `text`.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self { rope: Rope::from_str(text) }
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> String {
        self.rope.to_string()
    }

    /// Applies one change and says which bytes it replaced. A reversed range is put in order, a
    /// column past the end of its line is clamped.
    ///
    /// # Errors
    /// When the change names a line past the end, or the document would become too long.
    pub fn apply(&mut self, change: &ContentChange, encoding: Encoding) -> Result<TextEdit, EditError> {
        let (start, end) = match change.range {
            None => (0, self.rope.len_bytes()),
            Some((start, end)) => {
                let (start, end) = (self.byte_of(start, encoding)?, self.byte_of(end, encoding)?);
                (start.min(end), start.max(end))
            }
        };
        let len = self.rope.len_bytes() - (end - start) + change.text.len();
        if len > Self::MAX_LEN {
            return Err(EditError::TooLong { len, limit: Self::MAX_LEN });
        }
        let chars = self.rope.byte_to_char(start)..self.rope.byte_to_char(end);
        let at = chars.start;
        self.rope.remove(chars);
        self.rope.insert(at, &change.text);
        Ok(TextEdit { range: TextRange::new(size(start), size(end)), new_len: size(change.text.len()) })
    }

    fn byte_of(&self, at: LineCol, encoding: Encoding) -> Result<usize, EditError> {
        let lines = self.rope.len_lines();
        let line = at.line as usize;
        if line >= lines {
            return Err(EditError::LinePastEnd { line: at.line, lines });
        }
        // Lines are short; one that is not costs its own length, which is what copying it costs.
        let content = self.rope.line(line).to_string();
        let content = content.trim_end_matches(['\n', '\r']);
        Ok(self.rope.line_to_byte(line) + encoding.byte_of(content, at.col))
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

    proptest! {
        #[test]
        fn a_difference_leads_to_the_new_text(old in "[aé🦀\n]{0,8}", new in "[aé🦀\n]{0,8}") {
            let edit = TextEdit::between(&old, &new);
            let (start, end) = (usize::from(edit.range.start()), usize::from(edit.range.end()));
            let inserted = &new[start..start + usize::from(edit.new_len)];
            prop_assert_eq!(format!("{}{}{}", &old[..start], inserted, &old[end..]), new);
        }
    }
}
