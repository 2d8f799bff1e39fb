//! Tests that both searches agree on generated policies.
//!
//! The other search is naive: every set of given values, smallest first, evaluated by the kernel. It checks
//! the symbolic evaluation and the order of exchangeable values. It does not check the completeness of the
//! values.

use std::time::{Duration, Instant};

use mangle_engine::kernel::{Fact, Kernel, Reading, RuleId, StopReason};
use mangle_syntax::text::Cancel;

use super::{question, told};
use crate::{Input, Outcome, Question, Scope, search};

/// A deterministic random number generator.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn seeded(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        random.below(2);
        random
    }

    pub(super) fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % count
    }

    pub(super) fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }

    fn once_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }
}

const INPUTS: &str = "
Decl e(X, Y) descr [extensional()] bound [/name, /name].
Decl f(X) descr [extensional()] bound [/name].
Decl n(X, N) descr [extensional()] bound [/name, /number].
t(/k). t(/l).
";

/// Generates an atom of an input or a previously defined predicate.
fn atom(random: &mut Random, level: usize) -> String {
    let variables = ["X", "Y", "Z", "_", "/k", "X", "Y"];
    let mut term = || random.pick(&variables).to_owned();
    let (one, other) = (term(), term());
    match random.below(5 + level) {
        0 => format!("e({one}, {other})"),
        1 => format!("f({one})"),
        2 => format!("n({one}, {})", random.pick(&["N", "_", "2", "M"])),
        3 => format!("t({one})"),
        4 => format!("e({one}, {other})"),
        defined => format!("p{}({one})", defined - 5),
    }
}

fn body(random: &mut Random, level: usize) -> String {
    let mut premises = vec![atom(random, level)];
    for _ in 0..random.below(3) {
        premises.push(atom(random, level));
    }
    if random.once_in(2) {
        premises.push(format!("!{}", atom(random, level)));
    }
    if random.once_in(4) {
        premises.push(
            random.pick(&["N > 1", "N <= M", "X != Y", "N = 3", "N < 2", "M = fn:plus(N, 1)"]).to_owned(),
        );
    }
    if random.once_in(3) {
        let at = random.below(premises.len());
        let last = premises.len() - 1;
        premises.swap(at, last);
    }
    premises.join(", ")
}

fn policy(random: &mut Random) -> String {
    let mut text = INPUTS.to_owned();
    for level in 0..1 + random.below(4) {
        for _ in 0..1 + random.below(2) {
            let rule = match random.below(8) {
                0 => format!(
                    "p{level}(X) :- {} |> do fn:group_by(X), let C = fn:count().",
                    body(random, level)
                ),
                1 => {
                    text.push_str(&format!(
                        "c{level}(X, C) :- {} |> do fn:group_by(X), let C = fn:{}.\n",
                        atom(random, level),
                        random.pick(&["count()", "max(N)", "sum(N)", "min(N)"]),
                    ));
                    format!("p{level}(X) :- c{level}(X, C), C {} 2.", random.pick(&[">=", "<", "="]))
                }
                2 => format!("p{level}(X) :- e(X, Y), p{level}(Y)."),
                _ => format!("p{level}(X) :- {}.", body(random, level)),
            };
            text.push_str(&rule);
            text.push('\n');
        }
    }
    text
}

/// The maximum number of worlds per policy for the naive search.
const MAX_WORLDS: usize = 30_000;

fn worlds(universe: usize, facts: usize) -> usize {
    let (mut all, mut of_size) = (1usize, 1usize);
    for size in 1..=facts {
        of_size = of_size.saturating_mul((universe + 1).saturating_sub(size)) / size;
        all = all.saturating_add(of_size);
    }
    all
}

/// The result of comparing the two searches.
#[derive(Default)]
struct Compared {
    /// The number of compared policies.
    policies: usize,
    found: usize,
    /// The duration of the search for each policy.
    times: Vec<Duration>,
}

/// Compares the two searches on the policies of these seeds.
fn compare(seeds: std::ops::Range<u64>) -> Compared {
    let mut all = Compared::default();
    for seed in seeds {
        let mut random = Random::seeded(seed);
        let text = policy(&mut random);
        let goal = body(&mut random, 4);
        let reading = if random.once_in(2) { Reading::Engine } else { Reading::Intended };
        let question = question(&text, &goal, reading);
        let mut facts = 4;
        let start = Instant::now();
        let mut searched = search(&question, Scope { facts, ..Scope::default() }, &Cancel::new());
        all.times.push(start.elapsed());
        let count = universe(&searched.inputs).len();
        while worlds(count, facts) > MAX_WORLDS {
            facts -= 1;
        }
        let expected = enumerate(&question, &mut searched.base, &searched.inputs.clone(), facts);
        let context = format!("seed {seed}, {reading:?}\n{text}\ngoal() :- {goal}.\n{}", told(&mut searched));
        all.policies += 1;
        match (&searched.outcome, expected) {
            (Outcome::Found { world, is_smallest: true }, Enumerated::Found(size)) => {
                assert_eq!(world.facts.len(), size, "{context}");
                all.found += 1;
            }
            (Outcome::Found { world, .. }, Enumerated::None | Enumerated::Aborts) => {
                assert!(world.facts.len() > facts, "{context}");
            }
            (Outcome::Aborts { .. }, Enumerated::Aborts | Enumerated::None) => {}
            (Outcome::NotInScope | Outcome::Never(_), Enumerated::None) => {}
            (_, expected) => panic!("{expected:?} was expected\n{context}"),
        }
    }
    all
}

#[test]
fn both_searches_agree() {
    let Compared { policies, found, .. } = compare(0..150);
    assert!(policies > 100 && found > 40, "{policies} {found}");
}

#[test]
#[ignore = "takes minutes in a development build"]
fn both_searches_agree_on_many_policies() {
    let count = std::env::var("VERIFY_POLICIES").ok().and_then(|count| count.parse().ok()).unwrap_or(5_000);
    let Compared { policies, found, mut times } = compare(1_000..1_000 + count);
    times.sort();
    let at = |percent: usize| times.get(times.len() * percent / 100).copied().unwrap_or_default();
    println!("{policies} policies compared, {found} with a world; search p50 {:?}, p95 {:?}", at(50), at(95));
}

/// The result for all worlds of some facts.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Enumerated {
    /// The size of the smallest world with the goal.
    Found(usize),
    /// No world has the goal, but the evaluation of a world stops with an error.
    Aborts,
    None,
}

/// Returns all facts of some inputs.
fn universe(inputs: &[Input]) -> Vec<Fact> {
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
fn enumerate(question: &Question, base: &mut Kernel, inputs: &[Input], facts: usize) -> Enumerated {
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
