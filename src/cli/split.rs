//! `split`: separates a transcript into user-visible text and asserted facts.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, ensure};
use clap::{Args, ColorChoice, ValueEnum};

use super::output::{self, Output};
use super::shared_args::LoadArgs;
use super::transcripts::{TranscriptArgs, Transcripts};
use super::{ExitStatus, surroundings};
use mangle_host::{AccountPolicies, Accounts, TranscriptFile, disk, plain};
use mangle_report::replies::Channels;
use piggyback::envelope::account::{NO_POLICY_NOTICE, UpdateFate};
use piggyback::transcript::{Record, TextKind};

/// Split transcripts into user-visible text and asserted facts
///
/// Writes the text for the user to one stream. Writes each atom that reaches the kernel to the
/// other stream, one per line. Both begin with the number of the turn. Without `--surface` and
/// `--control`, both streams go to standard output. `--format log` writes a log that all commands
/// for transcripts can read.
#[derive(Debug, Args)]
pub(super) struct Split {
    /// Transcripts, or `-` for standard input; `.gz` and `.zst` are decompressed
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Write the text for the user to this file; an existing file is overwritten
    #[arg(long, value_name = "FILE")]
    surface: Option<PathBuf>,
    /// Write the atoms that reach the kernel to this file; an existing file is overwritten
    #[arg(long, value_name = "FILE")]
    control: Option<PathBuf>,
    /// The format of the streams
    #[arg(long, value_enum, default_value_t)]
    format: Layout,
    #[command(flatten)]
    load: LoadArgs,
    #[command(flatten)]
    transcripts: TranscriptArgs,
}

/// The format of streams.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Layout {
    /// Line by line, each after the number of its turn
    #[default]
    Text,
    /// `[USER]` before the text for the user, `[KERNEL]` before each atom; with `--no-redact`, both
    /// channels are unchanged
    Log,
}

/// The destination of a channel.
enum Stream {
    File(BufWriter<disk::Output>, PathBuf),
    /// Standard output. Lines are prefixed with the channel name if both channels use it.
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
                Self::Standard(mark) => out.write(&format!("{mark}{line}\n"))?,
                Self::Nowhere => {}
            }
        }
        Ok(())
    }

    /// Moves the file to its final path.
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

/// Adds the file to an error.
fn unwritten(path: &Path, error: &io::Error) -> io::Error {
    io::Error::other(format!("cannot write {}: {}", path.display(), plain(error)))
}

impl Split {
    /// Runs the command.
    ///
    /// # Errors
    /// If the working directory is unknown, the consumer is unknown, or an output cannot be
    /// written.
    pub(super) fn run(&self, color: ColorChoice) -> Result<ExitStatus> {
        let working = surroundings::working_folder()?;
        let transcripts = Transcripts::load(&self.files, &self.transcripts, &working)?;
        ensure!(
            !self.load.anyway || self.format == Layout::Text,
            "a log has no place for the mark of a program that does not load: leave out `--anyway`"
        );
        let Some(load_errors) = self.load.admit(transcripts.load_errors(), color) else {
            transcripts.complain(&[], color);
            return Ok(ExitStatus::Failure);
        };
        let (surface, control) = (self.surface.as_deref(), self.control.as_deref());
        let mark = |mark| if self.format == Layout::Log { "" } else { mark };
        let mut surface_out = Stream::open(surface, control, mark("surface "))?;
        let mut control_out = Stream::open(control, surface, mark("control "))?;
        let policies = AccountPolicies::with_denials(transcripts.programs());
        let mut accounts = Accounts::new(transcripts.programs(), &policies);
        let (mut out, mut number) = (Output::new(color), 0);
        if let Some(mark) = load_errors.mark() {
            let lines = [format!("# {mark}")];
            surface_out.write(&mut out, &lines)?;
            control_out.write(&mut out, &lines)?;
        }
        let mut is_judged = true;
        let problems = transcripts.each_record(
            &mut |found, record, _| {
                accounts.record(found, record);
                for channels in channels(found, record, &mut accounts, &mut is_judged) {
                    number += 1;
                    let (surface, control) = self.written(&channels, number);
                    surface_out.write(&mut out, &surface)?;
                    control_out.write(&mut out, &control)?;
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
            output::note(&format!("{NO_POLICY_NOTICE}\n"));
        }
        Ok(if problems.is_empty() { ExitStatus::Clean } else { ExitStatus::Failure })
    }

    /// The lines of a turn for each channel.
    fn written(&self, channels: &Channels, turn: u64) -> (Vec<String>, Vec<String>) {
        match self.format {
            Layout::Text => (channels.surface_lines(turn), channels.control_lines(turn)),
            Layout::Log => (vec![channels.surface_entry()], channels.control_entries()),
        }
    }
}

/// The channels of the turns in a record. In a log with separate channels, a surface starts a turn.
fn channels(
    found: &TranscriptFile,
    record: &Record<'_>,
    accounts: &mut Accounts<'_>,
    is_judged: &mut bool,
) -> Vec<Channels> {
    let mut all: Vec<Channels> = Vec::new();
    let mut loose = 0;
    for (at, turn) in record.turns.iter().enumerate() {
        let text = || String::from_utf8_lossy(turn.text(record.bytes)).into_owned();
        match turn.kind {
            TextKind::Reply | TextKind::Object => {
                let reply = turn.reply(record.bytes, &found.settings);
                let account = accounts.account(at, &reply);
                *is_judged &= !account.iter().any(|entry| matches!(entry.fate, UpdateFate::Passed(_)));
                let kept = account.into_iter().filter(|entry| entry.fate.is_kept());
                let surface = reply.reading.as_ref().map(|read| String::from_utf8_lossy(read.visible_text()));
                let surface = surface.map(std::borrow::Cow::into_owned).unwrap_or_default();
                all.push(Channels { surface, updates: kept.map(|entry| entry.text).collect() });
            }
            TextKind::Surface => {
                loose = 0;
                all.push(Channels { surface: text(), updates: Vec::new() });
            }
            TextKind::Atom => {
                let text = text();
                let Some(fate) = accounts.lone(&text, loose) else { continue };
                loose += 1;
                *is_judged &= !matches!(fate, UpdateFate::Passed(_));
                if all.is_empty() {
                    all.push(Channels::default());
                }
                all.last_mut()
                    .filter(|_| fate.is_kept())
                    .into_iter()
                    .for_each(|last| last.updates.push(text.clone()));
            }
            TextKind::Prompt | TextKind::Skipped(_) => {}
        }
    }
    all
}
