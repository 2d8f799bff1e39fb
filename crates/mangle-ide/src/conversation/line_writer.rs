//! Line writer with wrapping. Each piece records the bytes of the record that it shows. The text of
//! a turn becomes characters with their source bytes: credentials become one mask each, and control
//! and hidden characters become visible signs.

use unicode_width::UnicodeWidthChar as _;

use mangle_report::conversation::{ConversationLine, ConversationPiece, PieceKind, PieceSource};
use mangle_report::sink;
use mangle_syntax::text::{SegmentMap, TextRange, TextSize, size};
use piggyback::envelope::secrets::{MASK, are_shown, secrets, secrets_in};
use piggyback::transcript::Turn;

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
    fn line_break(&mut self, source: PieceSource) {
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

/// Maximum number of bytes shown of one text.
const MAX_SHOWN_BYTES: usize = 256 << 10;

/// Text of a turn as characters with their source bytes. Credentials become one mask each; control
/// and hidden characters become visible signs.
#[derive(Debug)]
pub(super) struct TurnText<'a> {
    pub(super) turn: &'a Turn,
    /// Bytes of the record.
    pub(super) record: &'a [u8],
    /// Bytes of the text.
    pub(super) bytes: &'a [u8],
    /// Sorted, non-overlapping ranges of possible credentials in the text.
    masks: Vec<TextRange>,
}

/// A character and its byte range in the text.
type TextChar = (char, TextRange);

impl<'a> TurnText<'a> {
    pub(super) fn new(turn: &'a Turn, record: &'a [u8]) -> Self {
        let bytes = turn.text(record);
        let found = if are_shown() { Vec::new() } else { secrets_in(bytes) };
        let masks = found.into_iter().map(|found| range(found.range.start, found.range.end)).collect();
        Self { turn, record, bytes, masks: merge_overlapping(masks) }
    }

    pub(super) fn whole(&self) -> TextRange {
        TextRange::up_to(size(self.bytes.len()))
    }

    pub(super) fn slice(&self, part: TextRange) -> &'a [u8] {
        self.bytes.get(part.start().into()..part.end().into()).unwrap_or(&[])
    }

    pub(super) fn write(&self, part: TextRange, style: PieceStyle, out: &mut LineWriter) {
        self.write_chars(self.chars(part), part.len(), &|_| style, out);
    }

    /// Writes the unescaped value of a string in the text. `map` maps the value to the text.
    /// `style` returns the style for an offset in the value.
    pub(super) fn write_value(
        &self,
        value: &str,
        map: &SegmentMap,
        style: &dyn Fn(usize) -> PieceStyle,
        out: &mut LineWriter,
    ) {
        let own: Vec<TextRange> = match are_shown() {
            true => Vec::new(),
            false => secrets(value)
                .into_iter()
                .map(|found| map.to_source(range(found.range.start, found.range.end)))
                .collect(),
        };
        let chars = value.char_indices().map(|(at, char)| {
            let of_value = TextRange::at(size(at), size(char.len_utf8()));
            (char, map.to_source(of_value))
        });
        let masks = merge_overlapping([self.masks.as_slice(), &own].concat());
        let masked = TurnText { turn: self.turn, record: self.record, bytes: self.bytes, masks };
        masked.write_chars(chars, size(value.len()), style, out);
    }

    /// Returns the characters of a part. Each byte of invalid UTF-8 becomes U+FFFD.
    fn chars(&self, part: TextRange) -> impl Iterator<Item = TextChar> + use<'a> {
        let mut at = part.start();
        self.slice(part).utf8_chunks().flat_map(move |chunk| {
            let start = at;
            let behind = start + size(chunk.valid().len());
            at = behind + size(chunk.invalid().len());
            let valid = chunk
                .valid()
                .char_indices()
                .map(move |(at, char)| (char, TextRange::at(start + size(at), size(char.len_utf8()))));
            let one = TextSize::new(1);
            let invalid = chunk.invalid().iter().enumerate();
            let invalid = invalid
                .map(move |(at, _)| (char::REPLACEMENT_CHARACTER, TextRange::at(behind + size(at), one)));
            valid.chain(invalid)
        })
    }

    /// Writes characters. `style` receives the byte offset of a character.
    fn write_chars(
        &self,
        chars: impl Iterator<Item = TextChar>,
        len: TextSize,
        style: &dyn Fn(usize) -> PieceStyle,
        out: &mut LineWriter,
    ) {
        let (mut chars, mut offset) = (chars.peekable(), 0);
        while let Some((char, mut inner)) = chars.next() {
            if offset >= MAX_SHOWN_BYTES {
                let rest = usize::from(len).saturating_sub(offset);
                return out.say(PieceKind::Note, &format!(" … {rest} more bytes are not shown"));
            }
            let style = style(offset);
            offset += char.len_utf8();
            if let Some(mask) = self.mask_of(inner) {
                while let Some((char, next)) = chars.next_if(|(_, next)| self.mask_of(*next) == Some(mask)) {
                    inner = inner.cover(next);
                    offset += char.len_utf8();
                }
                out.put(Glyph::Word(MASK), style, self.source(inner, None));
            } else if let Some((_, next)) = chars.next_if(|(next, _)| char == '\r' && *next == '\n') {
                offset += 1;
                self.write_char('\n', inner.cover(next), style, out);
            } else {
                self.write_char(char, inner, style, out);
            }
        }
    }

    fn write_char(&self, char: char, part: TextRange, style: PieceStyle, out: &mut LineWriter) {
        match char {
            '\n' => out.line_break(PieceSource { range: self.turn.place(part), is_copied: false }),
            '\t' => out.put(Glyph::Word("    "), style, self.source(part, None)),
            _ if sink::is_hidden(char) => {
                out.put(Glyph::Char(sink::sign(char)), style, self.source(part, None));
            }
            _ => out.put(Glyph::Char(char), style, self.source(part, Some(char))),
        }
    }

    /// Returns the source bytes of a part in the record. `char` is the shown character if it may be
    /// a verbatim copy.
    fn source(&self, part: TextRange, char: Option<char>) -> Option<PieceSource> {
        let range = self.turn.place(part);
        let bytes = self.record.get(range.start().into()..range.end().into());
        let is_copied = char.is_some_and(|char| bytes == Some(char.encode_utf8(&mut [0; 4]).as_bytes()));
        (!range.is_empty()).then_some(PieceSource { range, is_copied })
    }

    /// Returns the credential that overlaps a part.
    fn mask_of(&self, part: TextRange) -> Option<TextRange> {
        let at = self.masks.partition_point(|mask| mask.end() <= part.start());
        self.masks.get(at).filter(|mask| mask.start() < part.end()).copied()
    }
}

/// Sorts ranges and merges overlapping ones.
fn merge_overlapping(mut ranges: Vec<TextRange>) -> Vec<TextRange> {
    ranges.sort_by_key(|range| (range.start(), range.end()));
    ranges.dedup_by(|next, last| {
        let overlaps = next.start() < last.end();
        if overlaps {
            *last = last.cover(*next);
        }
        overlaps
    });
    ranges
}

fn range(start: usize, end: usize) -> TextRange {
    TextRange::new(size(start), size(end))
}
