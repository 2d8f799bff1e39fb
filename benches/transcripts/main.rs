//! The budget table of transcripts, as ratios within one run, on one core: `cargo bench --bench transcripts`.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

mod replies;
#[path = "../../tests/support/mod.rs"]
mod support;

use std::hint::black_box;
use std::time::{Duration, Instant};

use mangle_ls::envelope::Reply;
use mangle_ls::envelope::json::Json;
use mangle_ls::envelope::runtime::{self, Caps};
use serde_json::Value;
use support::Random;

/// The allocator of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How much is read in one run, in bytes.
const BYTES: usize = 16 << 20;

/// Runs of each measurement. The fastest counts, since noise only ever adds.
const RUNS: usize = 9;

fn main() {
    let text = replies::lines(BYTES, &mut Random(5));
    let lines: Vec<&[u8]> = text.lines().map(str::as_bytes).collect();
    let caps = Caps::default();
    println!("{} envelopes, {} bytes", lines.len(), text.len());
    let value = fastest(|| lines.iter().filter(|line| serde_json::from_slice::<Value>(line).is_ok()).count());
    row("serde_json::from_slice::<Value>", value, value);
    let tree = fastest(|| lines.iter().filter(|line| Json::parse(line).problems.is_empty()).count());
    row("the tree that keeps everything", tree, value);
    let read = fastest(|| lines.iter().filter(|line| runtime::read(line, &caps).is_ok()).count());
    row("what the runtime reads", read, value);
    let reply = fastest(|| lines.iter().filter(|line| Reply::new(line, &caps).picked.is_some()).count());
    row("the reply", reply, value);
}

fn row(what: &str, time: Duration, value: Duration) {
    let speed = value.as_secs_f64() / time.as_secs_f64();
    println!("{what:<40} {:>8.1} ms {speed:>6.2} x as fast", time.as_secs_f64() * 1e3);
}

fn fastest<T>(mut work: impl FnMut() -> T) -> Duration {
    let once = |_| {
        let start = Instant::now();
        black_box(work());
        start.elapsed()
    };
    (0..RUNS).map(once).min().unwrap()
}
