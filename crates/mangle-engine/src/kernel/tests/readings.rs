//! Tests that two readings of a program share equal plans.

use std::sync::Arc;

use super::program;
use crate::kernel::{CompiledProgram, Reading, compile, compile_sharing};

/// The clauses with shared plans.
fn shared(one: &CompiledProgram, other: &CompiledProgram) -> Vec<u32> {
    let pairs = one.strata.iter().zip(&other.strata).flat_map(|(one, other)| {
        one.plans.iter().flat_map(|plan| other.plans.iter().map(move |other| (plan, other)))
    });
    let same = pairs.filter(|(one, other)| Arc::ptr_eq(one, other));
    let mut rules: Vec<u32> = same.map(|(plan, _)| plan.rule.0).collect();
    rules.sort_unstable();
    rules
}

#[test]
fn plans_facts_and_clauses_are_shared() {
    // In the engine's reading, the negation of `open` is evaluated before its variable is bound, so
    // it is ignored.
    let program = program(
        "door(/d). locked(/d, /key).\n\
         closed(D) :- door(D), locked(D, K).\n\
         open(D) :- !locked(D, K), door(D).\n\
         count(N) :- door(D), closed(D) |> do fn:group_by(), let N = fn:count().\n",
    );
    let go = compile(&program, Reading::Engine);
    let written = compile_sharing(&program, Reading::Intended, &go);
    assert_eq!(shared(&go, &written), [2, 4]);
    assert!(Arc::ptr_eq(&go.facts, &written.facts) && Arc::ptr_eq(&go.rules, &written.rules));
    assert_eq!(shared(&go, &compile(&program, Reading::Intended)), [0_u32; 0]);
}
