//! Independent second reader for texts with syntax errors: reads the clauses as a person would.
//!
//! [`Outline::read`] works on tokens and lines and shares no code with the parser, so that each
//! detects mistakes of the other. If a text has several readings, the outline has a [`Doubt`].
//! Foreign syntax is converted to its Mangle equivalent: a fix that only changes syntax does not
//! change the outline.

mod comments;
mod doubt;
mod lex;
mod premises;
mod split;
mod terms;

use std::ops::Range;

use rustc_hash::FxHashSet;

pub use self::comments::CommentPlace;
pub use self::doubt::Doubt;
use self::doubt::Doubts;
use self::lex::{Kind, Token, lex};
use self::premises::is_reserved;
use self::terms::variable;
use crate::text::{TextRange, size};

/// Maximum length of a text, in bytes.
const MAX_BYTES: usize = 64 << 10;

/// The statements and comments of a text.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Outline {
    /// The clauses and declarations in order, in canonical syntax.
    pub clauses: Vec<String>,
    /// The ranges of the statements, without their periods.
    pub statements: Vec<TextRange>,
    /// The comment lines in order.
    pub comments: Vec<CommentPlace>,
    /// The reasons for other readings, with their ranges.
    pub doubts: Vec<(Doubt, TextRange)>,
}

/// A text before and after a fix.
#[derive(Debug)]
pub struct Change<'t> {
    /// The text before.
    pub before: &'t str,
    /// The text after.
    pub after: &'t str,
    /// The edits: old ranges, and the ranges of the new texts.
    pub edits: &'t [(TextRange, TextRange)],
}

impl Change<'_> {
    /// The outlines before and after. A single value that an edit replaces with another value is
    /// treated as equal.
    #[must_use]
    pub fn outlines(&self) -> Option<(Outline, Outline)> {
        if self.before.len().max(self.after.len()) > MAX_BYTES {
            return None;
        }
        let (mut before, mut after) = (lex(self.before), lex(self.after));
        for (old, new) in self.edits.iter().rev() {
            hide_value(&mut before.0, *old, &mut after.0, *new);
        }
        hide_new_variables(&before.0, &mut after.0);
        lex::match_brackets(&mut before.0);
        lex::match_brackets(&mut after.0);
        Some((outline(&before.0, &before.1), outline(&after.0, &after.1)))
    }
}

impl Outline {
    /// Reads a text.
    ///
    /// ```
    /// use mangle_syntax::syntax::outline::{Doubt, Outline};
    ///
    /// let outline = Outline::read("p(X) <- q(X),\n  - r(X).");
    /// assert_eq!(outline.clauses, ["p(X) :- q(X), !r(X)"]);
    /// assert_eq!(outline.doubts[0].0, Doubt::Marker);
    /// ```
    #[must_use]
    pub fn read(text: &str) -> Self {
        let (tokens, comments) = lex(text);
        outline(&tokens, &comments)
    }
}

fn outline(tokens: &[Token], comments: &[lex::Comment]) -> Outline {
    let mut doubts = Doubts::default();
    let statements = split::statements(tokens, &mut doubts);
    let mut clauses = Vec::new();
    for (at, statement) in statements.iter().enumerate() {
        clauses.extend(premises::statement(tokens, statement.clone(), at > 0, &mut doubts));
    }
    comments::check(tokens, comments, &statements, &mut doubts);
    let range = |from: usize, to: usize| {
        let start = tokens.get(from).or(tokens.last()).map_or(0, |token| token.start);
        let end = to.checked_sub(1).and_then(|last| tokens.get(last)).map_or(start, |token| token.end);
        TextRange::new(size(start), size(end.max(start)))
    };
    let place = |(doubt, at): &(Doubt, usize)| (*doubt, range(*at, *at + 1));
    Outline {
        clauses,
        statements: statements.iter().map(|one| range(one.start, one.end)).collect(),
        comments: comments::places(tokens, comments, &statements),
        doubts: doubts
            .0
            .iter()
            .map(place)
            .chain(doubts.1.iter().map(|at| (Doubt::CommentedCode, *at)))
            .collect(),
    }
}

/// Replaces a value that an edit changes with a placeholder, on both sides.
fn hide_value(old: &mut Vec<Token>, old_range: TextRange, new: &mut Vec<Token>, new_range: TextRange) {
    let (Some(one), Some(other)) = (within(old, old_range), within(new, new_range)) else { return };
    let (Some(token), Some(first)) = (old.get(one.start), new.get(other.start)) else { return };
    // An arrow or a word such as `not` is not a value. Variables stay, because two variables must
    // not become one.
    let is_value = |token: &Token| token.is_operand() && !is_reserved(token) && !token.has_sigil();
    if one.len() != 1 || !is_value(token) || !is_value(first) || !is_term(new, other.clone()) {
        return;
    }
    let is_called =
        |tokens: &[Token], at: usize| tokens.get(at).is_some_and(|next| next.is("(") && next.glued);
    if is_called(old, one.end) != is_called(new, other.end) {
        return;
    }
    let kind = if is_called(old, one.end) { Kind::Word } else { Kind::Number };
    let hidden = |token: &Token| Token { kind, text: "\u{a7}".to_owned(), ..token.clone() };
    let (token, first) = (hidden(token), hidden(first));
    old.splice(one, [token]);
    new.splice(other, [first]);
}

/// Gives one name to all variables that exist only after a change. Sigils of other languages are
/// ignored: unchanged statements can have them before and after the change.
fn hide_new_variables(old: &[Token], new: &mut [Token]) {
    let name = |token: &Token| if token.has_sigil() { variable(&token.text) } else { token.text.clone() };
    let known: FxHashSet<String> = old.iter().map(name).collect();
    for token in new.iter_mut().filter(|token| token.kind == Kind::Variable && !is_reserved(token)) {
        if !known.contains(&name(token)) {
            token.text = "\u{a7}".to_owned();
        }
    }
}

/// The tokens in a range. `None` if the range splits a token.
fn within(tokens: &[Token], range: TextRange) -> Option<Range<usize>> {
    let (start, end) = (usize::from(range.start()), usize::from(range.end()));
    let from = tokens.partition_point(|token| token.end <= start);
    let to = tokens.partition_point(|token| token.start < end);
    let whole = tokens.get(from..to)?;
    let fits = whole.first()?.start >= start && whole.last()?.end <= end;
    fits.then_some(from..to)
}

/// True if the tokens of a range are one value or one call.
fn is_term(tokens: &[Token], range: Range<usize>) -> bool {
    match tokens.get(range.clone()).unwrap_or_default() {
        [one] => one.is_operand(),
        [word, open, ..] => {
            word.kind == Kind::Word && open.is("(") && open.close.is_some_and(|close| close + 1 == range.end)
        }
        [] => false,
    }
}

#[cfg(test)]
mod tests;
