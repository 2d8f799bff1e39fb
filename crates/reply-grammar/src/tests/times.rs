//! Benchmark of llguidance with grammars of many predicates: `cargo test --release -p reply-grammar
//! -- --ignored --nocapture times`.

use std::time::{Duration, Instant};

use mangle_settings::Profile;

use crate::target::Dialect;
use crate::testing::{Engine, Random, Setup, declarations, written};

/// Typical bounds of predicates, used in turn.
const BOUNDS: [&str; 6] = [
    "A, B) bound [/string, /name]",
    "A) bound [/name]",
    "A, B, C) bound [/name, /string, /number]",
    "A, B) bound [/number, /number]",
    "A, B, C, D) bound [/string, /string, /name, /number]",
    "A)",
];

/// The number of envelopes per measurement.
const ENVELOPES: u64 = 5;

#[test]
#[ignore = "measures, and is meant for release builds"]
#[expect(clippy::print_stdout, reason = "what it is for")]
fn times() {
    for count in [2, 100, 1_454] {
        let bounds = BOUNDS.iter().cycle().take(count).enumerate();
        let policy: String = bounds.map(|(at, bounds)| format!("Decl predicate_{at}({bounds}.\n")).collect();
        let mut setup = Setup::new(Profile::Current);
        setup.decoding.max_predicates = count;
        let set = setup.set(&declarations(&policy));
        for (target, dialect) in [("lark", Dialect::Raw), ("json-schema", Dialect::Decoded)] {
            let text = written(target, dialect, &set).text;
            let start =
                |text: &str| if target == "lark" { Engine::of_lark(text) } else { Engine::of_schema(text) };
            start(&text);
            let begin = Instant::now();
            let mut engine = start(&text);
            let started = begin.elapsed();
            let (mut time, mut masks) = (Duration::ZERO, 0);
            for seed in 1..=ENVELOPES {
                engine.random(&mut Random::new(seed));
                let (more, count) = engine.take_times();
                time += more;
                masks += count;
            }
            println!(
                "{count} predicates, {target}: {} KB, start {:.1} ms, mean mask {:.0} µs of {masks}",
                text.len() / 1_000,
                started.as_secs_f64() * 1e3,
                time.as_secs_f64() * 1e6 / f64::from(masks)
            );
        }
    }
}
