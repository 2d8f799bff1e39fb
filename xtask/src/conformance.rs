//! `cargo xtask conformance DIR`: replies of any folder that is shaped like `tests/conformance/envelopes`, compared
//! with what was recorded there of the reference runtime.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// A folder with `cases.jsonl`, `cases`, `atoms.jsonl` and `payloads.jsonl`
    #[arg(default_value = "tests/conformance/envelopes")]
    folder: PathBuf,
}

/// Runs the comparison, and shows how many agree.
pub(crate) fn run(root: &Path, options: &Options) -> Result<ExitCode> {
    let folder = options.folder.canonicalize();
    let folder = folder.with_context(|| format!("no folder {}", options.folder.display()))?;
    let status = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["test", "--test", "envelopes", "--", "--nocapture"])
        .current_dir(root)
        .env("MANGLE_LS_ENVELOPES", folder)
        .status()
        .context("cannot run cargo")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
