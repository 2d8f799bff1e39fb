//! Runner and report of policy tests, shared by the `test` command and `mangle/test`. Also computes
//! the `run` code lenses of test files.
//!
//! The input is a list of test files with their programs; the output is a [`TestReport`] with
//! warnings.

use std::collections::BTreeSet;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::file_findings::{load_findings, to_load_errors};
use super::verification::{AnswerMemo, Surroundings, VerifyRun, default_scope, line_of, report_properties};
use mangle_check::diagnostics::{FindingCache, diagnostics_of_files};
use mangle_check::policy_test::property::Properties;
use mangle_check::policy_test::{self, FileError, RuleKey, Suite, TestFile, TestSettings, rules_of};
use mangle_engine::program::{Program, key_of};
use mangle_report::LoadErrors;
use mangle_report::policy_tests::{CoverageReport, SuiteReport, TestPlaces, TestReport, UnfiredRule};
use mangle_report::verification::PropertyReport;
use mangle_settings::{RuleSettings, Settings};
use mangle_syntax::lint::{Group, Rule, Severity};
use mangle_syntax::text::{Cancel, FileId, TextRange, TextSize, slice};

/// Result of running one test file.
struct SuiteRun {
    suite: Suite,
    /// Results of the properties in the file.
    properties: Vec<PropertyReport>,
    /// True if the file has neither cases nor properties.
    is_empty: bool,
    /// Warnings with their offsets in the file.
    warnings: Vec<(TextSize, String)>,
    /// Errors that prevent loading of the program around the cases.
    load_errors: LoadErrors,
}

/// A test file to run.
#[derive(Debug, Clone, Copy)]
pub struct TestRun<'p> {
    /// Program that contains the test file.
    pub program: &'p Program,
    /// The test file.
    pub file: FileId,
    /// Evaluation settings of the cases.
    pub settings: TestSettings,
    /// Severities of the rules whose errors prevent a case from running.
    pub rules: &'p RuleSettings,
    /// Settings that define the worlds for property checks.
    pub project: &'p Settings,
    /// Cached results of properties.
    pub memo: Option<&'p AnswerMemo>,
    /// Errors in the settings. If not empty, nothing is run.
    pub settings_errors: &'p LoadErrors,
    /// True if cases are run although the program does not load.
    pub run_despite_load_errors: bool,
}

/// Runs the cases and properties selected by `wanted` (file and name), in parallel. Returns the
/// report, and warnings about clauses that do not contribute to it.
#[must_use]
pub fn run_tests(
    runs: &[TestRun<'_>],
    wanted: &(dyn Fn(FileId, &str) -> bool + Sync),
    surroundings: Surroundings<'_>,
    cancel: &Cancel,
) -> (TestReport, Vec<String>) {
    let name = surroundings.name;
    let suites: Vec<SuiteRun> =
        runs.par_iter().map(|run| SuiteRun::new(run, wanted, surroundings, cancel)).collect();
    let mut warnings = Vec::new();
    for (run, SuiteRun { suite, warnings: found, .. }) in
        runs.iter().zip(&suites).filter(|(_, run)| !run.suite.cases.is_empty())
    {
        let place = |at: TextSize| format!("{}:{}", name(suite.file), line_of(run.program, run.file, at));
        warnings.extend(found.iter().map(|(at, why)| format!("{}: {why}", place(*at))));
    }
    let reports = runs.iter().zip(&suites).map(|(run, of)| {
        let SuiteRun { suite, properties, is_empty, load_errors, .. } = of;
        let line = |offset| line_of(run.program, run.file, offset);
        let clause = |rule: RuleKey| {
            let RulePlace { file, line, .. } = place(run.program, name, rule);
            format!("{file}:{line}")
        };
        let places = TestPlaces { file: &name(run.file), line: &line, clause: &clause };
        let mut report = SuiteReport::new(suite, properties, places);
        report.load_errors = load_errors.clone();
        if let Some(why) = load_errors.mark().filter(|_| !run.run_despite_load_errors) {
            let of_file = mangle_verify::properties(run.program, run.file).all;
            let chosen = of_file.iter().filter(|property| wanted(run.file, &property.name));
            chosen.for_each(|property| {
                report.add_unchecked(&property.name, line(property.header.start()), &why)
            });
        }
        if *is_empty { report.without_cases() } else { report }
    });
    let mut report = TestReport::new(reports.collect());
    let suites: Vec<Suite> = suites.into_iter().map(|run| run.suite).collect();
    if runs.iter().any(|run| run.settings.coverage) {
        report.coverage = Some(coverage(runs, &suites, name));
    }
    warnings.extend(ignored_clauses(runs, &suites, name));
    (report, warnings)
}

impl SuiteRun {
    /// Runs the cases of a test file and checks its properties.
    fn new(
        run: &TestRun<'_>,
        wanted: &(dyn Fn(FileId, &str) -> bool + Sync),
        surroundings: Surroundings<'_>,
        cancel: &Cancel,
    ) -> Self {
        let tests = run.program.file(run.file).map(|file| TestFile::read(file)).unwrap_or_default();
        let found = check_test_file(run, &tests, surroundings.name);
        let wanted = |case: &str| wanted(run.file, case);
        let (suite, properties) = match found.load_errors.mark().filter(|_| !run.run_despite_load_errors) {
            Some(why) => {
                let reading = run.settings.reading;
                (
                    policy_test::not_run(run.program, run.file, &tests, reading, why.as_str(), &wanted),
                    Vec::new(),
                )
            }
            None => (
                policy_test::run(run.program, run.file, &tests, &found.errors, run.settings, &wanted, cancel),
                properties(run, &wanted, surroundings, cancel),
            ),
        };
        let has_properties = !mangle_verify::properties(run.program, run.file).all.is_empty();
        let is_empty = tests.cases.is_empty() && !has_properties && wanted("");
        Self { suite, properties, is_empty, warnings: found.warnings, load_errors: found.load_errors }
    }
}

/// Checks the properties of a test file.
fn properties(
    run: &TestRun<'_>,
    wanted: &dyn Fn(&str) -> bool,
    surroundings: Surroundings<'_>,
    cancel: &Cancel,
) -> Vec<PropertyReport> {
    let TestSettings { reading, limits, clock, .. } = run.settings;
    let verification = VerifyRun {
        program: run.program,
        file: Some(run.file),
        property: None,
        readings: &[reading],
        limits,
        clock,
        scope: default_scope(&run.project.verify),
        settings: run.project,
        memo: run.memo,
    };
    report_properties(&verification, surroundings, &mut |name| wanted(name), cancel)
}

/// Check results of a test file.
#[derive(Default)]
struct TestFindings {
    errors: Vec<FileError>,
    /// Type warnings about facts, with their offsets. A fact with a wrong type may match no rule.
    warnings: Vec<(TextSize, String)>,
    /// Errors that prevent loading of the program around the cases.
    load_errors: LoadErrors,
}

/// Checks a test file together with its program.
fn check_test_file(run: &TestRun<'_>, tests: &TestFile, name: &dyn Fn(FileId) -> String) -> TestFindings {
    let is_error = |rule: &Rule| run.rules.severity(rule) == Some(Severity::Error);
    let cache = FindingCache::new(crate::registry::all());
    let all = diagnostics_of_files(run.program, &[run.file], run.rules, &cache, &is_error);
    let mut found = TestFindings { load_errors: run.settings_errors.clone(), ..TestFindings::default() };
    let is_in_case = |file: FileId, at: TextSize| file == run.file && tests.case_at(at).is_some();
    let (in_cases, around): (Vec<_>, Vec<_>) =
        load_findings(run.program).into_iter().partition(|(file, one)| is_in_case(*file, one.range.start()));
    found.load_errors.add(to_load_errors(run.program, &around, name));
    // Includes findings of rules that are disabled in the settings.
    let of_cases = in_cases.into_iter().map(|(_, one)| one);
    let of_check = all.into_iter().flat_map(|(_, found)| found);
    let mut seen = FxHashSet::default();
    let all = of_check.chain(of_cases).filter(|one| seen.insert((one.range, one.rule.code)));
    for diagnostic in all {
        let message = diagnostic.message.trim_end_matches('.').to_owned();
        // The engine stores facts with wrong types, so such findings are only warnings.
        let is_of_type =
            diagnostic.rule.group == Group::Types && diagnostic.rule.severity != Some(Severity::Error);
        if is_of_type && diagnostic.severity >= Severity::Warning {
            found.warnings.push((diagnostic.range.start(), message));
        } else if diagnostic.severity == Severity::Error {
            let line = line_of(run.program, run.file, diagnostic.range.start());
            let message = format!("{message} (line {line})");
            found.errors.push(FileError { range: diagnostic.range, message });
        }
    }
    found
}

/// Maximum length of a shown head, in characters.
const HEAD_CHARS: usize = 100;

/// Location and head of a clause, for reports.
struct RulePlace {
    file: String,
    line: usize,
    /// Name and arity of the defined predicate.
    predicate: String,
    /// Head on one line.
    head: String,
}

/// Returns the location and the head of a clause.
fn place(program: &Program, name: &dyn Fn(FileId) -> String, rule: RuleKey) -> RulePlace {
    let item = program.file(rule.file).and_then(|file| file.items.get(rule.item as usize));
    let clause = item.and_then(|item| item.statement.clause());
    let predicate = clause.map_or_else(String::new, |clause| key_of(&clause.head).to_string());
    let line = item.map_or(0, |item| line_of(program, rule.file, item.start));
    let head = item.zip(clause).zip(program.file(rule.file)).map(|((item, clause), file)| {
        let text = slice(file.statement_text(item), clause.head.range);
        one_line(text)
    });
    RulePlace { file: name(rule.file), line, predicate, head: head.unwrap_or_default() }
}

/// Formats a text on one line, truncated to [`HEAD_CHARS`].
fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(HEAD_CHARS) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or(&line)),
        None => line,
    }
}

/// Returns the coverage of the rules in all tested programs.
fn coverage(runs: &[TestRun<'_>], suites: &[Suite], name: &dyn Fn(FileId) -> String) -> CoverageReport {
    let tests: FxHashSet<FileId> = runs.iter().map(|run| run.file).collect();
    let mut rules: FxHashMap<RuleKey, &Program> = FxHashMap::default();
    for run in runs {
        rules.extend(rules_of(run.program, &tests).map(|rule| (rule, run.program)));
    }
    let fired: FxHashSet<RuleKey> = suites.iter().flat_map(|suite| &suite.coverage.fired).copied().collect();
    let unfired = rules.iter().filter(|(rule, _)| !fired.contains(rule)).map(|(rule, program)| {
        let RulePlace { file, line, predicate, head } = place(program, name, *rule);
        UnfiredRule { file, line, predicate, head }
    });
    CoverageReport::new(rules.len(), &unfired.collect())
}

/// Returns warnings about clauses that cannot be parsed or evaluated, and are therefore ignored by
/// the tests.
fn ignored_clauses(runs: &[TestRun<'_>], suites: &[Suite], name: &dyn Fn(FileId) -> String) -> Vec<String> {
    let mut warnings = BTreeSet::new();
    let mut damaged = FxHashSet::default();
    for (run, suite) in runs.iter().zip(suites).filter(|(_, suite)| !suite.cases.is_empty()) {
        for fault in &suite.compiled.faults {
            let Some(rule) = suite.rule(fault.rule) else { continue };
            let RulePlace { file, line, .. } = place(run.program, name, rule);
            warnings.insert(format!("nothing comes of {file}:{line}: {}", fault.failure));
        }
        let files = run.program.files.iter().filter(|file| file.id != run.file);
        damaged.extend(files.flat_map(|file| {
            let items = file.items.iter().filter(|item| item.statement.damaged && !item.follows_damage);
            items.map(|item| (file.id, item.start))
        }));
    }
    warnings.extend(match damaged.len() {
        0 => None,
        1 => Some("a statement cannot be read and counts for nothing; `check` says why".to_owned()),
        count => Some(format!("{count} statements cannot be read and count for nothing; `check` says why")),
    });
    warnings.into_iter().collect()
}

/// A `run` code lens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestLens {
    /// Range of the comment that starts the case or property.
    pub range: TextRange,
    /// Name of the case or property. `None` for the whole file.
    pub case: Option<String>,
}

/// Returns the `run` lenses of a file: one for the whole file at the first case or property, and
/// one per case or property.
#[must_use]
pub fn test_lenses(program: &Program, file: FileId) -> Vec<TestLens> {
    let Some(file) = program.file(file) else { return Vec::new() };
    let cases = TestFile::read(file).cases.into_iter().map(|case| (case.header, case.name));
    let properties = Properties::read(file).all.into_iter().map(|property| (property.header, property.name));
    let mut each: Vec<TestLens> =
        cases.chain(properties).map(|(range, name)| TestLens { range, case: Some(name) }).collect();
    each.sort_by_key(|lens| lens.range.start());
    let all =
        each.first().filter(|_| each.len() > 1).map(|first| TestLens { range: first.range, case: None });
    all.into_iter().chain(each).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::testing::program;
    use mangle_engine::kernel::{Clock, Limits, Reading};

    const FIXTURE: &str = "#- doors.mg\nopen(D) :- door(D), !locked(D).\nshut(D) :- locked(D), door(D).\nlocked(/x) :- .\n\
        #- doors_test.mg\ndoor(/a).\n# @test name: one\n# @expect open(/a)\n# @test name: two\nlocked(/a).\n# @expect open(/a)\n";

    #[test]
    fn lenses_stand_at_the_cases() {
        let program = program(FIXTURE);
        let lenses = test_lenses(&program, FileId(1));
        let cases: Vec<_> = lenses.iter().map(|lens| lens.case.as_deref()).collect();
        assert_eq!(cases, [None, Some("one"), Some("two")]);
        let text = &program.file(FileId(1)).unwrap().text;
        assert_eq!(mangle_syntax::text::slice(text, lenses[2].range), "# @test name: two");
    }

    #[test]
    fn what_is_run_is_reported() {
        let program = program(FIXTURE);
        let (limits, clock) = (Limits::default(), Clock { now_ns: 0 });
        let settings = TestSettings { reading: Reading::Engine, limits, clock, coverage: true };
        let project = Settings::default();
        let runs = [TestRun {
            program: &program,
            file: FileId(1),
            settings,
            rules: &project.rules,
            project: &project,
            memo: None,
            settings_errors: &LoadErrors::default(),
            run_despite_load_errors: true,
        }];
        let name = |file: FileId| format!("f{}", file.0);
        let surroundings = Surroundings {
            name: &name,
            other: &|_, _| Err(String::new()),
            solvers: &|_| mangle_verify::Solvers::default(),
        };
        let (report, warnings) = run_tests(&runs, &|_, case| case == "two", surroundings, &Cancel::new());
        assert_eq!((report.summary.passed, report.summary.failed), (0, 1));
        assert_eq!((report.suites[0].cases[0].line, report.suites[0].cases[0].failures[0].line), (4, 6));
        let coverage = report.coverage.unwrap();
        assert_eq!((coverage.rules, coverage.fired), (2, 1));
        assert_eq!((coverage.unfired[0].line, coverage.unfired[0].predicate.as_str()), (1, "open/1"));
        assert_eq!(coverage.unfired[0].head, "open(D)");
        assert_eq!(warnings, ["a statement cannot be read and counts for nothing; `check` says why"]);
    }
}
