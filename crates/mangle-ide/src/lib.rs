//! Editor features and the rule registry. Independent of the protocol and the file system.
//!
//! The input is a snapshot of a program with an offset ([`Place`]); the output is plain data. All
//! features share the classification of words in [`mention`].

#![allow(missing_docs, reason = "the items are public for the program and its tests, not for others")]

pub mod assists;
pub mod call_hierarchy;
pub mod code_lens;
pub mod comparison;
pub mod completion;
pub mod conversation;
pub mod cursor;
pub mod definition;
#[cfg(test)]
mod describe_tests;
pub mod directives;
pub mod evaluation;
pub mod facts;
pub mod file_findings;
pub mod fixes;
pub mod folding;
pub mod format;
pub mod graph;
pub mod hover;
pub mod inlay_hints;
pub mod linked_editing;
pub mod links;
pub mod markup;
#[cfg(test)]
mod markup_tests;
pub mod mention;
pub mod policy_tests;
pub mod preview_document;
pub mod previews;
pub mod query;
pub mod references;
pub mod registry;
pub mod rename;
pub mod replays;
pub mod reply_grammars;
pub mod semantic_tokens;
pub mod signature_help;
pub mod subject;
pub mod symbols;
pub mod syntax_tree;
#[cfg(test)]
pub(crate) mod testing;
pub mod transcripts;
pub mod verification;
pub mod vocabulary;

use mangle_engine::program::{FileSummary, Predicate, PredicateKey, Program};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::syntax::ast::Item;
use mangle_syntax::text::{FileId, TextSize};

pub use mangle_check::Analysis;

/// An offset in a file of a program. Cheap to copy.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    pub analysis: &'a dyn Analysis,
    pub file: &'a FileSummary,
    /// The parsed file.
    pub source: &'a SourceFile,
    /// Byte offset in the file, on a character boundary.
    pub offset: TextSize,
}

impl std::fmt::Debug for Place<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Place").field("file", &self.file.id).field("offset", &self.offset).finish()
    }
}

impl<'a> Place<'a> {
    /// Creates a place. `None` if the file is not part of the program. An offset past the end or
    /// inside a character is moved back.
    #[must_use]
    pub fn new(analysis: &'a dyn Analysis, file: FileId, offset: TextSize) -> Option<Self> {
        let source = analysis.source(file)?;
        let file = analysis.program().file(file)?;
        let mut at = usize::from(offset).min(file.text.len());
        while !file.text.is_char_boundary(at) {
            at -= 1;
        }
        Some(Self { analysis, file, source, offset: mangle_syntax::text::size(at) })
    }

    #[must_use]
    pub fn program(&self) -> &'a Program {
        self.analysis.program()
    }

    #[must_use]
    pub fn text(&self) -> &'a str {
        &self.file.text
    }

    /// Returns the statement at the offset, including its end.
    #[must_use]
    pub fn item(&self) -> Option<&'a Item> {
        self.file.items.get(self.file.item_at(self.offset)?)
    }

    /// Resolves a name and arity in this file. `None` if the program does not mention the
    /// predicate.
    #[must_use]
    pub fn predicate(&self, key: PredicateKey) -> Option<&'a Predicate> {
        let program = self.program();
        program.predicate(program.meaning(self.file, key))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::hover::hover;
    use crate::testing::Fixture;
    use mangle_syntax::text::{Embedded, EmbeddedKind, SegmentMapBuilder, TextRange, size, slice};

    /// Extracts the Mangle text of a JSON string.
    fn inside(json: &str) -> Embedded {
        let (mut text, mut map) = (String::new(), SegmentMapBuilder::default());
        let mut chars = json.char_indices().skip(1).peekable();
        while let Some((at, char)) = chars.next() {
            match char {
                '"' => break,
                '\\' => {
                    let (_, escaped) = chars.next().unwrap();
                    let meant = if escaped == 'n' { '\n' } else { escaped };
                    text.push(meant);
                    map.escape(size(meant.len_utf8()), TextRange::at(size(at), size(1 + escaped.len_utf8())));
                }
                _ => {
                    text.push(char);
                    map.copy(TextRange::at(size(at), size(char.len_utf8())));
                }
            }
        }
        Embedded { text: text.into(), map: map.finish(), kind: EmbeddedKind::Atom }
    }

    #[test]
    fn a_feature_runs_in_a_text_inside_another() {
        let json = r##""# \"what\" 🦀\np(\"a\\\"b\", X) :-\n  q(X).\nDecl q(Y) bound [/string].""##;
        let embedded = inside(json);
        let fixture = Fixture::new(&embedded.text);
        let at = size(json.find("q(X)").unwrap());
        let offset = embedded.map.to_derived(at).unwrap();
        let found = hover(fixture.place_at(FileId(0), offset)).unwrap();
        assert!(found.markup.to_plain().starts_with("q(Y: /string)"));
        assert_eq!(slice(json, embedded.map.to_source(found.range)), "q");
        let string = embedded.text.find("\"a").unwrap();
        let range = TextRange::at(size(string), size(6));
        assert_eq!(slice(json, embedded.map.to_source(range)), r#"\"a\\\"b\""#);
    }
}
