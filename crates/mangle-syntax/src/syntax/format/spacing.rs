//! Which tokens have a blank before them where no line ends.
//!
//! Some blanks are there because the engine's lexer reads something else without them: `/a.` is one name, `[-` and `<-`
//! are operators, `X:` and `fn:f:` are names.

use super::token::{Class, Token};
use crate::syntax::kind::Kind;

/// Sets [`Token::space`] of all tokens, and joins opening tokens with closing ones.
pub(super) fn set(text: &str, tokens: &mut [Token]) {
    let mut open = Vec::new();
    let mut before: Option<Token> = None;
    for at in 0..tokens.len() {
        let Some(token) = tokens.get_mut(at) else { return };
        token.space = before.is_some_and(|before| space(text, &before, token));
        before = Some(*token);
        match token.class {
            Class::Open => open.push(at),
            Class::Close => {
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

fn space(text: &str, before: &Token, token: &Token) -> bool {
    let first = text.as_bytes().get(token.start).copied();
    match (before.class, token.class) {
        (_, Class::Comma | Class::Close | Class::At) | (Class::Not | Class::At, _) => false,
        // `/a.` is a name.
        (_, Class::End) => before.kind == Kind::Constant,
        // `[-` and `<-` are operators.
        (Class::Open, _) => {
            let opener = text.as_bytes().get(before.start).copied();
            matches!(opener, Some(b'[' | b'<')) && matches!(first, Some(b'-' | b'+'))
        }
        (_, Class::Open) => opens_apart(before, token, first),
        // `X:` and `fn:f:` are names.
        (_, Class::Colon) => token.in_type || !ends_before_colon(before),
        _ => true,
    }
}

/// Whether an opening token has a blank before it.
fn opens_apart(before: &Token, token: &Token, first: Option<u8>) -> bool {
    match (token.parent, first) {
        (Kind::Atom | Kind::Annotation | Kind::TemporalOperator, _) | (_, Some(b'<')) => false,
        _ => !matches!(before.class, Class::Not | Class::At),
    }
}

/// Whether a colon right behind a token is one of its own.
fn ends_before_colon(token: &Token) -> bool {
    let kinds = [Kind::Constant, Kind::Number, Kind::Float, Kind::String, Kind::Bytes];
    token.class == Class::Close || kinds.contains(&token.kind)
}
