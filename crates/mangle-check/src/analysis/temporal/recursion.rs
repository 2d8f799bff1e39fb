//! Check for temporal predicates that depend on themselves.

use crate::analysis::stratification::{Cycle, label};
use crate::analysis::{ProgramContext, ProgramFindings};
use mangle_engine::program::graph::Edge;
use mangle_engine::program::{FileSummary, PredicateId, Program};
use mangle_syntax::lint::{Finding, Rule, Span, rule};
use mangle_syntax::syntax::ast::{Clause, Item, Literal};

pub(super) static TEMPORAL_SELF_RECURSION: Rule = rule!("temporal-self-recursion.md");

pub(super) static TEMPORAL_MUTUAL_RECURSION: Rule = rule!("temporal-mutual-recursion.md");

pub(super) static FUTURE_RECURSION: Rule = rule!("future-recursion.md");

/// Reports recursion of temporal predicates.
pub(super) fn check(context: &ProgramContext<'_>, members: &[PredicateId], out: &mut ProgramFindings) {
    for part in context.program.dependencies().parts_for_engine(members) {
        check_part(context, &part, out);
    }
}

fn check_part(context: &ProgramContext<'_>, members: &[PredicateId], out: &mut ProgramFindings) {
    let program = context.program;
    let is_temporal = |id: PredicateId| program.get(id).signature.temporal;
    if !members.iter().copied().any(is_temporal) {
        return;
    }
    let edges = program.dependencies().recursive_edges(members);
    let is_inside = |edge: &&Edge| !edge.dropped && members.contains(&edge.to);
    let mut edges: Vec<&Edge> = edges.filter(is_inside).collect();
    edges.sort_by_key(|edge| (edge.file, edge.item, edge.range.start()));
    if members.len() > 1 {
        edges.first().into_iter().for_each(|edge| mutual_recursion(program, members, edge, out));
        return;
    }
    let mut is_warned = false;
    for edge in edges.into_iter().filter(|edge| edge.temporal && !edge.is_negative()) {
        own_recursion(program, edge, &mut is_warned, out);
    }
}

fn rule<'p>(program: &'p Program, edge: &Edge) -> Option<(&'p FileSummary, &'p Item, &'p Clause)> {
    let file = program.files.get(edge.file as usize)?;
    let item = file.items.get(edge.item as usize)?;
    Some((file, item, item.statement.clause()?))
}

fn mutual_recursion(program: &Program, members: &[PredicateId], edge: &Edge, out: &mut ProgramFindings) {
    let Some((file, item, clause)) = rule(program, edge) else { return };
    let Some(cycle) = Cycle::through(program.dependencies(), edge) else { return };
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

/// Reports a rule that uses its own predicate. References to its future are rejected; other
/// recursion gets one warning per predicate.
fn own_recursion(program: &Program, edge: &Edge, is_warned: &mut bool, out: &mut ProgramFindings) {
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
    } else if !std::mem::replace(is_warned, true) {
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
