//! `transcript`: commands about captured replies.

use anyhow::Result;
use clap::{Args, ColorChoice, Subcommand};

use super::ExitStatus;
use super::parse::Parse;
use super::repair::RepairCommand;
use super::show::ShowCommand;
use super::split::Split;
#[cfg(not(target_family = "wasm"))]
use super::stats::Stats;

/// Show, count, parse, split and repair captured replies
#[derive(Debug, Args)]
pub(super) struct TranscriptCommand {
    #[command(subcommand)]
    task: TranscriptTask,
}

#[derive(Debug, Subcommand)]
enum TranscriptTask {
    Show(ShowCommand),
    #[cfg(not(target_family = "wasm"))]
    Stats(Stats),
    Parse(Parse),
    Split(Split),
    Repair(RepairCommand),
}

impl TranscriptCommand {
    pub(super) fn run(&self, color: ColorChoice) -> Result<ExitStatus> {
        match &self.task {
            TranscriptTask::Show(show) => show.run(color),
            #[cfg(not(target_family = "wasm"))]
            TranscriptTask::Stats(stats) => stats.run(color),
            TranscriptTask::Parse(parse) => parse.run(color),
            TranscriptTask::Split(split) => split.run(color),
            TranscriptTask::Repair(repair) => repair.run(color),
        }
    }
}
