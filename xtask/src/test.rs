//! `cargo xtask test`: every test of the repository, step by step, with one closing line.

use std::fs;
use std::io::{BufRead, BufReader};
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::process::{ExitCode, Stdio};
use std::time::Instant;

use anyhow::{Context, Result};

use crate::beside::Beside;
use crate::editors::Editor;
use crate::python;
use crate::tally::Tally;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only the real editors, or only those that are named here
    #[arg(long, value_name = "EDITOR", num_args = 0.., conflicts_with = "no_editors")]
    editors: Option<Vec<Editor>>,
    /// Only the engines that take generated grammars, with so many prompts for each grammar of the small model
    #[arg(long, value_name = "PROMPTS", num_args = 0..=1, conflicts_with_all = ["editors", "no_editors"])]
    engines: Option<Option<NonZeroU32>>,
    /// Only the Python package, with the engines that take it
    #[arg(long, conflicts_with_all = ["editors", "engines", "no_editors"])]
    python: bool,
    /// All but the real editors of the desktop, which takes some minutes less
    #[arg(long)]
    no_editors: bool,
    /// Only the steps that run beside the others; their tally goes to this file
    #[arg(long, value_name = "FILE", hide = true, conflicts_with_all = ["editors", "engines", "no_editors", "python"])]
    beside: Option<PathBuf>,
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
    ("Rust tests", rust_tests),
];

/// The steps that run while those of [`BESIDE`] do: most of their time they wait for something.
const WAITING_STEPS: &[Step] = &[
    ("fuzz targets, some seconds each", crate::fuzz::check),
    ("a release, unpacked", crate::dist::check),
    ("every message against the protocol's specification", crate::protocol::run),
    ("tools of agents in the inspector of their protocol", crate::mcp::run),
    (ENGINES, || crate::engines::run(None)),
];

/// The steps in a process of their own: they keep one core busy. The book has the playground in it, so both need the module.
const BESIDE: &[Step] = &[
    ("the book of the documentation", crate::docs::run),
    ("the playground in a browser", crate::playground::page),
    (PYTHON, python::run),
];

/// The steps that need both what stands in [`BESIDE`] and the extension, which only one process packages at a time.
const LAST_STEPS: &[Step] = &[("VS Code for the Web", crate::playground::in_vscode)];

const PYTHON: &str = "the Python package";

const ENGINES: &str = "grammars in the engines that read them";

/// Runs all steps, also after one has failed. How long each took is for who wants to make them faster.
pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let mut tally = Tally::default();
    if let Some(prompts) = options.engines {
        tally.add(step(ENGINES, || crate::engines::run(prompts)));
        return Ok(tally.close());
    }
    if options.python {
        tally.add(step(PYTHON, python::run));
        return Ok(tally.close());
    }
    if let Some(file) = &options.beside {
        steps(BESIDE, &mut tally);
        fs::write(file, serde_json::to_vec(&tally)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut beside = None;
    if options.editors.is_none() {
        steps(STEPS, &mut tally);
        beside = Some(Beside::start(&["test", "--beside"]));
        steps(WAITING_STEPS, &mut tally);
    }
    if !options.no_editors {
        let named = options.editors.as_deref().unwrap_or_default();
        tally.add(step("real editors", || crate::editors::run(named)));
    }
    if let Some(beside) = beside {
        tally.add(step("the steps beside", || beside.and_then(Beside::end)));
        steps(LAST_STEPS, &mut tally);
    }
    println!();
    Ok(tally.close())
}

fn steps(all: &[Step], tally: &mut Tally) {
    for (name, run) in all {
        tally.add(step(name, run));
    }
}

/// One step; one that could not be done has failed.
fn step(name: &str, run: impl FnOnce() -> Result<Tally>) -> Tally {
    println!("\n=== {name}");
    let start = Instant::now();
    let tally = run().unwrap_or_else(|error| {
        eprintln!("{name}: {error:#}");
        Tally::failed(format!("{name}: {error:#}"))
    });
    println!("=== {name}: {} s", start.elapsed().as_secs());
    tally
}

fn cargo_passes(arguments: &[&str]) -> Result<Tally> {
    let status = crate::cargo().args(arguments).status().context("cannot start cargo")?;
    Ok(Tally::one(format!("cargo {}", arguments.join(" ")), status.success()))
}

fn grammar_is_generated() -> Result<Tally> {
    let code = crate::grammar::run(&crate::root(), &crate::grammar::Options { check: true })?;
    Ok(Tally::one("committed parser", code == ExitCode::SUCCESS))
}

/// `cargo test` over the workspace, counted by its own lines.
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
        match outcome(&line) {
            Some(Outcome::Passed) => tally.passed += 1,
            Some(Outcome::Failed(test)) => tally.failed.push(test.to_owned()),
            Some(Outcome::Ignored(test, reason)) => tally.absent.push(format!("{test}: {reason}")),
            None => {}
        }
    }
    if !cargo.wait()?.success() && tally.failed.is_empty() {
        tally.add(Tally::failed("cargo test: something does not compile, or a test process died"));
    }
    Ok(tally)
}

/// What a line of `cargo test` says of one test.
#[derive(Debug, PartialEq, Eq)]
enum Outcome<'a> {
    Passed,
    /// With the name of the test.
    Failed(&'a str),
    /// With the name of the test and the reason.
    Ignored(&'a str, &'a str),
}

/// Reads `test a::b ... ok`, `test a::b ... FAILED` and `test a::b ... ignored, needs a corpus`.
fn outcome(line: &str) -> Option<Outcome<'_>> {
    let (test, outcome) = line.strip_prefix("test ")?.split_once(" ... ")?;
    match outcome {
        "ok" => Some(Outcome::Passed),
        "FAILED" => Some(Outcome::Failed(test)),
        _ => Some(Outcome::Ignored(test, outcome.strip_prefix("ignored")?.trim_start_matches(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::{Outcome, outcome};

    #[test]
    fn reads_the_lines_of_cargo() {
        assert_eq!(outcome("running 3 tests"), None);
        assert_eq!(outcome("test result: FAILED. 12 passed; 1 failed; 0 ignored; 0 measured"), None);
        assert_eq!(outcome("test a::b ... ok"), Some(Outcome::Passed));
        assert_eq!(outcome("test a::b ... FAILED"), Some(Outcome::Failed("a::b")));
        assert_eq!(outcome("test a::b ... ignored, needs it"), Some(Outcome::Ignored("a::b", "needs it")));
    }
}
