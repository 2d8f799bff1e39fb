//! `--watch` for WebAssembly, which cannot watch files: always fails.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::ColorChoice;

use super::ExitStatus;

/// Returns an error.
pub(super) fn watching(
    _: ColorChoice,
    _: &dyn Fn() -> (Vec<PathBuf>, Vec<PathBuf>),
    _: &mut dyn FnMut() -> Result<ExitStatus>,
) -> Result<ExitStatus> {
    bail!("`--watch` needs a system that tells of changed files: WebAssembly has none")
}
