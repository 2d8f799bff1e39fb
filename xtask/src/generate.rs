//! `cargo xtask generate`: writes what follows from the registry of rules and the table of settings. The test
//! `generated` knows how; it fails when something is not as generated.

use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

/// Writes pages of rules, their index, the tables of settings, the schema and the settings of VS Code.
pub(crate) fn run(root: &Path) -> Result<ExitCode> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .current_dir(root)
        .args(["test", "--quiet", "--package", "mangle-ls", "--test", "generated"])
        .env("UPDATE_EXPECT", "1")
        .status()
        .context("cannot start cargo")?;
    if !status.success() {
        bail!("the generator failed");
    }
    Ok(ExitCode::SUCCESS)
}
