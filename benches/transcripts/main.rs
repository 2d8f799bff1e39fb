//! The budget table of transcripts, as ratios within one run, on one core: `cargo bench --bench transcripts`.
//!
//! The first table is about chat logs (`chat`): the check of a log, at the speed of `serde_json` decoding each line and the
//! envelope in it. The second is about many sessions in memory, the third about the parts of a check of envelopes, one a line. With a checkout of codeNERD in
//! `MANGLE_LS_CORPUS` the updates of the third are held against its declarations, and a gigabyte is read;
//! `tests/corpora/codenerd.json` names the revision and the files. `-- conversation` shows a gigabyte as a conversation
//! and does nothing else.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

mod chat;
mod conversation;
mod fleet;
mod gigabyte;
mod replies;
mod rounds;
#[path = "../../tests/all/support/mod.rs"]
mod support;

use std::collections::BTreeMap;

use mangle_settings::{Profile, RuleSettings, Strictness, TranscriptSettings};
use piggyback::envelope::atoms::Declarations;
use piggyback::envelope::clean::Recogniser;
use piggyback::envelope::json::Json;
use piggyback::envelope::runtime::{self, Caps};
use piggyback::envelope::{self, Reply, ReplyContext};
use piggyback::transcript::{Checker, Limits, TranscriptFinding, TranscriptOptions, TranscriptReader};
use rounds::Rounds;
use serde_json::Value;
use support::Random;

/// The allocator of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How much is read in one run, in bytes.
const BYTES: usize = 8 << 20;

fn main() {
    if std::env::args().any(|argument| argument == "conversation") {
        return conversation::measure();
    }
    chat_logs();
    fleet::check(BYTES);
    envelopes();
}

/// What a check of a chat log costs beside decoding it.
fn chat_logs() {
    let clean = chat::lines(BYTES, &mut 0, &mut Random(5), false);
    let spoiled = chat::lines(BYTES, &mut 0, &mut Random(5), true);
    println!("chat log of {} bytes", clean.len());
    let program = support::program(&[chat::SCHEMAS]);
    let declarations = Declarations::from_program(&program);
    let usual = TranscriptSettings { profile: Some(Profile::Current), ..TranscriptSettings::default() };
    let strict = TranscriptSettings { strict: Strictness::Schema, ..usual.clone() };
    let rules = RuleSettings::default();
    let by = |settings| ReplyContext {
        declarations: Some(&declarations),
        rules: Some(&rules),
        ..ReplyContext::new(settings)
    };
    let mut rounds = Rounds::default();
    rounds.add("serde_json::Value, both levels", || chat::decode(&clean));
    rounds.add("check, clean (budget 1.0)", || stream(&clean, by(&usual)).len());
    rounds.add("one finding a reply (budget 1.0)", || stream(&clean, by(&strict)).len());
    rounds.add("every tenth at fault (budget 1.0)", || stream(&spoiled, by(&usual)).len());
    rounds.run();
    for (text, settings) in [(&clean, &usual), (&clean, &strict), (&spoiled, &usual)] {
        println!("{:?}", counts(&stream(text, by(settings))));
    }
}

/// What the parts of a check of envelopes cost, one a line.
fn envelopes() {
    let text = replies::lines(BYTES, &mut 0, &mut Random(5));
    let spoiled = replies::spoiled(&text);
    let lines: Vec<&[u8]> = text.lines().map(str::as_bytes).collect();
    let caps = Caps::default();
    println!("{} envelopes, {} bytes", lines.len(), text.len());
    let texts = support::kernel_texts();
    let program = support::program(texts.as_deref().unwrap_or(&[]));
    let declarations = Declarations::from_program(&program);
    let settings = TranscriptSettings { profile: Some(Profile::Current), ..TranscriptSettings::default() };
    let rules = RuleSettings::default();
    let context = ReplyContext {
        declarations: Some(&declarations),
        rules: Some(&rules),
        ..ReplyContext::new(&settings)
    };
    let mut recogniser = Recogniser::new(context);
    let mut is_clean = |line: &&[u8]| recogniser.recognise(&Json::parse(line)).is_some();
    println!("{} of them are recognised as clean", lines.iter().copied().filter(&mut is_clean).count());
    let judged = |line: &&[u8]| envelope::check(&Reply::new(line, &caps), &context).len();
    let count = |is: &mut dyn FnMut(&[u8]) -> bool| lines.iter().filter(|line| is(line)).count();
    let mut rounds = Rounds::default();
    rounds.add("serde_json::from_slice::<Value>", || {
        count(&mut |line| serde_json::from_slice::<Value>(line).is_ok())
    });
    rounds.add("the tree that keeps everything", || count(&mut |line| Json::parse(line).problems.is_empty()));
    rounds.add("the tree, recognised as clean", || lines.iter().copied().filter(&mut is_clean).count());
    rounds.add("what the runtime reads", || count(&mut |line| runtime::read(line, &caps).is_ok()));
    rounds.add("the reply", || count(&mut |line| Reply::new(line, &caps).accepted.is_some()));
    rounds.add("the reply with its findings", || lines.iter().map(judged).sum::<usize>());
    rounds.add("check, fed 64 KiB at a time (budget 0.5)", || stream(&text, context).len());
    rounds.add("check, every tenth with a fault", || stream(&spoiled, context).len());
    rounds.run();
    println!("{:?}", counts(&stream(&text, context)));
    println!("{:?}", counts(&stream(&spoiled, context)));
    if let Some(texts) = texts {
        gigabyte::check(&texts);
    }
}

/// What is found in lines that come in pieces.
fn stream(text: &str, context: ReplyContext<'_>) -> Vec<TranscriptFinding> {
    let options = TranscriptOptions { name: "session.jsonl".into(), ..TranscriptOptions::default() };
    let (mut reader, mut checker) =
        (TranscriptReader::new(options), Checker::new(context, Limits::default()));
    let mut found = Vec::new();
    for chunk in text.as_bytes().chunks(64 << 10) {
        reader.feed(chunk, &mut |record| checker.record(record, &mut found));
    }
    let summary = reader.finish(&mut |record| checker.record(record, &mut found));
    checker.finish(&summary, &mut found);
    found
}

/// How many findings there are of each rule.
fn counts(found: &[TranscriptFinding]) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for found in found {
        *counts.entry(found.finding.rule.name).or_default() += 1;
    }
    counts
}
