//! `cargo xtask conformance`: compares the product with recordings of the reference programs, and exports the recordings as a suite
//! for other implementations.

mod recordings;
mod suite;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// A folder with `cases.jsonl`, `cases`, `atoms.jsonl` and `payloads.jsonl`, and perhaps `prompts/cases.jsonl`; or one
    /// with `prompts` (and `envelopes`) alone. `versions` has folders of the same shape for newer runtimes
    #[arg(default_value = "tests/conformance")]
    folder: PathBuf,
    /// Write all recordings to this folder as JSON lines, with a README for authors of other implementations
    #[arg(long, value_name = "DIR", conflicts_with_all = ["run", "compare", "folder"])]
    export: Option<PathBuf>,
    /// Run the exported suite in this folder with `mangle-ls`, and print the number of results that agree
    #[arg(long, value_name = "DIR", conflicts_with_all = ["compare", "folder"])]
    run: Option<PathBuf>,
    /// Compare answers of any implementation with the exported suite in this folder
    #[arg(long, value_name = "DIR", requires = "answers", conflicts_with = "folder")]
    compare: Option<PathBuf>,
    /// The answers to compare, as JSON lines
    #[arg(long, value_name = "FILE", requires = "compare")]
    answers: Option<PathBuf>,
}

/// Runs the task that the options select.
pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    if let Some(target) = &options.export {
        return export(target);
    }
    if let Some(suite) = &options.run {
        return run_suite(suite);
    }
    if let (Some(suite), Some(answers)) = (&options.compare, &options.answers) {
        return compare(suite, answers);
    }
    recordings::run(&options.folder)
}

fn export(target: &Path) -> Result<ExitCode> {
    let counts = suite::export::export(&crate::root().join("tests/conformance"), target)?;
    for (kind, count) in counts {
        println!("{count:>5} cases in {}", target.join(kind.file()).display());
    }
    println!("{} documents the format", target.join("README.md").display());
    Ok(ExitCode::SUCCESS)
}

fn run_suite(suite: &Path) -> Result<ExitCode> {
    let suite = suite.canonicalize().with_context(|| format!("no folder {}", suite.display()))?;
    let folder = tempfile::tempdir()?;
    let answers = folder.path().join("answers.jsonl");
    let status = crate::cargo()
        .args(["test", "--workspace", "--test", "all", "--", "conformance_suite::", "--ignored"])
        .env("MANGLE_LS_SUITE", &suite)
        .env("MANGLE_LS_ANSWERS", &answers)
        .status()
        .context("cannot run cargo")?;
    anyhow::ensure!(status.success(), "mangle-ls did not answer the suite");
    compare(&suite, &answers)
}

fn compare(suite: &Path, answers: &Path) -> Result<ExitCode> {
    let answers = fs::read(answers).with_context(|| format!("cannot read {}", answers.display()))?;
    let report = suite::compare::compare(suite, &answers)?;
    print!("{report}");
    Ok(if report.is_complete() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
