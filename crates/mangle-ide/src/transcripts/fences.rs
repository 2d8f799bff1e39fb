//! Mangle fences of a Markdown file.

use super::atom::MangleText;
use mangle_syntax::text::{Embedded, EmbeddedKind, SegmentMapBuilder, TextRange, size};

/// Info strings of Mangle fences.
const WORDS: [&str; 3] = ["mangle", "mg", "datalog"];

/// Comment that excludes the next fence.
const IGNORE: &str = "mangle-ls: ignore-fence";

#[must_use]
pub fn has_mangle(text: &str) -> bool {
    !fences(text).is_empty()
}

/// Returns the Mangle fences, with ranges relative to the start of the file.
pub(super) fn fences(text: &str) -> Vec<MangleText> {
    let mut found = Vec::new();
    let mut open: Option<(&str, usize, bool)> = None;
    let (mut at, mut is_ignored) = (0, false);
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let trimmed = line.trim();
        let marks = trimmed.len() - trimmed.trim_start_matches('`').len();
        match open {
            Some((mark, body, is_ours)) if trimmed == mark => {
                if is_ours {
                    found.push(fence(text, body, start));
                }
                open = None;
            }
            None if marks >= 3 => {
                let word = trimmed.get(marks..).unwrap_or("").split_whitespace().next().unwrap_or("");
                let is_named = WORDS.iter().any(|known| word.eq_ignore_ascii_case(known));
                let is_ours = is_named && !std::mem::take(&mut is_ignored);
                open = Some((trimmed.get(..marks).unwrap_or("```"), at, is_ours));
            }
            None if !trimmed.is_empty() => is_ignored = trimmed.contains(IGNORE),
            _ => {}
        }
    }
    if let Some((_, body, true)) = open {
        found.push(fence(text, body, text.len()));
    }
    found
}

fn fence(text: &str, start: usize, end: usize) -> MangleText {
    let mut map = SegmentMapBuilder::default();
    map.copy(TextRange::new(size(start), size(end)));
    let inner = text.get(start..end).unwrap_or("");
    let embedded = Embedded { text: inner.into(), map: map.finish(), kind: EmbeddedKind::Fence };
    MangleText::new(embedded, 0, size(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_mangle_is_taken() {
        let text = "a\n```mangle\np(1).\n```\n~~~\n```\n```mangle\nno\n````\n```\n  ````mg x\n  q(2).\n```\n";
        let found = fences(text);
        let inner: Vec<&str> = found.iter().map(|fence| &*fence.embedded.text).collect();
        assert_eq!(inner, ["p(1).\n", "  q(2).\n```\n"]);
    }
}
