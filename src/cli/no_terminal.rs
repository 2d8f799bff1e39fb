//! `terminal` for WebAssembly, which has no terminal and cannot watch files: the progress bar does
//! nothing, and `--watch` fails.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::ColorChoice;

use super::ExitStatus;

pub(super) struct Progress;

impl Progress {
    pub(super) fn new(_what: &'static str, _steps: usize) -> Self {
        Self
    }

    pub(super) fn of_bytes(_what: &'static str, _bytes: Option<u64>) -> Self {
        Self
    }

    pub(super) fn of_names(_what: &'static str) -> Self {
        Self
    }

    pub(super) fn show(&self, _name: &str) {}

    pub(super) fn set(&self, _done: u64) {}

    pub(super) fn add(&self, _done: u64) {}

    pub(super) fn step(&self) {}
}

/// Returns an error.
pub(super) fn watching(
    _: ColorChoice,
    _: &dyn Fn() -> (Vec<PathBuf>, Vec<PathBuf>),
    _: &mut dyn FnMut() -> Result<ExitStatus>,
) -> Result<ExitStatus> {
    bail!("`--watch` needs a system that tells of changed files: WebAssembly has none")
}
