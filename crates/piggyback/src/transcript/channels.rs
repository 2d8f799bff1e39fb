//! Texts that show both channels of replies: the log of `split --format log`, and the output of the
//! tracer of codeNERD's context harness (K11).
//!
//! # Log of both channels
//!
//! `[USER]` precedes the text that the user was shown; `[KERNEL]` precedes each update that reached
//! the kernel. A turn begins with `[USER]` and has at least one `[KERNEL]`, which is empty if no
//! update reached the kernel.
//!
//! Continuation lines begin with a tab. An escape such as `\u{1b}` stands for an unprintable
//! character.
//!
//! # Output of the tracer
//!
//! Headings and both channels as text. Only the updates are the verbatim text of the model.

use super::turn::{Border, Record, TextKind, Turn, TurnRole};
use mangle_syntax::text::{SegmentMapBuilder, TextRange, TextSize, size};

/// Prefix of the text that the user was shown.
pub const USER: &str = "[USER]";

/// Prefix of an update.
pub const KERNEL: &str = "[KERNEL]";

/// Prefix of each continuation line.
pub const CONTINUED: &str = "\t";

/// Start of an escaped character: hexadecimal digits and a `}` follow.
pub const ESCAPE: &str = "\\u{";

/// Number of leading lines that are searched for both prefixes.
const LINES: usize = 1_000;

/// Returns the rest of a line after `prefix`, or `None` if the line does not have the prefix.
fn strip_marker<'l>(line: &'l [u8], prefix: &str) -> Option<&'l [u8]> {
    let rest = line.strip_prefix(prefix.as_bytes())?;
    match rest {
        [] | [b'\r' | b'\n'] | [b'\r', b'\n'] => Some(&[]),
        [b' ', text @ ..] => Some(text),
        _ => None,
    }
}

/// Returns [`Border::Begin`] if a line begins a turn.
pub(super) fn border(line: &[u8]) -> Border {
    if strip_marker(line, USER).is_some() { Border::Begin } else { Border::Within }
}

/// True if a text has this format: its first line has the user prefix and a later line has the
/// kernel prefix.
#[must_use]
pub fn is_channels(head: &[u8]) -> bool {
    let mut lines = head.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let begins = lines.next().is_some_and(|line| strip_marker(line, USER).is_some());
    begins && lines.take(LINES).any(|line| strip_marker(line, KERNEL).is_some())
}

/// Reads the texts of a turn.
pub(super) fn read(record: &mut Record<'_>) {
    let mut open: Option<(TextKind, Vec<TextRange>)> = None;
    let mut turns = Vec::new();
    let mut at = 0;
    for line in record.bytes.split_inclusive(|byte| *byte == b'\n') {
        let (start, end) = (at, at + line.len());
        at = end;
        let kind = match (strip_marker(line, USER), strip_marker(line, KERNEL)) {
            (Some(text), _) => Some((TextKind::Surface, text)),
            (None, Some(text)) => Some((TextKind::Atom, text)),
            (None, None) => None,
        };
        if let Some((kind, text)) = kind {
            turns.extend(open.take().and_then(|(kind, parts)| turn(record.bytes, kind, &parts)));
            open = Some((kind, vec![range(end - text.len(), end)]));
        } else if let Some((_, parts)) = &mut open {
            let tab = usize::from(line.starts_with(CONTINUED.as_bytes()));
            parts.push(range(start + tab, end));
        }
    }
    turns.extend(open.and_then(|(kind, parts)| turn(record.bytes, kind, &parts)));
    record.turns.extend(turns);
}

fn range(start: usize, end: usize) -> TextRange {
    TextRange::new(size(start), size(end))
}

/// Returns the turn of a text in parts, without the last line end; `None` if the text is empty.
fn turn(bytes: &[u8], kind: TextKind, parts: &[TextRange]) -> Option<Turn> {
    let mut text = Vec::new();
    let mut map = SegmentMapBuilder::default();
    for (at, part) in parts.iter().enumerate() {
        let raw = bytes.get(usize::from(part.start())..usize::from(part.end())).unwrap_or_default();
        let is_last = at + 1 == parts.len();
        let raw = if is_last { raw.strip_suffix(b"\n").unwrap_or(raw) } else { raw };
        unescape(raw, part.start(), &mut text, &mut map);
    }
    (!text.is_empty()).then(|| Turn::from_decoded(TurnRole::Assistant, kind, text, map.finish()))
}

/// Appends a text with its escapes decoded.
fn unescape(raw: &[u8], start: TextSize, out: &mut Vec<u8>, map: &mut SegmentMapBuilder) {
    let mut from = 0;
    while let Some(at) = memchr::memmem::find(raw.get(from..).unwrap_or_default(), ESCAPE.as_bytes()) {
        let at = from + at;
        let Some((char, len)) = escaped(raw.get(at..).unwrap_or_default()) else {
            let end = at + ESCAPE.len();
            copy(raw, from, end, start, out, map);
            from = end;
            continue;
        };
        copy(raw, from, at, start, out, map);
        let mut buffer = [0; 4];
        let written = char.encode_utf8(&mut buffer).as_bytes();
        out.extend_from_slice(written);
        map.escape(size(written.len()), TextRange::at(start + size(at), size(len)));
        from = at + len;
    }
    copy(raw, from, raw.len(), start, out, map);
}

fn copy(raw: &[u8], from: usize, to: usize, start: TextSize, out: &mut Vec<u8>, map: &mut SegmentMapBuilder) {
    if from < to {
        out.extend_from_slice(raw.get(from..to).unwrap_or_default());
        map.copy(TextRange::new(start + size(from), start + size(to)));
    }
}

/// Decodes an escape at the start of a text. Returns the character and the length of the escape.
fn escaped(text: &[u8]) -> Option<(char, usize)> {
    let digits = text.strip_prefix(ESCAPE.as_bytes())?;
    let len = digits.iter().take(7).position(|byte| *byte == b'}')?;
    let number = std::str::from_utf8(digits.get(..len)?).ok()?;
    let char = char::from_u32(u32::from_str_radix(number, 16).ok()?)?;
    Some((char, ESCAPE.len() + len + 1))
}

/// Start of a line that draws a box around a header.
const BOX: &str = "═══";

/// Returns [`Border::Begin`] if a line begins a turn.
pub(super) fn harness_border(line: &[u8]) -> Border {
    if is_header(line) { Border::Begin } else { Border::Within }
}

fn is_header(line: &[u8]) -> bool {
    let is_turn = |line: &[u8]| {
        line.starts_with(b"PIGGYBACK PROTOCOL - TURN ")
            || (line.starts_with(b"TURN ") && memchr::memmem::find(line, b"(Piggyback Protocol)").is_some())
    };
    is_turn(line.trim_ascii())
}

/// True if a text has this format: a box line and a turn header are among its first 200 lines.
pub(super) fn is_harness(text: &[u8]) -> bool {
    let mut lines = text.split(|byte| *byte == b'\n').take(200);
    let has_box = lines.clone().any(|line| line.starts_with(BOX.as_bytes()));
    has_box && lines.any(is_header)
}

/// Section of a turn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Head,
    Surface,
    Control,
    Updates,
}

/// Reads the texts of a turn.
pub(super) fn read_harness(record: &mut Record<'_>) {
    let mut at = 0;
    let mut section = Section::Head;
    let mut surface: Option<TextRange> = None;
    for line in record.bytes.split_inclusive(|byte| *byte == b'\n') {
        let (start, text) = (at, line.trim_ascii());
        at += line.len();
        let inner = TextRange::at(size(start + line.len() - line.trim_ascii_start().len()), size(text.len()));
        match text {
            _ if text.starts_with(b"SURFACE ") => section = Section::Surface,
            _ if text.starts_with(b"CONTROL PACKET") => section = Section::Control,
            b"KERNEL STATE CHANGES:" => section = Section::Head,
            b"Mangle Updates:" if section == Section::Control => section = Section::Updates,
            b"" if section == Section::Updates => section = Section::Control,
            b"" => {}
            _ if text.starts_with("───".as_bytes()) || text.starts_with(BOX.as_bytes()) => {}
            _ if section == Section::Updates => record.turns.push(harness_update(text, inner)),
            _ if section == Section::Surface => {
                surface = Some(surface.map_or(inner, |surface| surface.cover(inner)));
            }
            _ => {}
        }
    }
    let turn = surface.map(|range| Turn::part(TurnRole::Assistant, TextKind::Surface, range));
    record.turns.splice(0..0, turn);
}

/// Returns an update without the dash that one of the two tracers adds.
fn harness_update(text: &[u8], range: TextRange) -> Turn {
    let dash = if text.starts_with(b"- ") { 2 } else { 0 };
    Turn::part(TurnRole::Assistant, TextKind::Atom, TextRange::new(range.start() + size(dash), range.end()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::transcript::{TranscriptOptions, TranscriptReader};
    use mangle_settings::Container;

    fn texts(log: &str) -> (Vec<String>, Option<Container>) {
        let mut out = Vec::new();
        let mut reader =
            TranscriptReader::new(TranscriptOptions { name: "a.log".into(), ..TranscriptOptions::default() });
        let mut each = |record: &Record<'_>| {
            for turn in &record.turns {
                let text = String::from_utf8_lossy(turn.text(record.bytes)).into_owned();
                // Each byte maps back to the record.
                let place = turn.place(TextRange::up_to(size(turn.len())));
                assert!(record.range().contains_range(place), "{place:?}");
                out.push(format!("{:?} {text}", turn.kind));
            }
        };
        reader.feed(log.as_bytes(), &mut each);
        let summary = reader.finish(&mut each);
        (out, summary.container)
    }

    #[test]
    fn both_channels_are_read() {
        let log = "[USER] one\n\ttwo\n\t\n\t\tthree\n[KERNEL] p(/a).\n[KERNEL] q(\"x\n\ty\").\n[USER] [USER]ed\n[KERNEL]\n";
        let (texts, container) = texts(log);
        assert_eq!(container, Some(Container::Channels));
        assert_eq!(
            texts,
            ["Surface one\ntwo\n\n\tthree", "Atom p(/a).", "Atom q(\"x\ny\").", "Surface [USER]ed"]
        );
    }

    #[test]
    fn escapes_stand_for_characters() {
        let (texts, _) = texts("[USER] a\\u{1b}[1m \\u{5c}u{41} \\u{zz} \\u{110000}\n[KERNEL]\n");
        assert_eq!(texts, ["Surface a\u{1b}[1m \\u{41} \\u{zz} \\u{110000}"]);
    }

    #[test]
    fn other_logs_are_no_channels() {
        for other in
            ["[USER] hello\n[ASSISTANT] hi\n", "[KERNEL] p(/a).\n", "[USERS] a\n[KERNEL] b\n", "USER a\n"]
        {
            assert!(!is_channels(other.as_bytes()), "{other}");
        }
    }
}
