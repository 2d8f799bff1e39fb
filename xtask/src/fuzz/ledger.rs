//! What all runs on this machine came to: a line a target, in JSON beside the corpora.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::run::Outcome;

/// The sums of all runs of each target.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Ledger(BTreeMap<String, Sums>);

#[derive(Debug, Default, Clone, Copy, PartialEq)]
struct Sums {
    executions: u64,
    seconds: f64,
    crashes: u64,
}

impl Ledger {
    /// Reads it; empty where there is none.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let Ok(text) = fs::read(path) else { return Ok(Self::default()) };
        let all: BTreeMap<String, Value> =
            serde_json::from_slice(&text).with_context(|| format!("{} is no ledger", path.display()))?;
        let sums = |row: &Value| Sums {
            executions: row["executions"].as_u64().unwrap_or(0),
            seconds: row["seconds"].as_f64().unwrap_or(0.0),
            crashes: row["crashes"].as_u64().unwrap_or(0),
        };
        Ok(Self(all.iter().map(|(name, row)| (name.clone(), sums(row))).collect()))
    }

    /// Adds a run.
    pub(super) fn add(path: &Path, target: &str, outcome: &Outcome) -> Result<()> {
        let mut ledger = Self::read(path)?;
        let sums = ledger.0.entry(target.to_owned()).or_default();
        sums.executions += outcome.executions;
        sums.seconds += outcome.seconds;
        sums.crashes += u64::from(outcome.failure.is_some());
        let rows: BTreeMap<_, _> = ledger
            .0
            .iter()
            .map(|(name, sums)| {
                let row = json!({ "executions": sums.executions, "seconds": sums.seconds, "crashes": sums.crashes });
                (name, row)
            })
            .collect();
        let text = serde_json::to_string_pretty(&rows)? + "\n";
        fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
    }
}

/// What came of some runs, and the sums of all before.
pub(super) fn table(outcomes: &[(String, Outcome)], ledger: &Ledger) -> String {
    let mut out = format!(
        "{:<11} {:>11} {:>8} {:>7} {:>7} {:>7} | {:>12} {:>7} {:>7}\n",
        "target", "executions", "seconds", "edges", "corpus", "crashes", "executions", "hours", "crashes"
    );
    for (name, outcome) in outcomes {
        let sums = ledger.0.get(name).copied().unwrap_or_default();
        let _ = writeln!(
            out,
            "{name:<11} {:>11} {:>8.0} {:>7} {:>7} {:>7} | {:>12} {:>7.2} {:>7}",
            outcome.executions,
            outcome.seconds,
            outcome.edges,
            outcome.corpus,
            u8::from(outcome.failure.is_some()),
            sums.executions,
            sums.seconds / 3600.0,
            sums.crashes,
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Ledger, Outcome, table};

    #[test]
    fn runs_add_up() -> anyhow::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("ledger.json");
        let outcome = Outcome { executions: 10, seconds: 1800.0, edges: 5, corpus: 2, failure: None };
        Ledger::add(&path, "edit", &outcome)?;
        Ledger::add(&path, "edit", &outcome)?;
        let shown = table(&[("edit".to_owned(), outcome)], &Ledger::read(&path)?);
        let row: Vec<_> = shown.lines().nth(1).unwrap_or_default().split_whitespace().collect();
        assert_eq!(row, ["edit", "10", "1800", "5", "2", "0", "|", "20", "1.00", "0"]);
        Ok(())
    }
}
