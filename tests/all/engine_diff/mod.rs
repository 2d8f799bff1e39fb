//! The checks and the kernel against the Go engine, on generated programs.
//!
//! The engine is a program that speaks the protocol of `tests/engine/README.md`; `cargo xtask engine-diff` names it.
//! What the two disagree on is explained by the table of known differences, or an error.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout, missing_docs, unreachable_pub)]

mod compare;
mod engine;
mod generate;
mod known;
mod ours;

use std::collections::BTreeMap;

use compare::{Comparison, compare};
use engine::Engine;

/// 2026-01-31T12:00:00Z
const NOW: i64 = 1_769_860_800_000_000_000;

/// The number of runs of each program by the engine, whose maps have a random order.
const RUNS: usize = 6;

#[test]
#[ignore = "needs the Go engine: `cargo xtask engine-diff` runs it"]
fn generated_programs_agree_with_the_engine() {
    let program = std::env::var_os("MANGLE_LS_ENGINE").expect("set MANGLE_LS_ENGINE to the program");
    let number = |name: &str, default: u64| {
        std::env::var(name)
            .map_or(default, |text| text.parse().unwrap_or_else(|error| panic!("{name}: {error}")))
    };
    let (first, count) = (number("MANGLE_LS_SEED", 0), number("MANGLE_LS_PROGRAMS", 3000));
    let report = run(&mut Engine::start(&program), first, count);
    println!("{}", report.counts());
    assert!(report.unexplained.is_empty(), "{}", report.unexplained.join("\n\n"));
}

/// What a series of programs showed.
#[derive(Default)]
pub struct Report {
    /// The number of programs by what the comparison gave.
    counted: BTreeMap<String, usize>,
    unexplained: Vec<String>,
}

/// The number of unexplained differences that end a series.
const MOST_UNEXPLAINED: usize = 40;

pub fn run(engine: &mut Engine, first: u64, count: u64) -> Report {
    let mut report = Report::default();
    for seed in first..first + count {
        let program = generate::program(seed);
        let outcomes = engine.evaluate(&program.files, NOW, RUNS);
        let ours = ours::Ours::new(&program.files, NOW);
        let key = match compare(&program.files, &outcomes, &ours) {
            Comparison::Same => format!("{}: agree", program.kind),
            Comparison::Rejected => format!("{}: both reject", program.kind),
            Comparison::Aborts => format!("{}: both abort", program.kind),
            Comparison::Known(name) => format!("known: {name}"),
            Comparison::Different(text) => {
                let files = program.files.join("\n#----\n");
                report.unexplained.push(format!("seed {seed}, {}: {text}\n{files}", program.kind));
                "unexplained".to_owned()
            }
        };
        *report.counted.entry(key).or_default() += 1;
        if report.unexplained.len() == MOST_UNEXPLAINED {
            break;
        }
    }
    report
}

impl Report {
    /// A line for each result.
    pub fn counts(&self) -> String {
        self.counted.iter().map(|(key, count)| format!("{count:>7} {key}\n")).collect()
    }
}
