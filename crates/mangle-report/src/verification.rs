//! Reports of policy verification as text and as JSON: results of properties, and rules and negations
//! without effect in small worlds.

use std::fmt::Write as _;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::sink::line;
use mangle_verify::{Answer, IdleKind, ReadingDifference, Verdict};

#[derive(Debug, Default, Clone, PartialEq, Serialize)]
pub struct VerifyReport {
    /// The properties, sorted by file and line.
    pub properties: Vec<PropertyReport>,
    /// The number of errors that `check` reports for the programs.
    pub program_errors: usize,
    /// The number of properties for each result.
    pub summary: VerifySummary,
}

/// The number of properties for each result.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct VerifySummary {
    /// Properties that a world violates, that no world satisfies, or whose evaluation aborts.
    pub violated: usize,
    /// Properties with the expected result.
    pub holds: usize,
    /// Undecided properties.
    pub not_decided: usize,
    /// Properties that do not depend on facts of a world.
    pub vacuous: usize,
    /// The elapsed time in milliseconds.
    pub elapsed_ms: u64,
}

/// A property with its result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PropertyReport {
    /// The file; empty for a property from the command line.
    pub file: String,
    /// The line of the opening comment, from 1.
    pub line: usize,
    pub name: String,
    /// `never`, `always`, `possible`, `live`, `equivalent` or `implies`.
    pub kind: &'static str,
    /// `engine` or `intended`.
    pub reading: &'static str,
    /// The result.
    #[serde(rename = "answer", serialize_with = "word")]
    pub verdict: Verdict,
    /// The result as a sentence without a period.
    pub message: String,
    /// The number of facts of the world, or the maximum number of facts of the examined worlds.
    pub facts: Option<usize>,
    /// The facts of the world.
    pub world: Option<Vec<String>>,
    /// True if no world with fewer facts has the same result.
    pub smallest: bool,
    /// The result in the other reading.
    pub other_reading: Option<&'static str>,
    /// Facts of the world that only one reading derives, if the other reading has another result.
    pub reading_differences: Vec<ReadingDifferenceReport>,
    /// The reason why no world of any size violates the property.
    pub argument: Option<String>,
    /// The operations of rules that were not tested with all values.
    pub reasons: Vec<String>,
    /// The solver that decided, if any.
    pub solver: Option<&'static str>,
    /// The derivation of the solution.
    pub proof: Option<String>,
    /// The scope of the search.
    pub covered: CoveredReport,
}

/// A fact that only one reading derives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReadingDifferenceReport {
    pub fact: String,
    /// The reading that derives the fact: `engine` or `intended`.
    pub reading: &'static str,
}

impl From<&ReadingDifference> for ReadingDifferenceReport {
    fn from(difference: &ReadingDifference) -> Self {
        Self { fact: difference.fact.clone(), reading: difference.reading.as_str() }
    }
}

/// The scope of a search.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CoveredReport {
    /// The maximum number of facts of a world.
    pub facts: usize,
    /// The values of the arguments of each input.
    pub values: Map<String, Value>,
    /// The number of worlds of these values.
    pub worlds: f64,
    /// The number of restrictions that excluded worlds.
    pub assumptions: usize,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // Signature required by serde.
fn word<S: Serializer>(verdict: &Verdict, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(verdict.as_str())
}

#[derive(Debug, Clone, Copy)]
pub struct PropertyPlace<'p> {
    pub file: &'p str,
    /// The line, from 1.
    pub line: usize,
    pub name: &'p str,
    pub kind: &'static str,
    pub reading: &'static str,
}

impl PropertyReport {
    /// The report of an answer. `proof` is the text of its proof.
    #[must_use]
    pub fn new(place: PropertyPlace<'_>, answer: &Answer, proof: Option<String>) -> Self {
        let facts = match answer.verdict {
            Verdict::HoldsUpTo | Verdict::ImpossibleUpTo => Some(answer.covered.facts),
            _ => answer.world.as_ref().map(Vec::len),
        };
        let values = answer.covered.values.iter().map(|(name, columns)| (name.clone(), json!(columns)));
        Self {
            file: place.file.to_owned(),
            line: place.line,
            name: place.name.to_owned(),
            kind: place.kind,
            reading: place.reading,
            verdict: answer.verdict,
            message: answer.message.clone(),
            facts,
            world: answer.world.clone(),
            smallest: answer.is_smallest,
            other_reading: answer.other_reading.map(Verdict::as_str),
            reading_differences: answer.differences.iter().map(ReadingDifferenceReport::from).collect(),
            argument: answer.argument.clone(),
            reasons: answer.reasons.clone(),
            solver: answer.solver,
            proof,
            covered: CoveredReport {
                facts: answer.covered.facts,
                values: values.collect(),
                worlds: answer.covered.worlds,
                assumptions: answer.covered.assumptions,
            },
        }
    }
}

/// The result of a property in three classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PropertyOutcome {
    /// The expected result.
    Good,
    /// A violation.
    Bad,
    /// Undecided, or the property cannot be checked.
    Open,
}

impl PropertyReport {
    /// The class of the result.
    #[must_use]
    pub fn outcome(&self) -> PropertyOutcome {
        match self.verdict {
            verdict if verdict.is_good() => PropertyOutcome::Good,
            verdict if verdict.is_bad() => PropertyOutcome::Bad,
            _ => PropertyOutcome::Open,
        }
    }

    /// The message without the reasons why it is undecided.
    #[must_use]
    pub fn headline(&self) -> &str {
        match self.reasons.is_empty() {
            true => &self.message,
            false => self.message.split_once(", but").map_or(&self.message, |(found, _)| found),
        }
    }

    /// The world and the proof, as lines of text.
    #[must_use]
    pub fn explanation(&self) -> String {
        let mut out = String::new();
        self.world(&mut out, "");
        self.proof.iter().for_each(|proof| out.push_str(proof));
        out
    }

    /// All information about the property, as a separate document.
    #[must_use]
    pub fn document(&self) -> String {
        let mut out = String::new();
        self.text(&mut out, false);
        out.truncate(out.trim_end().len());
        out.push('\n');
        out
    }

    fn differences(&self, out: &mut String) {
        if !self.reading_differences.is_empty() {
            let _ = writeln!(out, "  what only one reading gives in this world:");
        }
        for ReadingDifferenceReport { fact, reading } in &self.reading_differences {
            let _ = writeln!(out, "    {} (reading `{reading}`)", line(fact));
        }
    }

    fn world(&self, out: &mut String, indent: &str) {
        let Some(world) = &self.world else { return };
        let smallest = if self.smallest { "the smallest world:" } else { "a world:" };
        let _ = writeln!(out, "{indent}{smallest}");
        match world.is_empty() {
            true => _ = writeln!(out, "{indent}  no facts"),
            false => world.iter().for_each(|fact| _ = writeln!(out, "{indent}  {}.", line(fact))),
        }
    }
}

impl VerifyReport {
    pub fn add(&mut self, report: PropertyReport) {
        match report.outcome() {
            PropertyOutcome::Good => self.summary.holds += 1,
            PropertyOutcome::Bad => self.summary.violated += 1,
            PropertyOutcome::Open if report.verdict == Verdict::Vacuous => self.summary.vacuous += 1,
            PropertyOutcome::Open => self.summary.not_decided += 1,
        }
        self.properties.push(report);
    }

    /// Human-readable text. `values` adds the examined values to each answer.
    #[must_use]
    pub fn text(&self, values: bool) -> String {
        let mut out = String::new();
        if self.program_errors > 0 {
            let errors = if self.program_errors == 1 { "error" } else { "errors" };
            let _ = writeln!(
                out,
                "`check` finds {} {errors} in the program; statements that cannot be read or evaluated do not count\n",
                self.program_errors,
            );
        }
        for property in &self.properties {
            property.text(&mut out, values);
        }
        let VerifySummary { holds, violated, not_decided, vacuous, .. } = self.summary;
        let vacuous = if vacuous > 0 { format!(", {vacuous} vacuous") } else { String::new() };
        let _ = writeln!(out, "{holds} as expected, {violated} not, {not_decided} not decided{vacuous}");
        out
    }
}

impl PropertyReport {
    fn text(&self, out: &mut String, values: bool) {
        let place =
            if self.file.is_empty() { String::new() } else { format!("{}:{} ", line(&self.file), self.line) };
        let _ = writeln!(out, "{place}@{} {}", self.kind, line(&self.name));
        let solver = self.solver.map(|solver| format!(", decided with {solver}")).unwrap_or_default();
        let _ = writeln!(out, "  {} (reading `{}`{solver})", line(&self.message), self.reading);
        self.world(out, "  ");
        if let Some(other) = self.other_reading.filter(|other| *other != self.verdict.as_str()) {
            let reading = if self.reading == "engine" { "intended" } else { "engine" };
            let facts = if other.ends_with("up_to") {
                format!(" {} facts", self.covered.facts)
            } else {
                String::new()
            };
            let _ = writeln!(out, "  in the reading `{reading}`: {}{facts}", other.replace('_', " "));
        }
        self.differences(out);
        if let Some(proof) = &self.proof {
            let _ = writeln!(out, "  the proof:");
            proof.lines().for_each(|each| _ = writeln!(out, "    {each}"));
        }
        if self.verdict.as_str().ends_with("up_to") {
            let _ = writeln!(
                out,
                "  looked at {} worlds of the values that can matter",
                rounded(self.covered.worlds)
            );
        }
        if values {
            for (name, columns) in &self.covered.values {
                let _ = writeln!(out, "  values of {name}:");
                for column in columns.as_array().into_iter().flatten() {
                    let listed = column.as_array().into_iter().flatten().filter_map(Value::as_str);
                    let _ = writeln!(out, "    {}", line(&listed.collect::<Vec<_>>().join(", ")));
                }
            }
        }
        out.push('\n');
    }
}

/// A rounded count for large numbers.
fn rounded(count: f64) -> String {
    if count < 1e6 { format!("{count:.0}") } else { format!("about {count:.0e}") }
}

/// The result for the rules of programs.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
pub struct RuleSurveyReport {
    /// The rules and negations without effect, sorted by file and line.
    pub rules: Vec<IdleRuleReport>,
    /// The number of rules for each result.
    pub summary: RuleSurveySummary,
}

/// The number of rules for each result.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RuleSurveySummary {
    pub rules: usize,
    /// Rules and negations without effect.
    pub idle: usize,
    /// Undecided questions.
    pub not_decided: usize,
    /// The elapsed time in milliseconds.
    pub elapsed_ms: u64,
}

/// A rule or negation without effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IdleRuleReport {
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The predicate of the head.
    pub predicate: String,
    /// `never_fires`, `without_effect` or `negation_without_effect`.
    pub kind: &'static str,
    /// The result as a sentence without a period.
    pub message: String,
    /// The maximum number of facts of the examined worlds; `None` for any number.
    pub facts: Option<usize>,
}

impl IdleRuleReport {
    /// The report of a rule at a location.
    #[must_use]
    pub fn new(file: String, line: usize, predicate: String, idle: &IdleKind, facts: Option<usize>) -> Self {
        let worlds = match facts {
            None => "any world".to_owned(),
            Some(1) => "any world of up to 1 fact".to_owned(),
            Some(facts) => format!("any world of up to {facts} facts"),
        };
        let (kind, message) = match idle {
            IdleKind::NeverFires => ("never_fires", format!("the rule does not fire in {worlds}")),
            IdleKind::WithoutEffect => {
                ("without_effect", format!("without the rule, `{predicate}` is the same in {worlds}"))
            }
            IdleKind::Negation(text) => (
                "negation_without_effect",
                format!("without `{}`, `{predicate}` is the same in {worlds}", line_of(text)),
            ),
        };
        Self { file, line, predicate, kind, message, facts }
    }
}

fn line_of(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl RuleSurveyReport {
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        for idle in &self.rules {
            let _ = writeln!(out, "{}:{}: {}", line(&idle.file), idle.line, line(&idle.message));
        }
        let RuleSurveySummary { rules, idle, not_decided, .. } = self.summary;
        let _ =
            writeln!(out, "{rules} rules looked at, {idle} findings, {not_decided} questions not decided");
        out
    }
}
