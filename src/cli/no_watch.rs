//! `--watch` in WebAssembly, where nothing tells of changes of files: an error.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::ColorChoice;

use super::ExitStatus;

/// Fails.
///
/// # Errors
/// Always.
pub(super) fn watching(
    _: ColorChoice,
    _: &dyn Fn() -> (Vec<PathBuf>, Vec<PathBuf>),
    _: &mut dyn FnMut() -> Result<ExitStatus>,
) -> Result<ExitStatus> {
    bail!("`--watch` needs a system that tells of changed files: WebAssembly has none")
}
