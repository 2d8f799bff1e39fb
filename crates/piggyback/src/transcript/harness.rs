//! Output of the tracer of codeNERD's context harness (K11): headings, and both channels as text.
//!
//! Only the updates are the verbatim text of the model.

use super::turn::{Record, TextKind, Turn, TurnRole};
use crate::transcript::line_border::Border;
use mangle_syntax::text::{TextRange, size};

/// Start of a line that draws a box around a header.
const BOX: &str = "═══";

/// Returns [`Border::Begin`] if a line begins a turn.
pub(super) fn border(line: &[u8]) -> Border {
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
pub(super) fn read(record: &mut Record<'_>) {
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
            _ if section == Section::Updates => record.turns.push(update(text, inner)),
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
fn update(text: &[u8], range: TextRange) -> Turn {
    let dash = if text.starts_with(b"- ") { 2 } else { 0 };
    Turn::part(TurnRole::Assistant, TextKind::Atom, TextRange::new(range.start() + size(dash), range.end()))
}
