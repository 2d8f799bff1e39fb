//! `cargo xtask grammar`: runs the generator of the parser.

use std::process::ExitCode;

use anyhow::{Context, Result};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Write nothing; fail if the committed files differ from the generated ones
    #[arg(long)]
    pub(crate) check: bool,
}

/// Generates the parser into the source tree, or compares the two.
pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let mut cargo = crate::cargo();
    cargo.args(["run", "--quiet", "--package", "xtask", "--features", "grammar", "--bin", "generate_parser"]);
    cargo.arg("--").arg(crate::root());
    if options.check {
        cargo.arg("--check");
    }
    let status = cargo.status().context("cannot start cargo")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
