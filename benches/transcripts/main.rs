//! The budget table of transcripts, as ratios within one run, on one core: `cargo bench --bench transcripts`.
//!
//! Needs a checkout of codeNERD in `MANGLE_LS_CORPUS`, whose declarations the updates are held against;
//! `tests/corpora/codenerd.json` names the revision and the files.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

mod gigabyte;
mod replies;
#[path = "../../tests/support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

use mangle_ls::config::{Profile, RuleSettings, TranscriptSettings};
use mangle_ls::envelope::atoms::Declarations;
use mangle_ls::envelope::clean::Recogniser;
use mangle_ls::envelope::json::Json;
use mangle_ls::envelope::runtime::{self, Caps};
use mangle_ls::envelope::{self, Context, Reply};
use mangle_ls::transcript::{Checker, Found, Limits, Options, Reader};
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
    let text = replies::lines(BYTES, &mut 0, &mut Random(5));
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
    let Some(texts) = support::kernel_texts() else { return };
    let program = support::program(&texts);
    let declarations = Declarations::of(&program);
    let settings = TranscriptSettings { profile: Some(Profile::Current), ..TranscriptSettings::default() };
    let rules = RuleSettings::default();
    let context =
        Context { declarations: Some(&declarations), rules: Some(&rules), ..Context::new(&settings) };
    let judged = |line: &&[u8]| envelope::check(&Reply::new(line, &caps), &context).len();
    let mut recogniser = Recogniser::new(context);
    let mut recognised = || {
        let is_clean = |line: &&&[u8]| recogniser.recognise(&Json::parse(line)).is_some();
        lines.iter().filter(is_clean).count()
    };
    println!("{} of {} envelopes are recognised as clean", recognised(), lines.len());
    let clean = fastest(recognised);
    row("the tree, recognised as clean", clean, value);
    let check = fastest(|| lines.iter().map(judged).sum::<usize>());
    row("the reply with its findings", check, value);
    let all = fastest(|| stream(&text, context));
    row("check, fed 64 KiB at a time (budget 0.5)", all, value);
    let found = stream(&text, context);
    println!("{} findings: {:?}", found.len(), counts(&found));
    let spoiled = replies::spoiled(&text);
    let some = fastest(|| stream(&spoiled, context));
    row("check, every tenth with a fault", some, value);
    println!("{:?}", counts(&stream(&spoiled, context)));
    gigabyte::check(&texts);
}

/// What is found in lines that come in pieces.
fn stream(text: &str, context: Context<'_>) -> Vec<Found> {
    let options = Options { name: "session.jsonl".into(), ..Options::default() };
    let (mut reader, mut checker) = (Reader::new(options), Checker::new(context, Limits::default()));
    let mut found = Vec::new();
    for chunk in text.as_bytes().chunks(64 << 10) {
        reader.feed(chunk, &mut |record| checker.record(record, &mut found));
    }
    let summary = reader.finish(&mut |record| checker.record(record, &mut found));
    checker.finish(&summary, &mut found);
    found
}

/// How many findings there are of each rule.
fn counts(found: &[Found]) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for found in found {
        *counts.entry(found.finding.rule.name).or_default() += 1;
    }
    counts
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
