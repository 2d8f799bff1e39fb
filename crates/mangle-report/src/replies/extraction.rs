//! Output of `parse --extractor`: the text that another part of the runtime extracts from a reply.

use serde_json::{Value, json};

use super::TranscriptReply;
use piggyback::envelope::extractors::Extract;

/// The record of the extracted text.
#[must_use]
pub fn extracted(answered: TranscriptReply<'_>, extract: &Extract) -> Value {
    let range = extract.range.clone();
    let text = range.clone().and_then(|range| answered.reply.raw.get(range));
    json!({
        "file": answered.file,
        "record": answered.record.number,
        "path": answered.turn.path,
        "is_json": extract.is_json,
        "range": range.map(|range| answered.place(range)),
        "text": text.map(String::from_utf8_lossy),
        "updates": extract.updates,
    })
}
