//! Rules about recursion (`MG5xx`): cycles through negation, which have no stratification, and
//! recursion that builds new values forever.

mod cycle;
mod missed_facts;
mod unbounded;

use rustc_hash::FxHashSet;

pub(super) use cycle::{Cycle, label};

use super::{Family, ProgramCheck, ProgramContext, ProgramFindings};
use mangle_engine::program::graph::Edge;
use mangle_engine::program::{Dependencies, PredicateId, Program};
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::syntax::ast::{Clause, Premise};
use mangle_syntax::text::TextRange;

static UNSTRATIFIED: Rule = rule!("unstratified.md");

pub(super) const FAMILY: Family = Family {
    rules: &[&UNSTRATIFIED, &unbounded::UNBOUNDED_RECURSION, &missed_facts::RECURSION_MISSES_FACTS],
    clause: None,
    declaration: None,
    program: &[ProgramCheck::Cycle(check)],
};

/// Maximum number of reported rules per component. Further findings would repeat the first ones,
/// and each costs a search.
const PER_COMPONENT: usize = 20;

fn check(context: &ProgramContext<'_>, members: &[PredicateId], out: &mut ProgramFindings) {
    let program = context.program;
    let dependencies = program.dependencies();
    // Edges of reported cycles. Breaking one of them is sufficient.
    let mut covered = FxHashSet::default();
    for edge in closing_edges(program, members) {
        if !covered.contains(&step(&edge)) {
            let cycle = report(program, dependencies, &edge, out);
            covered.extend(cycle.iter().flat_map(Cycle::steps).map(step));
        }
    }
    for part in program.dependencies().parts_for_engine(members) {
        missed_facts::check(program, &part, out);
    }
    unbounded::check(program, members, out);
}

/// The negative edges of a component that lie on a cycle, one per rule, in file order.
fn closing_edges(program: &Program, members: &[PredicateId]) -> Vec<Edge> {
    let dependencies = program.dependencies();
    let edges = dependencies.recursive_edges(members).filter(|edge| edge.is_negative() && !edge.dropped);
    let mut edges: Vec<Edge> = edges.copied().collect();
    edges.sort_by_key(|edge| (edge.file, edge.item, !edge.negated, edge.range.start()));
    edges.dedup_by_key(|edge| (edge.file, edge.item));
    edges.truncate(PER_COMPONENT);
    // If the cycle only exists through temporal premises, the recursion between temporal predicates
    // is the mistake, which has its own finding.
    if members.len() > 1 && members.iter().any(|id| program.get(*id).signature.temporal) {
        edges.retain(|edge| Cycle::seen_by_engine(dependencies, edge).is_some());
    }
    edges
}

/// Identifies a step by the location of its premise.
fn step(edge: &Edge) -> (u32, u32, TextRange) {
    (edge.file, edge.item, edge.range)
}

/// Reports a cycle that the engine rejects or evaluates in an arbitrary order. Returns the cycle.
fn report<'g>(
    program: &Program,
    dependencies: &'g Dependencies,
    edge: &'g Edge,
    out: &mut ProgramFindings,
) -> Option<Cycle<'g>> {
    let cycle = Cycle::through(dependencies, edge)?;
    let file = program.files.get(edge.file as usize)?;
    let item = file.items.get(edge.item as usize)?;
    let clause = item.statement.clause()?;
    let head = label(program, edge.from);
    let (kind, label) = match edge.negated {
        true => ("negative", "negation on the cycle"),
        false => ("aggregation", "aggregation on the cycle"),
    };
    let (problem, consequence) = if cycle.is_seen_by_engine() {
        ("program cannot be stratified", "the engine rejects the whole program when it evaluates it")
    } else {
        (
            "result depends on evaluation order",
            "the engine ignores temporal premises when it computes strata, and does not reject this",
        )
    };
    let headline = format!("{problem}: {kind} cycle through `{head}`");
    let finding = Finding::new(&UNSTRATIFIED, closing_range(clause, edge), headline)
        .label(label)
        .note(cycle.describe(program))
        .note(consequence)
        .help(help(program, edge));
    out.push(file.id, item.statement.id, cycle.relate(program, finding));
    Some(cycle)
}

/// Help text that shows how to break such a cycle, with an example.
fn help(program: &Program, edge: &Edge) -> String {
    let (head, target) = (label(program, edge.from), label(program, edge.to));
    let example = |text: &str| format!("`{text}`");
    match (edge.negated, edge.from == edge.to) {
        (true, true) => format!(
            "negate a predicate that does not depend on `{head}`, as in {}",
            example("waiting(X) :- parcel(X), !loaded(X). loaded(X) :- scan(X, /dock).")
        ),
        (true, false) => format!(
            "derive `{target}` without `{head}`, or negate a predicate that does not depend on `{head}`, as in {}",
            example("waiting(X) :- parcel(X), !loaded(X). loaded(X) :- scan(X, /dock).")
        ),
        (false, _) => format!(
            "aggregate a predicate that does not depend on `{head}`, as in {}",
            example("total(N) :- parcel(_) |> do fn:group_by(), let N = fn:count().")
        ),
    }
}

/// The range of the negated premise or the `do` statement.
fn closing_range(clause: &Clause, edge: &Edge) -> TextRange {
    if edge.negated {
        let mut literals = clause.premises.iter().filter_map(|premise| match premise {
            Premise::Literal(literal) => Some(literal),
            _ => None,
        });
        let literal = literals.find(|literal| literal.atom.name.range == edge.range);
        return literal.map_or(edge.range, |literal| literal.range);
    }
    let transform = clause.transforms.iter().find(|transform| transform.is_do());
    let statement = transform.and_then(|transform| transform.statements.first());
    statement.map_or(edge.range, |statement| statement.range)
}

#[cfg(test)]
mod tests;
