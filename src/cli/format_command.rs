//! `format`: formats Mangle files.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::{Args, ColorChoice};

use super::output::{self, Medium, Output};
use super::shared_args::refuses_settings;
use super::{ExitStatus, surroundings};
use mangle_host::{FileTable, FormattedFile, MAX_FILE_LEN, Overlay, PartialScan, Problem, STDIN, Shell};
use mangle_report::sink::terminal;
use mangle_syntax::text::LineIndex;

/// Format Mangle files
///
/// Only the white space between tokens and comments changes. `format` verifies this before it
/// writes a file. Statements with syntax errors are left unchanged. Exit status: 0, 1 if `--check`
/// or `--diff` found something to format, 2 if a given path could not be formatted.
#[derive(Debug, Args)]
pub(super) struct FormatCommand {
    /// Files, folders, globs, or a single `-` to format standard input to standard output [default:
    /// the working folder]
    paths: Vec<PathBuf>,
    /// List the files that are not formatted, and write nothing
    #[arg(long)]
    check: bool,
    /// Show the changes as a unified diff, and write nothing
    #[arg(long, conflicts_with = "check")]
    diff: bool,
}

impl FormatCommand {
    /// Runs the command.
    ///
    /// # Errors
    /// If the working directory is unknown, or standard input or output fail.
    pub(super) fn run(&self, color: ColorChoice) -> Result<ExitStatus> {
        let working = surroundings::working_folder()?;
        let is_filter = self.paths.iter().any(|path| path.as_os_str() == "-");
        ensure!(!is_filter || self.paths.len() == 1, "`-` is formatted alone, without files");
        let overlay = if is_filter { standard_input(&working)? } else { Overlay::default() };
        let Some((files, mut problems)) = self.formatted(color, &working, &overlay) else {
            return Ok(ExitStatus::Failure);
        };
        for file in &files {
            remark(color, file, &working);
        }
        let mut out = Output::stdout(Medium::Coloured, color);
        let is_clean = files.iter().all(|file| file.new.is_none());
        if self.check || self.diff {
            self.show(&mut out, &files, &working)?;
        } else if is_filter {
            filter(&files)?;
        } else {
            problems.extend(write(&files));
        }
        out.flush()?;
        complain(color, &problems, &working);
        Ok(match problems.iter().any(|problem| problem.named) {
            true => ExitStatus::Failure,
            false if is_clean || !(self.check || self.diff) => ExitStatus::Clean,
            false => ExitStatus::Findings,
        })
    }

    /// The formatted files, and files that could not be formatted. `None` if the settings are
    /// invalid, which is reported.
    fn formatted(
        &self,
        color: ColorChoice,
        working: &Path,
        overlay: &Overlay,
    ) -> Option<(Vec<FormattedFile>, Vec<Problem>)> {
        let (table, named) = (FileTable::default(), mangle_host::targets(&self.paths, working));
        let mut resolution = mangle_host::resolve(&named.targets, Shell::CommandLine, overlay, &table);
        let settings = resolution.settings_problems(working);
        output::warn_ignored(&settings, color);
        if refuses_settings(&settings.errors, color) {
            return None;
        }
        if !self.paths.is_empty() {
            resolution.problems.append(&mut resolution.empty_targets);
        }
        let cuts: Vec<_> = resolution.partial_scans.iter().map(PartialScan::problem).collect();
        let (files, unformatted) = mangle_host::format(&resolution, &named.targets, overlay, &table);
        let problems: Vec<_> =
            named.problems.into_iter().chain(resolution.problems).chain(unformatted).chain(cuts).collect();
        if files.is_empty() && problems.is_empty() {
            output::warn(color, "there are no Mangle files (`.mg`, `.gl`) here");
        }
        Some((files, problems))
    }

    /// Lists the unformatted files, or shows the changes.
    fn show(&self, out: &mut Output, files: &[FormattedFile], working: &Path) -> Result<()> {
        for file in files {
            let Some(new) = &file.new else { continue };
            let name = mangle_host::relative(working, &file.path);
            let shown = if self.diff {
                mangle_report::diff(&name, &file.old, new)
            } else {
                format!("{}\n", terminal(&name))
            };
            out.write(&shown)?;
        }
        Ok(())
    }
}

fn standard_input(working: &Path) -> Result<Overlay> {
    let (mut overlay, mut bytes) = (Overlay::default(), Vec::new());
    let input = std::io::stdin().lock().take(MAX_FILE_LEN as u64 + 1).read_to_end(&mut bytes);
    input.context("cannot read standard input")?;
    overlay.insert_bytes(working.join(STDIN), bytes);
    Ok(overlay)
}

/// Writes the text to standard output, even if it is unchanged.
fn filter(files: &[FormattedFile]) -> Result<()> {
    let Some(file) = files.first() else { return Ok(()) };
    let text = file.new.as_deref().unwrap_or(&file.old);
    // The raw stream, because a color sequence in this text belongs to the user's file.
    let mut out = output::raw(output::StdStream::Output);
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other.map_err(|error| output::unwritable(&error))?),
    }
}

/// Writes the changed files. Returns the files that could not be written.
fn write(files: &[FormattedFile]) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut written = 0;
    for file in files {
        let Some(new) = &file.new else { continue };
        match mangle_host::replace(&file.path, file.old.as_bytes(), new.as_bytes()) {
            Ok(()) => written += 1,
            Err(error) => {
                let why = format!("it was not formatted: {error}");
                problems.push(Problem { path: file.path.clone(), why, named: true });
            }
        }
    }
    let unchanged = files.iter().filter(|file| file.new.is_none()).count();
    let noun = if written == 1 { "file" } else { "files" };
    output::note(&format!("{written} {noun} formatted, {unchanged} unchanged\n"));
    problems
}

/// Reports text that was not formatted.
fn remark(color: ColorChoice, file: &FormattedFile, working: &Path) {
    let name = mangle_host::relative(working, &file.path);
    let lines = LineIndex::new(&file.old);
    let line = |range: &mangle_syntax::text::TextRange| lines.line_of(range.start()) + 1;
    let formatting = &file.formatting;
    if let Some(first) = formatting.unread.first() {
        let what = match formatting.unread.len() {
            1 => format!("line {} cannot be read and stays as it is", line(first)),
            count => format!(
                "{count} places cannot be read and stay as they are, the first in line {}",
                line(first)
            ),
        };
        output::warn(color, &format!("{name}: {what}"));
    }
    if let Some(first) = formatting.distrusted.first() {
        let what = "formatting it would have changed what it says, so it stays as it is; please report this as a bug";
        output::warn(color, &format!("{name}:{}: {what}", line(first)));
    }
}

fn complain(color: ColorChoice, problems: &[Problem], working: &Path) {
    for problem in problems {
        let message = format!("{}: {}", mangle_host::relative(working, &problem.path), problem.why);
        if problem.named {
            output::complain(color, &message);
        } else {
            output::warn(color, &message);
        }
    }
}
