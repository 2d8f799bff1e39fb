//! Comparisons of two policies and surveys of rules, against worlds that the test chooses.

use std::collections::BTreeSet;

use mangle_verify::IdleKind;

use crate::naive::evaluate::{Facts, Key, Tuple};
use crate::naive::syntax::{Atom, Clause, Program, Transform};
use crate::support::Random;

use super::generate::{change, facts, question};
use super::oracle::{candidates, read};
use super::product;
use super::question::{Question, WorldFact, fact_text};

/// The number of policies in an ordinary run.
const POLICIES: u64 = 60;

fn policies() -> u64 {
    let count = std::env::var("VERIFY_POLICIES").ok().and_then(|count| count.parse().ok());
    count.unwrap_or(POLICIES)
}

fn shown(world: &[WorldFact]) -> String {
    world.iter().map(fact_text).collect::<Vec<_>>().join(" ")
}

fn tuples(facts: &Facts, key: &Key) -> BTreeSet<Tuple> {
    facts.get(key).cloned().unwrap_or_default()
}

/// A world in which two programs give different facts of a predicate.
fn difference(question: &Question, programs: [&Program; 2], key: &Key) -> Option<Vec<WorldFact>> {
    candidates(question).into_iter().find(|world| {
        let [one, other] = programs.map(|program| facts(program, world));
        one.zip(other).is_some_and(|(one, other)| tuples(&one, key) != tuples(&other, key))
    })
}

#[test]
fn policies_that_differ_are_not_equivalent() {
    let (mut wrong, mut equivalent, mut different) = (Vec::new(), 0, 0);
    for seed in 0..policies() {
        let old = question(seed);
        let mut new = old.clone();
        let mut random = Random::seeded(seed);
        for _ in 0..6 {
            if new.policy.clauses == old.policy.clauses {
                change(&mut random, &mut new);
            }
        }
        let Some(key) = old.policy.clauses.last().map(|clause| clause.head.key()) else { continue };
        let is_derived = |program: &Program| program.clauses.iter().any(|clause| clause.head.key() == key);
        if old.policy.clauses == new.policy.clauses || !is_derived(&new.policy) {
            continue;
        }
        let compared = product::compare_with(&new, &old.policy_text(), &key);
        let context =
            || format!("seed {seed}, {}/{}\n--- new\n{new}--- old\n{}", key.0, key.1, old.policy_text());
        for (found, gives, lacks) in
            [(&compared.added, &new.policy, &old.policy), (&compared.removed, &old.policy, &new.policy)]
        {
            for found in found {
                let Ok(world) = read(&found.world) else {
                    wrong.push(format!("{:?} cannot be read\n{}", found.world, context()));
                    continue;
                };
                let [one, other] = [gives, lacks].map(|program| facts(program, &world).unwrap_or_default());
                if tuples(&one, &key).is_subset(&tuples(&other, &key)) {
                    wrong.push(format!("`{}` shows no difference\n{}", shown(&world), context()));
                }
            }
        }
        if compared.added.is_empty() && compared.removed.is_empty() && compared.undecided.is_none() {
            equivalent += 1;
            if let Some(world) = difference(&new, [&old.policy, &new.policy], &key) {
                wrong.push(format!("the policies differ in `{}`\n{}", shown(&world), context()));
            }
        } else {
            different += 1;
        }
    }
    println!("{equivalent} equivalent, {different} different or undecided");
    assert!(wrong.is_empty(), "{} wrong answers\n\n{}", wrong.len(), wrong.join("\n\n"));
    assert!(different > 5 && equivalent > 2, "{equivalent} equivalent, {different} different");
}

#[test]
fn rules_that_matter_are_not_reported() {
    let (mut wrong, mut idle) = (Vec::new(), 0);
    for seed in 0..policies() / 2 {
        let question = question(seed);
        let first_rule = question.inputs.len();
        for (line, kind) in product::survey(&question) {
            idle += 1;
            let Some(world) = counterexample(&question, line - first_rule, &kind) else { continue };
            wrong.push(format!(
                "seed {seed}: rule {line} is {kind:?}, but not in `{}`\n{question}",
                shown(&world)
            ));
        }
    }
    println!("{idle} rules and negations change nothing");
    assert!(wrong.is_empty(), "{} wrong answers\n\n{}", wrong.len(), wrong.join("\n\n"));
}

/// A world in which a rule fires, or matters, although it was reported.
fn counterexample(question: &Question, rule: usize, kind: &IdleKind) -> Option<Vec<WorldFact>> {
    let clause = &question.policy.clauses[rule];
    let mut changed = question.policy.clone();
    match kind {
        IdleKind::NeverFires => {
            let head = Atom { name: "fires".to_owned(), args: Vec::new() };
            let body = clause.body.clone();
            changed.clauses.push(Clause { head, body, transform: Transform::None });
            let fires = ("fires".to_owned(), 0);
            let is_fired = |world: &Vec<WorldFact>| {
                facts(&changed, world).is_some_and(|all| !tuples(&all, &fires).is_empty())
            };
            candidates(question).into_iter().find(is_fired)
        }
        IdleKind::WithoutEffect => {
            changed.clauses.remove(rule);
            difference(question, [&question.policy, &changed], &clause.head.key())
        }
        IdleKind::Negation(text) => {
            changed.clauses[rule].body.retain(|premise| premise.to_string() != *text);
            difference(question, [&question.policy, &changed], &clause.head.key())
        }
    }
}
