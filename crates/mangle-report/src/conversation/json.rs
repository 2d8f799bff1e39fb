//! Conversation of a record as one line of JSON, with a map from text to transcript.

use serde::Serialize;
use serde_json::Value;

use super::{ConversationLine, ConversationPiece};
use crate::LoadErrors;

/// The identification of a record.
#[derive(Debug, Clone, Serialize)]
pub struct RecordPlace<'a> {
    /// The display name of the transcript.
    pub file: &'a str,
    /// The number of the record, from 1.
    pub record: u64,
    /// The byte offset of the record in the file.
    pub start: u64,
    /// The numbers of the replies in the record.
    pub turns: Vec<u64>,
}

#[derive(Serialize)]
struct RecordObject<'a> {
    #[serde(flatten)]
    place: &'a RecordPlace<'a>,
    lines: Vec<LineObject<'a>>,
    findings: &'a [Value],
}

#[derive(Serialize)]
struct LineObject<'a> {
    pieces: Vec<PieceObject<'a>>,
}

#[derive(Serialize)]
struct PieceObject<'a> {
    text: &'a str,
    kind: &'static str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    lost: bool,
    /// The byte range of the file that the piece shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<[u64; 2]>,
}

/// A record as one line of JSON with a line end. `findings` have the format of `check --format
/// json`.
#[must_use]
pub fn json_record(
    place: &RecordPlace<'_>,
    lines: &[ConversationLine],
    findings: &[Value],
    mark: &LoadErrors,
) -> String {
    let piece = |piece: &ConversationPiece| -> Option<[u64; 2]> {
        let range = piece.source?.range;
        Some([range.start(), range.end()].map(|offset| place.start + u64::from(u32::from(offset))))
    };
    let lines = lines.iter().map(|line| LineObject {
        pieces: line
            .pieces
            .iter()
            .map(|one| PieceObject {
                text: &one.text,
                kind: one.kind.word(),
                lost: one.is_lost,
                source: piece(one),
            })
            .collect(),
    });
    let object = RecordObject { place, lines: lines.collect(), findings };
    if mark.is_empty() {
        return serde_json::to_string(&object).unwrap_or_default() + "\n";
    }
    let mut value = serde_json::to_value(&object).unwrap_or_default();
    mark.mark_json(&mut value);
    format!("{value}\n")
}
