//! All Rust tests, counted by the lines that they print, with the slowest ones.
//!
//! A test that fails runs a second time. If it passes then, it is reported as unsteady and does not fail the run.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use anyhow::{Context, Result};

use crate::tally::Tally;

/// The number of slow tests that are listed.
const SLOWEST: usize = 10;

/// Everything but examples in documentation and benchmarks.
const TARGETS: &[&str] = &["--lib", "--bins", "--tests"];

/// Runs the tests of the workspace, then the examples of its documentation.
pub(super) fn run() -> Result<Tally> {
    let included = crate::corpus::of_environment();
    let mut all = Results::new(TARGETS, &included)?;
    if !all.failed.is_empty() {
        println!("\nrunning {} failed tests again", all.failed.len());
        let names: Vec<&str> =
            std::iter::once("--exact").chain(all.failed.iter().map(String::as_str)).collect();
        let again = Results::new(TARGETS, &names)?;
        all.settle(&again);
    }
    all.print_slowest();
    let mut tally = all.tally;
    tally.add(Results::new(&["--doc"], &[])?.into_tally());
    Ok(tally)
}

/// What `cargo test` printed.
#[derive(Default)]
struct Results {
    tally: Tally,
    /// The names of the tests that failed.
    failed: Vec<String>,
    /// The names of the tests that passed, with their seconds.
    passed: Vec<(String, f64)>,
}

impl Results {
    /// Runs `cargo test` over some targets of the workspace.
    fn new(targets: &[&str], arguments: &[&str]) -> Result<Self> {
        let has_times = cfg!(unix) && targets != ["--doc"];
        let mut cargo = crate::cargo();
        cargo.args(["test", "--workspace", "--no-fail-fast"]).args(targets).arg("--").args(arguments);
        if has_times {
            // The standard test harness prints times only if it takes itself for an unstable one. A runner sets the
            // variable for the test programs alone, so nothing is compiled differently.
            cargo.env(format!("CARGO_TARGET_{}_RUNNER", target()?), "env RUSTC_BOOTSTRAP=1");
            cargo.args(["-Z", "unstable-options", "--report-time"]);
        }
        let mut process = cargo.stdout(Stdio::piped()).spawn().context("cannot start cargo test")?;
        let mut results = Self::default();
        let output = process.stdout.take().context("no output")?;
        for line in BufReader::new(output).lines() {
            let line = line.context("cannot read what cargo test prints")?;
            if !line.starts_with("test ") || !line.contains(" ... ok") {
                println!("{line}");
            }
            results.add(&line);
        }
        if !process.wait()?.success() && results.failed.is_empty() {
            results
                .tally
                .add(Tally::failed("cargo test: something does not compile, or a test process died"));
        }
        Ok(results)
    }

    fn add(&mut self, line: &str) {
        match outcome(line) {
            Some(Outcome::Passed(test, seconds)) => {
                self.tally.passed += 1;
                self.passed.push((test.to_owned(), seconds));
            }
            Some(Outcome::Failed(test)) => self.failed.push(test.to_owned()),
            Some(Outcome::Ignored(test, reason)) => self.tally.absent.push(format!("{test}: {reason}")),
            None => {}
        }
    }

    /// Decides the failed tests by a second run.
    fn settle(&mut self, again: &Self) {
        for test in std::mem::take(&mut self.failed) {
            let passes = again.passed.iter().any(|(name, _)| *name == test) && !again.failed.contains(&test);
            self.tally.add(if passes { Tally::unsteady(test) } else { Tally::failed(test) });
        }
    }

    fn into_tally(mut self) -> Tally {
        self.tally.failed.extend(self.failed);
        self.tally
    }

    fn print_slowest(&mut self) {
        self.passed.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        println!("\nThe slowest tests:");
        for (test, seconds) in self.passed.iter().take(SLOWEST) {
            println!("{seconds:>7.1} s  {test}");
        }
    }
}

/// The platform that cargo builds for, as it is spelled in variables.
fn target() -> Result<String> {
    let output = std::process::Command::new("rustc").arg("-vV").output().context("cannot start rustc")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc names no host")?;
    Ok(host.to_uppercase().replace('-', "_"))
}

/// The result of one test.
#[derive(Debug, PartialEq)]
enum Outcome<'a> {
    /// With its name and its seconds, zero if they are unknown.
    Passed(&'a str, f64),
    /// With its name.
    Failed(&'a str),
    /// With its name and the reason.
    Ignored(&'a str, &'a str),
}

/// Parses `test a::b ... ok <0.005s>`, `test a::b ... FAILED` and `test a::b ... ignored, needs a corpus`.
fn outcome(line: &str) -> Option<Outcome<'_>> {
    let (test, outcome) = line.strip_prefix("test ")?.split_once(" ... ")?;
    let (word, time) = outcome.split_once(" <").unwrap_or((outcome, ""));
    match word {
        "ok" => Some(Outcome::Passed(test, time.trim_end_matches("s>").parse().unwrap_or(0.0))),
        "FAILED" => Some(Outcome::Failed(test)),
        _ => Some(Outcome::Ignored(test, outcome.strip_prefix("ignored")?.trim_start_matches(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::{Outcome, Results, outcome};

    #[test]
    fn lines_of_cargo_are_parsed() {
        assert_eq!(outcome("running 3 tests"), None);
        assert_eq!(outcome("test result: FAILED. 12 passed; 1 failed; 0 ignored; 0 measured"), None);
        assert_eq!(outcome("test a::b ... ok"), Some(Outcome::Passed("a::b", 0.0)));
        assert_eq!(outcome("test a::b ... ok <1.250s>"), Some(Outcome::Passed("a::b", 1.25)));
        assert_eq!(outcome("test a::b ... FAILED <0.001s>"), Some(Outcome::Failed("a::b")));
        assert_eq!(outcome("test a::b ... ignored, needs it"), Some(Outcome::Ignored("a::b", "needs it")));
    }

    #[test]
    fn a_test_that_passes_the_second_time_is_unsteady() {
        let mut first = Results::default();
        ["test a ... FAILED", "test b ... FAILED", "test c ... ok"].iter().for_each(|line| first.add(line));
        let mut second = Results::default();
        ["test a ... ok", "test b ... FAILED"].iter().for_each(|line| second.add(line));
        first.settle(&second);
        assert_eq!(first.tally.unsteady, ["a"]);
        assert_eq!(first.tally.failed, ["b"]);
        assert_eq!(first.tally.passed, 2);
    }
}
