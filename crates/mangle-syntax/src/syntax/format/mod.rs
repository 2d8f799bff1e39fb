//! Formatter: line breaks and blanks between the tokens of a file.
//!
//! The formatter takes a parsed file and a [`Style`], and returns [`LayoutEdit`]s, which can only
//! write line breaks and blanks. Tokens never change, and comments stay between their tokens.
//!
//! Unreadable text and text protected by a comment (`mangle-ls: format off`, `on`, `skip`) stay
//! unchanged, byte for byte. The same applies to the gaps around them.
//!
//! The result is verified before it is returned: the new text is parsed, and a statement with
//! different tokens, tree or comments is left unchanged ([`Formatting::distrusted`]).
//!
//! * `top` walks over the file.
//! * `token` lists the tokens of a statement, and sets blanks between tokens.
//! * `layout` sets line breaks.
//! * `print` writes edits, and places trailing comments.
//! * `verify` checks the result.

pub mod directive;
mod layout;
mod print;
mod token;
mod top;
mod verify;

pub use layout::{PART_INDENT, PIPE};

use super::SourceFile;
use crate::text::{TextRange, TextSize, size};

/// Style options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Indentation of the premises of a rule, and of the arguments of a broken atom, in columns.
    pub indent: u32,
    /// Maximum line width, in columns. Only longer lines are broken.
    pub width: u32,
}

impl Default for Style {
    fn default() -> Self {
        Self { indent: 4, width: 100 }
    }
}

/// Result of formatting a file.
#[derive(Debug, Default)]
pub struct Formatting {
    /// The edits, sorted and without overlaps.
    pub edits: Vec<LayoutEdit>,
    /// Unreadable text, which stays unchanged.
    pub unread: Vec<TextRange>,
    /// Statements that stay unchanged because formatting them would change more than layout. In a
    /// file without syntax errors, an entry indicates a bug in the formatter. Statements next to
    /// syntax errors are not listed, because error recovery depends on the layout.
    pub distrusted: Vec<TextRange>,
}

impl Formatting {
    /// Applies the edits to `text`, which must be the formatted text.
    #[must_use]
    pub fn apply(&self, text: &str) -> String {
        apply(text, &self.edits)
    }
}

/// Formats a file. With `scope`, formats only the statements and comments that intersect it. A file
/// that dropped its tree is parsed again.
#[must_use]
pub fn format(source: &SourceFile, style: Style, scope: Option<TextRange>) -> Formatting {
    match source.tree() {
        Some(tree) => verify::formatted(source, tree, style, scope),
        None => {
            let parsed = SourceFile::parse(source.text().clone());
            parsed
                .tree()
                .map_or_else(|| unread(&parsed), |tree| verify::formatted(&parsed, tree, style, scope))
        }
    }
}

/// The result for a text with too many errors to be parsed.
fn unread(source: &SourceFile) -> Formatting {
    let all = TextRange::new(TextSize::new(0), TextSize::of(source.text().as_ref()));
    Formatting { unread: vec![all], ..Formatting::default() }
}

/// Replaces white space (or a comma that ends a body) with line breaks and blanks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayoutEdit {
    /// The replaced range.
    pub range: TextRange,
    /// The number of line breaks.
    breaks: u8,
    /// True if a line break is a carriage return and a line feed.
    crlf: bool,
    /// The number of blanks after the line breaks.
    spaces: u32,
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
    fn len(&self) -> usize {
        usize::from(self.breaks) * self.line_end().len() + self.spaces as usize
    }

    /// True if the replaced text `old` already equals the new text.
    fn is_done(&self, old: &str) -> bool {
        if old.len() != self.len() {
            return false;
        }
        let (breaks, spaces) = old.split_at_checked(old.len() - self.spaces as usize).unwrap_or((old, ""));
        let line_end = self.line_end();
        spaces.bytes().all(|byte| byte == b' ')
            && breaks.as_bytes().chunks(line_end.len()).all(|chunk| chunk == line_end.as_bytes())
    }

    /// The part of the edit from `start` on, which must be after its line breaks.
    fn only_after(mut self, start: usize) -> Self {
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
fn apply(text: &str, edits: &[LayoutEdit]) -> String {
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

#[cfg(test)]
mod tests;
