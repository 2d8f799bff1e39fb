//! Answers to generated questions against an independent oracle.
//!
//! The oracle shares no code with the search: it has its own evaluator (`tests/all/naive`), chooses its own values, and most
//! questions are built around a world that is known to answer them. An answer that this world contradicts fails the test.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs,
    unreachable_pub,
    dead_code
)]

#[path = "../../../../tests/all/naive/mod.rs"]
mod naive;

mod comparison;
mod condition;
mod generate;
mod oracle;
mod pool;
#[path = "../../src/tests/process_solver.rs"]
mod process_solver;
mod product;
mod question;
mod support;

use std::time::{Duration, Instant};

use mangle_verify::{Solver, SolverError, Solvers, Verdict};

use oracle::Oracle;

/// The number of questions in an ordinary run. `VERIFY_QUESTIONS` replaces it.
const QUESTIONS: u64 = 200;

/// The largest share of questions without an answer, in percent, without and with solvers.
const MAX_UNDECIDED: [u64; 2] = [20, 5];

/// The solvers on the path if `VERIFY_SOLVERS` is set.
fn solvers() -> Solvers {
    if std::env::var_os("VERIFY_SOLVERS").is_none() {
        return Solvers::default();
    }
    Solvers::new(["cvc5", "z3"].into_iter().filter_map(process_solver::process).collect())
}

/// The number of answers of each kind.
#[derive(Debug, Default)]
struct Tally {
    with_witness: u64,
    found: u64,
    none: u64,
    aborts: u64,
    undecided: u64,
    times: Vec<Duration>,
}

impl Tally {
    fn total(&self) -> u64 {
        self.found + self.none + self.aborts + self.undecided
    }

    fn percentile(&mut self, percent: usize) -> Duration {
        self.times.sort();
        self.times.get(self.times.len() * percent / 100).copied().unwrap_or_default()
    }
}

#[test]
fn no_answer_is_contradicted_by_a_known_world() {
    let count = std::env::var("VERIFY_QUESTIONS").ok().and_then(|count| count.parse().ok());
    let first: u64 = std::env::var("VERIFY_FIRST").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0);
    let shows_undecided = std::env::var_os("VERIFY_SHOW").is_some();
    let solvers = solvers();
    let mut tally = Tally::default();
    let mut wrong = Vec::new();
    for seed in first..first + count.unwrap_or(QUESTIONS) {
        let question = generate::question(seed);
        let start = Instant::now();
        let answer = product::ask(&question, &solvers);
        tally.times.push(start.elapsed());
        let oracle = Oracle::new(&question);
        tally.with_witness += u64::from(!oracle.worlds.is_empty());
        if let Some(contradiction) = oracle.contradicts(&answer) {
            wrong.push(format!("seed {seed}: {contradiction}\n{}\n{question}", answer.message));
        }
        match answer.verdict {
            Verdict::Violated | Verdict::Possible => tally.found += 1,
            Verdict::Aborts => tally.aborts += 1,
            Verdict::NotDecided => {
                tally.undecided += 1;
                if shows_undecided {
                    println!("seed {seed}: {}\n{question}", answer.message);
                }
            }
            _ => tally.none += 1,
        }
    }
    let (median, high) = (tally.percentile(50), tally.percentile(95));
    println!(
        "{} questions, {} with a known world: {} found, {} without a world, {} abort, {} undecided; p50 {median:?}, p95 {high:?}",
        tally.total(),
        tally.with_witness,
        tally.found,
        tally.none,
        tally.aborts,
        tally.undecided,
    );
    assert!(wrong.is_empty(), "{} wrong answers\n\n{}", wrong.len(), wrong.join("\n\n"));
    assert!(tally.with_witness * 2 > tally.total(), "too few questions have a known world: {tally:?}");
    assert!(tally.none * 20 > tally.total(), "too few questions have no world: {tally:?}");
    let limit = MAX_UNDECIDED[usize::from(!solvers.is_empty())];
    assert!(tally.undecided * 100 <= tally.total() * limit, "too many are undecided: {tally:?}");
}
