//! What a program answers to a query, for programs: the JSON of `query --format json` and of `mangle/query`.

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::Value;

use super::{PROGRAM_LOADS, sink};
use mangle_engine::kernel::Reading;

/// What one program says in one reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryAnswer {
    pub reading: Reading,
    /// True if the program loads: else the answer is about the readable part of it.
    pub loads: bool,
    /// What the arguments are called, if cells were asked for.
    pub columns: Vec<String>,
    /// The facts that fit.
    pub facts: Vec<AnswerFact>,
    /// How many facts fit besides, for which there is no room.
    pub omitted: usize,
    /// Where there is none: what each rule lacks, if that was asked for. Else empty.
    pub obstacles: String,
    /// Where there is none: what the facts of the predicate have instead, as sentences without full stops.
    pub hints: Vec<String>,
    /// Whether the predicate has rules, of which an explanation could say what they lack.
    pub has_rules: bool,
    /// Why the evaluation ended before it was done.
    pub stopped: Option<String>,
    /// Rules that are not evaluated, and rows that were lost.
    pub lost: Vec<String>,
}

/// A fact, and why it holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnswerFact {
    /// The fact as the engine prints it.
    pub text: Box<str>,
    /// What else was asked for; there may be millions of facts of which nothing else was.
    pub extras: Option<Box<FactDetails>>,
}

/// What is said of a fact besides.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FactDetails {
    /// Its arguments as the cells of a table, if they were asked for.
    pub cells: Vec<String>,
    /// What it follows from, if that was asked for.
    pub proof: Option<String>,
    /// Other ways in which it follows, if they were asked for.
    pub others: Vec<String>,
    /// The stores that have it, in words. `None` if the runtime has no stores.
    pub stores: Option<StoresOfFact>,
}

/// The stores that have a fact.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoresOfFact {
    /// Their names.
    pub names: Vec<&'static str>,
    /// True if no other store exists.
    pub is_all: bool,
}

impl StoresOfFact {
    /// The stores as the end of a line: `in store policy`.
    #[must_use]
    pub fn text(&self) -> String {
        match self.names.as_slice() {
            _ if self.is_all => "in all stores".to_owned(),
            [one] => format!("in store {one}"),
            names => format!("in stores {}", names.join(", ")),
        }
    }
}

impl AnswerFact {
    /// What it follows from, if that was asked for.
    #[must_use]
    pub fn proof(&self) -> Option<&str> {
        self.extras.as_ref()?.proof.as_deref()
    }

    /// Other ways in which it follows, if they were asked for.
    #[must_use]
    pub fn others(&self) -> &[String] {
        self.extras.as_ref().map_or(&[], |extras| &extras.others)
    }

    /// The stores that have it, if the runtime has stores.
    #[must_use]
    pub fn stores(&self) -> Option<&StoresOfFact> {
        self.extras.as_ref()?.stores.as_ref()
    }

    /// Its arguments as the cells of a table, if they were asked for.
    #[must_use]
    pub fn cells(&self) -> &[String] {
        self.extras.as_ref().map_or(&[], |extras| &extras.cells)
    }
}

/// The word for a reading, in settings, options and JSON.
#[must_use]
pub fn reading_word(reading: Reading) -> &'static str {
    reading.as_str()
}

/// Answers as JSON: a list, one object for each program and reading.
#[must_use]
pub fn answers_json(answers: &[QueryAnswer]) -> Value {
    serde_json::to_value(answers).unwrap_or_default()
}

/// An object: `reading`, `program_loads` if the program does not load, `facts`, `proofs`, `others`, `stores` (for each fact the
/// stores that have it) if the runtime has stores, `why_not`, `stopped`, `lost`, `omitted` where facts are, and
/// `hints` where there is no fact.
impl Serialize for QueryAnswer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("reading", reading_word(self.reading))?;
        if !self.loads {
            map.serialize_entry(PROGRAM_LOADS, &false)?;
        }
        map.serialize_entry("facts", &List(|| self.facts.iter().map(|fact| &*fact.text)))?;
        map.serialize_entry("proofs", &List(|| self.facts.iter().filter_map(AnswerFact::proof)))?;
        let others = || self.facts.iter().map(AnswerFact::others).filter(|others| !others.is_empty());
        map.serialize_entry("others", &List(others))?;
        if self.facts.iter().any(|fact| fact.stores().is_some()) {
            let names =
                |fact: &AnswerFact| fact.stores().map(|stores| stores.names.clone()).unwrap_or_default();
            map.serialize_entry("stores", &List(|| self.facts.iter().map(names)))?;
        }
        map.serialize_entry("why_not", &self.obstacles)?;
        map.serialize_entry("stopped", &self.stopped)?;
        map.serialize_entry("lost", &self.lost)?;
        if self.omitted > 0 {
            map.serialize_entry("omitted", &self.omitted)?;
        }
        if !self.hints.is_empty() {
            map.serialize_entry("hints", &self.hints)?;
        }
        map.end()
    }
}

/// A list that is never in memory as a whole.
struct List<F>(F);

impl<I: Iterator<Item: Serialize>, F: Fn() -> I> Serialize for List<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        (self.0)().try_for_each(|item| list.serialize_element(&item))?;
        list.end()
    }
}

/// Answers as one table: a row a fact, below the names of the arguments. Unless `keeps_formulas`, no cell is a formula for
/// a spreadsheet, and what a terminal would obey is shown.
#[must_use]
pub fn answers_csv(answers: &[QueryAnswer], keeps_formulas: bool) -> String {
    let cell = |text: &String| if keeps_formulas { text.clone() } else { sink::csv(text) };
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    let header = answers.first().map(|answer| answer.columns.as_slice());
    let rows = answers.iter().flat_map(|answer| answer.facts.iter().map(AnswerFact::cells));
    // Writing to memory cannot fail.
    header.into_iter().chain(rows).for_each(|row| drop(writer.write_record(row.iter().map(cell))));
    writer.into_inner().ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default()
}
