//! `generate completions`: shell completion scripts.

use anyhow::Result;
use clap::{Args, ColorChoice, CommandFactory};
use clap_complete::Shell;

use super::output::{Medium, Output};
use super::{Cli, ExitStatus};

/// Write a completion script for a shell
///
/// For bash: `mangle-ls generate completions bash >
/// ~/.local/share/bash-completion/completions/mangle-ls`
#[derive(Debug, Args)]
pub(super) struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    pub(super) fn run(&self, color: ColorChoice) -> Result<ExitStatus> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "mangle-ls", &mut script);
        let mut out = Output::stdout(Medium::Own, color);
        out.write(&String::from_utf8(script)?)?;
        out.flush()?;
        Ok(ExitStatus::Clean)
    }
}
