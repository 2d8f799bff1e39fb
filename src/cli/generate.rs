//! `generate`: shell completions and manual pages.

use anyhow::Result;
use clap::{Args, ColorChoice, Subcommand};

use super::ExitStatus;
use super::completions::Completions;
use super::man::ManCommand;

/// Write shell completions and manual pages
#[derive(Debug, Args)]
pub(super) struct GenerateCommand {
    #[command(subcommand)]
    task: GenerateTask,
}

#[derive(Debug, Subcommand)]
enum GenerateTask {
    Completions(Completions),
    Man(ManCommand),
}

impl GenerateCommand {
    pub(super) fn run(&self, color: ColorChoice) -> Result<ExitStatus> {
        match &self.task {
            GenerateTask::Completions(completions) => completions.run(color),
            GenerateTask::Man(man) => man.run(color),
        }
    }
}
