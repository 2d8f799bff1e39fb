//! Any program ends within its limits. What follows from facts that came and went is what follows without them. Proofs,
//! obstacles and all facts can be printed.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use mangle_ls::kernel::{
    Clock, Compiled, Datum, Fact, Kernel, Limits, Model, Reading, RuleId, ValueId, Values, compile,
};
use mangle_ls::program::PredicateId;
use mangle_ls::report::proof;
use mangle_ls::text::Cancel;

use crate::generate::mangle;
use crate::memory;
use crate::support;

const CLOCK: Clock = Clock { now_ns: 1_700_000_000_000_000_000 };

/// Small, and not of time, so that each run ends where it always ends.
const LIMITS: Limits =
    Limits { facts: 3_000, derived: 2_000, steps: 200_000, time: Duration::MAX, bytes: 8 << 20 };

/// What a run under these limits may take, all that is beside tuples and values included.
const CEILING: usize = 96 << 20;

/// What is printed of a program at most: values share their parts, and what is printed does not.
const MOST_PRINTED: u64 = 1 << 20;

pub(crate) fn run(bytes: &[u8]) {
    let program = support::program(&[mangle(bytes)]);
    for reading in [Reading::Go, Reading::Written] {
        memory::within(CEILING, "an evaluation", || {
            let compiled = compile(&program, reading);
            let mut kernel = Kernel::new(Arc::clone(&compiled));
            kernel.evaluate(LIMITS, CLOCK, &Cancel::new());
            if !is_printable(kernel.model(), &compiled) {
                return;
            }
            come_and_go(&mut kernel, &compiled);
            print(kernel.model_mut(), &compiled);
        });
    }
}

/// Takes back some facts of the program and gives them again; compares what follows with programs that never had them.
fn come_and_go(kernel: &mut Kernel, compiled: &Arc<Compiled>) {
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
    if is_whole(&fork) && is_whole(kernel) {
        assert_eq!(facts(&fork, compiled), before, "after facts came again");
    }
    if is_whole(kernel) {
        assert_eq!(facts(kernel, compiled), before, "the fork changed what it is a fork of");
    }
}

fn is_whole(kernel: &Kernel) -> bool {
    kernel.model().stopped.is_none() && kernel.model().errors.is_empty()
}

/// All facts, if they are not too long to be printed.
fn facts(kernel: &Kernel, compiled: &Compiled) -> Vec<String> {
    if is_printable(kernel.model(), compiled) { kernel.model().dump(compiled) } else { Vec::new() }
}

/// Proofs and obstacles of a few facts of each predicate.
fn print(model: &mut Model, compiled: &Compiled) {
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

/// Whether all values of a model, printed in full, are of a sensible length.
fn is_printable(model: &Model, compiled: &Compiled) -> bool {
    let mut sizes = Sizes { values: &model.values, known: std::collections::HashMap::new() };
    let mut sum: u64 = 0;
    for predicate in (0..compiled.predicates()).map(PredicateId) {
        for tuple in model.relation(predicate).into_iter().flat_map(|relation| relation.tuples()) {
            sum = tuple.iter().fold(sum, |sum, value| sum.saturating_add(sizes.of(*value)));
        }
    }
    sum <= MOST_PRINTED
}

/// How long values are when they are printed, each worked out once.
struct Sizes<'v> {
    values: &'v Values,
    known: std::collections::HashMap<ValueId, u64>,
}

impl Sizes<'_> {
    fn of(&mut self, value: ValueId) -> u64 {
        if let Some(size) = self.known.get(&value) {
            return *size;
        }
        let own = |bytes: usize| bytes as u64 + 8;
        let size = match self.values.get(value) {
            Datum::Name(text) | Datum::String(text) => own(text.len()),
            Datum::Bytes(bytes) => own(bytes.len() * 4),
            Datum::Pair(first, second) => self.sum(&[*first, *second]),
            Datum::List(elements) => self.sum(elements),
            Datum::Map(entries) | Datum::Struct(entries) => {
                let all: Vec<_> = entries.iter().flat_map(|(key, value)| [*key, *value]).collect();
                self.sum(&all)
            }
            _ => own(32),
        };
        self.known.insert(value, size);
        size
    }

    fn sum(&mut self, parts: &[ValueId]) -> u64 {
        parts.iter().fold(8, |sum: u64, part| sum.saturating_add(self.of(*part)))
    }
}
