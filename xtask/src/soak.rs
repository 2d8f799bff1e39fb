//! Compares a server that lives long with new ones and with the command line, for as long as is wanted, and watches its
//! memory. The work is that of the tests `oracle`, which does the same for a moment.

use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::Args;

use crate::cargo;

#[derive(Args)]
pub(crate) struct Options {
    /// For how many minutes
    #[arg(long, default_value_t = 60)]
    minutes: u64,
    /// The number that decides what happens
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Use a debug build
    #[arg(long)]
    debug: bool,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let mut command = cargo();
    command.args(["test", "--workspace", "--test", "all"]);
    if !options.debug {
        command.arg("--release");
    }
    command.args(["--", "oracle::", "--nocapture"]);
    command.env("MANGLE_LS_ORACLE_MINUTES", options.minutes.to_string());
    command.env("MANGLE_LS_ORACLE_SEED", options.seed.to_string());
    let status = command.status().context("cargo cannot be started")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
