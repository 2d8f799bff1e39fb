//! `cargo xtask times`: how long it takes from a changed line until its tests have run.

use std::fs;
use std::path::PathBuf;
use std::process::{ExitCode, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};

/// A changed line, and the tests that are run then.
struct Change {
    place: &'static str,
    file: &'static str,
    /// Of cargo.
    arguments: &'static [&'static str],
}

const CHANGES: &[Change] = &[
    Change {
        place: "the engine",
        file: "crates/mangle-engine/src/kernel/run/mod.rs",
        arguments: &["test", "--package", "mangle-engine", "--lib"],
    },
    Change {
        place: "a rule",
        file: "crates/mangle-check/src/analysis/safety/singleton.rs",
        arguments: &["test", "--package", "mangle-check", "--lib"],
    },
    Change {
        place: "a feature of the editor",
        file: "crates/mangle-ide/src/linked_editing.rs",
        arguments: &["test", "--package", "mangle-ide", "--lib"],
    },
];

/// Measures each change, and prints a table.
pub(crate) fn run() -> Result<ExitCode> {
    let mut rows = vec!["| A line of | Command | Seconds |".to_owned(), "|---|---|---|".to_owned()];
    for Change { place, file, arguments } in CHANGES {
        test(arguments)?;
        let file = ChangedFile::new(crate::root().join(file))?;
        let start = Instant::now();
        test(arguments)?;
        let seconds = start.elapsed().as_secs_f64();
        drop(file);
        rows.push(format!("| {place} | `cargo {}` | {seconds:.0} |", arguments.join(" ")));
    }
    rows.iter().for_each(|row| println!("{row}"));
    Ok(ExitCode::SUCCESS)
}

fn test(arguments: &[&str]) -> Result<()> {
    let status = crate::cargo().args(arguments).stdout(Stdio::null()).status();
    ensure!(status.context("cannot start cargo")?.success(), "`cargo {}` fails", arguments.join(" "));
    Ok(())
}

/// A file with a line more, which moves all others; it is as it was when this is dropped.
struct ChangedFile {
    path: PathBuf,
    text: String,
}

impl ChangedFile {
    fn new(path: PathBuf) -> Result<Self> {
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        fs::write(&path, format!("// A line more.\n{text}"))?;
        Ok(Self { path, text })
    }
}

impl Drop for ChangedFile {
    fn drop(&mut self) {
        if let Err(error) = fs::write(&self.path, &self.text) {
            eprintln!("{} has a line more now: {error}", self.path.display());
        }
    }
}
