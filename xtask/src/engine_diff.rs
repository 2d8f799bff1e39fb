//! `cargo xtask engine-diff`: generated programs in the Go engine and here, and what the two disagree on.

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::tally::Tally;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// The program that evaluates with the engine, see `tests/all/engine_diff/README.md`
    #[arg(long, env = "MANGLE_LS_ENGINE", value_name = "PROGRAM")]
    engine: Option<PathBuf>,
    /// The number of generated programs
    #[arg(long, default_value_t = 3000)]
    programs: u64,
    /// The seed of the first program
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

/// Where the program is looked for if nothing names it.
const DEFAULT_ENGINE: &str = ".cache/engine/run";

/// Compares as many programs as the command does by default.
pub(crate) fn check() -> Result<Tally> {
    run(&Options { engine: std::env::var_os("MANGLE_LS_ENGINE").map(PathBuf::from), programs: 3000, seed: 0 })
}

/// Compares the programs, or counts the step as absent without the engine.
pub(crate) fn run(options: &Options) -> Result<Tally> {
    let engine = options.engine.clone().unwrap_or_else(|| crate::root().join(DEFAULT_ENGINE));
    if !engine.is_file() {
        let reason = format!("the Go engine: no program at {}", engine.display());
        return Ok(Tally { absent: vec![reason], ..Tally::default() });
    }
    let mut test = crate::cargo();
    test.args(["test", "--workspace", "--test", "all", "--", "engine_diff::", "--ignored", "--nocapture"])
        .env("MANGLE_LS_ENGINE", engine)
        .env("MANGLE_LS_PROGRAMS", options.programs.to_string())
        .env("MANGLE_LS_SEED", options.seed.to_string());
    let status = test.status().context("cannot run cargo")?;
    Ok(Tally::one("generated programs in the Go engine", status.success()))
}
