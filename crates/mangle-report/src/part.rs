//! Partial copy of a large file: the locations of findings, and the text around them. Also has the lines
//! of excerpts, which have a bounded length and no control characters.

use std::ops::Range;

use super::sink::is_hidden;
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::{FileId, LineCol, TextRange, TextSize, character_start, size, whole_characters};
use piggyback::envelope::secrets::{SecretContext, are_shown, masked_always, substituted};

/// The file id of the transcript record whose findings are written.
pub const RECORD: FileId = FileId(u32::MAX - 1);

/// The number of bytes around displayed text to search for credentials.
const AROUND: usize = 4096;

/// A line with its columns, all from 0. An invalid UTF-8 byte counts as one character.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LinePosition {
    pub line: u32,
    /// The column in Unicode scalar values.
    pub col: u32,
    /// The column in UTF-16 code units.
    pub utf16: u32,
}

impl LinePosition {
    /// The position after `bytes` that start here. Lines end with LF, CRLF or a single CR.
    #[must_use]
    pub fn after(self, bytes: &[u8]) -> Self {
        let mut spot = self;
        let line = bytes.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).map_or(0, |end| end + 1);
        let (before, rest) = bytes.split_at(line);
        let ends = |at: usize, byte: u8| byte == b'\n' || before.get(at + 1) != Some(&b'\n');
        let lines = memchr::memchr2_iter(b'\n', b'\r', before)
            .filter(|&at| before.get(at).is_some_and(|&byte| ends(at, byte)))
            .count();
        if line > 0 {
            spot = Self { line: self.line.saturating_add(size(lines).into()), col: 0, utf16: 0 };
        }
        for chunk in rest.utf8_chunks() {
            let invalid = size(chunk.invalid().len());
            spot.col += u32::from(size(chunk.valid().chars().count()) + invalid);
            spot.utf16 += u32::from(size(chunk.valid().encode_utf16().count()) + invalid);
        }
        spot
    }
}

#[derive(Debug)]
pub struct FilePart {
    owner: FileId,
    base: u64,
    /// True if a line starts with the part.
    starts_line: bool,
    /// Sorted by offset.
    places: Vec<(TextSize, LinePosition)>,
    windows: Vec<Window>,
    /// The secrets in and around the windows.
    secrets: SecretContext,
}

/// A part of a line.
#[derive(Debug)]
struct Window {
    start: TextSize,
    text: String,
    /// The text with its credentials, if the output shows them.
    shown: Option<String>,
    line: u32,
    /// True if the window includes the start of the line, and its end.
    is_whole: (bool, bool),
}

impl FilePart {
    /// Keeps the parts of `bytes` that the output of `diagnostics` needs.
    ///
    /// `bytes` start at the offset `base` of the file `owner`, at the position `first`. The
    /// diagnostics refer to the file `part`.
    #[must_use]
    pub fn new(
        owner: FileId,
        base: u64,
        first: LinePosition,
        bytes: &[u8],
        part: FileId,
        diagnostics: &[Diagnostic],
    ) -> Self {
        let mut offsets: Vec<TextSize> = diagnostics.iter().flat_map(|found| offsets(found, part)).collect();
        offsets.sort_unstable();
        offsets.dedup();
        let (mut places, mut at, mut spot) = (Vec::with_capacity(offsets.len()), 0, first);
        for offset in offsets {
            let end = character_start(bytes, offset.into());
            // A step must not split CRLF.
            let step = bytes.get(at..end).unwrap_or(&[]);
            spot = spot.after(step);
            at = at.max(end);
            places.push((offset, spot));
        }
        let mut this = Self {
            owner,
            base,
            starts_line: first.col == 0,
            places,
            windows: Vec::new(),
            secrets: SecretContext::default(),
        };
        for found in diagnostics {
            let related = found.related.iter().filter(|place| place.file == part);
            for range in related.map(|place| place.range).chain([found.range]) {
                this.show(bytes, range.start().into());
            }
        }
        this
    }

    /// The file of the part.
    pub(super) fn owner(&self) -> FileId {
        self.owner
    }

    /// Converts an offset to an offset from the start of the file.
    pub(super) fn offset(&self, offset: TextSize) -> u64 {
        self.base + u64::from(u32::from(offset))
    }

    pub(super) fn spot(&self, offset: TextSize) -> LinePosition {
        let at = self.places.partition_point(|(place, _)| *place <= offset);
        let found = at.checked_sub(1).and_then(|at| self.places.get(at)).or(self.places.first());
        found.map_or_else(LinePosition::default, |(_, spot)| *spot)
    }

    /// The kept text of the line at an offset.
    pub(super) fn line(&self, offset: TextSize) -> &str {
        self.window(offset).map_or("", |window| window.text.trim())
    }

    /// The text around the first of `ranges`, with the other ranges inside it.
    pub(super) fn excerpt(&self, ranges: &[TextRange]) -> Option<Excerpt> {
        let window = self.window(ranges.first()?.start())?;
        let (front, back) = (!window.is_whole.0, !window.is_whole.1);
        let cut = |is_cut: bool| if is_cut { "…" } else { "" };
        let base = cut(front).len();
        let shown = |range: &TextRange| -> Range<usize> {
            let within =
                |at: TextSize| usize::from(at.max(window.start) - window.start).min(window.text.len());
            base + within(range.start())..base + within(range.end())
        };
        let text: String = window.shown.as_ref().unwrap_or(&window.text).chars().map(harmless).collect();
        let text = format!("{}{text}{}", cut(front), cut(back));
        let ranges = ranges.iter().map(|range| fitted(&text, shown(range))).collect();
        Some(Excerpt { text, first_line: window.line, ranges, shifted: front })
    }

    /// True if the window of one offset contains the other offset.
    pub(super) fn shows_both(&self, one: TextSize, other: TextSize) -> bool {
        let in_window = |window: &Window| {
            window.start <= other && other <= window.start + TextSize::of(window.text.as_str())
        };
        self.window(one).is_some_and(in_window)
    }

    fn window(&self, offset: TextSize) -> Option<&Window> {
        self.windows.iter().rfind(|window| {
            window.start <= offset && offset <= window.start + TextSize::of(window.text.as_str())
        })
    }

    /// A part of some bytes as text with masked credentials of the same length. The second value is
    /// the unmasked text, if credentials are shown and present.
    fn masked(&mut self, bytes: &[u8], part: Range<usize>) -> (String, Option<String>) {
        // A truncated credential is not recognizable.
        let from = character_start(bytes, part.start.saturating_sub(AROUND));
        let to = character_start(bytes, part.end.saturating_add(AROUND));
        let text = substituted(bytes.get(from..to).unwrap_or(&[]));
        let hidden = masked_always(&text);
        if hidden != text {
            self.secrets.add(&text);
        }
        let cut = |text: &str| text.get(part.start - from..part.end - from).unwrap_or_default().to_owned();
        (cut(&hidden), (are_shown() && hidden != text).then(|| cut(&text)))
    }

    /// The secrets near the displayed text.
    pub(super) fn secrets(&self) -> &SecretContext {
        &self.secrets
    }

    /// Keeps the text around an offset.
    fn show(&mut self, bytes: &[u8], offset: usize) {
        let offset = offset.min(bytes.len());
        let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
        // Limited to the displayed length, because a long line can have many locations.
        let (from, to) = (offset.saturating_sub(MAX_LINE / 2), bytes.len().min(offset + MAX_LINE / 2));
        // One more byte shows if a line starts there.
        let front = from.saturating_sub(1);
        let before = bytes.get(front..offset).unwrap_or(&[]).iter().rposition(is_end);
        let line = before.map_or(0, |end| front + end + 1);
        let behind = bytes.get(offset..to).unwrap_or(&[]).iter().position(is_end);
        let is_line_end = behind.is_some() || bytes.get(to).is_none_or(is_end);
        let line_end = behind.map_or(to, |end| offset + end);
        let spot = self.spot(size(offset));
        let start = character_start(bytes, line.max(from));
        let end = character_start(bytes, line_end);
        if self.windows.last().is_some_and(|last| last.start == size(start) && last.line == spot.line) {
            return;
        }
        let is_line = line > 0 || self.starts_line;
        let (text, shown) = self.masked(bytes, start..end);
        self.windows.push(Window {
            start: size(start),
            text,
            shown,
            line: spot.line,
            is_whole: (start == line && is_line, end == line_end && is_line_end),
        });
    }
}

/// The offsets of a diagnostic in the output.
fn offsets(found: &Diagnostic, part: FileId) -> Vec<TextSize> {
    let related = found.related.iter().filter(|place| place.file == part).map(|place| place.range);
    let edits = found.fix.iter().flat_map(|fix| &fix.edits).filter(|edit| edit.file == part);
    let ranges = [found.range].into_iter().chain(related).chain(edits.map(|edit| edit.range));
    ranges.flat_map(|range| [range.start(), range.end()]).collect()
}

impl From<LinePosition> for LineCol {
    /// The line and the column are from 1; the column is in Unicode scalar values.
    fn from(spot: LinePosition) -> Self {
        Self { line: spot.line.saturating_add(1), col: spot.col.saturating_add(1) }
    }
}

/// Longer lines (in bytes) are truncated before layout, so that the cost of a finding does not
/// depend on the length of its line.
pub(super) const MAX_LINE: usize = 600;

/// Lines of a file separated by `\n`.
#[derive(Debug)]
pub(super) struct Excerpt {
    pub(super) text: String,
    /// The number of the first line, from 0.
    pub(super) first_line: u32,
    /// The ranges in `text`.
    pub(super) ranges: Vec<Range<usize>>,
    /// True if the start of a line was truncated, so that columns differ from the file.
    pub(super) shifted: bool,
}

/// Extends a range to whole characters within the text. The renderer panics for other ranges.
pub(super) fn fitted(text: &str, range: Range<usize>) -> Range<usize> {
    let range = TextRange::new(size(range.start), size(range.end.max(range.start)));
    let range = whole_characters(text.as_bytes(), range);
    range.start().into()..range.end().into()
}

/// A visible character of the same UTF-8 length for a hidden character or a terminal control. The
/// renderer replaces the remaining ones.
pub(super) fn harmless(char: char) -> char {
    match char.len_utf8() {
        _ if !is_hidden(char) => char,
        2 => '¤',
        3 => char::REPLACEMENT_CHARACTER,
        4 => '\u{1f6c7}',
        _ => char,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SourceText;

    #[test]
    fn places_are_those_of_whole_files() {
        let text = "a\r\né🦀x\rb🦀\n\n\"é\"\n".repeat(3);
        let whole = SourceText::new("a".into(), text.as_str().into());
        let is_start = |at: usize| character_start(text.as_bytes(), at) == at;
        for base in (0..text.len()).filter(|at| is_start(*at)) {
            let (before, bytes) = text.as_bytes().split_at(base);
            let first = LinePosition::default().after(before);
            for offset in 0..bytes.len() {
                let at = character_start(bytes, offset);
                let spot = first.after(&bytes[..at]);
                assert_eq!(LineCol::from(spot), whole.place(size(base + offset)), "{base} + {offset}");
                let utf16 = LineCol { line: spot.line + 1, col: spot.utf16 + 1 };
                assert_eq!(utf16, whole.place_utf16(size(base + offset)));
            }
        }
    }

    #[test]
    fn bytes_that_are_no_text_count_one_by_one() {
        assert_eq!(LinePosition::default().after(b"a\xff\xc3\xe2\x82b").col, 6);
        let spots: Vec<_> = (0..6).map(|at| character_start(b"a\xff\xe2\x82b\xc3\xa9", at)).collect();
        assert_eq!(spots, [0, 1, 2, 3, 4, 5]);
        assert_eq!(character_start("é".as_bytes(), 1), 0);
    }
}
