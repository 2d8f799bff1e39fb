//! `config`: the effective settings, and the files of each program.

use anyhow::Result;
use clap::{Args, ColorChoice, Subcommand};

use super::ExitStatus;
use super::config_files::FilesCommand;
use super::config_show::ShowConfig;

/// Show settings, and the files of each program
#[derive(Debug, Args)]
pub(super) struct ConfigCommand {
    #[command(subcommand)]
    task: ConfigTask,
}

#[derive(Debug, Subcommand)]
enum ConfigTask {
    Show(ShowConfig),
    Files(FilesCommand),
}

impl ConfigCommand {
    pub(super) fn run(&self, color: ColorChoice) -> Result<ExitStatus> {
        match &self.task {
            ConfigTask::Show(show) => show.run(color),
            ConfigTask::Files(files) => files.run(color),
        }
    }
}
