//! What stands between the brackets of `@[…]` and of a temporal operator.

use super::CheckContext;
use super::premises::visit_variables;
use mangle_syntax::lint::{Finding, Fix, Rule, rule};
use mangle_syntax::syntax::ast::{Clause, Interval, Literal, TemporalOperator, TimeBound, TimeBoundKind};
use mangle_syntax::text::Symbol;

pub(super) static OPERATOR_VARIABLE: Rule = rule!("operator-variable.md");

pub(super) static INTERVAL_INVERTED: Rule = rule!("interval-inverted.md");

pub(super) static INTERVAL_DURATION: Rule = rule!("interval-duration.md");

pub(super) static INTERVAL_HALF_KNOWN: Rule = rule!("interval-half-known.md");

/// Where an annotation stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AnnotationPlace {
    Head,
    Premise,
}

/// Judges `@[…]`.
pub(super) fn check_annotation(
    context: &CheckContext<'_>,
    clause: &Clause,
    interval: &Interval,
    place: AnnotationPlace,
    out: &mut Vec<Finding>,
) {
    let duration = interval.bounds.iter().find(|bound| matches!(bound.kind, TimeBoundKind::Duration(_)));
    if let Some(bound) = duration {
        let consequence = match place {
            AnnotationPlace::Head if clause.is_fact() => "The engine reads it as an instant in 1970.",
            AnnotationPlace::Head => "The engine aborts the evaluation when the rule fires.",
            AnnotationPlace::Premise => {
                "The engine ignores the whole interval then, and takes facts of any time."
            }
        };
        let message =
            format!("A duration says nothing in `@[…]`; only temporal operators know it. {consequence}");
        out.push(Finding::new(&INTERVAL_DURATION, bound.range, message));
        return;
    }
    let [first, second] = interval.bounds.as_slice() else { return };
    let (TimeBoundKind::Timestamp(Some(start)), TimeBoundKind::Timestamp(Some(end))) =
        (&first.kind, &second.kind)
    else {
        return;
    };
    if start > end {
        let consequence = match place {
            AnnotationPlace::Head if clause.is_fact() => {
                "The engine aborts the evaluation when it adds the fact."
            }
            AnnotationPlace::Head => "The engine aborts the evaluation when the rule fires.",
            AnnotationPlace::Premise => UNNOTICED,
        };
        let message = format!("This interval ends before it starts. {consequence}");
        let finding = Finding::new(&INTERVAL_INVERTED, interval.range, message);
        out.push(finding.fix(swap(context, first, second)));
    }
}

const UNNOTICED: &str = "The engine does not notice, and finds nothing, or facts that were not asked for.";

fn swap(context: &CheckContext<'_>, first: &TimeBound, second: &TimeBound) -> Fix {
    let (before, after) = (context.slice(first.range), context.slice(second.range));
    Fix::guess("Swap the two").replace(first.range, after).replace(second.range, before)
}

/// Judges whether both ends of a premise's interval count.
pub(super) fn check_ends(clause: &Clause, literal: &Literal, out: &mut Vec<Finding>) {
    let Some([first, second]) = literal.interval.as_ref().map(|interval| interval.bounds.as_slice()) else {
        return;
    };
    // With an operator, its brackets decide about the time.
    if literal.operator.is_some() {
        return;
    }
    for (variable, instant) in [(first, second), (second, first)] {
        let TimeBoundKind::Variable(name) = variable.kind else { continue };
        let is_instant = matches!(instant.kind, TimeBoundKind::Timestamp(_) | TimeBoundKind::Now);
        if is_instant && !occurs_before(clause, literal, name) {
            let message = format!(
                "This end has no effect: beside `{name}`, which has no value yet, the engine takes facts of any \
                 time. Use two variables, and compare them with `:time:le` or `:time:ge`."
            );
            out.push(Finding::new(&INTERVAL_HALF_KNOWN, instant.range, message));
        }
    }
}

/// Whether a premise before this one mentions a variable and may have given it a value.
fn occurs_before(clause: &Clause, literal: &Literal, name: Symbol) -> bool {
    let before = clause.premises.iter().take_while(|premise| premise.range().end() <= literal.range.start());
    let mut found = false;
    before.for_each(|premise| visit_variables(premise, &mut |other| found |= other == name));
    found
}

/// Judges the brackets of an operator.
pub(super) fn check_operator(
    context: &CheckContext<'_>,
    operator: &TemporalOperator,
    out: &mut Vec<Finding>,
) {
    let variables = operator.bounds.iter().filter_map(variable);
    out.extend(variables);
    let [first, second] = operator.bounds.as_slice() else { return };
    if let Some(why) = inverted(operator, first, second) {
        let finding = Finding::new(&INTERVAL_INVERTED, operator.range, format!("{why} {UNNOTICED}"));
        out.push(finding.fix(swap(context, first, second)));
    }
}

fn variable(bound: &TimeBound) -> Option<Finding> {
    let message = match bound.kind {
        TimeBoundKind::Variable(name) => format!(
            "The brackets of an operator do not take variables: the engine rejects `{name}`, or reads it as \
             1970 when a premise gives it a value."
        ),
        TimeBoundKind::Wildcard => {
            "The brackets of an operator do not take `_`. For \"as far as it goes\" write a long duration, such \
             as `36500d`."
                .to_owned()
        }
        _ => return None,
    };
    Some(Finding::new(&OPERATOR_VARIABLE, bound.range, message))
}

/// How far from now a bound is; `now` is no distance.
fn distance(bound: &TimeBound) -> Option<i64> {
    match bound.kind {
        TimeBoundKind::Duration(distance) => distance,
        TimeBoundKind::Now => Some(0),
        _ => None,
    }
}

/// Why the bounds of an operator stand in the wrong order, if they do.
fn inverted(operator: &TemporalOperator, first: &TimeBound, second: &TimeBound) -> Option<&'static str> {
    if let (Some(near), Some(far)) = (distance(first), distance(second)) {
        let why = "Durations in an operator count away from now, the smaller one first; like this the interval is empty.";
        return (near > far).then_some(why);
    }
    let (TimeBoundKind::Timestamp(Some(first)), TimeBoundKind::Timestamp(Some(second))) =
        (&first.kind, &second.kind)
    else {
        return None;
    };
    if operator.future {
        return (first > second).then_some("This interval ends before it starts.");
    }
    let why = "An operator that looks back reads its brackets from the later instant to the earlier one; like this \
               the interval is empty.";
    (first < second).then_some(why)
}
