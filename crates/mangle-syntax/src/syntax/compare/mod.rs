//! Comparison of statements before and after a change: the same heads, at least the same premises,
//! and no lost words.
//!
//! The comparison takes both texts with their statements, and the ranges that the change rewrites.
//! It returns the first loss.
//!
//! A clause can become several (alternatives), each with all premises that are not rewritten. A
//! statement with syntax errors is compared by its recognized parts and by its words: no word is
//! lost, and no word between others becomes a predicate.

mod clauses;

use rustc_hash::FxHashMap;

use super::ast::{Atom, Clause, Item, Premise, StatementKind};
use super::foreign::{Lexeme, LexemeKind, tokens};
use crate::text::{Symbol, TextRange, size};

/// A text and some of its statements, in order.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// The text that contains the statements.
    pub text: &'a str,
    /// The statements.
    pub items: &'a [Item],
    /// The ranges of the text that differ on the other side.
    pub parts: &'a [ComparePart],
}

/// A range of a text that differs on the other side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComparePart {
    /// The range, relative to the start of the text.
    pub range: TextRange,
    /// True if whole premises and names of predicates can differ, in addition to words and values.
    pub is_declared: bool,
    /// True if both sides have this part, so that its content can differ.
    pub is_paired: bool,
}

/// Content that a change removes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Loss {
    /// A clause or declaration without a counterpart.
    Statement(String),
    /// A premise is missing from a clause.
    Premise(String),
    /// A statement of a transform is missing.
    Transform(String),
    /// A word or a literal is missing.
    Word(String),
    /// A word that became a predicate although it was between other words.
    Role(String),
}

/// Content that a change without losses adds.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Gain {
    /// The predicates of new clauses and declarations without a counterpart: name and arity as
    /// written.
    pub heads: Vec<(Symbol, u16)>,
    /// Removed words of statements with syntax errors, if the change is allowed to remove them.
    pub dropped: Vec<String>,
}

/// Compares the differing statements.
///
/// # Errors
/// Returns the first loss.
pub fn compare(before: Side<'_>, after: Side<'_>) -> Result<Gain, Loss> {
    let (old, new) = differing(before, after);
    let dropped = compare_words(&old, &new)?;
    let heads = clauses::compare(&old, &new)?;
    Ok(Gain { heads, dropped })
}

/// Removes the equal statements at the start and at the end of both sides.
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

/// The number of equal statements before the first difference.
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

    /// True if the words in a range of the text can be removed.
    fn may_go(&self, range: TextRange) -> bool {
        self.parts.iter().any(|part| part.range.contains_range(range))
    }

    /// True if the change declares that it rewrites the range.
    fn is_declared(&self, range: TextRange) -> bool {
        self.parts.iter().any(|part| part.is_declared && part.range.contains_range(range))
    }
}

/// The content of a statement without premises: keyword, name and arity.
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

/// Signs and words that can precede a premise or head without parentheses.
const BEFORE: [&str; 9] = [",", ":-", "⟸", "!", "not", "\\+", "~", "|>", ";"];
/// Signs that can follow a premise or head without parentheses.
const BEHIND: [&str; 6] = [",", ".", ":-", "⟸", "|>", ";"];

/// Compares the words. Returns the words that the change is allowed to remove.
fn compare_words(before: &Side<'_>, after: &Side<'_>) -> Result<Vec<String>, Loss> {
    roles(before, after)?;
    let mut dropped = Vec::new();
    if !before.items.iter().any(|item| item.statement.damaged) {
        return Ok(dropped);
    }
    let mut left: FxHashMap<&str, u32> = FxHashMap::default();
    for item in after.items {
        let words = tokens(after.slice(item)).into_iter().filter(is_word);
        words.for_each(|word| *left.entry(word.text).or_default() += 1);
    }
    for item in before.items {
        for word in tokens(before.slice(item)).into_iter().filter(is_word) {
            let count = left.entry(word.text).or_default();
            let range = TextRange::new(size(word.start), size(word.end)) + item.start;
            match *count {
                0 if !before.may_go(range) => return Err(Loss::Word(word.text.to_owned())),
                0 if word.kind == LexemeKind::Word => dropped.push(word.text.to_owned()),
                0 => {}
                _ => *count -= 1,
            }
        }
    }
    Ok(dropped)
}

fn is_word(token: &Lexeme<'_>) -> bool {
    !matches!(token.kind, LexemeKind::Sign | LexemeKind::Comment) && token.text != "_"
}

/// Checks that added parentheses only make a predicate from a word that stands alone, like a
/// premise or a head.
fn roles(before: &Side<'_>, after: &Side<'_>) -> Result<(), Loss> {
    let mut made: FxHashMap<&str, u32> = FxHashMap::default();
    for (item, clause) in after.clauses() {
        let premises = clause.premises.iter().filter_map(|premise| match premise {
            Premise::Literal(literal) => Some(&literal.atom),
            Premise::Comparison(_) | Premise::Broken(..) => None,
        });
        let is_made = |atom: &&Atom| atom.args.is_empty() && !atom.args_range().is_empty();
        for atom in std::iter::once(&clause.head).chain(premises).filter(is_made) {
            let name = crate::text::slice(after.text, atom.name.range + item.start);
            *made.entry(name).or_default() += 1;
        }
    }
    if made.is_empty() {
        return Ok(());
    }
    for item in before.items {
        let tokens = tokens(before.slice(item));
        for at in 0..tokens.len() {
            let Some(count) = tokens.get(at).and_then(|word| made.get_mut(word.text)) else { continue };
            if stands_alone(&tokens, at) {
                *count = count.saturating_sub(1);
            }
        }
    }
    let is_known = |word: &&str| {
        before.items.iter().any(|item| tokens(before.slice(item)).iter().any(|token| token.text == *word))
    };
    match made.iter().find(|(word, count)| **count > 0 && is_known(word)) {
        Some((word, _)) => Err(Loss::Role((*word).to_owned())),
        None => Ok(()),
    }
}

/// True if a word is a whole head or premise, or has parentheses.
fn stands_alone(tokens: &[Lexeme<'_>], at: usize) -> bool {
    let next = tokens.get(at + 1);
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    let called = next.is_some_and(|next| next.text == "(");
    let opens = before.is_none_or(|before| BEFORE.contains(&before.text));
    let closes = next.is_none_or(|next| BEHIND.contains(&next.text));
    called || (opens && closes)
}
