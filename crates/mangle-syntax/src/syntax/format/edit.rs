//! Edit that can only change layout.

use crate::text::{TextRange, TextSize, size};

/// Replaces white space (or a comma that ends a body) with line breaks and blanks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayoutEdit {
    /// The replaced range.
    pub range: TextRange,
    /// The number of line breaks.
    pub(super) breaks: u8,
    /// True if a line break is a carriage return and a line feed.
    pub(super) crlf: bool,
    /// The number of blanks after the line breaks.
    pub(super) spaces: u32,
}

impl LayoutEdit {
    /// Creates an edit that replaces white space on one line with `spaces` blanks.
    #[must_use]
    pub fn blanks(range: TextRange, spaces: u32) -> Self {
        Self { range, breaks: 0, crlf: false, spaces }
    }

    /// Moves the edit from a text with offset `from` to a text with offset `to`. `None` if the
    /// result would start before the text.
    #[must_use]
    pub fn moved(self, from: TextSize, to: TextSize) -> Option<Self> {
        let start = (self.range.start() + to).checked_sub(from)?;
        Some(Self { range: TextRange::at(start, self.range.len()), ..self })
    }

    /// True if the edit inserts no line break.
    #[must_use]
    pub fn is_on_one_line(&self) -> bool {
        self.breaks == 0
    }

    /// The new text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }

    /// The length of the new text, in bytes.
    pub(super) fn len(&self) -> usize {
        usize::from(self.breaks) * self.line_end().len() + self.spaces as usize
    }

    /// True if the replaced text `old` already equals the new text.
    pub(super) fn is_done(&self, old: &str) -> bool {
        if old.len() != self.len() {
            return false;
        }
        let (breaks, spaces) = old.split_at_checked(old.len() - self.spaces as usize).unwrap_or((old, ""));
        let line_end = self.line_end();
        spaces.bytes().all(|byte| byte == b' ')
            && breaks.as_bytes().chunks(line_end.len()).all(|chunk| chunk == line_end.as_bytes())
    }

    /// The part of the edit from `start` on, which must be after its line breaks.
    pub(super) fn only_after(mut self, start: usize) -> Self {
        self.range = TextRange::new(size(start).max(self.range.start()), self.range.end());
        self.breaks = 0;
        self
    }

    fn line_end(&self) -> &'static str {
        if self.crlf { "\r\n" } else { "\n" }
    }

    fn write(&self, out: &mut String) {
        for _ in 0..self.breaks {
            out.push_str(self.line_end());
        }
        const BLANKS: &str = "                                ";
        let mut left = self.spaces as usize;
        while left > 0 {
            let some = left.min(BLANKS.len());
            out.push_str(BLANKS.get(..some).unwrap_or_default());
            left -= some;
        }
    }
}

/// Applies sorted edits to `text`.
pub(super) fn apply(text: &str, edits: &[LayoutEdit]) -> String {
    let grown: usize = edits.iter().map(LayoutEdit::len).sum();
    let mut out = String::with_capacity(text.len() + grown);
    let mut at = 0;
    for edit in edits {
        out.push_str(text.get(at..usize::from(edit.range.start())).unwrap_or_default());
        edit.write(&mut out);
        at = usize::from(edit.range.end());
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}
