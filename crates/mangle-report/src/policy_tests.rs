//! Report of policy tests: text, JSON (also for `mangle/test`) and JUnit XML.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::Serialize;
use serde_json::Value;

use super::junit::{ERROR, FAILURE, JunitCase, JunitProblem, JunitSuite, document};
use super::sink::{line, xml, xml_line};
use super::verification::{PropertyOutcome, PropertyReport, VerifyReport};
use super::{LoadErrors, PROGRAM_LOADS, proof};
use mangle_check::policy_test::{CaseOutcome, CaseResult, ExpectationFailure, FailureKind, RuleKey, Suite};
use mangle_engine::kernel::RuleId;
use mangle_syntax::text::TextSize;

/// The maximum number of listed rules that never fired.
const UNFIRED: usize = 1000;

/// The executed tests.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
pub struct TestReport {
    /// One suite for each test file, sorted by name.
    pub suites: Vec<SuiteReport>,
    /// The number of cases for each outcome.
    pub summary: TestSummary,
    /// Rule coverage, if requested.
    pub coverage: Option<CoverageReport>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TestSummary {
    /// Test files with an executed case.
    pub files: usize,
    /// Cases with all expectations met.
    pub passed: usize,
    /// Cases with an unmet expectation.
    pub failed: usize,
    /// Cases that could not be completed, and files without cases.
    pub errors: usize,
}

/// The cases of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SuiteReport {
    /// The display name of the file.
    pub file: String,
    pub reading: &'static str,
    /// The reason why the file has no executed case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<&'static str>,
    /// The cases in file order.
    pub cases: Vec<CaseReport>,
    /// The errors that prevent the program of the cases from loading.
    #[serde(skip)]
    pub load_errors: LoadErrors,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CaseReport {
    /// `case` or `property`.
    pub kind: &'static str,
    pub name: String,
    /// The line of the opening comment, from 1.
    pub line: usize,
    /// `passed`, `failed` or `error`.
    pub outcome: &'static str,
    /// The reason for an error, or the result of a passed property.
    pub message: Option<String>,
    /// The line of an error.
    #[serde(skip)]
    pub message_line: usize,
    /// The unmet expectations.
    pub failures: Vec<FailureReport>,
}

/// An unmet expectation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FailureReport {
    /// The line of the expectation, from 1.
    pub line: usize,
    pub expectation: String,
    /// The problem as a sentence.
    pub message: String,
    /// A proof, or the failed premise of each rule, as lines of text.
    pub explanation: String,
}

/// Rule coverage over all cases.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CoverageReport {
    pub rules: usize,
    /// The number of rules that fired.
    pub fired: usize,
    /// The percentage of rules that fired, rounded down.
    pub percent: usize,
    /// The required percentage, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required: Option<u8>,
    /// The rules that never fired, sorted by location.
    pub unfired: Vec<UnfiredRule>,
}

/// A rule that fired in no case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct UnfiredRule {
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The predicate of the head, for example `open/1`.
    pub predicate: String,
    /// The head on one line, truncated.
    pub head: String,
}

/// Formats locations for test reports.
#[derive(Clone, Copy)]
pub struct TestPlaces<'a> {
    /// The display name of the test file.
    pub file: &'a str,
    /// Returns the line of an offset in the test file, from 1.
    pub line: &'a dyn Fn(TextSize) -> usize,
    /// Returns the location of a clause, for example `policy.mg:12`.
    pub clause: &'a dyn Fn(RuleKey) -> String,
}

impl std::fmt::Debug for TestPlaces<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TestPlaces").field("file", &self.file).finish_non_exhaustive()
    }
}

impl SuiteReport {
    /// The outcomes of the cases and properties of a file.
    #[must_use]
    pub fn new(suite: &Suite, properties: &[PropertyReport], places: TestPlaces<'_>) -> Self {
        let cases = suite.cases.iter().map(|case| CaseReport::new(case, suite, places));
        let mut cases: Vec<CaseReport> =
            cases.chain(properties.iter().map(CaseReport::of_property)).collect();
        cases.sort_by_key(|case| case.line);
        let (file, reading) = (places.file.to_owned(), suite.compiled.reading.as_str());
        Self { file, reading, message: None, cases, load_errors: LoadErrors::default() }
    }

    /// Adds a property that could not be checked.
    pub fn add_unchecked(&mut self, name: &str, line: usize, why: &str) {
        self.cases.push(CaseReport {
            kind: "property",
            name: name.to_owned(),
            line,
            outcome: "error",
            message: Some(why.to_owned()),
            message_line: line,
            failures: Vec::new(),
        });
        self.cases.sort_by_key(|case| case.line);
    }

    /// The same report for a file without cases.
    #[must_use]
    pub fn without_cases(mut self) -> Self {
        self.message = Some("the file has no case; a case begins with `# @test name: …`");
        self
    }
}

impl VerifyReport {
    /// JUnit XML with one case for each property.
    #[must_use]
    pub fn junit(&self, mark: &LoadErrors) -> String {
        let mut files: BTreeMap<&str, Vec<JunitCase>> = BTreeMap::new();
        for property in &self.properties {
            let case = CaseReport::of_property(property);
            files.entry(&property.file).or_default().push(case.junit(&property.file));
        }
        let suites = files.into_iter();
        let suites = suites.map(|(file, cases)| JunitSuite {
            name: xml_line(file),
            properties: junit_mark(mark),
            cases,
        });
        document("mangle-ls verify", None, &suites.collect::<Vec<_>>())
    }
}

impl CaseReport {
    fn new(case: &CaseResult, suite: &Suite, places: TestPlaces<'_>) -> Self {
        let place = |rule: RuleId| suite.rule(rule).map_or_else(|| "?".to_owned(), places.clause);
        let (outcome, message, failures) = match &case.outcome {
            CaseOutcome::Passed => ("passed", None, Vec::new()),
            CaseOutcome::Failed(failures) => {
                let failures = failures.iter().map(|failure| FailureReport::new(failure, &place, places));
                ("failed", None, failures.collect())
            }
            CaseOutcome::Error(error) => ("error", Some(error.message.clone()), Vec::new()),
            CaseOutcome::Stopped(stop) => {
                let at = stop.rule.map_or_else(String::new, |rule| format!(" at {}", place(rule)));
                ("error", Some(format!("the evaluation stopped{at}: {}", stop.reason)), Vec::new())
            }
        };
        let line = (places.line)(case.header.start());
        let message_line = match &case.outcome {
            CaseOutcome::Error(error) => (places.line)(error.range.start()),
            _ => line,
        };
        Self { kind: "case", name: case.name.clone(), line, outcome, message, message_line, failures }
    }

    /// A property as a case. Passed if the property holds or is possible.
    fn of_property(property: &PropertyReport) -> Self {
        let line = property.line;
        let (outcome, message, failures) = match property.outcome() {
            PropertyOutcome::Good => ("passed", Some(property.message.clone()), Vec::new()),
            PropertyOutcome::Open => ("error", Some(property.message.clone()), Vec::new()),
            PropertyOutcome::Bad => {
                let failure = FailureReport {
                    line,
                    expectation: format!("@{} {}", property.kind, property.name),
                    message: format!("{}.", property.message),
                    explanation: property.explanation(),
                };
                ("failed", None, vec![failure])
            }
        };
        let name = property.name.clone();
        Self { kind: "property", name, line, outcome, message, message_line: line, failures }
    }
}

impl FailureReport {
    fn new(failure: &ExpectationFailure, place: &dyn Fn(RuleId) -> String, places: TestPlaces<'_>) -> Self {
        let expectation = &failure.expectation;
        let (message, explanation) = match &failure.failure {
            FailureKind::Missing(misses) => {
                let explanation = match misses.is_empty() {
                    true => "no rule gives facts of it\n".to_owned(),
                    false => proof::obstacles(misses, place),
                };
                (format!("`{}` is expected, and there is no such fact.", expectation.text), explanation)
            }
            FailureKind::Surplus(count, proofs) => {
                let mut explanation: String =
                    proofs.iter().map(|of_one| proof::proof(of_one, place)).collect();
                if *count > proofs.len() {
                    let _ = writeln!(explanation, "… and {} more", count - proofs.len());
                }
                let message = match expectation.name {
                    Some(_) => format!("`{}` is forbidden, but holds.", expectation.text),
                    None => format!("`{}` has facts that no `@expect` of the case names.", expectation.text),
                };
                (message, explanation)
            }
        };
        Self {
            line: (places.line)(expectation.range.start()),
            expectation: format!("@{} {}", expectation.key.as_str(), expectation.text),
            message,
            explanation,
        }
    }
}

impl TestReport {
    /// The report of executed suites.
    #[must_use]
    pub fn new(mut suites: Vec<SuiteReport>) -> Self {
        suites.retain(|suite| !suite.cases.is_empty() || suite.message.is_some());
        suites.sort_by(|a, b| a.file.cmp(&b.file));
        let count = |outcome: &str| {
            let cases = suites.iter().flat_map(|suite| &suite.cases);
            cases.filter(|case| case.outcome == outcome).count()
        };
        let summary = TestSummary {
            files: suites.len(),
            passed: count("passed"),
            failed: count("failed"),
            errors: count("error") + suites.iter().filter(|suite| suite.message.is_some()).count(),
        };
        Self { suites, summary, coverage: None }
    }

    /// Sets the required percentage of rules that fire in a case.
    ///
    /// # Errors
    ///
    /// If fewer rules fired: the actual percentage.
    pub fn require(&mut self, percent: Option<u8>) -> Result<(), String> {
        let (Some(required), Some(coverage)) = (percent, &mut self.coverage) else { return Ok(()) };
        coverage.required = Some(required);
        if coverage.is_enough() { Ok(()) } else { Err(coverage.shortfall(required)) }
    }

    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        for suite in &self.suites {
            out.push_str(&suite.load_errors.comment("#"));
            let _ = writeln!(out, "{}", line(&suite.file));
            suite.message.iter().for_each(|why| {
                let _ = writeln!(out, "  ERROR   {why}");
            });
            suite.cases.iter().for_each(|case| case.write(&mut out));
        }
        let TestSummary { files, passed, failed, errors } = self.summary;
        let empty = self.suites.iter().filter(|suite| suite.message.is_some()).count();
        let errors = errors.saturating_sub(empty);
        let cases = passed + failed + errors;
        let has_properties =
            self.suites.iter().flat_map(|suite| &suite.cases).any(|case| case.kind == "property");
        let word = if has_properties { "test" } else { "case" };
        let _ = write!(out, "{} in {}: {passed} passed", counted(cases, word), counted(files, "file"));
        if failed > 0 {
            let _ = write!(out, ", {failed} failed");
        }
        if errors > 0 {
            let _ = write!(out, ", {errors} could not be run");
        }
        if empty > 0 {
            let _ = write!(out, "; {} without a case", counted(empty, "file"));
        }
        out.push('\n');
        if let Some(coverage) = &self.coverage {
            coverage.write(&mut out);
        }
        out
    }

    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        // Serialization of strings and numbers cannot fail.
        let mut value = serde_json::to_value(self).unwrap_or_default();
        let suites = value.get_mut("suites").and_then(Value::as_array_mut);
        for (suite, marked) in self.suites.iter().zip(suites.into_iter().flatten()) {
            suite.load_errors.mark_json(marked);
        }
        let all = self.suites.iter().find(|suite| !suite.load_errors.is_empty());
        all.into_iter().for_each(|suite| suite.load_errors.mark_json(&mut value));
        value
    }

    /// JUnit XML for continuous integration.
    #[must_use]
    pub fn junit(&self) -> String {
        let files = self.suites.iter().map(|suite| {
            let cases = suite.cases.iter().map(|case| case.junit(&suite.file));
            let cases = cases.chain(suite.message.map(|why| without_case(&suite.file, why))).collect();
            let properties = junit_mark(&suite.load_errors);
            JunitSuite { name: xml_line(&suite.file), properties, cases }
        });
        let suites: Vec<_> = files.chain(self.coverage.as_ref().map(CoverageReport::junit)).collect();
        document("mangle-ls test", None, &suites)
    }
}

impl CaseReport {
    fn write(&self, out: &mut String) {
        let word = match self.outcome {
            "passed" => "ok",
            "failed" => "FAILED",
            _ => "ERROR",
        };
        let _ = writeln!(out, "  {word:<6}  {}", line(&self.name));
        if let Some(message) = &self.message {
            let _ = writeln!(out, "    line {}: {}", self.message_line, line(message));
        }
        for failure in &self.failures {
            let _ = writeln!(out, "    line {}: {}", failure.line, line(&failure.message));
            failure.explanation.lines().for_each(|text| {
                let _ = writeln!(out, "      {}", line(text));
            });
        }
    }

    fn junit(&self, file: &str) -> JunitCase {
        JunitCase {
            name: xml_line(&self.name),
            class: Some(xml_line(file)),
            line: Some(self.line),
            problem: self.problem(),
            output: None,
        }
    }

    fn problem(&self) -> Option<JunitProblem> {
        let tag = match self.outcome {
            "passed" => return None,
            "failed" => FAILURE,
            _ => ERROR,
        };
        let messages = self.failures.iter().map(|failure| failure.message.as_str());
        let messages: Vec<_> = messages.chain(self.message.as_deref()).collect();
        let mut text = String::new();
        self.write(&mut text);
        let message = xml_line(&messages.join(" "));
        Some(JunitProblem { tag, message, category: None, text: Some(xml(&text)) })
    }
}

impl CoverageReport {
    /// Coverage from the number of rules and the rules that never fired.
    #[must_use]
    pub fn new(rules: usize, unfired: &BTreeSet<UnfiredRule>) -> Self {
        let fired = rules.saturating_sub(unfired.len());
        let percent = (fired * 100).checked_div(rules).unwrap_or(100);
        let unfired = unfired.iter().take(UNFIRED).cloned().collect();
        Self { rules, fired, percent, required: None, unfired }
    }

    /// True if the required share of rules fired. A program without rules is not covered.
    #[must_use]
    pub fn is_enough(&self) -> bool {
        let Self { rules, fired, .. } = *self;
        self.required
            .is_none_or(|least| least == 0 || (rules > 0 && fired * 100 >= rules * usize::from(least)))
    }

    fn shortfall(&self, required: u8) -> String {
        match self.rules {
            0 => format!("coverage: there are no rules, and {required} % of them have to fire"),
            _ => format!(
                "coverage: {} % of the rules fired in some case, and {required} % have to",
                self.percent
            ),
        }
    }

    /// A suite with the figures. It fails if too few rules fired.
    fn junit(&self) -> JunitSuite {
        let figures = [
            ("coverage.rules", Some(self.rules)),
            ("coverage.fired", Some(self.fired)),
            ("coverage.percent", Some(self.percent)),
            ("coverage.required", self.required.map(usize::from)),
        ];
        let figures = figures.into_iter().filter_map(|(name, figure)| Some((name, figure?.to_string())));
        let unfired = self.unfired.iter().map(|UnfiredRule { file, line, head, .. }| {
            ("coverage.unfired", xml_line(&format!("{file}:{line} {head}")))
        });
        let case = JunitCase {
            name: "rules that fired in some case".to_owned(),
            problem: self.required.filter(|_| !self.is_enough()).map(|required| self.problem(required)),
            ..JunitCase::default()
        };
        JunitSuite {
            name: "coverage".to_owned(),
            properties: figures.chain(unfired).collect(),
            cases: vec![case],
        }
    }

    fn problem(&self, required: u8) -> JunitProblem {
        let mut text = String::new();
        self.write(&mut text);
        let message = xml_line(&self.shortfall(required));
        JunitProblem { tag: FAILURE, message, category: None, text: Some(xml(&text)) }
    }

    fn write(&self, out: &mut String) {
        let Self { rules, fired, percent, unfired, .. } = self;
        let _ = writeln!(out, "{fired} of {} fired in some case: {percent} %", counted(*rules, "rule"));
        if !unfired.is_empty() {
            let _ = writeln!(out, "These fired in none:");
        }
        for UnfiredRule { file, line: number, head, .. } in unfired {
            let _ = writeln!(out, "  {}:{number}  {}", line(file), line(head));
        }
    }
}

/// The property of a suite for a program that does not load.
fn junit_mark(errors: &LoadErrors) -> Vec<(&'static str, String)> {
    errors.mark().map(|mark| (PROGRAM_LOADS, xml_line(&format!("false: {mark}")))).into_iter().collect()
}

fn without_case(file: &str, why: &str) -> JunitCase {
    let problem = JunitProblem { tag: ERROR, message: xml_line(why), ..JunitProblem::default() };
    JunitCase {
        name: "cases".to_owned(),
        class: Some(xml_line(file)),
        problem: Some(problem),
        ..JunitCase::default()
    }
}

fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}
