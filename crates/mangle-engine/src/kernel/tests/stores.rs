//! Tests of programs that are evaluated once per store.

use super::*;
use crate::kernel::{Fact, Kernel, Query, RuleId};
use crate::program::ProgramEnvironment;
use mangle_settings::{Stores, Vocabulary, parse};

const STORES: &str = "[runtime.stores]
default = 'memory'
shared = ['intent']
policy = ['asked', 'granted']
plans = ['step']
";

fn stores() -> Arc<Stores> {
    parse(STORES, Vocabulary { rules: &[] }).settings.runtime.stores.unwrap()
}

/// A program in a runtime with the stores above.
fn divided(text: &str) -> Program {
    let embedding = ProgramEnvironment { stores: Some(stores()), ..ProgramEnvironment::default() };
    Program::embedded(program(text).files.to_vec(), Arc::new(embedding))
}

fn assert_facts(kernel: &mut Kernel, program: &Program, facts: &[&str]) {
    for fact in facts {
        let mut other = Kernel::new(Arc::clone(kernel.compiled()));
        let query = Query::read(fact, program, other.model_mut()).unwrap();
        let tuple = query.wanted.iter().map(|value| {
            let text = other.model().values.display(value.unwrap()).to_string();
            kernel.values().name(&text)
        });
        let tuple: Vec<_> = tuple.collect();
        let fact = Fact { predicate: query.predicate, tuple: tuple.into(), rule: RuleId::ASSERTED };
        kernel.assert(&fact);
    }
    kernel.evaluate(Limits::default(), CLOCK, &Cancel::new());
}

fn retract_fact(kernel: &mut Kernel, program: &Program, name: &str, argument: &str) {
    let value = kernel.values().name(argument);
    kernel.retract(id(program, name, 1), &[value]);
    kernel.evaluate(Limits::default(), CLOCK, &Cancel::new());
}

/// Prints the facts with their stores.
fn shown(kernel: &Kernel) -> String {
    let (compiled, model) = (kernel.compiled(), kernel.model());
    let mut lines = Vec::new();
    for predicate in (0..compiled.predicates()).map(PredicateId) {
        let tuples = model.relation(predicate).unwrap().tuples();
        for (number, tuple) in (0u32..).zip(tuples) {
            let found = stores().listed(model.stores_of(compiled, predicate, number));
            lines.push(format!("{} in {found}\n", model.fact(compiled, predicate, tuple)));
        }
    }
    lines.sort();
    lines.concat()
}

const PROGRAM: &str = "
Decl asked(A). Decl approved(A). Decl step(A). Decl intent(A). Decl revoked(A).
safe(/read).
permitted(A) :- asked(A), safe(A).
permitted(A) :- asked(A), approved(A).
permitted(A) :- asked(A), intent(A), !revoked(A).
next(A) :- step(A), safe(A).
active(A) :- permitted(A).
active(A) :- next(A).
";

#[test]
fn each_store_evaluates_the_program_over_its_own_facts() {
    let program = divided(PROGRAM);
    let mut kernel = Kernel::new(compile(&program, Reading::Intended));
    assert_facts(
        &mut kernel,
        &program,
        &[
            "asked(/read)",
            "asked(/write)",
            "approved(/write)",
            "asked(/drop)",
            "intent(/drop)",
            "revoked(/drop)",
            "step(/read)",
        ],
    );
    expect![[r#"
        active(/drop) in `policy`
        active(/read) in `plans` and `policy`
        approved(/write) in `memory`
        asked(/drop) in `policy`
        asked(/read) in `policy`
        asked(/write) in `policy`
        intent(/drop) in `memory`, `plans` and `policy`
        next(/read) in `plans`
        permitted(/drop) in `policy`
        permitted(/read) in `policy`
        revoked(/drop) in `memory`
        safe(/read) in `memory`, `plans` and `policy`
        step(/read) in `plans`
    "#]]
    .assert_eq(&shown(&kernel));
}

#[test]
fn an_evaluation_follows_changes_and_forks_are_apart() {
    let program = divided(PROGRAM);
    let mut kernel = Kernel::new(compile(&program, Reading::Engine));
    assert_facts(&mut kernel, &program, &["asked(/read)", "step(/read)"]);
    let mut fork = kernel.fork();
    kernel.mark();
    retract_fact(&mut kernel, &program, "asked", "/read");
    expect![[r#"
        active(/read) in `plans`
        next(/read) in `plans`
        safe(/read) in `memory`, `plans` and `policy`
        step(/read) in `plans`
    "#]]
    .assert_eq(&shown(&kernel));
    let gone: Vec<_> = kernel
        .differences()
        .into_iter()
        .map(|one| format!("{} -{}", kernel.compiled().name(one.predicate), one.removed.len()))
        .collect();
    expect!["asked -1, permitted -1"].assert_eq(&gone.join(", "));
    assert_facts(&mut fork, &program, &["asked(/write)"]);
    expect![[r#"
        active(/read) in `plans` and `policy`
        asked(/read) in `policy`
        asked(/write) in `policy`
        next(/read) in `plans`
        permitted(/read) in `policy`
        safe(/read) in `memory`, `plans` and `policy`
        step(/read) in `plans`
    "#]]
    .assert_eq(&shown(&fork));
}

#[test]
fn proofs_and_obstacles_name_their_store() {
    let program = divided(PROGRAM);
    let compiled = compile(&program, Reading::Intended);
    let mut kernel = Kernel::new(Arc::clone(&compiled));
    assert_facts(
        &mut kernel,
        &program,
        &["asked(/drop)", "intent(/drop)", "asked(/write)", "approved(/write)"],
    );
    let permitted = id(&program, "permitted", 1);
    let proof = kernel.model_mut().explain(&compiled, CLOCK, permitted, 0);
    assert_eq!(proof.store, Some("policy"));
    let facts: Vec<_> = proof.nodes.iter().map(|node| node.fact.as_str()).collect();
    assert_eq!(facts, ["permitted(/drop)", "asked(/drop)", "intent(/drop)"]);
    let write = kernel.values().name("/write");
    let misses = kernel.model_mut().why_not(&compiled, CLOCK, permitted, &[Some(write)]);
    let misses = misses.iter().map(|miss| format!("{:?} {:?}\n", miss.store, miss.obstacle));
    expect![[r#"
        Some("policy") Premise { premise: 1, asked: "safe(/write)", near: ["safe(/read)"] }
        Some("policy") Premise { premise: 1, asked: "approved(/write)", near: [] }
        Some("policy") Premise { premise: 1, asked: "intent(/write)", near: ["intent(/drop)"] }
    "#]]
    .assert_eq(&misses.collect::<String>());
}

#[test]
fn a_fact_of_two_stores_has_a_proof_in_each() {
    let program = divided(PROGRAM);
    let compiled = compile(&program, Reading::Engine);
    let mut kernel = Kernel::new(Arc::clone(&compiled));
    assert_facts(&mut kernel, &program, &["asked(/read)", "step(/read)"]);
    let active = id(&program, "active", 1);
    let first = kernel.model_mut().explain(&compiled, CLOCK, active, 0).store;
    let others = kernel.model_mut().other_proofs(&compiled, CLOCK, active, 0, 5);
    let others: Vec<_> = others.iter().map(|proof| proof.store).collect();
    assert_eq!((first, others), (Some("plans"), vec![Some("policy")]));
}

#[test]
fn aggregations_recursion_and_deferred_rules_count_in_each_store() {
    let program = divided(
        "
Decl asked(A). Decl step(A). Decl edge(A, B).
count(N) :- intent(A) |> do fn:group_by(), let N = fn:count().
of_policy(N) :- asked(A) |> do fn:group_by(), let N = fn:count().
pairs(N) :- asked(A), intent(B) |> do fn:group_by(), let N = fn:count().
reach(A, B) :- edge(A, B).
reach(A, C) :- reach(A, B), edge(B, C).
reached(B) :- asked(A), reach(A, B).
Decl intent(A).
edge(/a, /b). edge(/b, /c).
",
    );
    let mut kernel = Kernel::new(compile(&program, Reading::Engine));
    assert_facts(&mut kernel, &program, &["asked(/a)", "asked(/b)", "intent(/a)", "step(/a)"]);
    let derived = shown(&kernel);
    let derived = derived.lines().filter(|line| !line.starts_with("edge(") && !line.starts_with("reach("));
    expect![[r#"
        asked(/a) in `policy`
        asked(/b) in `policy`
        count(1) in `memory`, `plans` and `policy`
        intent(/a) in `memory`, `plans` and `policy`
        of_policy(2) in `policy`
        pairs(2) in `policy`
        reached(/b) in `policy`
        reached(/c) in `policy`
        step(/a) in `plans`
    "#]]
    .assert_eq(&derived.map(|line| format!("{line}\n")).collect::<String>());
}
