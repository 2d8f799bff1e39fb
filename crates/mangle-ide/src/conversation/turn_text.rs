//! Conversion of the text of a turn to characters with their source bytes. Credentials become one
//! mask each; control and hidden characters become visible signs.

use super::line_writer::{Glyph, LineWriter, PieceStyle};
use mangle_report::conversation::{PieceKind, PieceSource};
use mangle_report::sink;
use mangle_syntax::text::{SegmentMap, TextRange, TextSize, size};
use piggyback::envelope::secrets::{MASK, are_shown, secrets, secrets_in};
use piggyback::transcript::Turn;

/// Maximum number of bytes shown of one text.
pub(super) const MAX_SHOWN_BYTES: usize = 256 << 10;

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
        (value, map): (&str, &SegmentMap),
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
