//! How fast the kernel is, as ratios within one run: `cargo bench --bench kernel -- [reachability|layers|codenerd|stops]`.
//!
//! Reachability over random graphs against `ascent`, which compiles the same rules to Rust. codeNERD needs a checkout in
//! `MANGLE_LS_CORPUS`, and for the comparison with the engine a program in `MANGLE_LS_ENGINE` (see `codenerd.rs`).

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod codenerd;
mod layers;
mod reachability;
mod stops;
#[path = "../../tests/all/support/mod.rs"]
mod support;

use std::time::{Duration, Instant};

fn main() {
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let parts: [(&str, fn()); 4] = [
        ("reachability", reachability::measure),
        ("layers", layers::measure),
        ("codenerd", codenerd::measure),
        ("stops", stops::measure),
    ];
    for (name, measure) in parts {
        if wanted.is_empty() || wanted.iter().any(|one| name.starts_with(one.as_str())) {
            measure();
        }
    }
}

/// The fastest of some runs, since noise only ever adds.
pub(crate) fn fastest<T>(runs: u32, mut work: impl FnMut() -> T) -> Duration {
    let run = |_| {
        let (start, busy) = (Instant::now(), busy());
        std::hint::black_box(work());
        let elapsed = start.elapsed();
        // During what is long others have the processor for a while; what is short is not told exactly.
        let alone = busy.zip(self::busy()).map(|(before, after)| after.saturating_sub(before));
        alone.filter(|_| elapsed > LONG).map_or(elapsed, |alone| alone.min(elapsed))
    };
    (0..runs).map(run).min().unwrap()
}

/// Longer than the system lets one run while others wait.
const LONG: Duration = Duration::from_millis(50);

/// How long this thread has been running, where the system says so.
fn busy() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(text.split(' ').next()?.parse().ok()?))
}

pub(crate) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
