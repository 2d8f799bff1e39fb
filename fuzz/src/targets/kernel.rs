//! Any program ends within its limits. What follows from facts that came and went is what follows without them. Proofs,
//! obstacles and all facts can be printed.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use mangle_engine::kernel::{
    Clock, CompiledProgram, Dump, Fact, Kernel, Limits, Model, Reading, RuleId, TextBudget, compile,
};
use mangle_engine::program::PredicateId;
use mangle_report::proof;
use mangle_syntax::text::Cancel;

use crate::generate::mangle;
use crate::memory;
use crate::support;

const CLOCK: Clock = Clock { now_ns: 1_700_000_000_000_000_000 };

/// Small, and not of time, so that each run ends where it always ends.
const LIMITS: Limits =
    Limits { facts: 3_000, derived: 2_000, steps: 200_000, time: Duration::MAX, bytes: 8 << 20 };

/// What a run under these limits may take, all that is beside tuples and values included.
const CEILING: usize = 96 << 20;

/// How much text may be made of all facts.
const BUDGET: TextBudget = TextBudget { each: 4 << 10, left: 1 << 20 };

/// What makes a program depend on the order in which its facts come.
const ORDERED: &[&str] = &["collect", "merge"];

pub(crate) fn run(bytes: &[u8]) {
    let text = mangle(bytes);
    let is_ordered = ORDERED.iter().any(|word| text.contains(word));
    let program = support::program(&[text]);
    for reading in [Reading::Engine, Reading::Intended] {
        memory::within(CEILING, "an evaluation", || {
            let compiled = compile(&program, reading);
            let mut kernel = Kernel::new(Arc::clone(&compiled));
            kernel.evaluate(LIMITS, CLOCK, &Cancel::new());
            come_and_go(&mut kernel, &compiled, is_ordered);
            print(kernel.model_mut(), &compiled);
        });
    }
}

/// Takes back some facts of the program and gives them again; compares what follows with programs that never had them.
fn come_and_go(kernel: &mut Kernel, compiled: &Arc<CompiledProgram>, is_ordered: bool) {
    let before = facts(kernel, compiled);
    let mut fork = kernel.fork();
    let all = compiled.facts();
    let chosen: BTreeSet<_> =
        all.iter().step_by(2).map(|fact| (fact.predicate.0, fact.tuple.clone())).collect();
    let is_chosen = |fact: &&Fact| chosen.contains(&(fact.predicate.0, fact.tuple.clone()));
    for fact in all.iter().filter(is_chosen) {
        fork.retract(fact.predicate, &fact.tuple);
    }
    fork.evaluate(LIMITS, CLOCK, &Cancel::new());
    let rules: Vec<RuleId> = all.iter().filter(is_chosen).map(|fact| fact.rule).collect();
    let mut other = Kernel::without(Arc::clone(compiled), rules.into_iter().collect());
    other.evaluate(LIMITS, CLOCK, &Cancel::new());
    if is_whole(&fork) && is_whole(&other) {
        assert_eq!(facts(&fork, compiled), facts(&other, compiled), "after facts were taken back");
    }
    all.iter().filter(is_chosen).for_each(|fact| fork.assert(fact));
    fork.evaluate(LIMITS, CLOCK, &Cancel::new());
    if is_whole(&fork) && is_whole(kernel) && !is_ordered {
        assert_eq!(facts(&fork, compiled), before, "after facts came again");
    }
    if is_whole(kernel) {
        assert_eq!(facts(kernel, compiled), before, "the fork changed what it is a fork of");
    }
}

fn is_whole(kernel: &Kernel) -> bool {
    kernel.model().stopped.is_none() && kernel.model().errors.is_empty()
}

/// All facts, cut where they are long.
fn facts(kernel: &Kernel, compiled: &CompiledProgram) -> Dump {
    kernel.model().dump_within(compiled, BUDGET)
}

/// Proofs and obstacles of a few facts of each predicate.
fn print(model: &mut Model, compiled: &CompiledProgram) {
    let place = |rule: RuleId| format!("{rule:?}");
    for predicate in (0..compiled.predicates()).map(PredicateId) {
        let (len, arity) =
            model.relation(predicate).map_or((0, 0), |relation| (relation.len(), relation.arity()));
        for number in 0..u32::try_from(len.min(3)).unwrap_or(0) {
            let found = model.explain(compiled, CLOCK, predicate, number);
            assert!(!proof::proof(&found, &place).is_empty());
            for other in model.other_proofs(compiled, CLOCK, predicate, number, 2) {
                assert!(!proof::proof(&other, &place).is_empty());
            }
        }
        let misses = model.why_not(compiled, CLOCK, predicate, &vec![None; arity]);
        let _ = proof::obstacles(&misses, &place);
        let _ = model.near(compiled, predicate, &vec![None; arity]);
    }
}
