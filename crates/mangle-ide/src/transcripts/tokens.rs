//! Semantic tokens of the Mangle texts in a transcript.

use super::TranscriptView;
use crate::semantic_tokens::{SemanticToken, semantic_tokens, whole};
use mangle_syntax::text::TextRange;

/// Maximum range in bytes per request. Editors request the visible range.
const MAX_LEN: u32 = 4 << 20;

/// Returns the tokens that overlap a range of the file, in order.
#[must_use]
pub fn tokens(opened: TranscriptView<'_>, range: TextRange) -> Vec<SemanticToken> {
    let mut found = Vec::new();
    if u32::from(range.len()) > MAX_LEN {
        return found;
    }
    for entry in opened.records.touching(range) {
        for text in opened.records.mangle(entry, opened.settings) {
            if entry.place(text.range()).intersect(range).is_none() {
                continue;
            }
            let of_text = semantic_tokens(text.source(), text.summary(), whole(text.source()));
            let place = |range| entry.place(text.to_source(range));
            found.extend(
                of_text.into_iter().map(|token| SemanticToken { range: place(token.range), ..token }),
            );
        }
    }
    for text in opened.records.fences().iter().filter(|text| text.range().intersect(range).is_some()) {
        let of_text = semantic_tokens(text.source(), text.summary(), whole(text.source())).into_iter();
        found.extend(of_text.map(|token| SemanticToken { range: text.to_source(token.range), ..token }));
    }
    found.sort_by_key(|token| token.range.start());
    found.dedup_by(|one, before| one.range.start() < before.range.end());
    found
}
