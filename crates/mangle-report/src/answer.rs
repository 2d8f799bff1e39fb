//! Answer of a program to a query: JSON for `query --format json` and `mangle/query`, and CSV.

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::Value;

use super::{PROGRAM_LOADS, sink};
use mangle_engine::kernel::Reading;

/// The answer of one program in one reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryAnswer {
    pub reading: Reading,
    /// True if the program loads. Otherwise, the answer covers only its readable part.
    pub loads: bool,
    /// The names of the arguments, if cells were requested.
    pub columns: Vec<String>,
    /// The matching facts.
    pub facts: Vec<AnswerFact>,
    /// The number of matching facts beyond the limit.
    pub omitted: usize,
    /// Without matching facts: the failed premise of each rule, if requested. Otherwise empty.
    pub obstacles: String,
    /// Without matching facts: hints about the facts of the predicate, as sentences without
    /// periods.
    pub hints: Vec<String>,
    /// True if the predicate has rules, so that an explanation is possible.
    pub has_rules: bool,
    /// The reason for an incomplete evaluation.
    pub stopped: Option<String>,
    /// Rules that are not evaluated, and lost rows.
    pub lost: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnswerFact {
    pub text: Box<str>,
    /// Requested details. Boxed, because an answer can contain millions of facts without details.
    pub extras: Option<Box<FactDetails>>,
}

/// The details of a fact. Fields that were not requested are empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FactDetails {
    pub cells: Vec<String>,
    /// The proof, if requested.
    pub proof: Option<String>,
    /// Other proofs, if requested.
    pub others: Vec<String>,
    /// The stores of the fact. `None` if the runtime has no stores.
    pub stores: Option<StoresOfFact>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoresOfFact {
    pub names: Vec<&'static str>,
    /// True if no other store exists.
    pub is_all: bool,
}

impl StoresOfFact {
    /// The stores as the end of a line, for example `in store policy`.
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
    #[must_use]
    pub fn proof(&self) -> Option<&str> {
        self.extras.as_ref()?.proof.as_deref()
    }

    /// Other proofs, if requested.
    #[must_use]
    pub fn others(&self) -> &[String] {
        self.extras.as_ref().map_or(&[], |extras| &extras.others)
    }

    #[must_use]
    pub fn stores(&self) -> Option<&StoresOfFact> {
        self.extras.as_ref()?.stores.as_ref()
    }

    #[must_use]
    pub fn cells(&self) -> &[String] {
        self.extras.as_ref().map_or(&[], |extras| &extras.cells)
    }
}

/// The name of a reading in settings, options and JSON.
#[must_use]
pub fn reading_word(reading: Reading) -> &'static str {
    reading.as_str()
}

#[must_use]
pub fn answers_json(answers: &[QueryAnswer]) -> Value {
    serde_json::to_value(answers).unwrap_or_default()
}

/// An object with `reading`, `facts`, `proofs`, `others`, `why_not`, `stopped` and `lost`.
///
/// `program_loads` is present if the program does not load, `stores` if the runtime has stores,
/// `omitted` with facts, and `hints` without facts.
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

/// A list that is serialized without a copy in memory.
struct List<F>(F);

impl<I: Iterator<Item: Serialize>, F: Fn() -> I> Serialize for List<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        (self.0)().try_for_each(|item| list.serialize_element(&item))?;
        list.end()
    }
}

/// Answers as a table: one row for each fact, with the argument names as header. Unless
/// `keeps_formulas`, formulas of spreadsheets and control characters are escaped.
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
