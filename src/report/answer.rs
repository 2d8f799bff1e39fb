//! What a program answers to a query, for programs: the JSON of `query --format json` and of `mangle/query`.

use serde_json::{Value, json};

use crate::kernel::Reading;

/// What one program says in one reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The reading.
    pub reading: Reading,
    /// The facts that fit.
    pub facts: Vec<Answered>,
    /// Where there is none: what each rule lacks, if that was asked for. Else empty.
    pub obstacles: String,
    /// Why the evaluation ended before it was done.
    pub stopped: Option<String>,
    /// Rules that are not evaluated, and rows that were lost.
    pub lost: Vec<String>,
}

/// A fact, and why it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// The fact as the engine prints it.
    pub text: String,
    /// What it follows from, if that was asked for.
    pub proof: Option<String>,
}

/// The word for a reading, in settings, options and JSON.
#[must_use]
pub fn reading_word(reading: Reading) -> &'static str {
    match reading {
        Reading::Go => "go",
        Reading::Written => "written",
    }
}

/// Answers as JSON: a list, one object for each program and reading.
#[must_use]
pub fn answers_json(answers: &[Answer]) -> Value {
    answers.iter().map(json_of).collect()
}

fn json_of(answer: &Answer) -> Value {
    json!({
        "reading": reading_word(answer.reading),
        "facts": answer.facts.iter().map(|fact| &fact.text).collect::<Vec<_>>(),
        "proofs": answer.facts.iter().filter_map(|fact| fact.proof.as_ref()).collect::<Vec<_>>(),
        "why_not": answer.obstacles,
        "stopped": answer.stopped,
        "lost": answer.lost,
    })
}
