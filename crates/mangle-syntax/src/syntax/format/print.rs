//! Printer: compares the planned gap between two tokens with the text and writes the difference as
//! edits.
//!
//! Trailing comments are aligned: two blanks before them. Comments that the author aligned on
//! neighboring lines stay aligned, including continuation lines.

use super::layout::{Indents, column};
use super::token::{LayoutToken, TokenClass};
use super::{LayoutEdit, Style};
use crate::syntax::SyntaxKind;
use crate::text::{TextRange, size};

/// Writes edits, and tracks the position in the old and in the new text.
pub(super) struct Printer<'t> {
    pub(super) text: &'t str,
    style: Style,
    crlf: bool,
    pub(super) edits: Vec<LayoutEdit>,
    /// Trailing comments and their continuations.
    pub(super) aligned: Vec<TrailingComment>,
    /// The line in the old text, relative to an arbitrary start.
    old_line: u32,
    /// The line and the column in the new text.
    new_line: u32,
    column: u32,
}

impl<'t> Printer<'t> {
    pub(super) fn new(text: &'t str, style: Style, crlf: bool) -> Self {
        Self {
            text,
            style,
            crlf,
            edits: Vec::new(),
            aligned: Vec::new(),
            old_line: 0,
            new_line: 0,
            column: 0,
        }
    }

    /// The column in the new text.
    pub(super) fn column(&self) -> u32 {
        self.column
    }

    /// Drops the edits from `first` on.
    pub(super) fn take_back(&mut self, first: usize) {
        self.edits.truncate(first);
        while self.aligned.last().is_some_and(|comment| comment.edit >= first) {
            self.aligned.pop();
        }
    }

    /// Writes a statement with known layout. The gap before it is already written.
    pub(super) fn statement(&mut self, tokens: &[LayoutToken], kind: SyntaxKind) {
        let mut indents = Indents::new(self.style, kind);
        for (at, token) in tokens.iter().enumerate() {
            if at > 0 {
                let start = tokens.get(at - 1).map_or(token.start, |before| before.end);
                match token.class {
                    TokenClass::Comment if token.breaks == 0 => self.inline_comment(start, token.start),
                    TokenClass::Comment => {
                        let indent = indents.line(tokens, at);
                        self.own_line_comment(start, token.start, token.breaks, indent);
                    }
                    _ if token.breaks > 0 => {
                        let indent = indents.line(tokens, at);
                        self.gap(start, token.start, token.breaks, indent);
                    }
                    _ => self.gap(start, token.start, 0, u32::from(token.space)),
                }
            }
            match token.class {
                TokenClass::Comment => self.comment(token.start, token.end),
                _ => self.token(token),
            }
            indents.pass(tokens, at, self.column);
        }
    }

    /// Writes an unchanged token.
    fn token(&mut self, token: &LayoutToken) {
        if matches!(token.kind, SyntaxKind::String | SyntaxKind::Bytes) {
            self.verbatim(token.start, token.end);
        } else {
            self.column += token.width;
        }
    }

    /// Writes unchanged text.
    pub(super) fn verbatim(&mut self, start: usize, end: usize) {
        let text = self.text.get(start..end).unwrap_or_default();
        let lines = text.bytes().filter(|byte| *byte == b'\n').count();
        let last = text.rsplit('\n').next().unwrap_or_default();
        let width = u32::try_from(last.chars().count()).unwrap_or(u32::MAX);
        if lines == 0 {
            self.column += width;
        } else {
            let lines = u32::try_from(lines).unwrap_or(u32::MAX);
            self.old_line += lines;
            self.new_line += lines;
            self.column = width;
        }
    }

    /// Writes a comment. `end` excludes trailing white space.
    pub(super) fn comment(&mut self, start: usize, end: usize) {
        let comment = self.text.get(start..end).unwrap_or_default();
        if wants_blank(comment) {
            let place = size(start + 1);
            self.edits.push(LayoutEdit { range: TextRange::empty(place), breaks: 0, crlf: false, spaces: 1 });
        }
    }

    /// Replaces the text between `start` and `end` with line breaks followed by blanks.
    pub(super) fn gap(&mut self, start: usize, end: usize, breaks: u8, spaces: u32) {
        let edit = self.edit(start, end, breaks, spaces);
        let old = self.text.get(start..end).unwrap_or_default();
        if !edit.is_done(old) {
            self.edits.push(edit);
        }
        self.pass(old, &edit);
    }

    /// Writes the gap before a comment on its own line, which can continue a trailing comment.
    pub(super) fn own_line_comment(&mut self, start: usize, end: usize, breaks: u8, indent: u32) {
        let old = self.text.get(start..end).unwrap_or_default();
        let edit = self.edit(start, end, breaks, indent);
        self.pass(old, &edit);
        let above = self.aligned.last().filter(|above| {
            above.old_line + 1 == self.old_line
                && above.new_line + 1 == self.new_line
                && above.old_column == column(self.text, end)
        });
        match above.map(|above| above.old_column) {
            Some(column) => self.align(edit, column, None),
            None if edit.is_done(old) => {}
            None => self.edits.push(edit),
        }
    }

    /// Writes the gap before a trailing comment.
    pub(super) fn inline_comment(&mut self, start: usize, end: usize) {
        let old = self.text.get(start..end).unwrap_or_default();
        let code_end = self.column;
        let edit = self.edit(start, end, 0, 2);
        self.pass(old, &edit);
        self.align(edit, column(self.text, end), Some(code_end));
    }

    fn align(&mut self, edit: LayoutEdit, old_column: u32, code_end: Option<u32>) {
        let (old_line, new_line) = (self.old_line, self.new_line);
        self.aligned.push(TrailingComment {
            edit: self.edits.len(),
            old_line,
            new_line,
            old_column,
            code_end,
        });
        // Added even if nothing changes, because the column is only known later.
        self.edits.push(edit);
    }

    fn edit(&self, start: usize, end: usize, breaks: u8, spaces: u32) -> LayoutEdit {
        let range = TextRange::new(size(start), size(end.max(start)));
        LayoutEdit { range, breaks, crlf: self.crlf && breaks > 0, spaces }
    }

    /// Advances past a gap.
    fn pass(&mut self, old: &str, edit: &LayoutEdit) {
        if edit.breaks > 0 {
            self.column = 0;
            self.new_line += u32::from(edit.breaks);
        }
        self.column += edit.spaces;
        if old.len() > 1 || old == "\n" {
            let lines = old.bytes().filter(|byte| *byte == b'\n').count();
            self.old_line += u32::try_from(lines).unwrap_or(u32::MAX);
        }
    }
}

/// True if most line endings of a text are CRLF.
pub(super) fn is_crlf(text: &str) -> bool {
    let bytes = text.as_bytes();
    if memchr::memchr(b'\r', bytes).is_none() {
        return false;
    }
    let (mut all, mut crlf) = (0_usize, 0_usize);
    for at in memchr::memchr_iter(b'\n', bytes) {
        all += 1;
        crlf += usize::from(at.checked_sub(1).and_then(|before| bytes.get(before)) == Some(&b'\r'));
    }
    crlf * 2 > all
}

/// True if a blank is missing after the `#` of a comment: text follows directly, and it does not
/// look like commented-out code.
pub(super) fn wants_blank(comment: &str) -> bool {
    let Some(text) = comment.strip_prefix('#') else { return false };
    let is_text =
        text.starts_with(|first: char| first.is_alphanumeric() || matches!(first, '(' | '"' | '\'' | '`'));
    is_text && !is_code(text)
}

/// True if the text of a comment starts like a statement or a premise.
fn is_code(text: &str) -> bool {
    let word = text.trim_start_matches(|char: char| char.is_ascii_alphanumeric() || "_:.".contains(char));
    let name = text.get(..text.len() - word.len()).unwrap_or_default();
    let is_atom = !name.is_empty() && word.starts_with('(');
    is_atom
        || matches!(name, "Decl" | "Package" | "Use" | "bound" | "descr" | "let" | "do")
            && word.starts_with([' ', '['])
}

/// A comment whose column is not known yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct TrailingComment {
    /// The index of the edit that places the comment.
    edit: usize,
    old_line: u32,
    new_line: u32,
    /// The column in the original text.
    old_column: u32,
    /// The end column of the code on its line in the new text. `None` for a continuation of another
    /// comment.
    code_end: Option<u32>,
}

/// Blanks between code and a trailing comment.
const GAP: u32 = 2;

/// Sets the blanks before the comments.
pub(super) fn align(aligned: &[TrailingComment], edits: &mut [LayoutEdit]) {
    let together = |above: &TrailingComment, below: &TrailingComment| {
        above.old_column == below.old_column
            && above.old_line + 1 == below.old_line
            && above.new_line + 1 == below.new_line
    };
    for run in aligned.chunk_by(together) {
        let column = run.iter().filter_map(|comment| comment.code_end).max().map_or(0, |end| end + GAP);
        for comment in run {
            if let Some(edit) = edits.get_mut(comment.edit) {
                edit.spaces = column.saturating_sub(comment.code_end.unwrap_or(0));
            }
        }
    }
}
