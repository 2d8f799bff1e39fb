//! Check for variables of the body that no premise binds.

use super::subject::{Report, Subject};
use mangle_engine::program::binding::BindingSource;
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::syntax::ast::{Literal, Operator, Premise, Term};
use mangle_syntax::text::{Symbol, TextRange};

pub(super) static UNBOUND_BODY_VAR: Rule = rule!("unbound-body-var.md");

/// Reports the variables of `V = W` and of `"+"` arguments that are never bound. The module `order`
/// covers the remaining positions and calls this module.
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
    // The engine accepts a head variable that a `let` defines, and this premise needs no value.
    if !(subject.is_let(symbol) && subject.is_in_head(symbol)) {
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
            Premise::Comparison(it)
                if it.operator == Operator::Equal && it.right.variable() == Some(symbol) =>
            {
                it.left.variable()
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
    pub(super) fn explain(self, finding: Finding) -> Finding {
        let finding = self.note.into_iter().fold(finding, Finding::note);
        finding.note("the engine rejects the rule").help(self.help)
    }
}
