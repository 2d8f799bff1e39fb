//! Check for facts and heads whose values do not match their declaration (`MG603`, `MG605`).

use super::wording::{QUOTED, found, kind, place, rewrite_literal, undeclared, with_origin};
use crate::analysis::CheckContext;
use crate::analysis::wording::code;
use mangle_engine::types::TypeProblem;
use mangle_syntax::lint::{Finding, Rule, Severity, rule};
use mangle_syntax::syntax::ast::Clause;

/// For example `Decl van(A) bound [/number]. van("x").`
pub(super) static TYPE_FACT_MISMATCH: Rule = rule!("type-fact-mismatch.md");

/// For example `Decl ok(A) bound [/string]. ok(A) :- van(A).`
pub(super) static TYPE_HEAD_MISMATCH: Rule = rule!("type-head-mismatch.md");

/// The finding about one argument of a head.
pub(super) fn finding(
    context: &CheckContext<'_>,
    clause: &Clause,
    problem: &TypeProblem,
    argument: u32,
    row: u32,
) -> Option<Finding> {
    let predicate = context.predicate(&clause.head)?;
    let term = clause.head.args.get(argument as usize)?;
    let rule = if clause.is_fact() { &TYPE_FACT_MISMATCH } else { &TYPE_HEAD_MISMATCH };
    let found = match term.is_constant() {
        true => format!("{} {}", kind(&problem.found), code(context.slice(term.range), QUOTED)),
        false => found(context, problem),
    };
    let rows = context.program.declaration(predicate).map_or(1, |declaration| declaration.bounds.len());
    let (at, key) = (argument + 1, predicate.key);
    let (message, admitted) = undeclared(&format!("argument {at} of `{key}`"), &problem.wanted, &found);
    let mut finding = Finding::new(rule, problem.range, message).note(match clause.is_fact() {
        true => "the engine does not check bounds and stores the fact anyway",
        false => "the engine does not check bounds and derives the fact anyway",
    });
    if let Some((span, what)) = place(context, predicate, row as usize, argument) {
        let what = if rows > 1 { "nearest `bound` row" } else { what };
        finding = finding.related(span, what);
    }
    finding = with_origin(admitted.into_iter().fold(finding, Finding::note), context, clause, problem);
    if clause.is_fact() && predicate.signature.reads(argument as usize) {
        finding = finding
            .severity(Severity::Error)
            .note("a rule reads this argument and expects the declared type");
    }
    match rewrite_literal(context, term, &problem.wanted) {
        Some(fix) => Some(finding.fix(fix)),
        None => Some(finding),
    }
}
