//! `lsp`: the language server on standard input and output.

use anyhow::Result;

use super::ExitStatus;
use crate::lsp::{self, SessionEnd};
use mangle_host::VersionOptions;

/// Run the language server on standard input and output
#[derive(Debug, clap::Args)]
pub(super) struct LspCommand {
    /// Accepted because many editors pass it; the server always uses standard input and output
    #[arg(long)]
    stdio: bool,
}

impl LspCommand {
    /// Serves one client. The exit status is 1 if the client disconnects without `shutdown` and
    /// `exit`, as required by the protocol.
    ///
    /// # Errors
    /// If options choose versions, which a server reads from the settings, or if no threads can be
    /// started.
    pub(super) fn run(&self, versions: VersionOptions) -> Result<ExitStatus> {
        let _ = self.stdio;
        versions.refuse()?;
        Ok(match lsp::serve()? {
            SessionEnd::Orderly => ExitStatus::Clean,
            SessionEnd::Abruptly => ExitStatus::Findings,
        })
    }
}
