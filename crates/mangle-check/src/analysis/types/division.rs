//! Check for division by a literal zero (`MG602`).

use super::each_application;
use mangle_engine::program::builtins;
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::syntax::ast::{Apply, Clause, Term, TermKind};

/// For example `fn:div(X, 0)`.
pub(super) static DIVISION_BY_ZERO: Rule = rule!("division-by-zero.md");

/// Checks every expression of a clause.
pub(super) fn check(clause: &Clause, findings: &mut Vec<Finding>) {
    each_application(clause, &mut |apply| {
        let Some(zero) = zero_divisor(apply) else { return };
        let name = apply.function.symbol;
        let consequence = match clause.is_fact() {
            true => "the engine rejects the program",
            false => "the engine aborts when it evaluates this division",
        };
        let finding = Finding::new(&DIVISION_BY_ZERO, zero.range, format!("`{name}` divides by zero"));
        findings.push(finding.note(consequence).rejected_if(clause.is_fact()));
    });
}

/// The literal zero that an application certainly divides by.
pub(in crate::analysis) fn zero_divisor(apply: &Apply) -> Option<&Term> {
    let name = apply.function.as_str();
    let divisor = match (name, apply.args.as_slice()) {
        // With one argument N, the result is 1/N.
        ("fn:div" | "fn:float:div", [only]) => only,
        // The division ends if an integer quotient reaches 0, before later divisors are used.
        ("fn:div", [_, first, ..]) => first,
        ("fn:mod", [_, divisor]) => divisor,
        ("fn:float:div", [_, divisors @ ..]) => divisors.iter().find(|divisor| is_zero(divisor))?,
        _ => return None,
    };
    let takes_float = builtins::function(name)?.result == "/float64";
    let fits = takes_float || !matches!(divisor.kind, TermKind::Float(_));
    (fits && is_zero(divisor)).then_some(divisor)
}

fn is_zero(term: &Term) -> bool {
    match term.kind {
        TermKind::Number(number) => number == Some(0),
        TermKind::Float(float) => float == 0.0,
        _ => false,
    }
}
