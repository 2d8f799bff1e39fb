//! Line writer with wrapping. Each piece records the bytes of the record that it shows.

use unicode_width::UnicodeWidthChar as _;

use mangle_report::conversation::{ConversationLine, ConversationPiece, PieceKind, PieceSource};
use mangle_syntax::text::TextRange;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PieceStyle {
    pub(super) kind: PieceKind,
    /// True if the runtime drops the text.
    pub(super) is_lost: bool,
}

impl PieceStyle {
    pub(super) fn kept(kind: PieceKind) -> Self {
        Self { kind, is_lost: false }
    }

    pub(super) fn lost_if(kind: PieceKind, is_lost: bool) -> Self {
        Self { kind, is_lost }
    }
}

/// Replacement for one or more characters.
#[derive(Debug, Clone, Copy)]
pub(super) enum Glyph {
    Char(char),
    Word(&'static str),
}

impl Glyph {
    fn width(self) -> usize {
        match self {
            Self::Char(char) => char.width().unwrap_or(0),
            Self::Word(word) => word.len(),
        }
    }

    fn push_to(self, text: &mut String) {
        match self {
            Self::Char(char) => text.push(char),
            Self::Word(word) => text.push_str(word),
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Cell {
    glyph: Glyph,
    style: PieceStyle,
    source: Option<PieceSource>,
}

#[derive(Debug)]
pub(super) struct LineWriter {
    /// Maximum line width in columns.
    width: usize,
    lines: Vec<ConversationLine>,
    /// Content of the current line, after its indentation.
    cells: Vec<Cell>,
    /// Current column.
    column: usize,
    /// Indentation of the current line and of its continuation lines.
    indent: usize,
    hang: usize,
    /// True if the current line continues the previous one.
    is_continuation: bool,
    /// Source range that generated text refers to.
    about: Option<PieceSource>,
}

impl LineWriter {
    pub(super) fn new(width: usize) -> Self {
        Self {
            width,
            lines: Vec::new(),
            cells: Vec::new(),
            column: 0,
            indent: 0,
            hang: 0,
            is_continuation: false,
            about: None,
        }
    }

    /// Returns the number of columns available at an indentation.
    pub(super) fn room(&self, indent: usize) -> usize {
        self.width.saturating_sub(indent)
    }

    /// Starts a line. Continuation lines are indented by `hang` columns.
    pub(super) fn begin(&mut self, indent: usize, hang: usize) {
        self.end_line(None);
        self.is_continuation = false;
        let most = self.width / 2;
        (self.indent, self.hang) = (indent.min(most), hang.min(most));
        self.column = self.indent;
    }

    /// Sets the source range of text written by [`LineWriter::say`] from now on.
    pub(super) fn about(&mut self, range: Option<TextRange>) {
        self.about = range.map(|range| PieceSource { range, is_copied: false });
    }

    /// Writes generated text.
    pub(super) fn say(&mut self, kind: PieceKind, words: &str) {
        let source = self.about;
        for char in words.chars() {
            self.put(Glyph::Char(char), PieceStyle::kept(kind), source);
        }
    }

    /// Writes a line of generated text.
    pub(super) fn line(&mut self, indent: usize, kind: PieceKind, words: &str) {
        self.begin(indent, indent + 2);
        self.say(kind, words);
    }

    pub(super) fn blank(&mut self) {
        self.end_line(None);
        self.lines.push(ConversationLine::default());
    }

    pub(super) fn put(&mut self, glyph: Glyph, style: PieceStyle, source: Option<PieceSource>) {
        let width = glyph.width();
        if self.column + width > self.width && !self.cells.is_empty() {
            self.wrap();
        }
        self.cells.push(Cell { glyph, style, source });
        self.column += width;
    }

    /// Ends the line at a line break of the transcript. The next line is indented like a
    /// continuation line.
    pub(super) fn line_break(&mut self, source: PieceSource) {
        self.push_line(Some(source));
        self.is_continuation = false;
        self.column = self.indent;
    }

    /// Wraps at the last space, if any.
    fn wrap(&mut self) {
        let is_blank = |cell: &Cell| matches!(cell.glyph, Glyph::Char(' '));
        let blank = self.cells.iter().rposition(is_blank).filter(|at| *at > 0);
        let rest = blank.map(|at| self.cells.split_off(at + 1)).unwrap_or_default();
        let blank = blank.and_then(|_| self.cells.pop());
        let end = blank.and_then(|cell| cell.source);
        self.push_line(end.map(|source| PieceSource { is_copied: false, ..source }));
        self.is_continuation = true;
        self.column = self.indent + rest.iter().map(|cell| cell.glyph.width()).sum::<usize>();
        self.cells = rest;
    }

    /// Ends the current line if it is not empty.
    fn end_line(&mut self, end: Option<PieceSource>) {
        if !self.cells.is_empty() {
            self.push_line(end);
        }
    }

    fn push_line(&mut self, end: Option<PieceSource>) {
        let mut pieces = Vec::new();
        if self.indent > 0 && !self.cells.is_empty() {
            let kind = PieceKind::Note;
            pieces.push(ConversationPiece {
                text: " ".repeat(self.indent),
                kind,
                is_lost: false,
                source: None,
            });
        }
        for cell in self.cells.drain(..) {
            push_cell(&mut pieces, cell);
        }
        self.lines.push(ConversationLine { pieces, end, is_continuation: self.is_continuation });
        self.indent = self.hang;
    }

    pub(super) fn finish(mut self) -> Vec<ConversationLine> {
        self.end_line(None);
        self.lines
    }
}

/// Appends a cell to the pieces of a line. Merges it with the last piece if both form one
/// contiguous copy, or both are generated text.
fn push_cell(pieces: &mut Vec<ConversationPiece>, cell: Cell) {
    let PieceStyle { kind, is_lost } = cell.style;
    if let Some(last) = pieces.last_mut().filter(|last| (last.kind, last.is_lost) == (kind, is_lost)) {
        match (&mut last.source, cell.source) {
            (Some(before), Some(source))
                if before.is_copied && source.is_copied && before.range.end() == source.range.start() =>
            {
                before.range = before.range.cover(source.range);
                return cell.glyph.push_to(&mut last.text);
            }
            (before, source) if *before == source && !kind.is_transcript() => {
                return cell.glyph.push_to(&mut last.text);
            }
            _ => {}
        }
    }
    let mut text = String::new();
    cell.glyph.push_to(&mut text);
    pieces.push(ConversationPiece { text, kind, is_lost, source: cell.source });
}
