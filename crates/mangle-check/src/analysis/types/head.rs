//! Facts and heads whose values their declaration has no room for: `MG603`, `MG605`.

use super::wording::{found, place, respelled, with_origin};
use crate::analysis::CheckContext;
use mangle_engine::types::TypeProblem;
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::syntax::ast::Clause;

/// `Decl van(A) bound [/number]. van("x").`
pub(super) static TYPE_FACT_MISMATCH: Rule = rule!("type-fact-mismatch.md");

/// `Decl ok(A) bound [/string]. ok(A) :- van(A).`
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
        true => format!("`{}` is {}", super::wording::short(context.slice(term.range)), verdict(problem)),
        false => found(context, clause, problem),
    };
    let rows = context.program.declaration(predicate).map_or(1, |declaration| declaration.bounds.len());
    let nearest = if rows > 1 { " in the nearest row" } else { "" };
    let (at, key) = (argument + 1, predicate.key);
    let message = format!("Argument {at} of `{key}` is declared `{}`{nearest}, but {found}.", problem.wanted);
    let mut finding = Finding::new(rule, problem.range, message);
    if let Some((span, what)) = place(context, predicate, row as usize, argument) {
        finding = finding.related(span, what);
    }
    finding = with_origin(finding, context, clause, problem);
    match respelled(context, term, &problem.wanted) {
        Some(fix) => Some(finding.fix(fix)),
        None => Some(finding),
    }
}

/// What kind of literal it is, where its text has just been shown.
fn verdict(problem: &TypeProblem) -> String {
    match problem.found.constant() {
        Some(_) if problem.wanted.is_name() => "none of those".to_owned(),
        _ => super::wording::literal_noun(&problem.found),
    }
}
