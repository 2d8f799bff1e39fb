//! The Go engine as a process: programs in as JSON lines, what it makes of them out.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde::Deserialize;

/// A fact: predicate, arguments as the engine prints them, and the ends of its interval. `None` is unbounded.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fact {
    pub predicate: String,
    pub args: Vec<String>,
    pub interval: Option<[End; 2]>,
}

/// An end of an interval: nanoseconds since 1970, nothing if it is unbounded, or a text such as `now`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(untagged)]
pub enum End {
    At(i64),
    Text(String),
    Unbounded(()),
}

pub type Facts = BTreeSet<Fact>;

/// The step at which the engine ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    Parse,
    Analysis,
    Stratification,
    Evaluation,
    Panic,
    Timeout,
    Ok,
}

/// A result of the engine. Its maps have a random order, so several runs can differ.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub stage: Stage,
    pub message: String,
    pub facts: Facts,
    /// The number of runs with this result.
    pub count: usize,
}

#[derive(Deserialize)]
struct Answer {
    id: usize,
    outcomes: Vec<RawOutcome>,
}

#[derive(Deserialize)]
struct RawOutcome {
    stage: Stage,
    #[serde(default)]
    message: String,
    facts: Option<Vec<RawFact>>,
    count: usize,
}

#[derive(Deserialize)]
struct RawFact {
    predicate: String,
    args: Vec<String>,
    interval: Option<[End; 2]>,
}

/// The running engine.
pub struct Engine {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    sent: usize,
}

impl Engine {
    /// Starts a program that speaks the protocol of `tests/engine/README.md`.
    pub fn start(program: &OsStr) -> Self {
        let mut process = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start {}: {error}", program.display()));
        let input = process.stdin.take().unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        Self { process, input, output, sent: 0 }
    }

    /// Evaluates a program several times. Equal results are counted.
    pub fn evaluate(&mut self, files: &[String], now: i64, runs: usize) -> Vec<Outcome> {
        self.sent += 1;
        let request = serde_json::json!({"id": self.sent, "files": files, "now": now, "runs": runs, "fact_limit": FACT_LIMIT});
        writeln!(self.input, "{request}").unwrap();
        self.input.flush().unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        let answer: Answer = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(answer.id, self.sent, "an answer to another program");
        answer.outcomes.into_iter().map(Outcome::from).collect()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // A process that has ended cannot be killed, which is fine.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The number of facts after which the engine gives up.
pub const FACT_LIMIT: usize = 5000;

impl From<RawOutcome> for Outcome {
    fn from(raw: RawOutcome) -> Self {
        let fact = |raw: RawFact| Fact { predicate: raw.predicate, args: raw.args, interval: raw.interval };
        // Rows of aggregations.
        let is_hidden = |fact: &Fact| fact.predicate.ends_with("__tmp");
        let facts = raw.facts.into_iter().flatten().map(fact).filter(|fact| !is_hidden(fact)).collect();
        Self { stage: raw.stage, message: raw.message, facts, count: raw.count }
    }
}
