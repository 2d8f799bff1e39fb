//! `generate`: shell completions and manual pages.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use clap::{Args, ColorChoice, CommandFactory, Subcommand};
use clap_complete::Shell;
use clap_mangen::Man;

use super::output::{Medium, Output};
use super::{Cli, ExitStatus};
use mangle_host::disk;

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

/// Write a completion script for a shell
///
/// For bash: `mangle-ls generate completions bash >
/// ~/.local/share/bash-completion/completions/mangle-ls`
#[derive(Debug, Args)]
struct Completions {
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

/// Write the manual pages
///
/// To read the page of mangle-ls itself: `mangle-ls generate man | man -l -`
#[derive(Debug, Args)]
struct ManCommand {
    /// Write the pages of all commands to this folder, for example `mangle-ls-check.1` [default:
    /// write the page of mangle-ls itself to standard output]
    folder: Option<PathBuf>,
}

impl ManCommand {
    /// Runs the command.
    ///
    /// # Errors
    /// If the folder cannot be written to, or standard output fails.
    fn run(&self, color: ColorChoice) -> Result<ExitStatus> {
        if let Some(folder) = &self.folder {
            let cannot = || format!("cannot write manual pages to {}", folder.display());
            disk::create_folder(folder).with_context(cannot)?;
            let mut command = Cli::command().disable_help_subcommand(true);
            command.build();
            write_pages(&command, folder).with_context(cannot)?;
            return Ok(ExitStatus::Clean);
        }
        let mut page = Vec::new();
        Man::new(Cli::command()).render(&mut page)?;
        let mut out = Output::stdout(Medium::Own, color);
        out.write(&String::from_utf8(page)?)?;
        out.flush()?;
        Ok(ExitStatus::Clean)
    }
}

/// Writes the pages of a command and its subcommands.
fn write_pages(command: &clap::Command, folder: &Path) -> Result<()> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        write_pages(below, folder)?;
    }
    let (man, mut page) = (Man::new(command.clone()), Vec::new());
    man.render(&mut page)?;
    let path = folder.join(man.get_filename());
    disk::write(&path, &page).map_err(|why| anyhow!("{}: {why}", path.display()))
}
