//! Check for comparisons that no row satisfies.

use super::subject::{Report, Subject};
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::syntax::ast::{Comparison, Operator, Premise, Term, TermKind};
use mangle_syntax::syntax::literal;

pub(super) static UNREACHABLE_PREMISE: Rule = rule!("unreachable-premise.md");

pub(super) fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for (_, premise) in subject.premises() {
        if let Premise::Comparison(comparison) = premise
            && is_always_false(subject, comparison)
        {
            let headline = format!("`{}` is always false", subject.excerpt(comparison.range));
            let finding = Finding::new(&UNREACHABLE_PREMISE, comparison.range, headline);
            report.push(finding.note(format!("this rule for `{}` derives nothing", subject.head_name())));
        }
    }
}

fn is_always_false(subject: &Subject<'_>, comparison: &Comparison) -> bool {
    let Comparison { left, right, operator, .. } = comparison;
    if let (Some(left), Some(right)) = (left.variable(), right.variable()) {
        let irreflexive = matches!(operator, Operator::NotEqual | Operator::Less | Operator::Greater);
        return left == right && irreflexive && subject.bindings.is_bound(left);
    }
    match operator {
        Operator::Equal => are_equal(subject, left, right) == Some(false),
        Operator::NotEqual => are_equal(subject, left, right) == Some(true),
        // Other values than integers abort the evaluation; the type rules report them.
        _ => match (&left.kind, &right.kind) {
            (TermKind::Number(Some(left)), TermKind::Number(Some(right))) => !match operator {
                Operator::Less => left < right,
                Operator::LessEqual => left <= right,
                Operator::Greater => left > right,
                _ => left >= right,
            },
            _ => false,
        },
    }
}

/// True if two literal constants have the same value. `None` if this is not obvious.
fn are_equal(subject: &Subject<'_>, left: &Term, right: &Term) -> Option<bool> {
    if !left.is_constant() || !right.is_constant() {
        return None;
    }
    let value = |term: &Term| literal::string_value(subject.context.slice(term.range));
    match (&left.kind, &right.kind) {
        (TermKind::Name(left), TermKind::Name(right)) => Some(left == right),
        (TermKind::Number(left), TermKind::Number(right)) => Some((*left)? == (*right)?),
        (TermKind::Float(left), TermKind::Float(right)) => Some(left == right),
        (TermKind::String, TermKind::String) => Some(value(left)? == value(right)?),
        (TermKind::Bytes, TermKind::Bytes) => None,
        _ => Some(false),
    }
}
