//! Check for premises on derived temporal predicates, which the engine evaluates in an arbitrary
//! order.

use crate::analysis::stratification::label;
use crate::analysis::{ProgramContext, ProgramFindings};
use mangle_engine::program::{PredicateId, Site, UseKind};
use mangle_syntax::lint::{Finding, Rule, Span, rule};

pub(super) static TEMPORAL_DERIVED_PREMISE: Rule = rule!("temporal-derived-premise.md");

/// Maximum number of reported premises per predicate.
const PER_PREDICATE: usize = 20;

/// Reports the premises on a temporal predicate with rules.
pub(super) fn check(context: &ProgramContext<'_>, id: PredicateId, out: &mut ProgramFindings) {
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
    fn check(fixture: &str, expected: &Expect) {
        expected.assert_eq(&CheckedFixture::new(fixture).render());
    }

    #[test]
    fn premise_on_a_derived_temporal_predicate_is_reported() {
        check(
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
        check(
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
