//! Ranges lie in their text, between characters.

use mangle_syntax::lint::{Anchor, Diagnostic, Finding};
use mangle_syntax::text::TextRange;

/// Panics unless a range lies in a text, between characters.
pub(crate) fn inside(range: TextRange, text: &[u8], what: &dyn std::fmt::Debug) {
    let (start, end) = (usize::from(range.start()), usize::from(range.end()));
    let is_border = |at: usize| text.get(at).is_none_or(|byte| !is_inner(text, at, *byte));
    assert!(end <= text.len(), "{range:?} lies outside of {} bytes: {what:?}", text.len());
    assert!(is_border(start) && is_border(end), "{range:?} ends inside a character: {what:?}");
}

/// Whether a byte is not the first one of a character. Bytes that are no text are characters of their own.
fn is_inner(text: &[u8], at: usize, byte: u8) -> bool {
    if byte & 0xc0 != 0x80 {
        return false;
    }
    (1..=3.min(at)).any(|back| {
        let Some(part) = text.get(at - back..) else { return false };
        let longest = part.get(..4.min(part.len())).unwrap_or(part);
        let valid = match std::str::from_utf8(longest) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&longest[..error.valid_up_to()]).unwrap_or_default(),
        };
        valid.chars().next().is_some_and(|char| char.len_utf8() > back)
    })
}

/// The same for all ranges of a finding that count from the start of `text`.
pub(crate) fn finding(finding: &Finding, text: &[u8]) {
    inside(finding.range, text, finding);
    let is_here = |anchor: &Anchor| matches!(anchor, Anchor::Own);
    for related in finding.related.iter().filter(|related| is_here(&related.span.anchor)) {
        inside(related.span.range, text, finding);
    }
    let edits = finding.fix.iter().flat_map(|fix| &fix.edits);
    for edit in edits.filter(|edit| is_here(&edit.span.anchor)) {
        inside(edit.span.range, text, finding);
    }
}

/// The same for the diagnostics of files, whose texts are numbered as the files are.
pub(crate) fn diagnostics(found: &[Diagnostic], own: &str, texts: &[String]) {
    for diagnostic in found {
        inside(diagnostic.range, own.as_bytes(), diagnostic);
        let text = |file: mangle_syntax::text::FileId| texts[file.0 as usize].as_bytes();
        for related in &diagnostic.related {
            inside(related.range, text(related.file), diagnostic);
        }
        for edit in diagnostic.fix.iter().flat_map(|fix| &fix.edits) {
            inside(edit.range, text(edit.file), diagnostic);
        }
    }
}
