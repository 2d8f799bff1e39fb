//! Check for rules with several recursive premises: the engine never joins two facts of the same
//! round.

use crate::analysis::ProgramFindings;
use mangle_engine::program::{PredicateId, Program, Site};
use mangle_settings::versions::SameRoundJoins;
use mangle_syntax::lint::{Finding, Rule, Span, rule};
use mangle_syntax::syntax::ast::{Clause, Literal, Term};

pub(super) static RECURSION_MISSES_FACTS: Rule = rule!("recursion-misses-facts.md");

/// Maximum number of reported rules per component.
const PER_COMPONENT: usize = 20;

/// Reports rules with several positive premises on their own component.
pub(super) fn check(program: &Program, members: &[PredicateId], out: &mut ProgramFindings) {
    let capabilities = program.embedding.capabilities();
    if capabilities.same_round_joins == SameRoundJoins::Complete {
        return;
    }
    let stored = members.iter().map(|member| program.get(*member)).filter(|it| !it.signature.deferred);
    let rules = stored.flat_map(|predicate| program.rules(predicate));
    let mut recursive = Vec::new();
    for site in rules {
        let premises = recursive_premises(program, members, &site);
        if !premises.is_empty() {
            recursive.push((site, premises));
        }
    }
    let is_only_rule = recursive.len() == 1;
    let mut reported = 0;
    for (site, premises) in recursive {
        let [first, second, ..] = premises.as_slice() else { continue };
        let Some(clause) = site.item.statement.clause() else { continue };
        if clause.aggregates() || (is_only_rule && is_closure(clause)) || reported == PER_COMPONENT {
            continue;
        }
        reported += 1;
        let headline = format!("recursion of `{}` can miss facts", clause.head.name.as_str());
        let finding = Finding::new(&RECURSION_MISSES_FACTS, second.range, headline)
            .label("second recursive premise")
            .related(Span::here(first.range), "first recursive premise")
            .note("the engine never combines two facts that it derived in the same round")
            .help("split the rule, so that each rule has one recursive premise");
        out.push(site.file.id, site.item.statement.id, finding);
    }
}

/// The premises of a rule on predicates of its component.
fn recursive_premises<'p>(program: &Program, members: &[PredicateId], site: &Site<'p>) -> Vec<&'p Literal> {
    let statement = &site.item.statement;
    let Some(clause) = statement.clause().filter(|_| !statement.damaged) else { return Vec::new() };
    let is_recursive = |literal: &&Literal| {
        let asked = program.id_of(site.file, &literal.atom);
        !literal.is_negated() && !literal.is_temporal() && asked.is_some_and(|id| members.contains(&id))
    };
    clause.literals().filter(is_recursive).collect()
}

/// True for `p(X, Z) :- p(X, Y), p(Y, Z)`. If all steps are known after the first round, a longer
/// path also consists of a shorter path and a single step.
fn is_closure(clause: &Clause) -> bool {
    let literals: Vec<&Literal> = clause.literals().collect();
    let ([one, other], 2) = (literals.as_slice(), clause.premises.len()) else { return false };
    let variables = |args: &[Term]| args.iter().map(Term::variable).collect::<Option<Vec<_>>>();
    let all = [&clause.head.args, &one.atom.args, &other.atom.args].map(|args| variables(args));
    let [Some(head), Some(one_args), Some(other_args)] = all else { return false };
    let same_name = one.atom.name.as_str() == clause.head.name.as_str()
        && other.atom.name.as_str() == clause.head.name.as_str();
    let is_chain = |one: &[_], other: &[_]| match (head.as_slice(), one, other) {
        ([from, to], [start, middle], [again, end]) => {
            from == start && middle == again && end == to && from != middle && middle != to && from != to
        }
        _ => false,
    };
    same_name && (is_chain(&one_args, &other_args) || is_chain(&other_args, &one_args))
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
    fn two_recursive_premises_are_reported() {
        check(
            r"
step(/a, /b).
near(X, Y) :- step(X, Y).
far(X, Z) :- near(X, Y), near(Y, Z).
near(X, X) :- far(X, Y), far(Y, X).
",
            &expect![[r#"
                4:26-36 warning recursion-misses-facts: recursion of `far` can miss facts
                  label: second recursive premise
                  4:14-24 first recursive premise
                  note: the engine never combines two facts that it derived in the same round
                  help: split the rule, so that each rule has one recursive premise
                5:26-35 warning recursion-misses-facts: recursion of `near` can miss facts
                  label: second recursive premise
                  5:15-24 first recursive premise
                  note: the engine never combines two facts that it derived in the same round
                  help: split the rule, so that each rule has one recursive premise
            "#]],
        );
    }

    #[test]
    fn closure_is_complete() {
        check(
            r"
step(/a, /b).
path(X, Y) :- step(X, Y).
path(X, Z) :- path(X, Y), path(Y, Z).
",
            &expect![[r#""#]],
        );
    }
}
