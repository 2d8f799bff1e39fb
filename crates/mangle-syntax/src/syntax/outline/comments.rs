//! Comments of a text: their statements, and commented-out code in foreign comments.

use std::ops::Range;
use std::sync::Arc;

use super::doubt::Doubts;
use super::lex::{Comment, Kind, Token, lex};
use super::{premises, terms};
use crate::text::{TextRange, size};

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
pub(super) fn places(
    tokens: &[Token],
    comments: &[Comment],
    statements: &[Range<usize>],
) -> Vec<CommentPlace> {
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
pub(super) fn check(
    tokens: &[Token],
    comments: &[Comment],
    statements: &[Range<usize>],
    doubts: &mut Doubts,
) {
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
    let whole = 0..tokens.len() - usize::from(ends);
    if whole.is_empty() {
        return is_inside && follows_code;
    }
    let has_call = tokens
        .windows(2)
        .any(|two| matches!(two, [word, open] if word.kind == Kind::Word && open.is("(") && open.glued));
    let reads = premises::is_body(&tokens, whole.clone());
    if !is_inside {
        return reads && has_call && last.kind == Kind::Stop;
    }
    let has_operator = tokens.iter().any(|token| terms::comparison(token).is_some());
    let first_is_value = tokens.first().is_some_and(|first| first.is_operand() && first.kind != Kind::Word);
    let has_words = tokens.windows(2).any(|two| two.iter().all(Token::is_operand));
    reads && (has_call || has_operator || ends) || follows_code && first_is_value && !has_words
}
