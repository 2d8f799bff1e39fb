//! Checks for unbound variables: variables of the body that no premise binds, and of the head.

use super::{Report, Subject};
use mangle_engine::program::Mode;
use mangle_engine::program::binding::BindingSource;
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::syntax::ast::{Literal, Operator, Premise, Term, TimeBoundKind};
use mangle_syntax::text::{Symbol, TextRange};

pub(super) static UNBOUND_BODY_VAR: Rule = rule!("unbound-body-var.md");

/// Reports the variables of `V = W` and of `"+"` arguments that are never bound. The module `order`
/// covers the remaining positions and calls this module.
pub(super) fn check_body(subject: &Subject<'_>, report: &mut Report<'_>) {
    for (index, premise) in subject.premises() {
        match premise {
            Premise::Literal(literal) if subject.moded(index).is_some() && is_looked_up(literal) => {
                for term in &literal.atom.args {
                    check_body_term(subject, report, term);
                }
            }
            Premise::Comparison(comparison) if comparison.operator == Operator::Equal => {
                check_body_term(subject, report, &comparison.left);
                check_body_term(subject, report, &comparison.right);
            }
            _ => {}
        }
    }
}

fn check_body_term(subject: &Subject<'_>, report: &mut Report<'_>, term: &Term) {
    let Some(symbol) = term.variable() else { return };
    // The engine accepts a head variable that a `let` defines, and this premise needs no value.
    if !subject.is_let_in_head(symbol) {
        check_occurrence(subject, report, symbol, term.range);
    }
}

fn is_looked_up(literal: &Literal) -> bool {
    !literal.is_negated() && !literal.is_temporal()
}

/// Reports the variable at `range` if it is never bound and no finding names it yet. Returns true
/// if the variable is never bound.
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
        let finding = Finding::new(&UNBOUND_BODY_VAR, range, format!("no premise binds `{symbol}`"));
        report.push(Reason::new(subject, symbol).explain(finding));
    }
    true
}

/// The reason that a variable is unbound, and the premise that would bind it.
pub(super) struct Reason {
    /// A note. `None` if the headline is sufficient.
    pub(super) note: Option<String>,
    help: String,
}

impl Reason {
    pub(super) fn new(subject: &Subject<'_>, symbol: Symbol) -> Self {
        let help = format!("bind `{symbol}` in a positive premise");
        if subject.is_let(symbol) {
            return Self { note: Some(format!("`let {symbol}` binds it only after the body")), help };
        }
        let value = subject.bindings.get(symbol).and_then(|variable| variable.value);
        let note = match value.map(|binder| binder.how) {
            Some(BindingSource::Alias) => return Self::alias(subject, symbol),
            Some(_) => Some("a `\"+\"` argument requires a bound variable and binds none".to_owned()),
            None if subject.is_negated(symbol) => Some("a negation binds no variables".to_owned()),
            None => None,
        };
        Self { note, help }
    }

    /// In the engine's analysis, `X = Y` binds only from right to left.
    fn alias(subject: &Subject<'_>, symbol: Symbol) -> Self {
        let other = subject.premises().find_map(|(_, premise)| match premise {
            Premise::Comparison(equation)
                if equation.operator == Operator::Equal && equation.right.variable() == Some(symbol) =>
            {
                equation.left.variable()
            }
            _ => None,
        });
        let other = other.map_or_else(|| "A".to_owned(), |other| other.to_string());
        Self {
            note: Some(format!("the engine reads `{other} = {symbol}` from right to left only")),
            help: format!("write `{symbol} = {other}`"),
        }
    }

    /// Adds the reason, the consequence and the help text.
    fn explain(self, finding: Finding) -> Finding {
        let finding = self.note.into_iter().fold(finding, Finding::note);
        finding.note("the engine rejects the rule").help(self.help)
    }
}

pub(super) static UNBOUND_HEAD_VAR: Rule = rule!("unbound-head-var.md");

pub(super) static HEAD_WILDCARD: Rule = rule!("head-wildcard.md");

/// Reports variables and wildcards of a head that are unbound when the engine derives the fact.
pub(super) fn check_head(subject: &Subject<'_>, report: &mut Report<'_>) {
    let modes = subject.signatures.head.map_or(&[][..], |signature| &signature.modes);
    for (at, term) in subject.clause.head.args.iter().enumerate() {
        // The caller binds the value of a `"+"` argument, and a `_` in its place ignores the value.
        if term.is_wildcard() && modes.get(at) == Some(&Mode::Input) {
            continue;
        }
        check_head_term(subject, report, term);
    }
    for bound in subject.clause.interval.iter().flat_map(|interval| &interval.bounds) {
        if let TimeBoundKind::Variable(symbol) = bound.kind {
            check_bound(subject, report, symbol, bound.range);
        }
    }
}

fn check_head_term(subject: &Subject<'_>, report: &mut Report<'_>, term: &Term) {
    term.walk(&mut |term| {
        if term.is_wildcard() {
            report.push(head_wildcard(subject, term.range));
        } else if let Some(symbol) = term.variable()
            && !subject.bindings.is_bound(symbol)
            && !subject.is_let(symbol)
        {
            report.name_unbound(symbol);
            if !report.ignores_unbound() {
                report.push(unbound_head(subject, symbol, term.range));
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
        unbound_head(subject, symbol, range)
    });
}

fn unbound_head(subject: &Subject<'_>, symbol: Symbol, range: TextRange) -> Finding {
    if subject.clause.is_fact() {
        return Finding::new(&UNBOUND_HEAD_VAR, range, format!("fact contains the variable `{symbol}`"))
            .note("the engine rejects the fact")
            .help(format!("write a value in place of `{symbol}`, or add a body that binds it"));
    }
    let headline = format!("head variable `{symbol}` is not bound in the body");
    let finding = Finding::new(&UNBOUND_HEAD_VAR, range, headline);
    Reason::new(subject, symbol).explain(finding)
}

fn head_wildcard(subject: &Subject<'_>, range: TextRange) -> Finding {
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
