//! `cargo xtask generate`: writes what follows from the registry of rules and the table of settings. The test
//! `generated` knows how; it fails when something is not as generated.

use std::process::ExitCode;

use anyhow::{Context, Result, bail};

/// Writes pages of rules, their index, the tables of settings, the schema and the settings of VS Code.
pub(crate) fn run() -> Result<ExitCode> {
    let status = crate::cargo()
        .args(["test", "--quiet", "--workspace", "--test", "all", "--", "project::generated::"])
        .env("UPDATE_EXPECT", "1")
        .status()
        .context("cannot start cargo")?;
    if !status.success() {
        bail!("the generator failed");
    }
    Ok(ExitCode::SUCCESS)
}
