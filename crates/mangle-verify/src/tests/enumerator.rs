//! A naive search over given values: every set of facts, smallest first, evaluated by the kernel.
//!
//! The search checks the symbolic evaluation and the order of exchangeable values. The search does
//! not check the completeness of the values.

use mangle_engine::kernel::{Fact, Kernel, RuleId, StopReason};
use mangle_syntax::text::Cancel;

use crate::{Input, Question};

/// The result for all worlds of some facts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Enumerated {
    /// The size of the smallest world with the goal.
    Found(usize),
    /// No world has the goal, but the evaluation of a world stops with an error.
    Aborts,
    None,
}

/// Returns all facts of some inputs.
pub(super) fn universe(inputs: &[Input]) -> Vec<Fact> {
    let mut all: Vec<Fact> = Vec::new();
    for input in inputs {
        let mut tuples = vec![Vec::new()];
        for values in &input.columns {
            tuples = tuples
                .iter()
                .flat_map(|tuple: &Vec<_>| {
                    values.iter().map(move |value| tuple.iter().copied().chain([*value]).collect())
                })
                .collect();
        }
        for tuple in tuples {
            let fact = Fact { predicate: input.predicates[0], tuple: tuple.into(), rule: RuleId::ASSERTED };
            if !all.contains(&fact) {
                all.push(fact);
            }
        }
    }
    all
}

/// Evaluates all worlds with at most `facts` facts.
pub(super) fn enumerate(
    question: &Question,
    base: &mut Kernel,
    inputs: &[Input],
    facts: usize,
) -> Enumerated {
    let universe = universe(inputs);
    let mut aborts = false;
    for size in 0..=facts.min(universe.len()) {
        let mut chosen: Vec<usize> = (0..size).collect();
        loop {
            let mut kernel = base.fork();
            chosen.iter().for_each(|at| kernel.assert(&universe[*at]));
            kernel.evaluate(question.limits, question.clock, &Cancel::new());
            match &kernel.model().stopped {
                Some(stop) => aborts |= matches!(stop.reason, StopReason::Failed(_)),
                None if kernel.model().relation(question.goal).is_some_and(|goal| !goal.is_empty()) => {
                    return Enumerated::Found(size);
                }
                None => {}
            }
            if !next(&mut chosen, universe.len()) {
                break;
            }
        }
    }
    if aborts { Enumerated::Aborts } else { Enumerated::None }
}

/// Advances to the next combination of `count` items. Returns false after the last one.
fn next(chosen: &mut [usize], count: usize) -> bool {
    let size = chosen.len();
    for at in (0..size).rev() {
        if chosen[at] + (size - at) < count {
            chosen[at] += 1;
            for later in at + 1..size {
                chosen[later] = chosen[later - 1] + 1;
            }
            return true;
        }
    }
    false
}
