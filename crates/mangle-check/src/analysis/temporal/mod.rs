//! Rules about facts in time (`MG7xx`): which heads and premises carry an interval, what the
//! engine makes of intervals and operators, recursion between temporal predicates.
//!
//! `negation-after-temporal` belongs to the safety rules, which know what a body binds.

mod intervals;
mod premises;
mod recursion;

use super::{CheckContext, Family};
use mangle_engine::program::Predicate;
use mangle_syntax::lint::{Finding, Fix, Rule, rule};
use mangle_syntax::syntax::ast::{Clause, Interval};
use mangle_syntax::text::TextRange;

static TEMPORAL_HEAD_MISSING: Rule = rule!("temporal-head-missing.md");

static TEMPORAL_HEAD_UNEXPECTED: Rule = rule!("temporal-head-unexpected.md");

static TEMPORAL_HEAD_ETERNAL: Rule = rule!("temporal-head-eternal.md");

/// The rules about time.
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
    ],
    clause: Some(check_clause),
    declaration: None,
    program: Some(recursion::check),
};

fn check_clause(context: &CheckContext<'_>, clause: &Clause, out: &mut Vec<Finding>) {
    out.extend(check_head(context, clause));
    if let Some(interval) = &clause.interval {
        intervals::check_annotation(context, clause, interval, intervals::AnnotationPlace::Head, out);
    }
    for literal in clause.literals() {
        premises::check(context, clause, literal, out);
        intervals::check_ends(clause, literal, out);
        if let Some(interval) = &literal.interval {
            intervals::check_annotation(context, clause, interval, intervals::AnnotationPlace::Premise, out);
        }
        if let Some(operator) = &literal.operator {
            intervals::check_operator(context, operator, out);
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
    let (why, place) = match predicate.signature.declared {
        Some(_) => ("is declared temporal", "the declaration"),
        None => ("is temporal, because another clause of it carries an interval", "a clause of it"),
    };
    let message = format!(
        "`{name}` {why}, so its clauses say when they hold: `@[start, end]`, or `@[_, _]` for always. The \
         engine rejects one without."
    );
    let finding = Finding::new(&TEMPORAL_HEAD_MISSING, clause.head.range, message);
    let elsewhere = CheckContext::origin(predicate).filter(|_| !is_origin(context, predicate));
    match elsewhere {
        Some(origin) => finding.related(origin, place),
        None => finding,
    }
}

/// Whether the place that a predicate comes from is the statement at hand.
fn is_origin(context: &CheckContext<'_>, predicate: &Predicate) -> bool {
    let here = (context.file.id, context.item.statement.id);
    predicate.signature.origin().is_some_and(|(file, statement, _)| (file, statement) == here)
}

fn head_unexpected(clause: &Clause, interval: &Interval, predicate: &Predicate) -> Finding {
    let message = format!(
        "`{}` is not declared temporal, so its clauses carry no interval. The engine rejects this one; declare \
         the predicate `temporal` or remove the interval.",
        clause.head.name.symbol
    );
    let finding = Finding::new(&TEMPORAL_HEAD_UNEXPECTED, interval.range, message);
    match CheckContext::origin(predicate) {
        Some(origin) => finding.related(origin, "the declaration"),
        None => finding,
    }
}

/// The first clause of a predicate without a declaration decides, and "always" does not count.
fn head_undecided(clause: &Clause, interval: &Interval) -> Finding {
    let name = clause.head.name.symbol;
    let message = format!(
        "`{name}` has no declaration, so its first clause, this one, decides whether it is temporal. For the \
         engine `@[_, _]` does not, and it rejects the intervals of later clauses. Declare `{name}` as `temporal`."
    );
    Finding::new(&TEMPORAL_HEAD_MISSING, interval.range, message)
}

fn head_eternal(clause: &Clause, interval: &Interval) -> Finding {
    let message = format!(
        "`{}` is not temporal, and the engine keeps what carries an interval with the temporal facts, where \
         plain premises do not look. Without the interval it holds always, and is found.",
        clause.head.name.symbol
    );
    let whole = TextRange::new(clause.head.range.end(), interval.range.end());
    let fix = Fix::safe("Remove the interval").replace(whole, "");
    Finding::new(&TEMPORAL_HEAD_ETERNAL, interval.range, message).fix(fix)
}

#[cfg(test)]
mod tests;
