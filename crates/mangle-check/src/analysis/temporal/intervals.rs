//! Checks of the bounds in `@[…]` and in temporal operators.

use super::CheckContext;
use super::premises::visit_variables;
use mangle_syntax::lint::{Finding, Fix, Rule, rule};
use mangle_syntax::syntax::ast::{
    Clause, Interval, Literal, Premise, TemporalOperator, TimeBound, TimeBoundKind,
};
use mangle_syntax::text::Symbol;

pub(super) static OPERATOR_VARIABLE: Rule = rule!("operator-variable.md");

pub(super) static INTERVAL_INVERTED: Rule = rule!("interval-inverted.md");

pub(super) static INTERVAL_DURATION: Rule = rule!("interval-duration.md");

pub(super) static INTERVAL_HALF_KNOWN: Rule = rule!("interval-half-known.md");

/// The position of an annotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AnnotationPlace {
    Head,
    Premise,
}

/// Checks the bounds of `@[…]`.
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
            AnnotationPlace::Head if clause.is_fact() => "the engine reads it as an instant in 1970",
            AnnotationPlace::Head => "evaluation aborts when the rule fires",
            AnnotationPlace::Premise => "the engine ignores the whole interval and finds facts of any time",
        };
        let help = match place {
            AnnotationPlace::Head => "write an instant, such as `2024-05-01`",
            AnnotationPlace::Premise => "use a temporal operator, such as `<-[0d, 7d]`",
        };
        let headline = "`@[…]` requires instants, found a duration";
        let finding = Finding::new(&INTERVAL_DURATION, bound.range, headline);
        out.push(finding.note(consequence).help(help));
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
            AnnotationPlace::Head if clause.is_fact() => "evaluation aborts when the engine adds the fact",
            AnnotationPlace::Head => "evaluation aborts when the rule fires",
            AnnotationPlace::Premise => UNNOTICED,
        };
        let finding = Finding::new(&INTERVAL_INVERTED, interval.range, ENDS_FIRST);
        out.push(finding.note(consequence).fix(swap(context, first, second)));
    }
}

const ENDS_FIRST: &str = "interval ends before it starts";

const UNNOTICED: &str = "the engine silently finds nothing, or other facts than intended";

fn swap(context: &CheckContext<'_>, first: &TimeBound, second: &TimeBound) -> Fix {
    let (before, after) = (context.slice(first.range), context.slice(second.range));
    Fix::guess("swap the bounds").replace(first.range, after).replace(second.range, before)
}

/// Checks that both ends of a premise's interval are used.
pub(super) fn check_ends(
    context: &CheckContext<'_>,
    clause: &Clause,
    literal: &Literal,
    out: &mut Vec<Finding>,
) {
    let Some([first, second]) = literal.interval.as_ref().map(|interval| interval.bounds.as_slice()) else {
        return;
    };
    // The brackets of an operator determine the time.
    if literal.operator.is_some() {
        return;
    }
    for (variable, instant) in [(first, second), (second, first)] {
        let TimeBoundKind::Variable(name) = variable.kind else { continue };
        let is_instant = matches!(instant.kind, TimeBoundKind::Timestamp(_) | TimeBoundKind::Now);
        if is_instant && !occurs_before(clause, literal, name) {
            let text = context.slice(instant.range);
            out.push(
                Finding::new(
                    &INTERVAL_HALF_KNOWN,
                    instant.range,
                    format!("engine ignores `{text}`: `{name}` is unbound"),
                )
                .note("with an unbound variable at the other end, the premise finds facts of any time")
                .help("use two variables, and compare them with `:time:le` or `:time:ge`"),
            );
        }
    }
}

/// True if an earlier premise mentions the variable and can bind it.
fn occurs_before(clause: &Clause, literal: &Literal, name: Symbol) -> bool {
    let before = clause.premises.iter().take_while(|premise| premise.range().end() <= literal.range.start());
    let mut found = false;
    before.for_each(|premise| visit_variables(premise, &mut |other| found |= other == name));
    found
}

/// Checks the brackets of an operator.
pub(super) fn check_operator(
    context: &CheckContext<'_>,
    clause: &Clause,
    operator: &TemporalOperator,
    out: &mut Vec<Finding>,
) {
    let variables = operator.bounds.iter().filter_map(|bound| variable(clause, bound));
    out.extend(variables);
    let [first, second] = operator.bounds.as_slice() else { return };
    if let Some((headline, why)) = inverted(operator, first, second) {
        let finding = Finding::new(&INTERVAL_INVERTED, operator.range, headline);
        let notes = why.into_iter().chain([UNNOTICED]);
        out.push(notes.fold(finding, Finding::note).fix(swap(context, first, second)));
    }
}

/// True if a premise mentions the variable outside of operator brackets and can bind it.
fn occurs(clause: &Clause, name: Symbol) -> bool {
    let mut found = false;
    for literal in clause.literals() {
        let terms = literal.atom.args.iter();
        terms.for_each(|term| term.variables(&mut |other, _| found |= other == name));
        let bounds = literal.interval.iter().flat_map(|interval| &interval.bounds);
        found |= bounds.into_iter().any(|bound| bound.kind == TimeBoundKind::Variable(name));
    }
    found || clause.premises.iter().any(|premise| equates(premise, name))
}

fn equates(premise: &Premise, name: Symbol) -> bool {
    let Premise::Comparison(comparison) = premise else { return false };
    [&comparison.left, &comparison.right].iter().any(|side| side.variable() == Some(name))
}

fn variable(clause: &Clause, bound: &TimeBound) -> Option<Finding> {
    Some(match bound.kind {
        TimeBoundKind::Variable(name) => {
            let headline = format!("temporal operator contains the variable `{name}`");
            Finding::new(&OPERATOR_VARIABLE, bound.range, headline)
                .note("the engine rejects an unbound variable here, and silently reads a bound one as 1970")
                .help("write a duration, an instant or `now`")
                .rejected_if(!occurs(clause, name))
        }
        TimeBoundKind::Wildcard => {
            Finding::new(&OPERATOR_VARIABLE, bound.range, "temporal operator contains a wildcard")
                .note("the engine rejects an unbound variable here, and `_` is one")
                .help("write a long duration, such as `36500d`, for no limit")
                .rejected_if(true)
        }
        _ => return None,
    })
}

/// The distance of a bound from the present. `None` for `now`.
fn distance(bound: &TimeBound) -> Option<i64> {
    match bound.kind {
        TimeBoundKind::Duration(distance) => distance,
        TimeBoundKind::Now => Some(0),
        _ => None,
    }
}

/// A headline and a note if the bounds of an operator are in the wrong order.
fn inverted(
    operator: &TemporalOperator,
    first: &TimeBound,
    second: &TimeBound,
) -> Option<(&'static str, Option<&'static str>)> {
    if let (Some(near), Some(far)) = (distance(first), distance(second)) {
        let why = "durations in an operator count away from now, the smaller one first";
        return (near > far).then_some(("interval is empty: the larger duration is first", Some(why)));
    }
    let (TimeBoundKind::Timestamp(Some(first)), TimeBoundKind::Timestamp(Some(second))) =
        (&first.kind, &second.kind)
    else {
        return None;
    };
    if operator.future {
        return (first > second).then_some((ENDS_FIRST, None));
    }
    let why = "`<-` and `[-` read their brackets from the later instant to the earlier one";
    (first < second).then_some(("interval is empty: the earlier instant is first", Some(why)))
}
