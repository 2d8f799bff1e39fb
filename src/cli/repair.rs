//! `repair`: writes messages that ask the model to correct bad replies.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Args, ColorChoice};

use super::output::{self, Output, OutputForm};
use super::shared_args::LoadArgs;
use super::transcripts::{TranscriptArgs, Transcripts};
use super::{ExitStatus, surroundings};
use mangle_report::LoadErrors;
use mangle_report::replies::{Attempt, Repair, without_secrets};

/// Generate retry prompts for invalid replies
///
/// Writes one message to the model for each invalid reply, in the order of the file. The messages
/// are never for users. Exit status: 0 with a message, or with nothing to repair; 2 if the file
/// could not be read or has no such record.
#[derive(Debug, Args)]
pub(super) struct RepairCommand {
    /// A transcript, or `-` for standard input; with `:N` after it, only its record N
    #[arg(value_name = "FILE[:RECORD]")]
    file: PathBuf,
    /// The number of the attempt in the message
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    attempt: u32,
    /// Maximum number of attempts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    max: u32,
    /// The format of the output
    #[arg(long, value_enum, default_value_t)]
    format: OutputForm,
    #[command(flatten)]
    load: LoadArgs,
    #[command(flatten)]
    transcripts: TranscriptArgs,
}

impl RepairCommand {
    /// Runs the command.
    ///
    /// # Errors
    /// If the working directory is unknown, the consumer or the record is unknown, or standard
    /// output fails.
    pub(super) fn run(&self, color: ColorChoice) -> Result<ExitStatus> {
        let working = surroundings::working_folder()?;
        let (file, record) = place(&self.file);
        let mut transcripts = Transcripts::load(&[file], &self.transcripts, &working)?;
        transcripts.note_policies();
        let has_mark = !self.load.anyway || self.format == OutputForm::Json;
        anyhow::ensure!(
            has_mark,
            "a message for the model has no place for the mark of a program that does not load: use `--format json`"
        );
        let Some(mark) = self.load.admit(transcripts.load_errors(), color) else {
            transcripts.complain(&[], color);
            return Ok(ExitStatus::Failure);
        };
        let attempt = Attempt { number: self.attempt, max: self.max };
        let (mut wanted, mut is_there) = (Vec::new(), false);
        let problems = transcripts.each_reply(&mut |seen| {
            let number = seen.answered.record.number;
            if record.is_none_or(|record| record == number) {
                is_there = true;
                let repair = Repair::new(seen.answered, &seen.context, &seen.diagnostics, attempt);
                wanted.extend((!repair.is_empty()).then_some(repair));
            }
            Ok(())
        })?;
        transcripts.complain(&problems, color);
        if !problems.is_empty() {
            return Ok(ExitStatus::Failure);
        }
        anyhow::ensure!(is_there || record.is_none(), "there is no reply in record {}", record.unwrap_or(0));
        let mut out = Output::stdout(self.format.medium(), color);
        if wanted.is_empty() {
            output::note("nothing to repair\n");
        }
        let mut is_first = true;
        for repair in &wanted {
            let stop = repair.stop();
            // A message that must not be sent is omitted.
            if stop.is_none() || self.format == OutputForm::Json {
                // A blank line separates messages.
                let blank = if is_first || self.format == OutputForm::Json { "" } else { "\n" };
                out.write(&format!("{blank}{}", self.written(repair, &mark)))?;
                is_first = false;
            }
            if let Some(why) = stop {
                let record = repair.record();
                output::note(&format!(
                    "no message for record {record}: {why}; go on with what the runtime makes of the reply\n"
                ));
            }
        }
        out.flush()?;
        Ok(ExitStatus::Clean)
    }

    fn written(&self, repair: &Repair, mark: &LoadErrors) -> String {
        match self.format {
            OutputForm::Text => repair.message(),
            OutputForm::Json => {
                let mut value = without_secrets(repair.json());
                mark.mark_json(&mut value);
                format!("{value}\n")
            }
        }
    }
}

/// Splits an argument into a file and a record number. An existing file with the full name takes
/// precedence.
fn place(argument: &Path) -> (PathBuf, Option<u64>) {
    let text = argument.to_string_lossy();
    let split = text.rsplit_once(':').and_then(|(file, record)| Some((file.into(), record.parse().ok()?)));
    match split {
        Some((file, record)) if !argument.exists() => (file, Some(record)),
        _ => (argument.into(), None),
    }
}
