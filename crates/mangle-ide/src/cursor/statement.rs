//! Boundaries of the statement around a cursor, from tokens. Handles missing full stops.

use mangle_syntax::syntax::{Token, TokenKind};
use mangle_syntax::text::size;

/// Returns the index of the first token of the last statement.
pub(super) fn start(tokens: &[Token], text: &str) -> usize {
    let mut start = 0;
    let mut names_package = false;
    let mut before: Option<Token> = None;
    for (index, token) in (0..).zip(tokens) {
        let spelled = token.text(text);
        if starts_statement(*token, text) && before.is_none_or(|before| can_end(before, *token, text)) {
            start = index;
            names_package = matches!(spelled, "Package" | "Use");
        }
        if ends_statement(*token, text) || token.kind == TokenKind::Bang && names_package {
            start = index + 1;
            names_package = false;
        }
        before = Some(*token);
    }
    start.min(tokens.len())
}

/// Returns the number of tokens after the cursor that belong to its statement.
pub(super) fn end(tokens: &[Token], text: &str) -> usize {
    let ends = |token: &Token| {
        ends_statement(*token, text) || starts_statement(*token, text) || is_at_margin(*token, text)
    };
    tokens.iter().position(ends).unwrap_or(tokens.len())
}

/// True for a full stop, except the dot of an unparsed type constructor.
fn ends_statement(token: Token, text: &str) -> bool {
    if token.kind != TokenKind::Dot {
        return false;
    }
    let after = text.get(token.range.end().into()..).unwrap_or("");
    let before = text.get(..token.range.start().into()).unwrap_or("");
    let of_type = after.starts_with(|c: char| c.is_ascii_uppercase())
        && before.ends_with(['[', '<', '(', ',', ' ', ':'])
        && !["Decl", "Use", "Package"].iter().any(|word| after.starts_with(word));
    !of_type
}

/// True if a token starts a statement: a keyword, or an atom at the left margin.
fn starts_statement(token: Token, text: &str) -> bool {
    match token.kind {
        TokenKind::Keyword => matches!(token.text(text), "Decl" | "Package" | "Use"),
        TokenKind::Identifier => {
            let after = text.get(token.range.end().into()..).unwrap_or("");
            after.starts_with('(') && is_at_margin(token, text)
        }
        _ => false,
    }
}

fn is_at_margin(token: Token, text: &str) -> bool {
    let letters = matches!(token.kind, TokenKind::Identifier | TokenKind::Keyword);
    let start = token.range.start();
    let before = text.get(..start.into()).unwrap_or("");
    letters && (start == size(0) || before.ends_with('\n'))
}

/// True if a statement without a full stop may end before `next`.
fn can_end(last: Token, next: Token, text: &str) -> bool {
    next.kind == TokenKind::Keyword
        || match last.kind {
            TokenKind::Comma
            | TokenKind::Arrow
            | TokenKind::Bang
            | TokenKind::Operator
            | TokenKind::Open
            | TokenKind::Pipe
            | TokenKind::Colon
            | TokenKind::At => false,
            TokenKind::Keyword => last.text(text) == "temporal",
            _ => true,
        }
}
