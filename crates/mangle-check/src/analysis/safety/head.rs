//! Check for variables and wildcards of a head that are unbound when the engine derives the fact.

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
        // The caller binds the value of a `"+"` argument, and a `_` in its place ignores the value.
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
            if !report.ignores_unbound() {
                report.push(unbound(subject, symbol, term.range));
            }
        }
    });
}

/// Checks a bound of the interval after the head. A `let` binds its variable too late.
fn check_bound(subject: &Subject<'_>, report: &mut Report<'_>, symbol: Symbol, range: TextRange) {
    if subject.bindings.is_bound(symbol) || report.ignores_unbound() {
        return;
    }
    report.name_unbound(symbol);
    report.push(if subject.is_let(symbol) {
        Finding::new(&UNBOUND_HEAD_VAR, range, format!("interval bound `{symbol}` is used before its `let`"))
            .note("the interval of the head is computed before the transform; evaluation aborts")
            .help(format!("bind `{symbol}` in the body"))
    } else {
        unbound(subject, symbol, range)
    });
}

fn unbound(subject: &Subject<'_>, symbol: Symbol, range: TextRange) -> Finding {
    if subject.clause.is_fact() {
        return Finding::new(&UNBOUND_HEAD_VAR, range, format!("fact contains the variable `{symbol}`"))
            .note("the engine rejects the fact")
            .help(format!("write a value in place of `{symbol}`, or add a body that binds it"));
    }
    let headline = format!("head variable `{symbol}` is not bound in the body");
    let finding = Finding::new(&UNBOUND_HEAD_VAR, range, headline);
    unbound::Reason::new(subject, symbol).explain(finding)
}

fn wildcard(subject: &Subject<'_>, range: TextRange) -> Finding {
    if subject.clause.is_fact() {
        return Finding::new(&HEAD_WILDCARD, range, "fact contains a wildcard")
            .note("the engine rejects the fact")
            .help("write a value in place of `_`");
    }
    Finding::new(&HEAD_WILDCARD, range, format!("wildcard in the head of `{}`", subject.head_name()))
        .label("never bound")
        .note("the engine rejects the rule")
        .help("use a variable that the body binds, or remove the argument")
}
