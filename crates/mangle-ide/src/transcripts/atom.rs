//! Mangle text inside a transcript: an update of a packet, or a fence of a Markdown file.

use std::sync::OnceLock;

use crate::{Analysis, Place};
use mangle_engine::program::FileSummary;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{Embedded, EmbeddedKind, FileId, SegmentMapBuilder, TextRange, TextSize, size};

/// Placeholder file of embedded texts. No program contains it, so findings in embedded texts are
/// never attributed to a program file.
pub const NOWHERE: FileId = FileId(u32::MAX);

/// Embedded Mangle text. Parsed on first use.
#[derive(Debug)]
pub struct MangleText {
    /// Text with a map to the bytes of the record.
    pub embedded: Embedded,
    /// Range in the record, even if the text is empty.
    range: TextRange,
    /// Number of nested JSON strings around the text. Inserted text must be escaped this often.
    pub levels: u8,
    parsed: OnceLock<(SourceFile, FileSummary)>,
}

impl MangleText {
    /// Creates a text inside `levels` JSON strings. `empty` is the position of an empty text.
    pub(super) fn new(embedded: Embedded, levels: u8, empty: TextSize) -> Self {
        let whole = TextRange::up_to(mangle_syntax::text::text_len(&embedded.text));
        let range = if whole.is_empty() { TextRange::empty(empty) } else { embedded.map.to_source(whole) };
        Self { embedded, range, levels, parsed: OnceLock::new() }
    }

    /// Byte range in the record; for a fence, in the file.
    #[must_use]
    pub fn range(&self) -> TextRange {
        self.range
    }

    /// Converts a range of the text to a range of the record.
    #[must_use]
    pub fn to_source(&self, range: TextRange) -> TextRange {
        if self.embedded.text.is_empty() { self.range } else { self.embedded.map.to_source(range) }
    }

    /// Converts an offset of the record to an offset of the text. `None` outside of the text.
    #[must_use]
    pub fn to_derived(&self, offset: TextSize) -> Option<TextSize> {
        if !self.range.contains_inclusive(offset) {
            return None;
        }
        if self.embedded.text.is_empty() {
            Some(TextSize::new(0))
        } else {
            self.embedded.map.to_derived(offset)
        }
    }

    pub fn source(&self) -> &SourceFile {
        &self.parsed().0
    }

    pub fn summary(&self) -> &FileSummary {
        &self.parsed().1
    }

    fn parsed(&self) -> &(SourceFile, FileSummary) {
        self.parsed.get_or_init(|| {
            let source = SourceFile::parse(self.embedded.text.clone());
            let summary = FileSummary::new(NOWHERE, &source);
            (source, summary)
        })
    }

    /// Returns an offset of the text as a place of a program that does not contain the text.
    #[must_use]
    pub fn place<'a>(&'a self, analysis: &'a dyn Analysis, offset: TextSize) -> Place<'a> {
        let text = &self.embedded.text;
        let mut at = usize::from(offset).min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        Place { analysis, file: self.summary(), source: self.source(), offset: mangle_syntax::text::size(at) }
    }
}

/// Escapes `text` for insertion into `levels` nested JSON strings.
#[must_use]
pub fn escaped(text: &str, levels: u8) -> String {
    let mut out = text.to_owned();
    for _ in 0..levels {
        let quoted = serde_json::Value::from(out.as_str()).to_string();
        out = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or("").to_owned();
    }
    out
}

/// Escapes a snippet. Placeholders are kept.
#[must_use]
pub fn escaped_snippet(snippet: &str, levels: u8) -> String {
    let mut out = String::with_capacity(snippet.len());
    let mut chars = snippet.chars();
    let literally = |char: char, out: &mut String| {
        for char in escaped(char.encode_utf8(&mut [0; 4]), levels).chars() {
            if matches!(char, '\\' | '$' | '}') {
                out.push('\\');
            }
            out.push(char);
        }
    };
    while let Some(char) = chars.next() {
        match char {
            '\\' => literally(chars.next().unwrap_or('\\'), &mut out),
            '"' | '\n' | '\t' | '\r' => literally(char, &mut out),
            _ => out.push(char),
        }
    }
    out
}

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
    fn what_is_written_is_escaped_for_every_string_around_it() {
        assert_eq!(escaped("p(\"a\").", 0), "p(\"a\").");
        assert_eq!(escaped("p(\"a\").", 1), "p(\\\"a\\\").");
        assert_eq!(escaped("p(\"a\").", 2), r#"p(\\\"a\\\")."#);
    }

    #[test]
    fn places_of_snippets_stay_places() {
        assert_eq!(escaped_snippet("p(${1:X}, ${2:\"\\$a\"})$0", 1), r#"p(${1:X}, ${2:\\"\$a\\"})$0"#);
        assert_eq!(escaped_snippet("p($1)", 2), "p($1)");
    }

    #[test]
    fn only_mangle_is_taken() {
        let text = "a\n```mangle\np(1).\n```\n~~~\n```\n```mangle\nno\n````\n```\n  ````mg x\n  q(2).\n```\n";
        let found = fences(text);
        let inner: Vec<&str> = found.iter().map(|fence| &*fence.embedded.text).collect();
        assert_eq!(inner, ["p(1).\n", "  q(2).\n```\n"]);
    }
}
