//! `mcp`: Model Context Protocol server that offers the commands as tools.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::Args;

use super::surroundings::{self, Surroundings};
use super::{ExitStatus, command_line, output};
use crate::mcp::{self, CommandAnswer, CommandRequest};
use mangle_host::VersionOptions;
use mangle_report::sink;
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
    /// Serves one client.
    ///
    /// # Errors
    /// If the working directory is unknown, a given folder does not exist, an option would show
    /// secrets, options choose versions, which a server reads from the settings, or the connection
    /// fails.
    pub(super) fn run(&self, versions: VersionOptions) -> Result<ExitStatus> {
        versions.refuse()?;
        ensure!(!are_shown(), "`mcp` always masks what looks like a credential: leave `--no-redact` out");
        mcp::serve(&self.folders, &surroundings::working_folder()?, run_for_agent)?;
        Ok(ExitStatus::Clean)
    }
}

/// Runs the command of a tool in this process and on this thread.
fn run_for_agent(request: CommandRequest) -> CommandAnswer {
    let words = [OsString::from("mangle-ls"), "--color=never".into()];
    let cli = match command_line::parse(words.into_iter().chain(request.arguments)) {
        Ok(cli) => cli,
        Err(error) => {
            let errors = sink::lines(&error.to_string());
            return CommandAnswer { status: ExitStatus::Failure as u8, output: String::new(), errors };
        }
    };
    let surroundings =
        Surroundings { working: request.working, texts: request.texts, cancel: request.cancel };
    let run = || output::record(|| cli.status(cli.run()));
    let (status, written) = surroundings::within(surroundings, run);
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    CommandAnswer { status, output: text(written.output), errors: text(written.errors) }
}
