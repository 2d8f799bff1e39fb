//! `cargo xtask test`: every test of the repository, step by step, with one closing line.

use std::io::{BufRead, BufReader};
use std::process::{ExitCode, Stdio};

use anyhow::{Context, Result};

use crate::editors::Editor;
use crate::tally::Tally;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only the real editors, or only those that are named here
    #[arg(long, value_name = "EDITOR", num_args = 0.., conflicts_with = "no_editors")]
    editors: Option<Vec<Editor>>,
    /// All but the real editors, which takes some minutes less
    #[arg(long)]
    no_editors: bool,
}

type Step = (&'static str, fn() -> Result<Tally>);

/// The steps, cheap ones first.
const STEPS: &[Step] = &[
    ("formatting", || cargo_passes(&["fmt", "--all", "--check"])),
    ("committed parser is the generated one", grammar_is_generated),
    ("lints", || {
        cargo_passes(&["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"])
    }),
    ("documentation of the libraries", crate::libraries::documentation),
    ("libraries for WebAssembly", crate::libraries::wasm),
    ("the book of the documentation", crate::docs::run),
    ("Rust tests", rust_tests),
    ("fuzz targets, some seconds each", crate::fuzz::check),
    ("a release, unpacked", crate::dist::check),
    ("every message against the protocol's specification", crate::protocol::run),
];

/// Runs all steps, also after one has failed.
pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let mut tally = Tally::default();
    if options.editors.is_none() {
        for (name, run) in STEPS {
            tally.add(step(name, run));
        }
    }
    if !options.no_editors {
        let named = options.editors.as_deref().unwrap_or_default();
        tally.add(step("real editors", || crate::editors::run(named)));
    }
    println!();
    Ok(tally.close())
}

/// One step; one that could not be done has failed.
fn step(name: &str, run: impl FnOnce() -> Result<Tally>) -> Tally {
    println!("\n=== {name}");
    run().unwrap_or_else(|error| {
        eprintln!("{name}: {error:#}");
        Tally::one(false)
    })
}

fn cargo_passes(arguments: &[&str]) -> Result<Tally> {
    let status = crate::cargo().args(arguments).status().context("cannot start cargo")?;
    Ok(Tally::one(status.success()))
}

fn grammar_is_generated() -> Result<Tally> {
    let code = crate::grammar::run(&crate::root(), &crate::grammar::Options { check: true })?;
    Ok(Tally::one(code == ExitCode::SUCCESS))
}

/// `cargo test` over the workspace; the counts come from its own result lines.
fn rust_tests() -> Result<Tally> {
    let mut cargo = crate::cargo()
        .args(["test", "--workspace", "--no-fail-fast", "--"])
        .args(crate::corpus::of_environment())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start cargo test")?;
    let mut tally = Tally::default();
    for line in BufReader::new(cargo.stdout.take().context("no output")?).lines() {
        let line = line.context("cannot read what cargo test prints")?;
        println!("{line}");
        if let Some((passed, failed)) = counts(&line) {
            tally.add(Tally { passed, failed, ..Tally::default() });
        }
        tally.absent.extend(ignored(&line));
    }
    if !cargo.wait()?.success() && tally.failed == 0 {
        tally.add(Tally::one(false)); // it did not compile, or a test process died
    }
    Ok(tally)
}

/// `test result: ok. 12 passed; 1 failed; …` → (12, 1)
fn counts(line: &str) -> Option<(usize, usize)> {
    let rest = line.strip_prefix("test result: ")?;
    let before = |word: &str| rest.split(word).next()?.rsplit(' ').nth(1)?.parse().ok();
    Some((before("passed")?, before("failed")?))
}

/// `test a::b ... ignored, needs a corpus` → `a::b: needs a corpus`
fn ignored(line: &str) -> Option<String> {
    let (name, reason) = line.strip_prefix("test ")?.split_once(" ... ignored")?;
    Some(format!("{name}: {}", reason.trim_start_matches(", ")))
}

#[cfg(test)]
mod tests {
    use super::{counts, ignored};

    #[test]
    fn reads_result_lines() {
        let line = "test result: FAILED. 12 passed; 1 failed; 0 ignored; 0 measured";
        assert_eq!(counts(line), Some((12, 1)));
        assert_eq!(counts("running 3 tests"), None);
        assert_eq!(ignored("test a::b ... ignored, needs it").as_deref(), Some("a::b: needs it"));
        assert_eq!(ignored("test a::b ... ok"), None);
    }
}
