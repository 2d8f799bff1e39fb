//! Checks of temporal premises: they need an interval or operator, and cannot be negated or
//! aggregated.

use rustc_hash::FxHashSet;

use super::{CheckContext, with_origin};
use mangle_engine::program::Predicate;
use mangle_syntax::lint::{Finding, Fix, Rule, Span, rule};
use mangle_syntax::syntax::ast::{Clause, Interval, Literal, Premise, Term, TimeBound, TimeBoundKind};
use mangle_syntax::text::Symbol;

pub(super) static TEMPORAL_USE_BARE: Rule = rule!("temporal-use-bare.md");

pub(super) static TEMPORAL_ETERNAL_PREMISE: Rule = rule!("temporal-eternal-premise.md");

pub(super) static TEMPORAL_NEGATED: Rule = rule!("temporal-negated.md");

pub(super) static TEMPORAL_USE_UNEXPECTED: Rule = rule!("temporal-use-unexpected.md");

pub(super) static TEMPORAL_GROUP: Rule = rule!("temporal-group.md");

/// Checks one premise.
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

fn bare(clause: &Clause, literal: &Literal, predicate: &Predicate) -> Finding {
    let name = literal.atom.name.symbol;
    let annotation = format!("@[{}, {}]", fresh(clause, "Start"), fresh(clause, "End"));
    let headline = format!("premise on the temporal `{name}` has no interval");
    let fix = Fix::guess(format!("add `{annotation}` for any time"));
    let finding = Finding::new(&TEMPORAL_USE_BARE, literal.atom.range, headline)
        .note("the engine rejects the rule; `@[now]` restricts the premise to the present");
    with_origin(finding, predicate).fix(fix.insert(literal.atom.range.end(), annotation))
}

fn negated(literal: &Literal, predicate: &Predicate) -> Finding {
    let name = literal.atom.name.symbol;
    let headline = format!("negation of the temporal `{name}` finds no fact that has an interval");
    let finding = Finding::new(&TEMPORAL_NEGATED, literal.range, headline)
        .note("a negation finds plain facts only, and temporal facts are stored separately")
        .help("copy the facts that matter into a plain predicate, and negate that");
    with_origin(finding, predicate)
}

fn eternal(clause: &Clause, interval: &Interval) -> Finding {
    let annotation = format!("@[{}, _]", fresh(clause, "Start"));
    let fix = Fix::guess(format!("write `{annotation}` for any time"));
    let headline = "interval matches only facts that hold forever";
    Finding::new(&TEMPORAL_ETERNAL_PREMISE, interval.range, headline)
        .label("two infinite ends")
        .note("only facts with `@[_, _]` hold at all times between the two ends")
        .fix(fix.replace(interval.range, annotation))
}

fn unexpected(literal: &Literal, predicate: Option<&Predicate>) -> Option<Finding> {
    let (range, what) = match (&literal.operator, &literal.interval) {
        (Some(operator), _) => (operator.range, "temporal operator"),
        (None, Some(interval)) => (interval.range, "interval"),
        (None, None) => return None,
    };
    let name = literal.atom.name.symbol;
    if literal.atom.is_builtin() {
        return Some(
            Finding::new(&TEMPORAL_USE_UNEXPECTED, range, format!("{what} on the built-in `{name}`"))
                .note("the premise is silently never true")
                .help(format!("remove the {what}")),
        );
    }
    // Missing predicates have their own finding.
    let predicate = predicate.filter(|predicate| predicate.exists() && !predicate.signature.temporal)?;
    let headline = format!("{what} on `{name}`, which is not temporal");
    let finding = Finding::new(&TEMPORAL_USE_UNEXPECTED, range, headline)
        .note("facts of the predicate have no time, and the engine rejects the rule")
        .help(format!("remove the {what}, or declare `{name}` as `temporal`"))
        .rejected_if(true);
    Some(with_origin(finding, predicate))
}

/// Checks the aggregation of a clause.
pub(super) fn check_group(clause: &Clause) -> Option<Finding> {
    let transform = clause.transforms.iter().find(|transform| transform.is_do())?;
    let range = transform.statements.first().map_or(transform.range, |statement| statement.range);
    let mut temporal = clause.literals().filter(|literal| literal.is_temporal());
    let finding = |headline: &str| Finding::new(&TEMPORAL_GROUP, range, headline);
    if let Some(first) = temporal.next() {
        let finding = if clause.premises.len() == 1 {
            finding("engine panics: aggregation over a temporal premise")
                .note("it does not find the variables of temporal premises when it forms groups")
        } else {
            finding("aggregation ignores the variables of temporal premises")
                .note("the engine counts too few solutions")
        };
        return Some(
            finding
                .related(Span::here(first.range), "temporal premise")
                .help("copy the temporal facts into a plain predicate first"),
        );
    }
    let interval = clause.interval.as_ref()?;
    Some(
        finding("aggregation discards the interval of the head")
            .related(Span::here(interval.range), "ignored")
            .note("the engine stores what the rule derives as plain facts")
            .help("aggregate into a plain predicate, and add the interval in a second rule"),
    )
}

/// An unused variable named `stem`, `stem2`, and so on.
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

/// Calls `visit` for every variable of a premise, including the variables of its intervals.
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
