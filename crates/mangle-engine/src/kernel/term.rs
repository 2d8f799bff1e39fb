//! Evaluates ground terms.

use super::failure::Failure;
use super::function::{Clock, Function};
use super::values::{Datum, ValueId, Values};
use mangle_syntax::syntax::ast::{Apply, ApplyForm, Term, TermKind};
use mangle_syntax::syntax::literal::{self, Piece};
use mangle_syntax::text::{TextRange, slice};

type TermResult = Result<Option<ValueId>, (TextRange, Failure)>;

/// Evaluates `term`, whose ranges refer to `text`.
///
/// `Ok(None)` if the term contains variables or syntax errors, or calls an unknown function. Also
/// if it reads the clock and `clock` is `None` (before an evaluation).
///
/// # Errors
/// If a function in the term fails, which stops the engine: the failure and the range of the
/// application.
pub fn evaluate(term: &Term, text: &str, values: &mut Values, clock: Option<&Clock>) -> TermResult {
    let source = slice(text, term.range);
    Ok(match &term.kind {
        TermKind::Name(name) => Some(values.name(name.as_str())),
        TermKind::Number(number) => number.map(|number| values.number(number)),
        TermKind::Float(float) => Some(values.float(*float)),
        TermKind::String => literal::string_value(source).map(|text| values.string(&text)),
        TermKind::Bytes => match bytes_value(source) {
            Some(bytes) => values.intern(Datum::Bytes(bytes)).ok(),
            None => None,
        },
        TermKind::Apply(function) => return application(term.range, function, text, values, clock),
        TermKind::Variable(_) | TermKind::Wildcard | TermKind::Broken => None,
    })
}

fn application(
    range: TextRange,
    apply: &Apply,
    text: &str,
    values: &mut Values,
    clock: Option<&Clock>,
) -> TermResult {
    if matches!(apply.form, ApplyForm::DotType | ApplyForm::Optional) {
        return Ok(None);
    }
    let mut args = Vec::with_capacity(apply.args.len());
    for arg in &apply.args {
        match evaluate(arg, text, values, clock)? {
            Some(value) => args.push(value),
            None => return Ok(None),
        }
    }
    let Some(function) = Function::from_name(apply.function.as_str()) else { return Ok(None) };
    let clock = match clock {
        Some(clock) => clock,
        None if function.reads_clock() => return Ok(None),
        None => &Clock { now_ns: 0 },
    };
    function.apply(values, &args, clock).map(Some).map_err(|failure| (range, failure))
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
