//! What a program answers to a query, for programs: the JSON of `query --format json` and of `mangle/query`.

use serde_json::{Value, json};

use super::sink;
use crate::kernel::Reading;

/// What one program says in one reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The reading.
    pub reading: Reading,
    /// What the arguments are called, if cells were asked for.
    pub columns: Vec<String>,
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
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answered {
    /// The fact as the engine prints it.
    pub text: String,
    /// Its arguments as the cells of a table, if they were asked for.
    pub cells: Vec<String>,
    /// What it follows from, if that was asked for.
    pub proof: Option<String>,
    /// Other ways in which it follows, if they were asked for.
    pub others: Vec<String>,
}

/// The word for a reading, in settings, options and JSON.
#[must_use]
pub fn reading_word(reading: Reading) -> &'static str {
    reading.as_str()
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
        "others": answer.facts.iter().map(|fact| &fact.others).filter(|others| !others.is_empty()).collect::<Vec<_>>(),
        "why_not": answer.obstacles,
        "stopped": answer.stopped,
        "lost": answer.lost,
    })
}

/// Answers as one table: a row a fact, below the names of the arguments. Unless `keeps_formulas`, no cell is a formula for
/// a spreadsheet, and what a terminal would obey is shown.
#[must_use]
pub fn answers_csv(answers: &[Answer], keeps_formulas: bool) -> String {
    let cell = |text: &String| if keeps_formulas { text.clone() } else { sink::csv(text) };
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    let header = answers.first().map(|answer| &answer.columns);
    let rows = answers.iter().flat_map(|answer| answer.facts.iter().map(|fact| &fact.cells));
    // Writing to memory cannot fail.
    header.into_iter().chain(rows).for_each(|row| drop(writer.write_record(row.iter().map(cell))));
    writer.into_inner().ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default()
}
