//! Server-sent events whose data is plain text instead of JSON.

use crate::transcript::turn::{Record, TextKind, Turn, TurnRole};
use mangle_syntax::text::{SegmentMapBuilder, TextRange, size};

/// Reads the events of a record as one text. Returns false if the text is empty. Data lines of one
/// event are joined with a line end.
pub(super) fn read(record: &mut Record<'_>) -> bool {
    let (mut text, mut map, mut seams) = (Vec::new(), SegmentMapBuilder::default(), Vec::new());
    let (mut at, mut end, mut is_read) = (0, None, true);
    for line in record.bytes.split_inclusive(|byte| *byte == b'\n') {
        let start = at;
        at += line.len();
        let bare = line.strip_suffix(b"\n").unwrap_or(line);
        let bare = bare.strip_suffix(b"\r").unwrap_or(bare);
        if let Some(event) = bare.strip_prefix(b"event:") {
            let event = event.trim_ascii();
            is_read = !matches!(event, b"done" | b"end" | b"error" | b"ping" | b"metadata" | b"logs");
        }
        let Some(data) = bare.strip_prefix(b"data:").filter(|_| is_read) else {
            if bare.is_empty() {
                end = None;
            }
            continue;
        };
        let data = data.strip_prefix(b" ").unwrap_or(data);
        if data == b"[DONE]" {
            continue;
        }
        if let Some(end) = end.filter(|end| *end < start) {
            text.push(b'\n');
            map.escape(size(1), TextRange::new(size(end), size(start)));
        }
        let from = start + bare.len() - data.len();
        if !data.is_empty() {
            if !text.is_empty() {
                seams.push(size(text.len()));
            }
            text.extend_from_slice(data);
            map.copy(TextRange::at(size(from), size(data.len())));
        }
        end = Some(start + bare.len());
    }
    if text.is_empty() {
        return false;
    }
    let mut turn = Turn::from_decoded(TurnRole::Assistant, TextKind::Reply, text, map.finish());
    turn.seams = seams;
    turn.takes_edits = false;
    record.turns.push(turn);
    true
}
