//! Changes that an author asks for at a place, one file each: declare, extract, inline, describe, convert, sort, test.
//!
//! Takes a place and what is selected there; gives the assists that fit, each with its edits. An assist is
//! offered only where the program means the same after it.

mod arguments;
mod case;
mod convert;
mod declare;
mod extract;
mod inline;
mod names;
mod negation;
mod organise;
mod sort;
mod sound;
#[cfg(test)]
mod tests;

use super::Place;
use mangle_syntax::lint::FileEdit;
use mangle_syntax::syntax::ast::{Clause, Item};
use mangle_syntax::text::{TextRange, TextSize, with_line_ends};

/// A change that is on offer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assist {
    /// What tells it from the others.
    pub id: &'static str,
    /// What it does, in the imperative.
    pub title: String,
    /// Of which kind it is.
    pub kind: AssistKind,
    /// Sorted, without overlaps, with the line ends of the file.
    pub edits: Vec<FileEdit>,
    /// What is added to the test file of the policy, which may have to be made: a piece of text without line end.
    pub beside: Option<String>,
}

/// The kinds of assists, as editors group them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AssistKind {
    /// Moves something into a clause of its own.
    Extract,
    /// Puts a definition where it is used.
    Inline,
    /// Writes something else that means the same, or adds to it.
    Rewrite,
    /// Tidies the `Use` statements.
    OrganiseUses,
}

/// What an assist looks at.
#[derive(Debug, Clone, Copy)]
struct Context<'a> {
    place: Place<'a>,
    /// What is selected; empty for a mere cursor.
    selection: TextRange,
}

/// A kind of assist: its name, its group, and who makes it.
struct Maker {
    id: &'static str,
    kind: AssistKind,
    make: fn(&Context<'_>) -> Option<Change>,
}

/// The assists, one a line.
#[rustfmt::skip]
const MAKERS: &[Maker] = &[
    Maker { id: "declare-predicate", kind: AssistKind::Rewrite, make: declare::declare },
    Maker { id: "declare-all-predicates", kind: AssistKind::Rewrite, make: declare::declare_all },
    Maker { id: "extract-negation-helper", kind: AssistKind::Extract, make: negation::extract },
    Maker { id: "extract-rule", kind: AssistKind::Extract, make: extract::extract },
    Maker { id: "inline-rule", kind: AssistKind::Inline, make: inline::inline },
    Maker { id: "describe-parameters", kind: AssistKind::Rewrite, make: arguments::describe },
    Maker { id: "convert-typed-arguments", kind: AssistKind::Rewrite, make: convert::convert },
    Maker { id: "sort-declarations", kind: AssistKind::Rewrite, make: sort::sort },
    Maker { id: "generate-test-case", kind: AssistKind::Rewrite, make: case::generate },
    Maker { id: "organise-uses", kind: AssistKind::OrganiseUses, make: organise::organise },
];

/// The assists at a place, of the kinds that are wanted. `selection` is in the text of the place's file.
#[must_use]
pub fn assists(place: Place<'_>, selection: TextRange, wanted: &dyn Fn(AssistKind) -> bool) -> Vec<Assist> {
    let context = Context { place, selection };
    let makers = MAKERS.iter().filter(|maker| wanted(maker.kind));
    let made = makers.filter_map(|maker| {
        let Change { title, mut edits, beside, in_files } = (maker.make)(&context)?;
        edits.sort_by_key(|(range, _)| (range.start(), range.end()));
        let edit = |(range, text): (TextRange, String)| FileEdit {
            file: place.file.id,
            range,
            text: with_line_ends(place.text(), text),
        };
        let edits = edits.into_iter().map(edit).chain(in_files).collect();
        Some(Assist { id: maker.id, title, kind: maker.kind, edits, beside })
    });
    made.collect()
}

/// The assist of this name at a place, if it is still on offer.
#[must_use]
pub fn assist(place: Place<'_>, selection: TextRange, id: &str) -> Option<Assist> {
    assists(place, selection, &|_| true).into_iter().find(|assist| assist.id == id)
}

/// What a maker makes: a title, and edits of the file with `\n` as line end.
struct Change {
    title: String,
    edits: Vec<(TextRange, String)>,
    beside: Option<String>,
    /// Edits of any files of the program, with their line ends.
    in_files: Vec<FileEdit>,
}

impl Change {
    fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), edits: Vec::new(), beside: None, in_files: Vec::new() }
    }

    fn replace(mut self, range: TextRange, text: impl Into<String>) -> Self {
        self.edits.push((range, text.into()));
        self
    }

    /// Adds edits of any files of the program, sorted and with the line ends of those files.
    fn in_files(self, in_files: Vec<FileEdit>) -> Self {
        Self { in_files, ..self }
    }

    /// Adds a piece to the test file of the policy.
    fn beside(self, text: String) -> Self {
        Self { beside: Some(text), ..self }
    }

    fn insert(self, at: TextSize, text: impl Into<String>) -> Self {
        self.replace(TextRange::empty(at), text)
    }
}

impl<'a> Context<'a> {
    /// The statement at the place, if it could be read whole.
    fn item(&self) -> Option<&'a Item> {
        self.place.item().filter(|item| !item.statement.damaged)
    }

    /// The clause at the place, and its item.
    fn clause(&self) -> Option<(&'a Item, &'a Clause)> {
        let item = self.item()?;
        Some((item, item.statement.clause()?))
    }

    /// The text of a range that counts from the start of a statement.
    fn slice(&self, item: &Item, range: TextRange) -> &'a str {
        mangle_syntax::text::slice(self.place.text(), range + item.start)
    }
}
