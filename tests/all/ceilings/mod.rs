//! Hostile policies under every command that evaluates, each in a process of its own: it ends by itself, what it
//! writes is bounded, and its memory stays below the ceiling of the command.
//!
//! The ordinary test runs every policy with one command in turn, and some of them in a server. `cargo xtask ceilings` runs everything with everything and prints the table.

mod bombs;
mod child;
use crate::support::client;
mod inputs;
mod policies;
mod session;
use crate::support;

use std::fmt::Write as _;
use std::time::Duration;

use child::Run;
use client::Folder;
use policies::{Hostile, policies, says_limit};

/// Set to run everything with everything.
const ALL: &str = "MANGLE_LS_CEILINGS";

/// A command that evaluates.
struct Measured {
    /// What the table calls it.
    name: &'static str,
    /// Its arguments; `HEAD` stands for the head of the last rule.
    arguments: &'static [&'static str],
    /// How much memory it may have, in megabytes: what [`docs/evaluation.md`] promises.
    ceiling: f64,
    /// How much it may write, in megabytes.
    written: usize,
}

/// The kernel may hold 1 GiB in a command and its answer 128 MiB; a program, its text and its tree are small here.
const COMMANDS: [Measured; 9] = [
    Measured { name: "query --dump", arguments: &["query", "--dump", "."], ceiling: 1400.0, written: 160 },
    Measured {
        name: "query --dump, JSON",
        arguments: &["query", "--dump", "--format", "json", "."],
        ceiling: 1600.0,
        written: 200,
    },
    Measured {
        name: "query, CSV",
        arguments: &["query", "HEAD", "--format", "csv", "."],
        ceiling: 1600.0,
        written: 200,
    },
    Measured {
        name: "query --why",
        arguments: &["query", "HEAD", "--why", "."],
        ceiling: 1600.0,
        written: 200,
    },
    Measured {
        name: "query --why-not",
        arguments: &["query", "HEAD", "--why-not", "--reading", "intended", "."],
        ceiling: 1400.0,
        written: 160,
    },
    Measured { name: "check", arguments: &["check", "."], ceiling: 400.0, written: 16 },
    Measured {
        name: "replay",
        arguments: &["replay", "transcripts/a.json", "--format", "json"],
        ceiling: 1400.0,
        written: 32,
    },
    Measured { name: "test", arguments: &["test", "."], ceiling: 1400.0, written: 32 },
    Measured {
        name: "preview",
        arguments: &["preview", "--shard", "coder-1", "/coder", "--", "policy.mg"],
        ceiling: 1400.0,
        written: 32,
    },
];

/// How much memory a server with one hostile policy may have, in megabytes: 256 MiB for each reading and for a replay.
const SERVER: f64 = 1000.0;

/// How many bytes an answer to an editor may have: a replay with its proofs, or a state.
const SHOWN: usize = 20 << 20;

/// The same with all of them: 1 GiB is kept of evaluations.
const SERVER_WITH_ALL: f64 = 2200.0;

const TRANSCRIPT: &str = r#"{"control_packet": {"intent_classification": {"category": "/query", "verb": "/explain", "target": "x", "constraint": "", "confidence": 0.9},
 "mangle_updates": ["task_status(/t1, /done)."], "memory_operations": [],
 "tool_requests": [{"id": "1", "tool_name": "read_file", "tool_args": {"path": "a.go"}, "purpose": "look"}]},
 "surface_response": "Done."}
"#;

/// The policy with a test, a transcript and a configuration around it.
fn folder(hostile: &Hostile, timeout: Duration) -> Folder {
    let head = head(&hostile.text);
    let settings = format!(
        "[transcripts]\ninclude = [\"transcripts/**\"]\n\n[kernel]\ntimeout_ms = {}\n",
        timeout.as_millis()
    );
    Folder::new(&[
        ("policy.mg", &hostile.text),
        (
            "policy_test.mg",
            &format!(
                "# @test name: none of it\nhostile_fact(1).\n# @forbid {head}\n\n# @test name: some of it\nhostile_fact(2).\n# @expect {head}\n"
            ),
        ),
        ("transcripts/a.json", TRANSCRIPT),
        ("mangle-ls.toml", &settings),
    ])
}

/// The head of the last rule.
fn head(text: &str) -> String {
    let last = text.lines().rfind(|line| line.contains(":-")).or(text.lines().next_back()).unwrap();
    let head = last.split(":-").next().unwrap().split('@').next().unwrap();
    head.trim().trim_end_matches('.').to_owned()
}

fn measure(hostile: &Hostile, measured: &Measured, timeout: Duration) -> Run {
    let (folder, head) = (folder(hostile, timeout), head(&hostile.text));
    let arguments: Vec<&str> =
        measured.arguments.iter().map(|word| if *word == "HEAD" { head.as_str() } else { *word }).collect();
    child::run(&folder.path(), &arguments)
}

/// What is wrong with a run.
fn faults(hostile: &Hostile, measured: &Measured, run: &Run) -> Vec<String> {
    let mut faults = Vec::new();
    let mut fault = |what: String| faults.push(format!("{} / {}: {what}", hostile.name, measured.name));
    if !matches!(run.status, Some(0..=2)) {
        fault(format!("ended with {:?}: {}", run.status, run.complaints));
    }
    if run.peak > measured.ceiling {
        fault(format!("{:.0} MB, more than {:.0}", run.peak, measured.ceiling));
    }
    if run.written > measured.written << 20 {
        fault(format!("wrote {} bytes", run.written));
    }
    let dumps = measured.arguments.contains(&"--dump");
    if dumps && !hostile.said.is_empty() && !says_limit(&run.complaints) {
        fault(format!("says no limit: {}", run.complaints));
    }
    faults
}

#[test]
fn hostile_policies_stay_below_the_ceilings() {
    let is_all = std::env::var_os(ALL).is_some();
    // As it is unless set, and short, so that the ordinary test is.
    let timeout = Duration::from_millis(if is_all { 10_000 } else { 300 });
    let mut wrong = Vec::new();
    println!(
        "| Policy | Command | Status | Time | Peak | Ceiling | Written |\n|---|---|---|---|---|---|---|"
    );
    for (at, hostile) in policies().iter().enumerate() {
        for (other, measured) in COMMANDS.iter().enumerate() {
            if !is_all && other != at % COMMANDS.len() {
                continue;
            }
            let run = measure(hostile, measured, timeout);
            println!("{}", row(hostile, measured, &run));
            wrong.extend(faults(hostile, measured, &run));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn large_and_deep_inputs_stay_below_the_ceilings() {
    let factor = if std::env::var_os(ALL).is_some() { 100 } else { 1 };
    let mut wrong = Vec::new();
    for input in inputs::INPUTS {
        let text = (input.text)(input.size * factor);
        let mut files = vec![("policy.mg", "p(1).\n"), (input.path, text.as_str())];
        if input.path != "mangle-ls.toml" {
            files.push(("mangle-ls.toml", "[transcripts]\ninclude = [\"transcripts/**\"]\n"));
        }
        let folder = Folder::new(&files);
        for command in input.commands {
            let path = if input.path == "mangle-ls.toml" { "." } else { input.path };
            let ceiling = inputs::ceiling(command, text.len());
            let run = child::run(&folder.path(), &[command, path]);
            println!(
                "| {} | `{command}` | {} | {:.1} s | {:.0} MB | {ceiling:.0} MB | {} B |",
                input.name,
                run.status.unwrap_or(-1),
                run.time.as_secs_f64(),
                run.peak,
                run.written
            );
            let ends = matches!(run.status, Some(0..=2));
            if !ends || run.peak > ceiling || run.written > (1 << 20) + 4 * text.len() {
                wrong.push(format!("{} / {command}: {run:?}", input.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn row(hostile: &Hostile, measured: &Measured, run: &Run) -> String {
    let mut row = format!("| {} | `{}` | {} |", hostile.name, measured.name, run.status.unwrap_or(-1));
    let _ = write!(
        row,
        " {:.1} s | {:.0} MB | {:.0} MB | {} B |",
        run.time.as_secs_f64(),
        run.peak,
        measured.ceiling,
        run.written
    );
    row
}

#[test]
fn a_server_stays_below_the_ceiling_with_each() {
    let is_all = std::env::var_os(ALL).is_some();
    let all = policies();
    // Those whose facts or values take most.
    let some = |hostile: &&Hostile| {
        is_all || ["pairs that double", "pairs in 45 rules", "counting"].contains(&hostile.name)
    };
    let mut wrong = Vec::new();
    for hostile in all.iter().filter(some) {
        let (peak, time, shown) = session::one(&folder(hostile, Duration::from_secs(2)), &hostile.text);
        println!(
            "| {} | `serve` | | {:.1} s | {peak:.0} MB | {SERVER:.0} MB | {shown} B |",
            hostile.name,
            time.as_secs_f64()
        );
        if peak > SERVER || shown > SHOWN {
            wrong.push(format!("{}: {peak:.0} MB, shows {shown} bytes", hostile.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_server_stays_below_the_ceiling_with_all_of_them() {
    let is_all = std::env::var_os(ALL).is_some();
    let few = if is_all { usize::MAX } else { 4 };
    let hostile: Vec<Hostile> = policies().into_iter().take(few).collect();
    let (peak, time) = session::all(&hostile);
    println!(
        "| {} policies at once | `serve` | | {:.1} s | {peak:.0} MB | {SERVER_WITH_ALL:.0} MB | |",
        hostile.len(),
        time.as_secs_f64()
    );
    assert!(peak <= SERVER_WITH_ALL, "{peak} MB");
}
