//! `split`: the two channels of a transcript as two streams.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow};
use clap::{Args, ColorChoice};

use super::Outcome;
use super::accounts::{Accounts, Denying};
use super::output::{self, Output};
use super::transcripts::{TranscriptArgs, Transcripts};
use crate::envelope::account::{Fate, NOT_JUDGED};
use crate::host::{disk, plain};
use crate::report::replies::{Answered, control_lines, surface_lines};

/// Write what users saw and what the kernel got as two streams
///
/// What the agent said goes to one stream, a line for each atom that reaches the kernel to the other, both behind the
/// number of the turn. Without `--surface` and `--control` both are written to standard output.
#[derive(Debug, Args)]
pub(super) struct Split {
    /// Transcripts, or `-` for standard input; `.gz` and `.zst` are decompressed
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Where to write what users saw; a file that is there is replaced
    #[arg(long, value_name = "FILE")]
    surface: Option<PathBuf>,
    /// Where to write what the kernel got; a file that is there is replaced
    #[arg(long, value_name = "FILE")]
    control: Option<PathBuf>,
    #[command(flatten)]
    transcripts: TranscriptArgs,
}

/// Where one of the channels goes.
enum Stream {
    File(BufWriter<disk::Output>, PathBuf),
    /// Standard output, with the name of the channel in front if both go there.
    Standard(&'static str),
    Nowhere,
}

impl Stream {
    fn open(file: Option<&Path>, other: Option<&Path>, mark: &'static str) -> Result<Self> {
        Ok(match (file, other) {
            (Some(path), _) => {
                let created = disk::Output::create(path)
                    .map_err(|why| anyhow!("cannot write {}: {why}", path.display()))?;
                Self::File(BufWriter::new(created), path.into())
            }
            (None, None) => Self::Standard(mark),
            (None, Some(_)) => Self::Nowhere,
        })
    }

    fn write(&mut self, out: &mut Output, lines: &[String]) -> io::Result<()> {
        for line in lines {
            match self {
                Self::File(file, path) => {
                    writeln!(file, "{line}").map_err(|error| unwritten(path, &error))?
                }
                Self::Standard(mark) => out.write(&format!("{mark} {line}\n"))?,
                Self::Nowhere => {}
            }
        }
        Ok(())
    }

    /// Puts the file in its place.
    fn finish(self) -> Result<()> {
        match self {
            Self::File(file, path) => {
                let file = file.into_inner().map_err(|error| unwritten(&path, error.error()))?;
                file.commit().map_err(|why| anyhow!("cannot write {}: {why}", path.display()))
            }
            Self::Standard(_) | Self::Nowhere => Ok(()),
        }
    }
}

/// The error that also says which file it is about.
fn unwritten(path: &Path, error: &io::Error) -> io::Error {
    io::Error::other(format!("cannot write {}: {}", path.display(), plain(error)))
}

impl Split {
    /// Runs the command.
    ///
    /// # Errors
    /// When there is no working folder, no such consumer, or a stream cannot be written.
    pub(super) fn run(&self, color: ColorChoice) -> Result<Outcome> {
        let working = std::env::current_dir().context("cannot find out the working folder")?;
        let transcripts = Transcripts::load(&self.files, &self.transcripts, &working)?;
        let (surface, control) = (self.surface.as_deref(), self.control.as_deref());
        let mut surface_out = Stream::open(surface, control, "surface")?;
        let mut control_out = Stream::open(control, surface, "control")?;
        let denying = Denying::of(&transcripts);
        let mut accounts = Accounts::new(&transcripts, &denying);
        let (mut out, mut number) = (Output::new(color), 0);
        let mut is_judged = true;
        let problems = transcripts.each_record(
            &mut |found, record, _| {
                accounts.record(found, record);
                for (at, turn) in record.turns.iter().enumerate().filter(|(_, turn)| turn.is_reply()) {
                    number += 1;
                    let reply = turn.reply(record.bytes, &found.settings);
                    let account = accounts.of(at, &reply);
                    is_judged &= !account.iter().any(|entry| matches!(entry.fate, Fate::Passed(_)));
                    let answered = Answered { file: "", record, turn, reply: &reply, account: &account };
                    surface_out.write(&mut out, &surface_lines(answered, number))?;
                    control_out.write(&mut out, &control_lines(answered, number))?;
                }
                Ok(())
            },
            &mut |_, _| Ok(()),
        )?;
        out.flush()?;
        surface_out.finish()?;
        control_out.finish()?;
        transcripts.complain(&problems, color);
        if !is_judged {
            output::note(&format!("{NOT_JUDGED}\n"));
        }
        Ok(if problems.is_empty() { Outcome::Clean } else { Outcome::Failure })
    }
}
