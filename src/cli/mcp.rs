//! `mcp`: lets an agent use what the other commands do, over the Model Context Protocol.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::Args;

use super::ExitStatus;
use super::surroundings;
use crate::mcp::{self, RunCommand};
use piggyback::envelope::secrets::are_shown;

/// Run a server of the Model Context Protocol (MCP) for agents on standard input and output
///
/// MCP clients start this command. Its tools only read, and only in the given folders. Credentials
/// are always masked.
#[derive(Debug, Args)]
pub(super) struct McpCommand {
    /// The folders that the tools may read [default: the working folder]
    ///
    /// Relative paths of the client start at the first folder.
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
