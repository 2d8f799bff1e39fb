//! Blanks between tokens on one line.
//!
//! Some blanks are required by the engine's lexer. Examples: `/a.` is one name, `[-` and `<-` are
//! operators, `X:` and `fn:f:` are names.

use super::token::{LayoutToken, TokenClass};
use crate::syntax::kind::SyntaxKind;

/// Sets [`LayoutToken::space`] of all tokens, and links opening and closing tokens.
pub(super) fn set(text: &str, tokens: &mut [LayoutToken]) {
    let mut open = Vec::new();
    let mut before: Option<LayoutToken> = None;
    for at in 0..tokens.len() {
        let Some(token) = tokens.get_mut(at) else { return };
        token.space = before.is_some_and(|before| space(text, &before, token));
        before = Some(*token);
        match token.class {
            TokenClass::Open => open.push(at),
            TokenClass::Close => {
                let Some(mate) = open.pop() else { continue };
                token.mate = mate;
                if let Some(opener) = tokens.get_mut(mate) {
                    opener.mate = at;
                }
            }
            _ => {}
        }
    }
}

fn space(text: &str, before: &LayoutToken, token: &LayoutToken) -> bool {
    let first = text.as_bytes().get(token.start).copied();
    match (before.class, token.class) {
        (_, TokenClass::Comma | TokenClass::Close | TokenClass::At)
        | (TokenClass::Not | TokenClass::At, _) => false,
        // `/a.` is a name.
        (_, TokenClass::End) => before.kind == SyntaxKind::Constant,
        // `[-` and `<-` are operators.
        (TokenClass::Open, _) => {
            let opener = text.as_bytes().get(before.start).copied();
            matches!(opener, Some(b'[' | b'<')) && matches!(first, Some(b'-' | b'+'))
        }
        (_, TokenClass::Open) => opens_apart(before, token, first),
        // `X:` and `fn:f:` are names.
        (_, TokenClass::Colon) => token.in_type || !ends_before_colon(before),
        _ => true,
    }
}

/// True if a blank precedes the opening token.
fn opens_apart(before: &LayoutToken, token: &LayoutToken, first: Option<u8>) -> bool {
    match (token.parent, first) {
        (SyntaxKind::Atom | SyntaxKind::Annotation | SyntaxKind::TemporalOperator, _) | (_, Some(b'<')) => {
            false
        }
        _ => !matches!(before.class, TokenClass::Not | TokenClass::At),
    }
}

/// True if a colon directly after the token is a separate token.
fn ends_before_colon(token: &LayoutToken) -> bool {
    let kinds =
        [SyntaxKind::Constant, SyntaxKind::Number, SyntaxKind::Float, SyntaxKind::String, SyntaxKind::Bytes];
    token.class == TokenClass::Close || kinds.contains(&token.kind)
}
