//! Safety rules (`MG2xx`): variables without a value, or used before they have one. Includes
//! `negation-after-temporal`, which uses the same rewriting.
//!
//! The checks take a clause with its rewriting and bindings ([`subject::Subject`]). They report
//! clauses that the engine rejects, or evaluates differently than written. Most of the latter are
//! dropped negations.
//!
//! Each file covers one kind of mistake. Facts, the largest part of most programs, are skipped
//! early.

mod expressions;
mod helper;
mod negation;
mod order;
mod singleton;
mod subject;
#[cfg(test)]
mod tests;
mod unbound;

pub(crate) use helper::place_behind;
pub(crate) use helper::{helper_fingerprint, negated_names, with_other_helpers};

use super::{CheckContext, Family};
use mangle_syntax::lint::{Applicability, Finding, Fix};
use mangle_syntax::syntax::ast::{Clause, Premise, Term, TermKind, TimeBoundKind};
use subject::{Report, Subject};

/// The rules `MG201` to `MG216`, and the check for all rules of this module.
pub(super) const FAMILY: Family = Family {
    rules: &[
        &unbound::UNBOUND_HEAD_VAR,
        &unbound::HEAD_WILDCARD,
        &unbound::UNBOUND_BODY_VAR,
        &order::COMPARISON_BEFORE_BINDING,
        &order::INEQUALITY_BEFORE_BINDING,
        &order::EXPR_BEFORE_BINDING,
        &expressions::EXPR_IN_PREMISE_UNBOUND,
        &expressions::EXPR_IN_OUTPUT_POSITION,
        &negation::NEGATED_VAR_UNBOUND,
        &negation::NEGATION_WILDCARD,
        &negation::NEGATION_REORDER_HAZARD,
        &expressions::WILDCARD_IN_EXPRESSION,
        &expressions::WILDCARD_COMPARE,
        &expressions::UNREACHABLE_PREMISE,
        &singleton::SINGLETON_VARIABLE,
        &order::INPUT_BEFORE_BINDING,
    ],
    clause: Some(check),
    declaration: None,
    program: &[],
};

/// The helper rule for the negated premise `index` of `clause`, without the arguments that never
/// have a value. `None` if all arguments have values, or if a helper would change the meaning.
#[must_use]
pub fn negation_helper(context: &CheckContext<'_>, clause: &Clause, index: u32) -> Option<Fix> {
    let subject = Subject::new(context, clause);
    let Premise::Literal(literal) = subject.premise(index)? else { return None };
    let keeps = |term: &Term| {
        let mut has_value = !term.is_wildcard();
        term.variables(&mut |name, _| has_value &= subject.bindings.is_bound(name));
        has_value
    };
    let whole = literal.atom.args.iter().all(keeps);
    // Repeated terms must be equal, and the helper would lose this condition.
    let twice = |term: &Term| {
        term.variable().is_some_and(|name| {
            literal.atom.args.iter().filter(|other| other.variable() == Some(name)).count() > 1
        })
    };
    let forgets = literal.atom.args.iter().any(|term| !keeps(term) && twice(term));
    if whole || forgets {
        return None;
    }
    helper::fix(&subject, index, literal, &keeps, Applicability::Unsafe)
}

/// A rule of another group that the check of [`FAMILY`] applies.
pub(super) const TEMPORAL: Family =
    Family { rules: &[&negation::NEGATION_AFTER_TEMPORAL], clause: None, declaration: None, program: &[] };

/// Maximum number of premises. Clauses with more were not written by hand, and some checks are
/// quadratic.
const PREMISES: usize = 1_000;

fn check(context: &CheckContext<'_>, clause: &Clause, findings: &mut Vec<Finding>) {
    if (clause.is_fact() && is_plain(clause)) || clause.premises.len() > PREMISES {
        return;
    }
    let subject = Subject::new(context, clause);
    let mut report = Report::new(findings);
    if subject.lacks_arguments() {
        report.ignore_unbound();
    }
    // The order matters: later checks skip variables that an earlier check reported.
    unbound::check_head(&subject, &mut report);
    expressions::check_expressions(&subject, &mut report);
    order::check(&subject, &mut report);
    unbound::check_body(&subject, &mut report);
    negation::check(&subject, &mut report);
    expressions::check_wildcards(&subject, &mut report);
    expressions::check_unreachable(&subject, &mut report);
    singleton::check(&subject, &mut report);
}

/// True if a head has no variables.
fn is_plain(clause: &Clause) -> bool {
    let mut plain = true;
    for term in &clause.head.args {
        term.walk(&mut |term| plain &= !matches!(term.kind, TermKind::Variable(_) | TermKind::Wildcard));
    }
    let mut bounds = clause.interval.iter().flat_map(|interval| &interval.bounds);
    plain && bounds.all(|bound| !matches!(bound.kind, TimeBoundKind::Variable(_)))
}
