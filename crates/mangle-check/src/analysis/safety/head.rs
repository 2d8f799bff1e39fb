//! Variables and wildcards of a head that have no value when the engine writes the fact down.

use super::subject::{Report, Subject};
use super::unbound;
use mangle_engine::program::Mode;
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::syntax::ast::{Term, TimeBoundKind};
use mangle_syntax::text::{Symbol, TextRange};

pub(super) static UNBOUND_HEAD_VAR: Rule = rule!("unbound-head-var.md");

pub(super) static HEAD_WILDCARD: Rule = rule!("head-wildcard.md");

pub(super) fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let modes = subject.signatures.head.map_or(&[][..], |signature| &signature.modes);
    for (at, term) in subject.clause.head.args.iter().enumerate() {
        // The caller brings the value of a `"+"` argument, and a `_` there ignores it.
        if term.is_wildcard() && modes.get(at) == Some(&Mode::Input) {
            continue;
        }
        check_term(subject, report, term);
    }
    for bound in subject.clause.interval.iter().flat_map(|interval| &interval.bounds) {
        if let TimeBoundKind::Variable(symbol) = bound.kind {
            check_bound(subject, report, symbol, bound.range);
        }
    }
}

fn check_term(subject: &Subject<'_>, report: &mut Report<'_>, term: &Term) {
    term.walk(&mut |term| {
        if term.is_wildcard() {
            report.push(wildcard(subject, term.range));
        } else if let Some(symbol) = term.variable()
            && !subject.bindings.is_bound(symbol)
            && !subject.is_let(symbol)
        {
            report.name_unbound(symbol);
            if !report.is_excused() {
                report.push(unbound(subject, symbol, term.range));
            }
        }
    });
}

/// A bound of the interval behind the head. `let` comes too late for it.
fn check_bound(subject: &Subject<'_>, report: &mut Report<'_>, symbol: Symbol, range: TextRange) {
    if subject.bindings.is_bound(symbol) || report.is_excused() {
        return;
    }
    report.name_unbound(symbol);
    report.push(if subject.is_let(symbol) {
        let message = format!(
            "`let` gives `{symbol}` its value after the body, too late for the interval of the head: the \
             evaluation stops with an error."
        );
        Finding::new(&UNBOUND_HEAD_VAR, range, message)
    } else {
        unbound(subject, symbol, range)
    });
}

fn unbound(subject: &Subject<'_>, symbol: Symbol, range: TextRange) -> Finding {
    let message = if subject.clause.is_fact() {
        format!(
            "A fact has values only, and `{symbol}` is a variable: the engine rejects it. Write the value, \
             or a body that finds it."
        )
    } else {
        let reason = unbound::reason(subject, symbol);
        format!(
            "`{symbol}` in the head of `{}` never gets a value: {reason}. The engine rejects the rule.",
            subject.head_name()
        )
    };
    Finding::new(&UNBOUND_HEAD_VAR, range, message)
}

fn wildcard(subject: &Subject<'_>, range: TextRange) -> Finding {
    let message = if subject.clause.is_fact() {
        "A fact has values only, and `_` is none: the engine rejects it.".to_owned()
    } else {
        format!(
            "`_` never has a value that `{}` could have here: the engine rejects the rule. Name the \
             variable and let a premise find it, or leave the argument out.",
            subject.head_name()
        )
    };
    Finding::new(&HEAD_WILDCARD, range, message)
}
