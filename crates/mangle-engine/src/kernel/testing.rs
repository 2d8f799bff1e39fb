//! Test helpers that parse values and calls in Mangle notation.

#![allow(clippy::unwrap_used)]

use super::failure::Failure;
use super::function::{Clock, evaluate};
use super::values::{ValueId, Values};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::syntax::ast::{StatementKind, TermKind};

/// 2024-02-29T12:00:00.25Z.
pub(super) const CLOCK: Clock = Clock { now_ns: 1_709_208_000_250_000_000 };

/// The name of an atom and the values of its arguments. `None` for a variable.
pub(super) fn atom(values: &mut Values, atom: &str) -> (String, Result<Vec<Option<ValueId>>, Failure>) {
    let text = format!("{atom}.");
    let file = SourceFile::parse(text.as_str().into());
    let item = file.items().first().unwrap().clone();
    let StatementKind::Clause(clause) = &item.statement.kind else { panic!("{atom} is no atom") };
    assert!(!item.statement.damaged, "{atom} cannot be read");
    let mut value = |arg| match evaluate(arg, &text, values, Some(&CLOCK)) {
        Ok(None) if !matches!(arg.kind, TermKind::Variable(_)) => panic!("{atom} has no value"),
        outcome => outcome.map_err(|(_, failure)| failure),
    };
    let args = clause.head.args.iter().map(&mut value).collect();
    (clause.head.name.symbol.as_str().to_owned(), args)
}

pub(super) fn term(values: &mut Values, term: &str) -> Result<ValueId, Failure> {
    let (_, args) = atom(values, &format!("x({term})"));
    Ok(args?.first().copied().flatten().unwrap())
}

/// Prints `call = value` or `call ! failure`.
pub(super) fn outcome_line(call: &str) -> String {
    let mut values = Values::new();
    match term(&mut values, call) {
        Ok(value) => format!("{call} = {}\n", values.display(value)),
        Err(failure) => format!("{call} ! {failure}\n"),
    }
}
