//! Facts and heads whose values their declaration has no room for: `MG603`, `MG605`.

use super::wording::{found, place, respelled, with_origin};
use crate::analysis::Context;
use mangle_engine::types::Problem;
use mangle_syntax::lint::{Finding, FixKind, Group, Rule, Severity};
use mangle_syntax::syntax::ast::Clause;

/// `Decl van(A) bound [/number]. van("x").`
pub(super) static TYPE_FACT_MISMATCH: Rule = Rule {
    code: "MG603",
    name: "type-fact-mismatch",
    group: Group::Types,
    severity: Some(Severity::Warning),
    summary: "A fact with a value that the predicate's declaration has no room for.",
    rationale: "The engine does not look at bounds when it runs: it stores the fact. Rules that were \
        written for the declared type then never match it, or stop the evaluation when they \
        compute with it. `/red` and `\"red\"` are different values.",
    bad: "Decl van(Id) bound [/number].\nvan(\"7\").\n",
    good: "Decl van(Id) bound [/number].\nvan(7).\n",
    fix: FixKind::None,
};

/// `Decl ok(A) bound [/string]. ok(A) :- van(A).`
pub(super) static TYPE_HEAD_MISMATCH: Rule = Rule {
    code: "MG605",
    name: "type-head-mismatch",
    group: Group::Types,
    severity: Some(Severity::Warning),
    summary: "A rule that derives values that its predicate's declaration has no room for.",
    rationale: "The engine does not look at bounds when it runs: it derives the fact with the value \
        of the wrong type. Premises that ask for the declared type then never match it.",
    bad: "Decl van(Id) bound [/name].\nDecl ok(Id) bound [/string].\nok(Id) :- van(Id).\n",
    good: "Decl van(Id) bound [/name].\nDecl ok(Id) bound [/name].\nok(Id) :- van(Id).\n",
    fix: FixKind::None,
};

/// The finding about one argument of a head.
pub(super) fn finding(
    context: &Context<'_>,
    clause: &Clause,
    problem: &Problem,
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
fn verdict(problem: &Problem) -> String {
    match problem.found.constant() {
        Some(_) if problem.wanted.is_name() => "none of those".to_owned(),
        _ => super::wording::literal_noun(&problem.found),
    }
}
