//! Independent second reader for texts with syntax errors: reads the clauses as a person would.
//!
//! [`Outline::read`] works on tokens and lines and shares no code with the parser, so that each
//! detects mistakes of the other. If a text has several readings, the outline has a [`Doubt`].
//! Foreign syntax is converted to its Mangle equivalent: a fix that only changes syntax does not
//! change the outline.

mod lex;
mod premises;
mod split;
mod terms;

pub use split::Doubt;

use std::ops::Range;
use std::sync::Arc;

use lex::{Comment, Kind, Token, lex};
use premises::is_reserved;
use rustc_hash::FxHashSet;
use split::Doubts;
use terms::variable;

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
    check_comments(tokens, comments, &statements, &mut doubts);
    let range = |from: usize, to: usize| {
        let start = tokens.get(from).or(tokens.last()).map_or(0, |token| token.start);
        let end = to.checked_sub(1).and_then(|last| tokens.get(last)).map_or(start, |token| token.end);
        TextRange::new(size(start), size(end.max(start)))
    };
    let place = |(doubt, at): &(Doubt, usize)| (*doubt, range(*at, *at + 1));
    Outline {
        clauses,
        statements: statements.iter().map(|one| range(one.start, one.end)).collect(),
        comments: comment_places(tokens, comments, &statements),
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
    let inside = tokens.get(from..to)?;
    let fits = inside.first()?.start >= start && inside.last()?.end <= end;
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

/// One line of a comment, with the statement that it describes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommentPlace {
    /// The range of the line, starting at the comment sign.
    pub range: TextRange,
    /// The text after the sign.
    pub body: String,
    /// The name of the statement that the comment is above, in or after. Empty if there is none.
    pub statement: Arc<str>,
    /// True if the comment is above that statement, without an empty line in between.
    pub is_above: bool,
}

/// Assigns comments to statements.
fn comment_places(tokens: &[Token], comments: &[Comment], statements: &[Range<usize>]) -> Vec<CommentPlace> {
    let name = |statement: &Range<usize>| -> Arc<str> {
        let all = tokens.get(statement.clone()).unwrap_or_default();
        let name = all.iter().find(|token| token.is_operand() && !premises::is_reserved(token));
        name.map_or("", |token| &token.text).into()
    };
    let names: Vec<_> = statements.iter().map(name).collect();
    let statement_with = |token: usize| {
        let at = statements.partition_point(|statement| statement.start <= token);
        at.checked_sub(1).and_then(|at| names.get(at)).map(Arc::clone)
    };
    // True if an empty line separates the comment and the next token.
    let mut has_gap = false;
    let mut places: Vec<_> = Vec::with_capacity(comments.len());
    let mut below: Option<&Comment> = None;
    for comment in comments.iter().rev() {
        let next = comment.tokens_before;
        has_gap =
            below.filter(|below| below.tokens_before == next).is_some_and(|below| has_gap || below.after_gap);
        below = Some(comment);
        let is_joined = tokens.get(next).is_some_and(|token| !token.below_gap);
        let is_between = comment.alone && !is_inside(statements, next);
        let is_above = is_between && is_joined && !has_gap;
        let about = match (is_above, is_between) {
            (true, _) => Some(next),
            (false, true) => None,
            (false, false) => next.checked_sub(1),
        };
        places.push(CommentPlace {
            range: TextRange::new(size(comment.start), size(comment.end)),
            body: comment.body.clone(),
            statement: about.and_then(statement_with).unwrap_or_default(),
            is_above,
        });
    }
    places.reverse();
    places
}

/// True if the position before a token is inside of a statement.
fn is_inside(statements: &[Range<usize>], next: usize) -> bool {
    let at = statements.partition_point(|statement| statement.start < next);
    at.checked_sub(1).and_then(|at| statements.get(at)).is_some_and(|statement| next < statement.end)
}

/// Adds doubts about foreign comments whose text can be code.
fn check_comments(tokens: &[Token], comments: &[Comment], statements: &[Range<usize>], doubts: &mut Doubts) {
    for comment in comments.iter().filter(|comment| comment.sign != "#") {
        let next = comment.tokens_before;
        // After a statement without its period, the text can continue.
        let is_open =
            next.checked_sub(1).and_then(|at| tokens.get(at)).is_some_and(|before| before.kind != Kind::Stop);
        let is_inside = is_open || is_inside(statements, next);
        // `//` on its own line, `/* … */` and `<!-- … -->` are certainly comments.
        let is_certain = matches!(comment.sign, "/*" | "<!--") || (comment.sign == "//" && comment.alone);
        if comment.is_unclear || !is_certain && is_code(&comment.body, is_inside, !comment.alone) {
            doubts.add_comment(TextRange::new(size(comment.start), size(comment.end)));
        }
    }
}

/// True if the text of a comment reads as code: inside of a statement as premises or values,
/// elsewhere as a statement.
fn is_code(body: &str, is_inside: bool, follows_code: bool) -> bool {
    let (tokens, _) = lex(body);
    let Some(last) = tokens.last() else { return false };
    if tokens.iter().any(|token| token.is(":-") || token.is("⟸")) {
        return true;
    }
    let ends = matches!(last.kind, Kind::Stop | Kind::Comma) || last.is(";");
    let code = 0..tokens.len() - usize::from(ends);
    if code.is_empty() {
        return is_inside && follows_code;
    }
    let has_call = tokens
        .windows(2)
        .any(|two| matches!(two, [word, open] if word.kind == Kind::Word && open.is("(") && open.glued));
    let reads = premises::is_body(&tokens, code.clone());
    if !is_inside {
        return reads && has_call && last.kind == Kind::Stop;
    }
    let has_operator = tokens.iter().any(|token| terms::comparison(token).is_some());
    let first_is_value = tokens.first().is_some_and(|first| first.is_operand() && first.kind != Kind::Word);
    let has_words = tokens.windows(2).any(|two| two.iter().all(Token::is_operand));
    reads && (has_call || has_operator || ends) || follows_code && first_is_value && !has_words
}

#[cfg(test)]
mod tests;
