//! The value of a ground term.

use super::{Failure, Value, apply};
use crate::syntax::ast::{Apply, ApplyForm, Term, TermKind};
use crate::syntax::literal::{self, Piece};
use crate::text::{TextRange, slice};

/// The value of `term`, whose ranges index `text`. `Ok(None)` when it has none that is known
/// before the program runs: it has variables or holes, reads the clock, or needs a time zone.
///
/// # Errors
/// When a function in it fails, which stops the engine: the failure and the application's range.
pub fn evaluate(term: &Term, text: &str) -> Result<Option<Value>, (TextRange, Failure)> {
    let source = slice(text, term.range);
    Ok(match &term.kind {
        TermKind::Name(name) => Some(Value::Name(name.as_str().into())),
        TermKind::Number(number) => number.map(Value::Number),
        TermKind::Float(float) => Some(Value::Float(*float)),
        TermKind::String => literal::string_value(source).map(|value| Value::String(value.into())),
        TermKind::Bytes => bytes_value(source).map(Value::Bytes),
        TermKind::Apply(function) => return application(term.range, function, text),
        TermKind::Variable(_) | TermKind::Wildcard | TermKind::Broken => None,
    })
}

fn application(
    range: TextRange,
    function: &Apply,
    text: &str,
) -> Result<Option<Value>, (TextRange, Failure)> {
    if matches!(function.form, ApplyForm::DotType | ApplyForm::Optional) {
        return Ok(None);
    }
    let mut args = Vec::with_capacity(function.args.len());
    for arg in &function.args {
        match evaluate(arg, text)? {
            Some(value) => args.push(value),
            None => return Ok(None),
        }
    }
    apply(function.function.as_str(), args).map_err(|failure| (range, failure))
}

fn bytes_value(source: &str) -> Option<Box<[u8]>> {
    let content = literal::string_content(source.strip_prefix('b')?)?;
    let mut bytes = Vec::with_capacity(content.len());
    for (_, piece) in literal::pieces(content, true) {
        match piece {
            Piece::Plain(text) => bytes.extend_from_slice(text.as_bytes()),
            Piece::Char(char) => bytes.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
            Piece::Byte(byte) => bytes.push(byte),
            Piece::Bad(_) => return None,
        }
    }
    Some(bytes.into())
}
