//! The work for a text grows with its length, not with its square: every construct of policies, configurations and
//! transcripts is checked with so many parts and with twice as many.
//!
//! Work is counted in allocations and in allocated bytes, which do not depend on the machine. Loops that allocate nothing
//! are not seen here; `cargo bench --bench complexity` measures time.

#![allow(clippy::unwrap_used, missing_docs)]

#[path = "../all/support/constructs.rs"]
mod constructs;
#[path = "../all/support/reading.rs"]
mod reading;

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

use constructs::{CONSTRUCTS, Construct, Read};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

/// How many parts the smaller text of each construct has.
const PARTS: usize = 200;

/// How much more work twice as many parts may be.
const MOST: f64 = 2.5;

/// What is not counted: it is the same for texts of all sizes.
const CONSTANT: f64 = 1_000_000.0;

/// Constructs whose parts nest. No more than 500 levels are read, so what is allocated for them in all, each piece for a moment,
/// has a bound in bytes although it grows with the square of the levels.
const NESTED: [(&str, f64); 1] = [("open brackets", 128e6)];

/// Allocations, and bytes.
fn work(construct: &Construct, count: usize) -> [f64; 2] {
    let text = (construct.text)(count);
    let region = Region::new(ALLOCATOR);
    reading::check(construct.read, &text);
    let stats = region.change();
    let bytes = stats.bytes_allocated as f64 + stats.bytes_reallocated.max(0) as f64;
    [(stats.allocations + stats.reallocations) as f64, bytes]
}

/// What grows too fast.
fn steep(read: Read) -> Vec<String> {
    let of_kind: Vec<_> = CONSTRUCTS.iter().filter(|construct| construct.read == read).collect();
    assert!(of_kind.len() > 10, "{read:?} has only {}", of_kind.len());
    let mut steep = Vec::new();
    for construct in of_kind {
        // What is made once for all texts.
        work(construct, 8);
        let [small, large] = [PARTS, 2 * PARTS].map(|count| work(construct, count));
        for (what, at, constant) in [("allocations", 0, CONSTANT / 100.0), ("bytes", 1, CONSTANT)] {
            let ratio = (large[at] + constant) / (small[at] + constant);
            let is_bounded = |(name, most): &(&str, f64)| *name == construct.name && large[1] <= *most;
            if ratio > MOST && !(what == "bytes" && NESTED.iter().any(is_bounded)) {
                steep.push(format!(
                    "{}: {ratio:.2} times as many {what} ({} → {})",
                    construct.name, small[at], large[at]
                ));
            }
        }
    }
    steep
}

/// Quadratic copying is seen, or the test could not fail.
fn assert_that_copies_are_counted() {
    let region = Region::new(ALLOCATOR);
    let copies: Vec<String> = (0..100).map(|len| "a".repeat(len)).collect();
    assert!(region.change().bytes_allocated >= copies.iter().map(String::len).sum());
}

#[test]
fn twice_the_parts_are_twice_the_work() {
    // One after the other: the counter is for the whole process.
    assert_that_copies_are_counted();
    let all: Vec<_> =
        [Read::Policy, Read::Configuration, Read::Transcript].into_iter().flat_map(steep).collect();
    assert!(all.is_empty(), "{} constructs:\n{}", all.len(), all.join("\n"));
}
