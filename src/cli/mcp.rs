//! `mcp`: lets an agent use what the other commands do, over the Model Context Protocol.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::Args;

use super::ExitStatus;
use super::surroundings;
use crate::mcp::{self, RunCommand};
use piggyback::envelope::secrets::are_shown;

/// Let an agent use mangle-ls: a server of the Model Context Protocol on standard input and output
///
/// Clients of the protocol start it. Its tools only read, and nothing outside of the folders; what looks like a credential is
/// always masked.
#[derive(Debug, Args)]
pub(super) struct McpCommand {
    /// The folders that may be read [default: the working folder]
    ///
    /// Paths of the client count from the first.
    #[arg(value_name = "FOLDER")]
    folders: Vec<PathBuf>,
}

impl McpCommand {
    /// Serves one client; `run` runs the commands of its tools.
    ///
    /// # Errors
    /// When there is no working folder, one of the folders is none, secrets are to be shown, or the connection fails.
    pub(super) fn run(&self, run: RunCommand) -> Result<ExitStatus> {
        ensure!(!are_shown(), "`mcp` always masks what looks like a credential: leave `--no-redact` out");
        mcp::serve(&self.folders, &surroundings::working_folder()?, run)?;
        Ok(ExitStatus::Clean)
    }
}
