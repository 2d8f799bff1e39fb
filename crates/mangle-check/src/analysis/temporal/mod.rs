//! Temporal rules (`MG7xx`): intervals of heads and premises, operators, and recursion between
//! temporal predicates.
//!
//! The safety rules implement `negation-after-temporal`, because it depends on the bindings of a
//! body.

mod intervals;
mod premises;
mod recursion;

use super::{CheckContext, Family, ProgramCheck};
use mangle_engine::program::Predicate;
use mangle_syntax::lint::{Finding, Fix, Rule, rule};
use mangle_syntax::syntax::ast::{Clause, Interval};
use mangle_syntax::text::TextRange;

static TEMPORAL_HEAD_MISSING: Rule = rule!("temporal-head-missing.md");

static TEMPORAL_HEAD_UNEXPECTED: Rule = rule!("temporal-head-unexpected.md");

static TEMPORAL_HEAD_ETERNAL: Rule = rule!("temporal-head-eternal.md");

/// The rules about temporal facts.
pub(super) const FAMILY: Family = Family {
    rules: &[
        &TEMPORAL_HEAD_MISSING,
        &TEMPORAL_HEAD_UNEXPECTED,
        &premises::TEMPORAL_USE_BARE,
        &premises::TEMPORAL_ETERNAL_PREMISE,
        &premises::TEMPORAL_NEGATED,
        &premises::TEMPORAL_USE_UNEXPECTED,
        &intervals::OPERATOR_VARIABLE,
        &intervals::INTERVAL_INVERTED,
        &super::types::INTERVAL_TYPE,
        &recursion::TEMPORAL_SELF_RECURSION,
        &recursion::TEMPORAL_MUTUAL_RECURSION,
        &recursion::FUTURE_RECURSION,
        &premises::TEMPORAL_GROUP,
        &TEMPORAL_HEAD_ETERNAL,
        &intervals::INTERVAL_DURATION,
        &intervals::INTERVAL_HALF_KNOWN,
        &recursion::TEMPORAL_DERIVED_PREMISE,
    ],
    clause: Some(check_clause),
    declaration: None,
    program: &[
        ProgramCheck::Cycle(recursion::check_recursion),
        ProgramCheck::Predicate(recursion::check_derived_premises),
    ],
};

fn check_clause(context: &CheckContext<'_>, clause: &Clause, out: &mut Vec<Finding>) {
    out.extend(check_head(context, clause));
    if let Some(interval) = &clause.interval {
        intervals::check_annotation(context, clause, interval, intervals::AnnotationPlace::Head, out);
    }
    for literal in clause.literals() {
        premises::check(context, clause, literal, out);
        intervals::check_ends(context, clause, literal, out);
        if let Some(interval) = &literal.interval {
            intervals::check_annotation(context, clause, interval, intervals::AnnotationPlace::Premise, out);
        }
        if let Some(operator) = &literal.operator {
            intervals::check_operator(context, clause, operator, out);
        }
    }
    out.extend(premises::check_group(clause));
}

fn check_head(context: &CheckContext<'_>, clause: &Clause) -> Option<Finding> {
    let predicate = context.predicate(&clause.head)?;
    match (&clause.interval, predicate.signature.temporal) {
        (None, true) => Some(head_missing(context, clause, predicate)),
        (Some(interval), false) if interval.is_eternal() => Some(head_eternal(clause, interval)),
        (Some(interval), false) => Some(head_unexpected(clause, interval, predicate)),
        (Some(interval), true)
            if interval.is_eternal()
                && predicate.signature.declared.is_none()
                && is_origin(context, predicate) =>
        {
            Some(head_undecided(clause, interval))
        }
        _ => None,
    }
}

fn head_missing(context: &CheckContext<'_>, clause: &Clause, predicate: &Predicate) -> Finding {
    let name = clause.head.name.symbol;
    let headline = format!("clause of the temporal `{name}` has no interval");
    let mut finding = Finding::new(&TEMPORAL_HEAD_MISSING, clause.head.range, headline);
    if predicate.signature.declared.is_none() {
        finding =
            finding.note(format!("another clause of `{name}` has an interval, which makes it temporal"));
    }
    let finding = finding
        .note("the engine rejects the clause")
        .help("add `@[start, end]`, or `@[_, _]` for a fact that always holds");
    if is_origin(context, predicate) { finding } else { with_origin(finding, predicate) }
}

/// Adds the declaration or first clause of a predicate as a related location.
fn with_origin(finding: Finding, predicate: &Predicate) -> Finding {
    let label = if predicate.signature.declared.is_some() { "declared here" } else { "first clause" };
    match CheckContext::origin(predicate) {
        Some(origin) => finding.related(origin, label),
        None => finding,
    }
}

/// True if the statement is the declaration or first clause of the predicate.
fn is_origin(context: &CheckContext<'_>, predicate: &Predicate) -> bool {
    let here = (context.file.id, context.item.statement.id);
    predicate.signature.origin().is_some_and(|(file, statement, _)| (file, statement) == here)
}

fn head_unexpected(clause: &Clause, interval: &Interval, predicate: &Predicate) -> Finding {
    let name = clause.head.name.symbol;
    let headline = format!("interval on `{name}`, which is not temporal");
    let finding = Finding::new(&TEMPORAL_HEAD_UNEXPECTED, interval.range, headline)
        .note("the engine rejects the clause")
        .help(format!("declare `{name}` as `temporal`, or remove the interval"));
    with_origin(finding, predicate)
}

/// Without a declaration, the first clause determines if the predicate is temporal. An unbounded
/// interval does not make it temporal.
fn head_undecided(clause: &Clause, interval: &Interval) -> Finding {
    let name = clause.head.name.symbol;
    Finding::new(
        &TEMPORAL_HEAD_MISSING,
        interval.range,
        format!("this interval does not make `{name}` temporal"),
    )
    .note(format!(
        "without a declaration, the first clause of `{name}` decides, and `@[_, _]` does not count"
    ))
    .note("the engine rejects the intervals of later clauses")
    .help(format!("declare `{name}` as `temporal`"))
}

fn head_eternal(clause: &Clause, interval: &Interval) -> Finding {
    let whole = TextRange::new(clause.head.range.end(), interval.range.end());
    let fix = Fix::safe("remove the interval").replace(whole, "");
    let hidden = if clause.is_fact() { "this fact" } else { "these facts" };
    let headline = format!("interval hides {hidden} from plain premises");
    Finding::new(&TEMPORAL_HEAD_ETERNAL, interval.range, headline)
        .note(format!(
            "`{}` is not temporal, and the engine stores what has an interval with the temporal facts",
            clause.head.name.symbol
        ))
        .fix(fix)
}

#[cfg(test)]
mod tests;
