//! Temporal predicates that depend on themselves.

use rustc_hash::FxHashSet;

use crate::analysis::ProgramFindings;
use crate::analysis::stratification::{Cycle, label};
use mangle_engine::program::graph::{ComponentId, Edge, Graph};
use mangle_engine::program::{FileSummary, PredicateId, Program};
use mangle_syntax::lint::{Finding, Rule, Span, rule};
use mangle_syntax::syntax::ast::{Clause, Item, Literal};

pub(super) static TEMPORAL_SELF_RECURSION: Rule = rule!("temporal-self-recursion.md");

pub(super) static TEMPORAL_MUTUAL_RECURSION: Rule = rule!("temporal-mutual-recursion.md");

pub(super) static FUTURE_RECURSION: Rule = rule!("future-recursion.md");

/// Reports recursion of temporal predicates. Programs without temporal predicates cost one look at
/// each.
pub(super) fn check(program: &Program, out: &mut ProgramFindings) {
    let is_temporal = |id: PredicateId| program.get(id).signature.temporal;
    if !program.predicates.iter().any(|predicate| predicate.signature.temporal) {
        return;
    }
    let graph = program.graph();
    let mut edges: Vec<&Edge> = graph.recursive_edges().collect();
    edges.sort_by_key(|edge| (edge.file, edge.item, edge.range.start()));
    let mut mutual: FxHashSet<ComponentId> = FxHashSet::default();
    let mut own: FxHashSet<PredicateId> = FxHashSet::default();
    for edge in edges {
        let component = graph.component(edge.from);
        if graph.members(component).len() > 1 {
            if !mutual.contains(&component) && graph.members(component).iter().copied().any(is_temporal) {
                mutual.insert(component);
                mutual_recursion(program, graph, edge, out);
            }
        } else if is_temporal(edge.from) && edge.temporal && !edge.is_negative() {
            own_recursion(program, edge, &mut own, out);
        }
    }
}

/// The rule of an edge.
fn rule<'p>(program: &'p Program, edge: &Edge) -> Option<(&'p FileSummary, &'p Item, &'p Clause)> {
    let file = program.files.get(edge.file as usize)?;
    let item = file.items.get(edge.item as usize)?;
    Some((file, item, item.statement.clause()?))
}

fn mutual_recursion(program: &Program, graph: &Graph, edge: &Edge, out: &mut ProgramFindings) {
    let Some((file, item, clause)) = rule(program, edge) else { return };
    let Some(cycle) = Cycle::through(graph, edge) else { return };
    let members = graph.members(graph.component(edge.from));
    let temporal = members.iter().find(|id| program.get(**id).signature.temporal);
    let temporal = temporal.map_or_else(String::new, |id| label(program, *id));
    let head = label(program, edge.from);
    let headline = if head == temporal {
        format!("temporal `{head}` depends on itself through others")
    } else {
        format!("`{head}` and the temporal `{temporal}` depend on each other")
    };
    let finding = Finding::new(&TEMPORAL_MUTUAL_RECURSION, clause.head.range, headline)
        .note(cycle.describe(program))
        .note("the engine rejects a cycle of several predicates if one of them is temporal");
    out.push(file.id, item.statement.id, cycle.relate(program, finding));
}

/// A rule that reads the predicate that it defines; its future is rejected, anything else is
/// worth one warning for each predicate.
fn own_recursion(
    program: &Program,
    edge: &Edge,
    warned: &mut FxHashSet<PredicateId>,
    out: &mut ProgramFindings,
) {
    let Some((file, item, clause)) = rule(program, edge) else { return };
    let at_edge = |literal: &&Literal| literal.atom.name.range == edge.range;
    let operator = clause.literals().find(at_edge).and_then(|literal| literal.operator.as_ref());
    let name = label(program, edge.from);
    let finding = if let Some(operator) = operator.filter(|operator| operator.future) {
        Finding::new(
            &FUTURE_RECURSION,
            operator.range,
            format!("temporal `{name}` depends on its own future"),
        )
        .note("the engine rejects the rule, because it could derive facts without end")
    } else if warned.insert(edge.from) {
        let headline = format!("temporal `{name}` is derived from itself");
        Finding::new(&TEMPORAL_SELF_RECURSION, clause.head.range, headline)
            .related(Span::here(edge.range), "read here")
            .note("each round may add intervals, which the engine does not merge")
            .note("evaluation reaches the limit at 1000 intervals of one fact")
    } else {
        return;
    };
    out.push(file.id, item.statement.id, finding);
}
