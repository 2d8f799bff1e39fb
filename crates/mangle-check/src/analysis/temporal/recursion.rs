//! Checks of derived temporal predicates: recursion, and premises that the engine evaluates in an
//! arbitrary order.

use crate::analysis::stratification::{Cycle, label};
use crate::analysis::{ProgramContext, ProgramFindings};
use mangle_engine::program::graph::Edge;
use mangle_engine::program::{FileSummary, PredicateId, Program, Site, UseKind};
use mangle_syntax::lint::{Finding, Rule, Span, rule};
use mangle_syntax::syntax::ast::{Clause, Item, Literal};

pub(super) static TEMPORAL_SELF_RECURSION: Rule = rule!("temporal-self-recursion.md");

pub(super) static TEMPORAL_MUTUAL_RECURSION: Rule = rule!("temporal-mutual-recursion.md");

pub(super) static FUTURE_RECURSION: Rule = rule!("future-recursion.md");

/// Reports recursion of temporal predicates.
pub(super) fn check_recursion(
    context: &ProgramContext<'_>,
    members: &[PredicateId],
    out: &mut ProgramFindings,
) {
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

pub(super) static TEMPORAL_DERIVED_PREMISE: Rule = rule!("temporal-derived-premise.md");

/// Maximum number of reported premises per predicate.
const PER_PREDICATE: usize = 20;

/// Reports the premises on a temporal predicate with rules.
pub(super) fn check_derived_premises(
    context: &ProgramContext<'_>,
    id: PredicateId,
    out: &mut ProgramFindings,
) {
    let program = context.program;
    let predicate = program.get(id);
    if !predicate.signature.temporal || !predicate.signature.has_rules {
        return;
    }
    let dependencies = program.dependencies();
    let name = label(program, id);
    // The engine stores derived facts of an aggregation without their interval.
    let keeps_interval = |site: &Site<'_>| {
        let clause = site.item.statement.clause();
        clause.is_some_and(|clause| !site.item.statement.damaged && !clause.aggregates())
    };
    let Some(rule) = program.rules(predicate).find(keeps_interval) else { return };
    let uses = program.uses(predicate).filter(|(_, kind)| *kind == UseKind::Temporal);
    let mut reported = 0;
    for (site, _) in uses {
        let statement = &site.item.statement;
        let Some(clause) = statement.clause().filter(|_| !statement.damaged) else { continue };
        let Some(head) = program.id_of(site.file, &clause.head) else { continue };
        // The engine does detect the edge of a negation, and rejects a cycle of several predicates.
        let mut edges = dependencies.edges_from(head).iter();
        let is_ordered = edges.any(|edge| edge.to == id && !edge.temporal && !edge.dropped);
        if is_ordered || dependencies.component(head) == dependencies.component(id) {
            continue;
        }
        let literal = clause.literals().find(|literal| literal.atom.name.range == site.range);
        let range = literal.map_or(site.range, |literal| literal.range);
        let headline = format!("`{name}` may be evaluated after this rule");
        let mut finding = Finding::new(&TEMPORAL_DERIVED_PREMISE, range, headline)
            .label("temporal, and derived by rules")
            .note("the engine ignores temporal premises when it orders predicates, so the order is random")
            .note(format!("if `{}` comes first, this premise finds no derived facts", label(program, head)))
            .help(format!("write the body of the rules of `{name}` here, or provide its facts from outside"));
        if let Some(clause) = rule.item.statement.clause() {
            let place = Span::new(rule.file.id, rule.item.statement.id, clause.head.name.range);
            finding = finding.related(place, "derived here");
        }
        out.push(site.file.id, statement.id, finding);
        reported += 1;
        if reported == PER_PREDICATE {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::testing::CheckedFixture;

    #[track_caller]
    fn check_derived_premises(fixture: &str, expected: &Expect) {
        expected.assert_eq(&CheckedFixture::new(fixture).render());
    }

    #[test]
    fn premise_on_a_derived_temporal_predicate_is_reported() {
        check_derived_premises(
            r"
Decl active(U) temporal bound [/name].
session(/ann).
active(U)@[2026-01-01, 2026-02-01] :- session(U).
alert(U) :- active(U)@[S, E].
recent(U) :- <-[0d, 30d] active(U).
",
            &expect![[r#"
                5:13-29 error temporal-derived-premise: `active` may be evaluated after this rule
                  label: temporal, and derived by rules
                  4:1-7 derived here
                  note: the engine ignores temporal premises when it orders predicates, so the order is random
                  note: if `alert` comes first, this premise finds no derived facts
                  help: write the body of the rules of `active` here, or provide its facts from outside
                6:14-35 error temporal-derived-premise: `active` may be evaluated after this rule
                  label: temporal, and derived by rules
                  4:1-7 derived here
                  note: the engine ignores temporal premises when it orders predicates, so the order is random
                  note: if `recent` comes first, this premise finds no derived facts
                  help: write the body of the rules of `active` here, or provide its facts from outside
            "#]],
        );
    }

    #[test]
    fn given_facts_and_own_recursion_have_an_order() {
        check_derived_premises(
            r"
Decl given(U) temporal bound [/name].
given(/ann)@[2026-01-01, 2026-02-01].
alert(U) :- given(U)@[S, E].
Decl own(U) temporal bound [/name].
own(/ann)@[2026-01-01, 2026-02-01].
own(U)@[S, E] :- given(U)@[S, E].
",
            &expect![[r#""#]],
        );
    }
}
