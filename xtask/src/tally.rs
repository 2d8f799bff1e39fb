//! What the steps of `cargo xtask test` report, and the closing line that adds it up.

use std::fmt;
use std::process::ExitCode;

use anyhow::Result;

/// How many checks passed, which failed, and what could not be run (with the reason).
#[derive(Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Tally {
    pub(crate) passed: usize,
    /// By name: the end of a long log is often all that is kept.
    pub(crate) failed: Vec<String>,
    pub(crate) skipped: Vec<String>,
    /// What needs files that the repository cannot hold, such as a checkout of another project; skipped everywhere.
    pub(crate) absent: Vec<String>,
    /// What passed, but only the second time; it is among those that passed, too.
    pub(crate) unsteady: Vec<String>,
}

impl Tally {
    /// A check that passed.
    pub(crate) fn passed() -> Tally {
        Tally { passed: 1, ..Tally::default() }
    }

    /// A check that failed.
    pub(crate) fn failed(what: impl Into<String>) -> Tally {
        Tally { failed: vec![what.into()], ..Tally::default() }
    }

    /// One check that passed or failed.
    pub(crate) fn one(what: impl Into<String>, passed: bool) -> Tally {
        if passed { Tally::passed() } else { Tally::failed(what) }
    }

    /// A step that this machine cannot run: said loudly, here and in the closing line.
    pub(crate) fn skip(reason: String) -> Tally {
        eprintln!("\n!!! SKIPPED: {reason}\n");
        Tally { skipped: vec![reason], ..Tally::default() }
    }

    /// A check that passed the second time.
    pub(crate) fn unsteady(what: String) -> Tally {
        Tally { passed: 1, unsteady: vec![what], ..Tally::default() }
    }

    /// What `run` reports with what could be installed; where that could not, `what` is skipped.
    pub(crate) fn with<T>(
        what: &str,
        installed: Result<T>,
        run: impl FnOnce(T) -> Result<Tally>,
    ) -> Result<Tally> {
        match installed {
            Ok(installed) => run(installed),
            Err(error) => Ok(Tally::skip(format!("{what}: {error:#}"))),
        }
    }

    /// Adds another step's report.
    pub(crate) fn add(&mut self, other: Tally) {
        self.passed += other.passed;
        self.failed.extend(other.failed);
        self.skipped.extend(other.skipped);
        self.absent.extend(other.absent);
        self.unsteady.extend(other.unsteady);
    }

    /// Prints the closing line. A skip counts as a failure on CI (`CI=true`), where everything must
    /// run that needs no foreign files.
    pub(crate) fn close(self) -> ExitCode {
        for reason in self.skipped.iter().chain(&self.absent) {
            println!("skipped: {}", reason.lines().next().unwrap_or_default());
        }
        for what in &self.failed {
            println!("failed: {what}");
        }
        for what in &self.unsteady {
            println!("unsteady (passed in the second try): {what}");
        }
        println!("{self}");
        let strict = std::env::var_os("CI").is_some_and(|value| value == "true");
        let good = self.failed.is_empty() && (self.skipped.is_empty() || !strict);
        if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} passed, {} failed, {} skipped",
            self.passed,
            self.failed.len(),
            self.skipped.len() + self.absent.len()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::Tally;

    #[test]
    fn adds_up() {
        let mut tally = Tally::one("a link", true);
        tally.add(Tally::one("a page", false));
        assert_eq!(tally.failed, ["a page"]);
        tally.add(Tally { passed: 3, skipped: vec!["no root".into()], ..Tally::default() });
        assert_eq!(tally.to_string(), "4 passed, 1 failed, 1 skipped");
        tally.add(Tally { absent: vec!["no corpus".into()], ..Tally::default() });
        assert_eq!(tally.to_string(), "4 passed, 1 failed, 2 skipped");
        tally.add(Tally::unsteady("a click".into()));
        assert_eq!(tally.to_string(), "5 passed, 1 failed, 2 skipped");
        assert_eq!(tally.unsteady, ["a click"]);
    }
}
