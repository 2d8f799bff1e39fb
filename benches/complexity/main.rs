//! How time grows with the length of each construct, as a ratio within one run: `cargo bench --bench complexity [NAME]`.
//!
//! `tests/complexity/main.rs` counts allocations and sees no loop that allocates nothing. Here twice the parts take about twice
//! the time; a ratio above 3 is marked.

#![allow(missing_docs, clippy::print_stdout)]

#[path = "../../tests/all/support/constructs.rs"]
mod constructs;
#[path = "../../tests/all/support/reading.rs"]
mod reading;

use std::time::{Duration, Instant};

use constructs::{CONSTRUCTS, Construct};

/// The allocator of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How many parts the smaller text of each construct has.
const PARTS: usize = 10_000;

/// How often each is read; the fastest counts.
const ROUNDS: usize = 3;

fn main() {
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let is_wanted =
        |one: &&Construct| wanted.is_empty() || wanted.iter().any(|name| one.name.contains(name.as_str()));
    for construct in CONSTRUCTS.iter().filter(is_wanted) {
        let [small, large] = [PARTS, 2 * PARTS].map(|count| fastest(construct, count));
        let ratio = large.as_secs_f64() / small.as_secs_f64().max(1e-6);
        let mark = if ratio > 3.0 && large > Duration::from_millis(50) { " <" } else { "" };
        println!(
            "{:45} {:>9.1} ms {:>9.1} ms {ratio:>6.2}{mark}",
            construct.name,
            millis(small),
            millis(large)
        );
    }
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

fn fastest(construct: &Construct, count: usize) -> Duration {
    let text = (construct.text)(count);
    let time = || {
        let start = Instant::now();
        reading::check(construct.read, &text);
        start.elapsed()
    };
    (0..ROUNDS).map(|_| time()).min().unwrap_or_default()
}
