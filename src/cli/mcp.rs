//! `mcp`: Model Context Protocol server that offers the commands as tools.

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
    /// Serves one client. `run` runs the commands of the tools.
    ///
    /// # Errors
    /// If the working directory is unknown, a given folder does not exist, an option would show
    /// secrets, or the connection fails.
    pub(super) fn run(&self, run: RunCommand) -> Result<ExitStatus> {
        ensure!(!are_shown(), "`mcp` always masks what looks like a credential: leave `--no-redact` out");
        mcp::serve(&self.folders, &surroundings::working_folder()?, run)?;
        Ok(ExitStatus::Clean)
    }
}
