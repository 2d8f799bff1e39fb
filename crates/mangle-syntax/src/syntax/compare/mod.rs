//! Whether statements still say, after a change, all that they said before: the same heads, at least the same premises,
//! and no word lost.
//!
//! Takes both texts with their statements, and the bytes that the change declares to say in another way; gives the first
//! loss. A clause may become several (alternatives), each with all premises that it does not declare as replaced. A
//! statement that could not be read whole is compared by what was recognised of it and by its words.

mod canonical;
mod clauses;
mod words;

use super::ast::{Clause, Item, StatementKind};
use crate::text::{Symbol, TextRange};

/// A text and some of its statements in order.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// The text that the statements start in.
    pub text: &'a str,
    /// The statements.
    pub items: &'a [Item],
    /// What of the text is said in another way on the other side.
    pub parts: &'a [ComparePart],
}

/// Bytes of a text that are said in another way on the other side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComparePart {
    /// The bytes, from the start of the text.
    pub range: TextRange,
    /// Whether whole premises and names of predicates may be other ones, too, and not only words and values.
    pub is_declared: bool,
    /// Whether both sides have this part, so that what is in it need not be equal.
    pub is_paired: bool,
}

/// What a change takes away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Loss {
    /// A clause, or a declaration, has no counterpart.
    Statement(String),
    /// A premise is missing from a clause.
    Premise(String),
    /// A statement of a transform is missing.
    Transform(String),
    /// A word or a literal is missing.
    Word(String),
    /// A word between others became a predicate.
    Role(String),
}

/// What a change that loses nothing adds.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Gain {
    /// The predicates of clauses and declarations that have no counterpart before: name and arity as written.
    pub heads: Vec<(Symbol, u16)>,
    /// Words of damaged statements that are gone, as far as the change may take them away.
    pub dropped: Vec<String>,
}

/// Compares the statements that differ.
///
/// # Errors
/// With the first thing that is lost.
pub fn compare(before: Side<'_>, after: Side<'_>) -> Result<Gain, Loss> {
    let (old, new) = differing(before, after);
    let dropped = words::compare(&old, &new)?;
    let heads = clauses::compare(&old, &new)?;
    Ok(Gain { heads, dropped })
}

/// Both sides without the statements that are equal at their starts and at their ends.
fn differing<'a>(before: Side<'a>, after: Side<'a>) -> (Side<'a>, Side<'a>) {
    let start = equal_count(before.items.iter(), after.items.iter());
    let (old, new) = (rest(before.items, start), rest(after.items, start));
    let end = equal_count(old.iter().rev(), new.iter().rev());
    let cut = |items: &'a [Item]| items.get(..items.len().saturating_sub(end)).unwrap_or_default();
    (Side { items: cut(old), ..before }, Side { items: cut(new), ..after })
}

fn rest(items: &[Item], start: usize) -> &[Item] {
    items.get(start..).unwrap_or_default()
}

/// How many statements say the same, up to the first that does not.
#[must_use]
pub fn equal_count<'a>(one: impl Iterator<Item = &'a Item>, other: impl Iterator<Item = &'a Item>) -> usize {
    let same = |(one, other): &(&Item, &Item)| {
        let (one, other) = (&one.statement, &other.statement);
        one.digest == other.digest && one.damaged == other.damaged && one.len == other.len
    };
    one.zip(other).take_while(same).count()
}

impl<'a> Side<'a> {
    fn clauses(&self) -> impl Iterator<Item = (&'a Item, &'a Clause)> {
        self.items.iter().filter_map(|item| Some((item, item.statement.clause()?)))
    }

    /// The text of a statement.
    fn slice(&self, item: &Item) -> &'a str {
        crate::text::slice(self.text, item.statement.range() + item.start)
    }

    /// Whether the words of a range of the text may go.
    fn may_go(&self, range: TextRange) -> bool {
        self.parts.iter().any(|part| part.range.contains_range(range))
    }

    /// Whether a range of the text is declared to be said in another way.
    fn is_declared(&self, range: TextRange) -> bool {
        self.parts.iter().any(|part| part.is_declared && part.range.contains_range(range))
    }
}

/// What a statement without premises declares: the keyword, the name, the number of columns.
fn declared(item: &Item) -> Option<(&'static str, Symbol, u16)> {
    match &item.statement.kind {
        StatementKind::Package(package) => Some(("Package", package.name.symbol, 0)),
        StatementKind::Use(package) => Some(("Use", package.name.symbol, 0)),
        StatementKind::Declaration(declaration) => {
            Some(("Decl", declaration.atom.name.symbol, declaration.atom.arity()))
        }
        StatementKind::Clause(_) | StatementKind::Broken => None,
    }
}
