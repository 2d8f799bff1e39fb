//! Comparison of the words in statements with syntax errors: no word is lost, and no word between
//! others becomes a predicate.

use rustc_hash::FxHashMap;

use super::{Loss, Side};
use crate::syntax::ast::{Atom, Premise};
use crate::syntax::foreign::{Lexeme, LexemeKind, tokens};
use crate::text::{TextRange, size};

/// Signs and words that can precede a premise or head without parentheses.
const BEFORE: [&str; 9] = [",", ":-", "⟸", "!", "not", "\\+", "~", "|>", ";"];
/// Signs that can follow a premise or head without parentheses.
const BEHIND: [&str; 6] = [",", ".", ":-", "⟸", "|>", ";"];

/// Compares the words. Returns the words that the change is allowed to remove.
pub(super) fn compare(before: &Side<'_>, after: &Side<'_>) -> Result<Vec<String>, Loss> {
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
