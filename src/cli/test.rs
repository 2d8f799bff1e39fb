//! `test`: runs policy tests.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Args, ColorChoice, ValueEnum};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Outcome;
use super::output::{self, Output};
use super::programs::Programs;
use crate::config::Reading;
use crate::host::{self, JoinedTest, Memory};
use crate::kernel::{Clock, Limits};
use crate::policy_test::{self, RuleKey, Settings, Suite, TestFile, rules_of};
use crate::report::Sources;
use crate::report::policy_tests::{CoverageReport, SuiteReport, TestPlaces, TestReport, UnfiredRule};
use crate::text::Cancel;

/// Run policy tests (`*_test.mg`)
///
/// `mangle-ls test policies --filter denied`. Exit status: 0, 1 if a case failed, 2 if a case could not be run or there
/// is none.
#[derive(Debug, Args)]
pub(super) struct TestCommand {
    /// Test files and folders; the working folder unless some are named
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Only cases whose name or file contains this text
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Also say which rules fired in no case
    #[arg(long)]
    coverage: bool,
    /// How the program is read; `go` unless `[kernel] reading` says otherwise
    #[arg(long, value_enum)]
    reading: Option<Semantics>,
    /// For whom the report is
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Layout,
}

/// How a program is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Semantics {
    /// As the engine does it, bug for bug
    Go,
    /// As it is written: no negation is dropped
    Written,
}

/// For whom a report is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Layout {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
    /// For continuous integration
    Junit,
}

impl TestCommand {
    /// Runs the command.
    ///
    /// # Errors
    /// When there is no working folder, or standard output fails.
    pub(super) fn run(&self, color: ColorChoice) -> Result<Outcome> {
        let working = std::env::current_dir().context("cannot find out the working folder")?;
        let (memory, sources) = (Memory::default(), Sources::default());
        let programs = Programs::load_as(&self.paths, &working, &memory, sources, |resolution, files, _| {
            host::join_tests(resolution, files)
        });
        let suites: Vec<Suite> =
            programs.all.par_iter().map(|joined| self.suite(joined, &programs.sources)).collect();
        let reports =
            programs.all.iter().zip(&suites).map(|(joined, suite)| report(joined, suite, &programs.sources));
        let mut report = TestReport::new(reports.collect());
        if self.coverage {
            report.coverage = Some(coverage(&programs, &suites));
        }
        let mut out = Output::new(color);
        out.write(&self.written(&report)?)?;
        out.flush()?;
        programs.complain(&working, color);
        warnings(&programs, &suites).iter().for_each(|why| output::warn(color, why));
        let summary = report.summary;
        if report.suites.is_empty() && programs.problems.is_empty() {
            output::complain(color, &self.nothing(&programs));
        }
        let is_done = programs.problems.is_empty() && summary.errors == 0 && !report.suites.is_empty();
        Ok(match (is_done, summary.failed) {
            (false, _) => Outcome::Failure,
            (true, 0) => Outcome::Clean,
            (true, _) => Outcome::Findings,
        })
    }

    fn suite(&self, joined: &JoinedTest, sources: &Sources) -> Suite {
        let kernel = &joined.settings.kernel;
        let reading = self.reading.map_or(kernel.reading, |reading| match reading {
            Semantics::Go => Reading::Go,
            Semantics::Written => Reading::Written,
        });
        let (limits, clock) = (Limits::of(kernel), Clock::of(kernel));
        let settings = Settings { reading, limits, clock, coverage: self.coverage };
        let tests = joined.program.file(joined.file).map(|file| TestFile::read(file)).unwrap_or_default();
        let file = sources.name(joined.file);
        let wanted = |name: &str| {
            self.filter
                .as_ref()
                .is_none_or(|text| name.contains(text.as_str()) || file.contains(text.as_str()))
        };
        policy_test::run(&joined.program, joined.file, &tests, settings, &wanted, &Cancel::new())
    }

    fn written(&self, report: &TestReport) -> Result<String> {
        Ok(match self.format {
            Layout::Text if report.suites.is_empty() => String::new(),
            Layout::Text => report.text(),
            Layout::Json => serde_json::to_string_pretty(&report.json())? + "\n",
            Layout::Junit => report.junit()?,
        })
    }

    /// Why there is nothing to run.
    fn nothing(&self, programs: &Programs<JoinedTest>) -> String {
        match &self.filter {
            Some(text) if !programs.all.is_empty() => {
                format!("no case and no test file has `{text}` in its name")
            }
            _ => "there are no policy tests (`*_test.mg`) here, or no cases in them".to_owned(),
        }
    }
}

fn report(joined: &JoinedTest, suite: &Suite, sources: &Sources) -> SuiteReport {
    let clause = |rule: RuleKey| {
        let (file, line, _) = place(joined, sources, rule);
        format!("{file}:{line}")
    };
    let line = |offset| line_of(sources, joined.file, offset);
    SuiteReport::new(suite, TestPlaces { file: sources.name(joined.file), line: &line, clause: &clause })
}

fn line_of(sources: &Sources, file: crate::text::FileId, offset: crate::text::TextSize) -> usize {
    usize::try_from(sources.place(file, offset).line).unwrap_or(0)
}

/// File and line of a clause, and the predicate that it defines.
fn place(joined: &JoinedTest, sources: &Sources, rule: RuleKey) -> (String, usize, String) {
    let item = joined.program.file(rule.file).and_then(|file| file.items.get(rule.item as usize));
    let head = item.and_then(|item| item.statement.clause()).map(|clause| &clause.head);
    let predicate = head.map_or_else(String::new, |head| crate::program::key_of(head).to_string());
    let line = item.map_or(0, |item| line_of(sources, rule.file, item.start));
    (sources.name(rule.file).to_owned(), line, predicate)
}

/// Which rules of all tested programs fired in some case.
fn coverage(programs: &Programs<JoinedTest>, suites: &[Suite]) -> CoverageReport {
    let tests: FxHashSet<_> = programs.all.iter().map(|joined| joined.file).collect();
    let mut rules = FxHashMap::default();
    for joined in &programs.all {
        rules.extend(rules_of(&joined.program, &tests).map(|rule| (rule, joined)));
    }
    let fired: FxHashSet<RuleKey> = suites.iter().flat_map(|suite| &suite.coverage.fired).copied().collect();
    let unfired: BTreeSet<UnfiredRule> = rules
        .iter()
        .filter(|(rule, _)| !fired.contains(rule))
        .map(|(rule, joined)| {
            let (file, line, predicate) = place(joined, &programs.sources, *rule);
            UnfiredRule { file, line, predicate }
        })
        .collect();
    CoverageReport::new(rules.len(), &unfired)
}

/// What of the programs counts for nothing in the tests: clauses that cannot be read or evaluated.
fn warnings(programs: &Programs<JoinedTest>, suites: &[Suite]) -> Vec<String> {
    let mut warnings = BTreeSet::new();
    let mut damaged = FxHashSet::default();
    for (joined, suite) in programs.all.iter().zip(suites).filter(|(_, suite)| !suite.cases.is_empty()) {
        if joined.is_lone {
            warnings.insert(format!(
                "{} goes with the schemas beside it alone; name its policy as well, or have a `mangle-ls.toml` say which \
                 program it belongs to",
                programs.sources.name(joined.file)
            ));
        }
        for fault in &suite.compiled.faults {
            let Some(rule) = suite.rule(fault.rule) else { continue };
            let (file, line, _) = place(joined, &programs.sources, rule);
            warnings.insert(format!("nothing comes of {file}:{line}: {}", fault.failure));
        }
        let files = joined.program.files.iter().filter(|file| file.id != joined.file);
        damaged.extend(files.flat_map(|file| {
            let items = file.items.iter().filter(|item| item.statement.damaged && !item.rubble);
            items.map(|item| (file.id, item.start))
        }));
    }
    match damaged.len() {
        0 => {}
        1 => drop(
            warnings.insert("a statement cannot be read and counts for nothing; `check` says why".into()),
        ),
        count => {
            warnings
                .insert(format!("{count} statements cannot be read and count for nothing; `check` says why"));
        }
    }
    warnings.into_iter().collect()
}
