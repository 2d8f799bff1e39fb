//! Mangle inside a transcript: an update of a packet, or a fence of a Markdown file, read as a file is.

use std::sync::OnceLock;

use crate::ide::{Analysis, Place};
use mangle_engine::program::FileSummary;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{Embedded, FileId, TextRange, TextSize};

/// The file that embedded texts claim to be. No program has it, so that what is found in one is never taken for a
/// place of a program.
pub const NOWHERE: FileId = FileId(u32::MAX);

/// A text that is Mangle. It is parsed when somebody first asks.
#[derive(Debug)]
pub struct MangleText {
    /// The text, from whose bytes the map leads to those of the record.
    pub embedded: Embedded,
    /// Where it stands in the record, also where it is empty.
    range: TextRange,
    /// How many JSON strings it lies in, one inside the other: what is written there has to be escaped so often.
    pub levels: u8,
    parsed: OnceLock<(SourceFile, FileSummary)>,
}

impl MangleText {
    /// A text in `levels` JSON strings, which stands at `empty` if there is nothing in it.
    pub(super) fn new(embedded: Embedded, levels: u8, empty: TextSize) -> Self {
        let whole = TextRange::up_to(mangle_syntax::text::text_len(&embedded.text));
        let range = if whole.is_empty() { TextRange::empty(empty) } else { embedded.map.to_source(whole) };
        Self { embedded, range, levels, parsed: OnceLock::new() }
    }

    /// Its bytes in the record; of a fence, in the file.
    #[must_use]
    pub fn range(&self) -> TextRange {
        self.range
    }

    /// A range of it as one of the record.
    #[must_use]
    pub fn to_source(&self, range: TextRange) -> TextRange {
        if self.embedded.text.is_empty() { self.range } else { self.embedded.map.to_source(range) }
    }

    /// An offset of the record as one of it; `None` outside of it.
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

    /// The parsed text.
    pub fn source(&self) -> &SourceFile {
        &self.parsed().0
    }

    /// What its statements say.
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

    /// An offset of the text as a place of a program, of which the text is no part.
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

/// What is to be written into a JSON string, or into a string inside a string, so that `text` stands there.
#[must_use]
pub fn escaped(text: &str, levels: u8) -> String {
    let mut out = text.to_owned();
    for _ in 0..levels {
        let quoted = serde_json::Value::from(out.as_str()).to_string();
        out = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or("").to_owned();
    }
    out
}

/// The same for a snippet, whose places to fill in stay such.
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
}
