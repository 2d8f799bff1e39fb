//! `lsp`: the language server on standard input and output.

use anyhow::Result;

use super::ExitStatus;
use crate::host::VersionOptions;
use crate::lsp::{self, SessionEnd};

/// Run the language server on standard input and output
#[derive(Debug, clap::Args)]
pub(super) struct LspCommand {
    /// Accepted because many editors pass it; the server always uses standard input and output
    #[arg(long)]
    stdio: bool,
}

impl LspCommand {
    /// Serves one client. If the client leaves without `exit` and `shutdown`, the exit status is 1, as the protocol
    /// demands.
    ///
    /// # Errors
    /// If options choose versions, which a server takes from the settings, or the system gives no threads.
    pub(super) fn run(&self, versions: VersionOptions) -> Result<ExitStatus> {
        let _ = self.stdio;
        versions.refuse()?;
        Ok(match lsp::serve()? {
            SessionEnd::Orderly => ExitStatus::Clean,
            SessionEnd::Abruptly => ExitStatus::Findings,
        })
    }
}
