//! Premises about temporal predicates: with an interval or an operator, not negated, not grouped.

use rustc_hash::FxHashSet;

use super::CheckContext;
use mangle_engine::program::Predicate;
use mangle_syntax::lint::{Finding, Fix, Rule, rule};
use mangle_syntax::syntax::ast::{Clause, Interval, Literal, Premise, Term, TimeBound, TimeBoundKind};
use mangle_syntax::text::Symbol;

pub(super) static TEMPORAL_USE_BARE: Rule = rule!("temporal-use-bare.md");

pub(super) static TEMPORAL_ETERNAL_PREMISE: Rule = rule!("temporal-eternal-premise.md");

pub(super) static TEMPORAL_NEGATED: Rule = rule!("temporal-negated.md");

pub(super) static TEMPORAL_USE_UNEXPECTED: Rule = rule!("temporal-use-unexpected.md");

pub(super) static TEMPORAL_GROUP: Rule = rule!("temporal-group.md");

/// Judges one premise.
pub(super) fn check(context: &CheckContext<'_>, clause: &Clause, literal: &Literal, out: &mut Vec<Finding>) {
    let predicate = context.predicate(&literal.atom);
    if literal.is_temporal() {
        out.extend(unexpected(literal, predicate));
        if let Some(interval) = literal.interval.as_ref().filter(|interval| interval.is_eternal())
            && literal.operator.is_none()
            && predicate.is_some_and(|predicate| predicate.signature.temporal)
        {
            out.push(eternal(clause, interval));
        }
        return;
    }
    let Some(predicate) = predicate.filter(|predicate| predicate.signature.temporal) else { return };
    out.push(if literal.is_negated() {
        negated(literal, predicate)
    } else {
        bare(clause, literal, predicate)
    });
}

/// Adds where a predicate comes from.
fn with_origin(finding: Finding, predicate: &Predicate) -> Finding {
    let place = if predicate.signature.declared.is_some() { "the declaration" } else { "a clause of it" };
    match CheckContext::origin(predicate) {
        Some(origin) => finding.related(origin, place),
        None => finding,
    }
}

fn bare(clause: &Clause, literal: &Literal, predicate: &Predicate) -> Finding {
    let name = literal.atom.name.symbol;
    let annotation = format!("@[{}, {}]", fresh(clause, "Start"), fresh(clause, "End"));
    let message = format!(
        "`{name}` is temporal: a premise says which time it asks for, such as `{annotation}` for any, or \
         `@[now]`. The engine rejects one that does not."
    );
    let fix = Fix::guess(format!("Ask for any time: add `{annotation}`"));
    let finding = Finding::new(&TEMPORAL_USE_BARE, literal.atom.range, message);
    with_origin(finding, predicate).fix(fix.insert(literal.atom.range.end(), annotation))
}

fn negated(literal: &Literal, predicate: &Predicate) -> Finding {
    let name = literal.atom.name.symbol;
    let message = format!(
        "`{name}` is temporal, and a negated premise only looks among plain facts: this is always true. Copy \
         what is meant into a plain predicate, and negate that."
    );
    with_origin(Finding::new(&TEMPORAL_NEGATED, literal.range, message), predicate)
}

fn eternal(clause: &Clause, interval: &Interval) -> Finding {
    let annotation = format!("@[{}, _]", fresh(clause, "Start"));
    let message = format!(
        "This is not \"at any time\": only facts that hold for ever, themselves with `@[_, _]`, match. For any \
         time write `{annotation}`."
    );
    let fix = Fix::guess(format!("Ask for any time: write `{annotation}`"));
    Finding::new(&TEMPORAL_ETERNAL_PREMISE, interval.range, message)
        .fix(fix.replace(interval.range, annotation))
}

fn unexpected(literal: &Literal, predicate: Option<&Predicate>) -> Option<Finding> {
    let range = match (&literal.operator, &literal.interval) {
        (Some(operator), _) => operator.range,
        (None, Some(interval)) => interval.range,
        (None, None) => return None,
    };
    let name = literal.atom.name.symbol;
    if literal.atom.is_builtin() {
        let message =
            format!("`{name}` is a built-in and has no time. The engine says nothing, and this never holds.");
        return Some(Finding::new(&TEMPORAL_USE_UNEXPECTED, range, message));
    }
    // That there is no such predicate at all is reported elsewhere.
    let predicate = predicate.filter(|predicate| predicate.exists() && !predicate.signature.temporal)?;
    let message = format!(
        "`{name}` is not temporal: its facts have no time to ask for. The engine rejects this premise."
    );
    Some(with_origin(Finding::new(&TEMPORAL_USE_UNEXPECTED, range, message), predicate))
}

/// Judges the aggregation of a clause.
pub(super) fn check_group(clause: &Clause) -> Option<Finding> {
    let transform = clause.transforms.iter().find(|transform| transform.is_do())?;
    let range = transform.statements.first().map_or(transform.range, |statement| statement.range);
    let mut temporal = clause.literals().filter(|literal| literal.is_temporal());
    let finding = |message: &str| Finding::new(&TEMPORAL_GROUP, range, message);
    if let Some(first) = temporal.next() {
        let consequence = if clause.premises.len() == 1 {
            "The engine crashes here"
        } else {
            "The engine overlooks the variables of temporal premises here and counts too few rows"
        };
        let message = format!("{consequence}. Copy the temporal facts into a plain predicate first.");
        let span = mangle_syntax::lint::Span::here(first.range);
        return Some(finding(&message).related(span, "the temporal premise"));
    }
    let interval = clause.interval.as_ref()?;
    let message = "What an aggregating rule derives loses its interval: the engine keeps it as a plain fact. \
                   Aggregate into a plain predicate, and give it a time in a second rule.";
    Some(
        finding(message)
            .related(mangle_syntax::lint::Span::here(interval.range), "the interval that is lost"),
    )
}

/// `stem`, or `stem2`, …: a variable that the clause does not have.
fn fresh(clause: &Clause, stem: &str) -> Symbol {
    let taken = variables(clause);
    let numbered = (2u32..).map(|number| Symbol::new(&format!("{stem}{number}")));
    let mut names = std::iter::once(Symbol::new(stem)).chain(numbered);
    names.find(|name| !taken.contains(name)).unwrap_or_else(|| Symbol::new(stem))
}

fn variables(clause: &Clause) -> FxHashSet<Symbol> {
    let mut names = FxHashSet::default();
    let mut add = |name| {
        names.insert(name);
    };
    clause.head.args.iter().for_each(|arg| arg.variables(&mut |name, _| add(name)));
    clause.interval.iter().for_each(|interval| visit_bounds(&interval.bounds, &mut add));
    clause.premises.iter().for_each(|premise| visit_variables(premise, &mut add));
    for statement in clause.transforms.iter().flat_map(|transform| &transform.statements) {
        let terms = statement.variable.iter().chain([&statement.value]);
        terms.for_each(|term| term.variables(&mut |name, _| add(name)));
    }
    names
}

/// Calls `visit` for every variable of a premise, those of its intervals included.
pub(super) fn visit_variables(premise: &Premise, visit: &mut impl FnMut(Symbol)) {
    let terms: Vec<&Term> = match premise {
        Premise::Literal(literal) => literal.atom.args.iter().collect(),
        Premise::Comparison(comparison) => vec![&comparison.left, &comparison.right],
        Premise::Broken(_, terms) => terms.iter().collect(),
    };
    for term in terms {
        term.variables(&mut |name, _| visit(name));
    }
    if let Premise::Literal(literal) = premise {
        literal.interval.iter().for_each(|interval| visit_bounds(&interval.bounds, visit));
        literal.operator.iter().for_each(|operator| visit_bounds(&operator.bounds, visit));
    }
}

fn visit_bounds(bounds: &[TimeBound], visit: &mut impl FnMut(Symbol)) {
    for bound in bounds {
        if let TimeBoundKind::Variable(name) = bound.kind {
            visit(name);
        }
    }
}
