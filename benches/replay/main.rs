//! The budget of a replay: 1,000 turns with 2,000 requests on codeNERD's policies (budget 2 s): `cargo bench --bench replay`.
//!
//! Needs a checkout of codeNERD in `MANGLE_LS_CORPUS`; `tests/corpora/codenerd.json` names the revision and the files.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

#[path = "../../tests/all/support/mod.rs"]
mod support;

use std::sync::Arc;
use std::time::{Duration, Instant};

use agent_replay::{Constitution, ConstitutionConfig, Event, Prefill, Replay, ReplayOptions};
use mangle_engine::kernel::{Clock, Limits, Reading};
use mangle_report::replay::{TurnPlaces, TurnReport, turn};
use mangle_settings::{ReplaySettings, TranscriptSettings};
use mangle_syntax::text::Cancel;
use piggyback::transcript::{self, Record, TranscriptReader};
use serde_json::json;

/// The allocator of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Runs of each measurement. The fastest counts, since noise only ever adds.
const RUNS: usize = 3;

const CLOCK: Clock = Clock { now_ns: 0 };

fn main() {
    let Some(texts) = support::kernel_texts() else { return };
    let program = Arc::new(support::program(&texts));
    let begin = || {
        let basis = ConstitutionConfig {
            program: Arc::clone(&program),
            reading: Reading::Engine,
            settings: ReplaySettings::default(),
            limits: Limits::default(),
            clock: CLOCK,
        };
        Constitution::new(basis, &Cancel::new())
    };
    let start = Instant::now();
    let constitution = begin();
    println!("compiled and evaluated once {:>24.1} ms", milliseconds(start.elapsed()));
    for turns in [250, 500, 1_000, 2_000] {
        let text = session(turns);
        let best = (0..RUNS).map(|_| replay(&constitution, &text)).min_by_key(|(time, ..)| *time).unwrap();
        let (time, permitted, denied) = best;
        let (all, each) = (milliseconds(time), milliseconds(time) / turns as f64);
        let budget = if turns == 1_000 { " (budget 2000)" } else { "" };
        println!(
            "{turns:>6} turns {all:>38.1} ms, {each:.3} ms a turn: {permitted} permitted, {denied} denied{budget}"
        );
    }
}

/// Replays a session with its proofs, as the command does it.
fn replay(constitution: &Constitution, text: &str) -> (Duration, usize, usize) {
    let start = Instant::now();
    let (settings, runtime) = (TranscriptSettings::default(), transcript::Limits::default());
    let (prefill, cancel) = (Prefill::default(), Cancel::new());
    let options = ReplayOptions {
        transcript: &settings,
        runtime: &runtime,
        clock: CLOCK,
        abduce: false,
        show_permits: false,
        coverage: false,
        until: None,
        end: None,
        prefill: &prefill,
        cancel: &cancel,
    };
    let mut session = Replay::new(constitution, options);
    let mut reports: Vec<TurnReport> = Vec::new();
    let mut reader = TranscriptReader::new(transcript::TranscriptOptions {
        name: "session.jsonl".into(),
        ..Default::default()
    });
    let mut each = |record: &Record<'_>| {
        session.record(record, &mut |session, event| {
            if let Event::Turn(one) = event {
                assert_eq!(one.stopped, None);
                let rule =
                    |rule| constitution.place(rule).map(|(file, at)| format!("{}:{}", file.0, u32::from(at)));
                let origin = |fact: &str| session.origin(fact);
                let places =
                    TurnPlaces { file: "session.jsonl", line: 1, start: 0, rule: &rule, origin: &origin };
                reports.push(turn(&one, &places));
            }
        });
    };
    reader.feed(text.as_bytes(), &mut each);
    reader.finish(&mut each);
    let verdicts = || reports.iter().flat_map(|turn| &turn.verdicts);
    let permitted = verdicts().filter(|verdict| verdict.is_permitted()).count();
    (start.elapsed(), permitted, verdicts().count() - permitted)
}

/// A session of an invented agent: what it finds, what it asks for, a minute after the other.
fn session(turns: usize) -> String {
    let mut text = String::new();
    for at in 0..turns {
        let file = format!("src/f{}.go", at % 97);
        let updates = [
            format!("task_status(\"t{at}\", /running)."),
            format!("diagnostic(/warning, \"{file}\", {at}, \"W{at}\", \"unused\")."),
            format!("modified(\"{file}\")."),
        ];
        let danger = if at % 5 == 0 { "sudo make install" } else { "go test ./..." };
        let requests = json!([
            {"id": format!("r{at}a"), "tool_name": "read_file", "tool_args": {"path": file}},
            {"id": format!("r{at}b"), "tool_name": "run_command", "tool_args": {"command": danger, "at": at}},
        ]);
        let envelope = json!({
            "control_packet": {"mangle_updates": updates, "memory_operations": [], "tool_requests": requests},
            "surface_response": format!("I am looking at {file}."),
        });
        let time = format!("2026-03-{:02}T{:02}:{:02}:00Z", 1 + at / 1440, at / 60 % 24, at % 60);
        let record = json!({"timestamp": time, "role": "assistant", "content": envelope.to_string()});
        text.push_str(&format!("{record}\n"));
    }
    text
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
