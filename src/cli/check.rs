//! `check`: finds what is wrong with policies.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use annotate_snippets::Renderer;
use anyhow::{Context, Result};
use clap::{Args, ColorChoice, ValueEnum};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Outcome;
use super::output::{self, Output};
use super::progress::Progress;
use super::show_program::show_program;
use crate::config::FailOn;
use crate::host::{self, Checked, FileTable, MAX_FILE_LEN, Overlay, Problem, Resolution, STDIN, Shell};
use crate::program::FileSummary;
use crate::report::{self, Entry, Sources, Summary};
use crate::text::FileId;

/// Find what is wrong with policies
///
/// Exit status: 0 if there is nothing to complain about, 1 if there are findings at or above
/// `--fail-on`, 2 if something that was named could not be checked.
#[derive(Debug, Args)]
pub(super) struct Check {
    /// Files, folders, globs, or `-` for standard input [default: the working folder]
    ///
    /// Below a `mangle-ls.toml` they select what is reported of its programs. Without one they
    /// are the program; a single file also reads the `schemas*.gl` and `schemas*.mg` beside it.
    paths: Vec<PathBuf>,
    /// How findings are written
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
    /// From which severity on findings give exit status 1: error, warning, information, hint or
    /// never [default: what the configuration says, else error]
    #[arg(long, value_name = "SEVERITY", value_parser = fail_on)]
    fail_on: Option<FailOn>,
    /// First say which files form which program (with `--format json` on standard error)
    #[arg(long)]
    show_program: bool,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Format {
    /// For people: messages with excerpts
    #[default]
    Text,
    /// For programs: one JSON object a line, the last one a summary
    Json,
}

fn fail_on(word: &str) -> Result<FailOn, String> {
    FailOn::parse(word).ok_or_else(|| format!("it is one of {}", FailOn::WORDS.join(", ")))
}

/// What was checked, ready to be written.
struct Findings {
    entries: Vec<Entry>,
    sources: Sources,
    summary: Summary,
    failed: bool,
    /// What could not be checked although it was named.
    failures: Vec<Problem>,
}

impl Check {
    /// Runs the command.
    ///
    /// # Errors
    /// When there is no working folder, or standard input or output fail.
    pub(super) fn run(&self, color: ColorChoice) -> Result<Outcome> {
        let start = Instant::now();
        let working = std::env::current_dir().context("cannot find out the working folder")?;
        let named = host::targets(&self.paths, &working);
        for path in &named.skipped {
            let name = host::relative(&working, path);
            output::warn(color, &format!("{name} is neither `.mg` nor `.gl` and is not checked"));
        }
        let (overlay, table) = (self.overlay(&working)?, FileTable::default());
        let mut resolution = host::resolve(&named.targets, Shell::CommandLine, &overlay, &table);
        resolution.problems.extend(named.problems);
        tracing::info!(programs = resolution.programs.len(), files = resolution.files().len(), "resolved");
        if is_empty(&resolution) && named.skipped.is_empty() {
            output::warn(color, "there are no Mangle files (`.mg`, `.gl`) here");
        }
        let mut out = Output::new(color);
        if self.show_program {
            self.show_program(&mut out, &show_program(&resolution, &table, &working))?;
        }
        let (files, problems) = self.load(&resolution, &named.targets, &overlay, &table);
        resolution.problems.extend(problems);
        let mut findings = self.check(&resolution, &files, &table, &working);
        findings.summary.elapsed_ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        tracing::info!(
            findings = findings.entries.len(),
            elapsed_ms = findings.summary.elapsed_ms,
            "checked"
        );
        self.write(&mut out, &findings)?;
        Ok(finish(&findings, color, &working))
    }

    /// Standard input as a document, if it is to be checked.
    fn overlay(&self, working: &Path) -> Result<Overlay> {
        let mut overlay = Overlay::default();
        if self.paths.iter().any(|path| path.as_os_str() == "-") {
            let mut bytes = Vec::new();
            let input = std::io::stdin().lock().take(MAX_FILE_LEN as u64 + 1).read_to_end(&mut bytes);
            input.context("cannot read standard input")?;
            overlay.insert_bytes(working.join(STDIN), bytes);
        }
        Ok(overlay)
    }

    fn show_program(&self, out: &mut Output, shown: &str) -> Result<()> {
        match self.format {
            Format::Text => out.write(&format!("{shown}\n"))?,
            Format::Json => output::note(shown),
        }
        Ok(())
    }

    fn load(
        &self,
        resolution: &Resolution,
        targets: &[host::Target],
        overlay: &Overlay,
        table: &FileTable,
    ) -> (FxHashMap<FileId, Arc<FileSummary>>, Vec<Problem>) {
        let progress = Progress::new("reading", resolution.files().len());
        host::load(resolution, targets, overlay, table, || progress.step())
    }

    fn check(
        &self,
        resolution: &Resolution,
        files: &FxHashMap<FileId, Arc<FileSummary>>,
        table: &FileTable,
        working: &Path,
    ) -> Findings {
        let progress = Progress::new("checking", resolution.programs.len());
        let mut checked = host::check(resolution, files, self.fail_on, || progress.step());
        let (failures, met): (Vec<_>, Vec<_>) =
            resolution.problems.iter().cloned().partition(|problem| problem.named);
        checked.add_unreadable(&met, &resolution.projects, table, self.fail_on);
        let sources = sources(resolution, files, &checked, table, working);
        let Checked { mut entries, failed } = checked;
        report::sort(&mut entries, &sources);
        let reported = reported(resolution);
        let summaries = files.values().filter(|file| reported.contains(&file.id));
        let clauses = summaries.clone().flat_map(|file| file.items.iter());
        let clauses = clauses.filter(|item| item.statement.clause().is_some()).count();
        let summary = Summary { files: summaries.count(), clauses, ..report::count(&entries) };
        Findings { entries, sources, summary, failed, failures }
    }

    fn write(&self, out: &mut Output, findings: &Findings) -> Result<()> {
        let Findings { entries, sources, summary, .. } = findings;
        let renderer = Renderer::styled();
        for entry in entries {
            match self.format {
                Format::Text => out.write(&report::text(entry, sources, &renderer))?,
                Format::Json => out.write(&format!("{}\n", report::json_line(entry, sources)))?,
            }
        }
        match self.format {
            Format::Text => out.write(&format!("{summary}\n"))?,
            Format::Json => out.write(&format!("{}\n", report::json_summary(summary)))?,
        }
        Ok(out.flush()?)
    }
}

fn is_empty(resolution: &Resolution) -> bool {
    resolution.files().is_empty() && resolution.projects.is_empty() && resolution.problems.is_empty()
}

/// The names and texts of all files that output may show.
fn sources(
    resolution: &Resolution,
    files: &FxHashMap<FileId, Arc<FileSummary>>,
    checked: &Checked,
    table: &FileTable,
    working: &Path,
) -> Sources {
    let mut sources = Sources::default();
    let name = |file: FileId| match host::relative(working, &table.path(file)) {
        name if name.is_empty() => ".".into(),
        name => name,
    };
    for entry in &checked.entries {
        sources.insert(entry.file, name(entry.file), "".into());
    }
    for project in &resolution.projects {
        sources.insert(project.file, name(project.file), Arc::clone(&project.text));
    }
    for file in files.values() {
        sources.insert(file.id, name(file.id), Arc::clone(&file.text));
    }
    sources
}

/// The files whose findings are wanted.
fn reported(resolution: &Resolution) -> FxHashSet<FileId> {
    let members =
        resolution.programs.iter().flat_map(|program| program.members.iter().chain(&program.singles));
    members.filter(|member| member.reported).map(|member| member.file).collect()
}

/// Complains about what was not checked, and finds the exit status.
fn finish(findings: &Findings, color: ColorChoice, working: &Path) -> Outcome {
    for problem in &findings.failures {
        let name = host::relative(working, &problem.path);
        output::complain(color, &format!("{name}: {}", problem.why));
    }
    if !findings.failures.is_empty() {
        Outcome::Failure
    } else if findings.failed {
        Outcome::Findings
    } else {
        Outcome::Clean
    }
}
