//! Assists (code actions) at a cursor or selection: declare, extract, inline, describe,
//! convert, sort, test.
//!
//! The input is a place and a selection; the result is a list of assists with their edits. An
//! assist is offered only if it keeps the meaning of the program.

mod case;
mod declarations;
mod premises;
#[cfg(test)]
mod tests;

use super::Place;
use mangle_syntax::lint::FileEdit;
use mangle_syntax::syntax::ast::{Clause, Item};
use mangle_syntax::text::{TextRange, TextSize, with_line_ends};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assist {
    /// Stable identifier of the assist.
    pub id: &'static str,
    /// Title in the imperative.
    pub title: String,
    pub kind: AssistKind,
    /// Sorted, non-overlapping edits with the line endings of each file.
    pub edits: Vec<FileEdit>,
    /// Text to append to the test file of the policy, without a final line break. The test file may
    /// not exist yet.
    pub test_file_text: Option<String>,
}

/// Kinds of assists, as editors group them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AssistKind {
    /// Moves code into a new clause.
    Extract,
    /// Replaces a use with its definition.
    Inline,
    /// Replaces code with equivalent code, or adds code.
    Rewrite,
    /// Sorts and cleans up the `Use` statements.
    OrganiseUses,
}

#[derive(Debug, Clone, Copy)]
struct Context<'a> {
    place: Place<'a>,
    /// Empty for a cursor without selection.
    selection: TextRange,
}

struct AssistProvider {
    id: &'static str,
    kind: AssistKind,
    make: fn(&Context<'_>) -> Option<Change>,
}

#[rustfmt::skip]
const ASSISTS: &[AssistProvider] = &[
    AssistProvider { id: "declare-predicate", kind: AssistKind::Rewrite, make: declarations::declare },
    AssistProvider { id: "declare-all-predicates", kind: AssistKind::Rewrite, make: declarations::declare_all },
    AssistProvider { id: "extract-negation-helper", kind: AssistKind::Extract, make: premises::extract_negation },
    AssistProvider { id: "extract-rule", kind: AssistKind::Extract, make: premises::extract },
    AssistProvider { id: "inline-rule", kind: AssistKind::Inline, make: premises::inline },
    AssistProvider { id: "describe-parameters", kind: AssistKind::Rewrite, make: declarations::describe_parameters },
    AssistProvider { id: "convert-typed-arguments", kind: AssistKind::Rewrite, make: declarations::convert_typed_arguments },
    AssistProvider { id: "sort-declarations", kind: AssistKind::Rewrite, make: declarations::sort_declarations },
    AssistProvider { id: "generate-test-case", kind: AssistKind::Rewrite, make: case::generate },
    AssistProvider { id: "organise-uses", kind: AssistKind::OrganiseUses, make: declarations::organise },
];

/// Returns the assists at a place whose kind is accepted by `wanted`. `selection` is a range in the
/// file of the place.
#[must_use]
pub fn assists(place: Place<'_>, selection: TextRange, wanted: &dyn Fn(AssistKind) -> bool) -> Vec<Assist> {
    let context = Context { place, selection };
    let makers = ASSISTS.iter().filter(|maker| wanted(maker.kind));
    let made = makers.filter_map(|maker| {
        let Change { title, mut edits, test_file_text: beside, in_files } = (maker.make)(&context)?;
        edits.sort_by_key(|(range, _)| (range.start(), range.end()));
        let edit = |(range, text): (TextRange, String)| FileEdit {
            file: place.file.id,
            range,
            text: with_line_ends(place.text(), text),
        };
        let edits = edits.into_iter().map(edit).chain(in_files).collect();
        Some(Assist { id: maker.id, title, kind: maker.kind, edits, test_file_text: beside })
    });
    made.collect()
}

/// Returns the assist with this ID at a place, if it is still available.
#[must_use]
pub fn assist(place: Place<'_>, selection: TextRange, id: &str) -> Option<Assist> {
    assists(place, selection, &|_| true).into_iter().find(|assist| assist.id == id)
}

/// Result of an assist: a title, and edits of the current file with `\n` line endings.
struct Change {
    title: String,
    edits: Vec<(TextRange, String)>,
    test_file_text: Option<String>,
    /// Edits of any file of the program, with the line endings of those files.
    in_files: Vec<FileEdit>,
}

impl Change {
    fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), edits: Vec::new(), test_file_text: None, in_files: Vec::new() }
    }

    fn replace(mut self, range: TextRange, text: impl Into<String>) -> Self {
        self.edits.push((range, text.into()));
        self
    }

    /// Adds edits of any file of the program. The edits must be sorted and have the line endings of
    /// their files.
    fn in_files(self, in_files: Vec<FileEdit>) -> Self {
        Self { in_files, ..self }
    }

    /// Adds text for the test file of the policy.
    fn with_test_file_text(self, text: String) -> Self {
        Self { test_file_text: Some(text), ..self }
    }

    fn insert(self, at: TextSize, text: impl Into<String>) -> Self {
        self.replace(TextRange::empty(at), text)
    }
}

impl<'a> Context<'a> {
    /// Returns the statement at the place if it has no syntax errors.
    fn item(&self) -> Option<&'a Item> {
        self.place.item().filter(|item| !item.statement.damaged)
    }

    fn clause(&self) -> Option<(&'a Item, &'a Clause)> {
        let item = self.item()?;
        Some((item, item.statement.clause()?))
    }

    /// Returns the text of a range relative to the start of a statement.
    fn slice(&self, item: &Item, range: TextRange) -> &'a str {
        mangle_syntax::text::slice(self.place.text(), range + item.start)
    }
}
