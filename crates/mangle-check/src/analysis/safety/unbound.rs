//! Variables of the body that nothing gives a value, and the reason why.

use super::subject::{Report, Subject};
use mangle_engine::program::binding::BindingSource;
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::syntax::ast::{Literal, Operator, Premise, Term};
use mangle_syntax::text::{Symbol, TextRange};

pub(super) static UNBOUND_BODY_VAR: Rule = rule!("unbound-body-var.md");

/// Reports the variables of `V = W` and of `"+"` arguments that are never bound; the other places
/// that need values are the business of `order`, which comes here too.
pub(super) fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for (index, premise) in subject.premises() {
        match premise {
            Premise::Literal(literal) if subject.moded(index).is_some() && is_looked_up(literal) => {
                for term in &literal.atom.args {
                    check_term(subject, report, term);
                }
            }
            Premise::Comparison(comparison) if comparison.operator == Operator::Equal => {
                check_term(subject, report, &comparison.left);
                check_term(subject, report, &comparison.right);
            }
            _ => {}
        }
    }
}

fn check_term(subject: &Subject<'_>, report: &mut Report<'_>, term: &Term) {
    let Some(symbol) = term.variable() else { return };
    // The engine lets a head variable pass that a `let` defines, and here nothing asks for it.
    if !(subject.is_let(symbol) && subject.is_in_head(symbol)) {
        check_occurrence(subject, report, symbol, term.range);
    }
}

fn is_looked_up(literal: &Literal) -> bool {
    !literal.is_negated() && !literal.is_temporal()
}

/// Reports the variable at `range` if it is never bound and no finding names it already. Gives
/// whether it is never bound.
pub(super) fn check_occurrence(
    subject: &Subject<'_>,
    report: &mut Report<'_>,
    symbol: Symbol,
    range: TextRange,
) -> bool {
    if subject.bindings.is_bound(symbol) {
        return false;
    }
    if !report.names(symbol) {
        report.name_unbound(symbol);
        let reason = reason(subject, symbol);
        let message = format!("`{symbol}` never gets a value: {reason}. The engine rejects the rule.");
        report.push(Finding::new(&UNBOUND_BODY_VAR, range, message));
    }
    true
}

/// Why a variable has no value: the part of a sentence behind a colon.
pub(super) fn reason(subject: &Subject<'_>, symbol: Symbol) -> String {
    if subject.is_let(symbol) {
        return format!("`let {symbol}` defines it only when the body is done");
    }
    let value = subject.bindings.get(symbol).and_then(|variable| variable.value);
    match value.map(|binder| binder.how) {
        Some(BindingSource::Alias) => alias_reason(subject, symbol),
        Some(_) => {
            format!("a `\"+\"` argument needs a value and gives none, and `{symbol}` has no other place")
        }
        None if subject.is_negated(symbol) => {
            "it occurs under `!`, and a negation gives no values".to_owned()
        }
        None => "no premise gives it one".to_owned(),
    }
}

/// `X = Y` passes a value on for the engine's check from right to left only.
fn alias_reason(subject: &Subject<'_>, symbol: Symbol) -> String {
    let other = subject.premises().find_map(|(_, premise)| match premise {
        Premise::Comparison(it) if it.operator == Operator::Equal && it.right.variable() == Some(symbol) => {
            it.left.variable()
        }
        _ => None,
    });
    match other {
        Some(other) => format!(
            "the engine reads `{other} = {symbol}` from right to left only; write `{symbol} = {other}`"
        ),
        None => {
            "the engine reads `A = B` between variables from right to left only; turn it round".to_owned()
        }
    }
}
