//! `cargo xtask ceilings`: every hostile policy of `tests/all/ceilings` under every command that evaluates, with the time and
//! the memory that each takes, as a table.

use std::process::ExitCode;

use anyhow::{Context, Result};

/// Runs the test with everything, one run after the other.
pub(crate) fn run() -> Result<ExitCode> {
    let mut test = crate::cargo();
    test.args(["test", "--release", "--test", "all", "--", "ceilings::", "--nocapture", "--test-threads=1"]);
    let status = test.env("MANGLE_LS_CEILINGS", "1").status().context("cannot run cargo")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
