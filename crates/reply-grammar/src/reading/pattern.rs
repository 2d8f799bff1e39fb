//! Parser for regular expressions.

use regex_syntax::hir::{Class, Hir, HirKind, Look};

use super::ReadError;
use crate::class::CharClass;
use crate::expr::Expr;

/// The texts that a regular expression matches as a whole. Anchors are assumed to be at its ends.
///
/// # Errors
///
/// If the expression does not compile or has look-around.
pub fn read_pattern(text: &str) -> Result<Expr, ReadError> {
    let parsed = regex_syntax::Parser::new().parse(text);
    let hir = parsed.map_err(|error| ReadError::new(0, first_line(&error.to_string())))?;
    expression(&hir)
}

/// The last line of an error message, which has the reason without a copy of the expression.
fn first_line(message: &str) -> String {
    message.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

fn expression(hir: &Hir) -> Result<Expr, ReadError> {
    let all = |parts: &[Hir]| parts.iter().map(expression).collect::<Result<Vec<_>, _>>();
    Ok(match hir.kind() {
        HirKind::Empty | HirKind::Look(Look::Start | Look::End) => Expr::literal(""),
        HirKind::Literal(literal) => Expr::Literal(String::from_utf8_lossy(&literal.0).into_owned()),
        HirKind::Class(Class::Unicode(class)) => {
            let ranges: Vec<_> = class.ranges().iter().map(|range| range.start()..=range.end()).collect();
            Expr::Class(CharClass::from_ranges(&ranges))
        }
        HirKind::Repetition(repetition) => {
            expression(&repetition.sub)?.repeat(repetition.min, repetition.max.unwrap_or(u32::MAX))
        }
        HirKind::Capture(capture) => expression(&capture.sub)?,
        HirKind::Concat(parts) => Expr::Sequence(all(parts)?),
        HirKind::Alternation(parts) => Expr::Choice(all(parts)?),
        HirKind::Look(_) | HirKind::Class(Class::Bytes(_)) => {
            return Err(ReadError::beyond(0, "mangle-ls does not read look-around"));
        }
    })
}
