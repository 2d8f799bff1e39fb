//! `man`: the manual pages, one a command.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Args, ColorChoice, CommandFactory};
use clap_mangen::Man;

use super::output::{Medium, Output};
use super::{Cli, Outcome};
use crate::host;

/// Write the manual pages
///
/// `mangle-ls man | man -l -` shows the first.
#[derive(Debug, Args)]
pub(super) struct ManCommand {
    /// Where the pages of all commands are written, as `mangle-ls-check.1` [default: the page of the program itself, to
    /// standard output]
    folder: Option<PathBuf>,
}

impl ManCommand {
    /// Runs the command.
    ///
    /// # Errors
    /// When the folder cannot be written to, or standard output fails.
    pub(super) fn run(&self, color: ColorChoice) -> Result<Outcome> {
        if let Some(folder) = &self.folder {
            host::create_folder(folder)
                .and_then(|()| clap_mangen::generate_to(Cli::command(), folder))
                .with_context(|| format!("cannot write manual pages to {}", folder.display()))?;
            return Ok(Outcome::Clean);
        }
        let mut page = Vec::new();
        Man::new(Cli::command()).render(&mut page)?;
        let mut out = Output::of(Medium::Own, color);
        out.write(&String::from_utf8(page)?)?;
        out.flush()?;
        Ok(Outcome::Clean)
    }
}
