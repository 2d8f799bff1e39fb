//! `check`: lints Mangle policies and agent transcripts.

use std::cell::RefCell;
use std::io::Read;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use clap::{Args, ColorChoice};

use super::baseline::{BaselineArgs, PriorFindings};
use super::findings::{Findings, FindingsRequest};
use super::fix::{FixArgs, FixReport};
use super::format::{Format, ReportFooter};
use super::output::{self, Medium, Output};
use super::program_notes::{self, looked_for, show_program, wider_programs};
use super::shared_args::{CompareVersionArgs, LoadArgs, refuse, refuses_settings};
use super::terminal::watching;
use super::transcripts::TranscriptArgs;
use super::{ExitStatus, surroundings};
use mangle_host::{CheckCache, CheckOptions, CheckTarget, MAX_FILE_LEN, Overlay, Resolution, STDIN, Shell};
use mangle_report::LoadErrors;
use mangle_settings::{FailOn, MaxFindings};
use piggyback::transcript::MAX_DOCUMENT_LEN;

/// Lint Mangle policies and agent transcripts
///
/// Exit status: 0 if no finding reaches the `--fail-on` severity, 1 if at least one does. It is 2
/// if a given path could not be checked or the settings cannot be used. With `--evaluate` or
/// `--verify`, it is also 2 if a program does not load. With `--compare-engine` or
/// `--compare-runtime`: 0 if nothing differs, 1 if something does, 2 as before.
#[derive(Debug, Args)]
pub(super) struct Check {
    /// Files, folders, globs, or `-` for standard input [default: the working folder]
    ///
    /// The paths limit the report; the whole program is still analyzed. The nearest `mangle-ls.toml`
    /// defines the program. If there is no such file, the program is all Mangle files of the folder.
    paths: Vec<PathBuf>,
    /// The format of the report
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(super) format: Format,
    /// Exit with status 1 if a finding has at least this severity: error, warning, information,
    /// hint or never [default: `fail_on` in the settings, or error]
    #[arg(long, value_name = "SEVERITY", value_parser = fail_on)]
    fail_on: Option<FailOn>,
    /// Show at most this many findings of one rule in one file with `text` and `github`; 0 shows
    /// all [default: `max_findings` in the settings, or 100]
    ///
    /// If a rule has more, `text` shows the first ten and a count. The other formats show all
    /// findings. The counts and the exit status include all findings.
    #[arg(long, value_name = "COUNT")]
    max_findings: Option<usize>,
    /// First list the files of each program (on standard error unless the format is `text`)
    #[arg(long)]
    show_program: bool,
    /// Also evaluate each program, alone and with each sample, and report evaluation errors and
    /// exceeded limits
    #[arg(long)]
    evaluate: bool,
    /// Also check the properties of test files, and look for rules and negations that change nothing in any small world
    #[arg(long)]
    verify: bool,
    /// Count the findings of each rule (with `--format json` in the last line)
    #[arg(long)]
    statistics: bool,
    /// Also check these files as transcripts, regardless of their names: paths, folders, globs, `-`
    /// for standard input
    #[arg(long, value_name = "GLOB")]
    transcripts: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) reading: TranscriptArgs,
    #[command(flatten)]
    fix: FixArgs,
    #[command(flatten)]
    baseline: BaselineArgs,
    /// Report only the findings that the program did not have at this git revision
    #[arg(long, value_name = "REV")]
    since: Option<String>,
    /// Check again whenever a file changes, until Ctrl-C
    #[arg(long, conflicts_with = "write_baseline")]
    watch: bool,
    #[command(flatten)]
    compare: CompareVersionArgs,
    #[command(flatten)]
    load: LoadArgs,
}

/// Parses the value of `--fail-on`.
pub(super) fn fail_on(word: &str) -> Result<FailOn, String> {
    FailOn::parse(word).ok_or_else(|| format!("it is one of {}", FailOn::WORDS.join(", ")))
}

/// State that is kept between checks of `--watch`.
#[derive(Default)]
struct Session {
    memory: CheckCache,
    since: PriorFindings,
}

impl Check {
    /// Runs the command.
    ///
    /// # Errors
    /// If the working directory is unknown, or standard input or output fail.
    pub(super) fn run(&self, color: ColorChoice) -> Result<ExitStatus> {
        let working = surroundings::working_folder()?;
        let no_past = self.since.is_some() && self.reads_stdin();
        ensure!(!no_past, "standard input has no past to compare with");
        let no_place = self.fix.is_on() && !self.fix.only_shows() && self.reads_stdin();
        ensure!(!no_place, "standard input cannot be fixed in place; `--diff` shows how");
        if let Some(versions) = self.compare.versions() {
            return self.compare(versions, color, &working);
        }
        if self.watch {
            self.watch(color, &working)
        } else {
            // The process exits next, so the memory is not freed.
            self.once(color, &working, &mut ManuallyDrop::new(Session::default()))
        }
    }

    /// Repeats the check until Ctrl-C. Returns the outcome of the last check.
    fn watch(&self, color: ColorChoice, working: &Path) -> Result<ExitStatus> {
        ensure!(!self.reads_stdin(), "standard input cannot be watched");
        ensure!(!self.format.is_document(), "`--watch` writes `text`, `json` or `github`");
        let session = RefCell::new(Session::default());
        let watched = || (self.watched(working, &session.borrow()), self.beside(working));
        watching(color, &watched, &mut || self.once(color, working, &mut session.borrow_mut()))
    }

    /// Runs one check, writes the findings, and reports files that were not checked.
    ///
    /// # Errors
    /// If standard input or output fail, or a baseline or a revision cannot be read.
    fn once(&self, color: ColorChoice, working: &Path, session: &mut Session) -> Result<ExitStatus> {
        let start = Instant::now();
        let overlay = self.overlay(working)?;
        let (targets, mut resolution) = self.resolve(working, &overlay, &session.memory)?;
        program_notes::write(&wider_programs(&resolution, session.memory.table(), working));
        resolution.version_notes().iter().for_each(|note| output::warn(color, note));
        let shows_diff = self.fix.only_shows();
        let mut out = Output::stdout(if shows_diff { Medium::Coloured } else { self.format.medium() }, color);
        if self.show_program {
            self.show_program(&mut out, &show_program(&resolution, session.memory.table(), working))?;
        }
        let mut pretended = overlay.clone();
        let fix_report =
            self.apply_fixes(&overlay, &mut pretended, &targets, &mut resolution, working, session)?;
        let mut findings = self.gather(&pretended, &targets, &mut resolution, working, session)?;
        self.baseline.report_stale(findings.stale);
        if let Some(fix_report) = &fix_report {
            findings.failures.extend(fix_report.unwritten.iter().cloned());
        }
        let elapsed_ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        tracing::info!(findings = findings.entries.len(), elapsed_ms, "checked");
        let statistics =
            self.statistics.then(|| mangle_report::statistics(&findings.entries, &findings.omitted));
        let mark = if self.load.anyway { findings.unloaded.clone() } else { LoadErrors::default() };
        let ending = ReportFooter { summary: findings.summary(elapsed_ms), statistics, mark };
        let outcome = match &fix_report {
            Some(fix_report) if self.fix.only_shows() => fix_report.show(&mut out, &findings, working)?,
            _ => {
                self.format.write(&mut out, &findings, &ending, working)?;
                let leaves_fixes =
                    fix_report.as_ref().is_some_and(|fix_report| fix_report.leaves_fixes(&findings));
                match findings.outcome() {
                    ExitStatus::Clean if leaves_fixes => ExitStatus::Findings,
                    outcome => outcome,
                }
            }
        };
        if findings.is_nothing {
            output::warn(color, &format!("nothing to check: {}", looked_for(&resolution, working)));
        }
        if let Some(undecided) = findings.undecided() {
            output::warn(color, &undecided);
        }
        for problem in &findings.failures {
            let name = mangle_host::relative(working, &problem.path);
            output::complain(color, &format!("{name}: {}", problem.why));
        }
        let settings = resolution.settings_problems(working);
        let is_refused = refuses_settings(&settings.errors, color);
        let is_unloaded = !findings.unloaded.is_empty() && !self.load.anyway;
        if is_unloaded {
            refuse(&findings.unloaded, color);
            output::note("  it is checked, but not evaluated; `--anyway` evaluates the rest of it\n");
        }
        let outcome = if is_refused || is_unloaded { ExitStatus::Failure } else { outcome };
        if let Some(fix_report) = fix_report {
            fix_report.complain(color, &findings, working);
            self.close(&mut out, &format!("{}\n", fix_report.closing(&findings)))?;
        }
        Ok(outcome)
    }

    /// Checks the programs of `resolution`, and drops findings that options exclude.
    fn gather(
        &self,
        overlay: &Overlay,
        targets: &[CheckTarget],
        resolution: &mut Resolution,
        working: &Path,
        session: &mut Session,
    ) -> Result<Findings> {
        let (memory, options, profile) = (&session.memory, self.options(), self.reading.prescribed());
        let mut findings = Findings::gather(
            &FindingsRequest { targets, overlay, memory, working, options, profile },
            resolution,
        );
        // First, because the baseline also counts missing entries.
        self.baseline.apply(&mut findings, targets, working)?;
        if let Some(revision) = &self.since {
            session.since.apply(&mut findings, revision, targets, working, self.options())?;
        }
        Ok(findings)
    }

    pub(super) fn options(&self) -> CheckOptions {
        let max_findings = self.max_findings.map(MaxFindings::new);
        CheckOptions {
            fail_on: self.fail_on,
            evaluate: self.evaluate,
            verify: self.verify,
            anyway: self.load.anyway,
            max_findings,
        }
    }

    /// Applies fixes. Findings that the report excludes are not fixed.
    fn apply_fixes(
        &self,
        overlay: &Overlay,
        pretended: &mut Overlay,
        targets: &[CheckTarget],
        resolution: &mut Resolution,
        working: &Path,
        session: &mut Session,
    ) -> Result<Option<FixReport>> {
        if !self.fix.is_on() {
            return Ok(None);
        }
        let problems = resolution.problems.len();
        let is_narrow = self.since.is_some() || self.baseline.file().is_some();
        let only = match is_narrow {
            true => Some(self.gather(overlay, targets, resolution, working, session)?),
            false => None,
        };
        resolution.problems.truncate(problems);
        let (memory, options, profile) = (&session.memory, self.options(), self.reading.prescribed());
        let request = FindingsRequest { targets, overlay, memory, working, options, profile };
        let fix_report = self.fix.apply(&request, resolution, only.as_ref(), pretended);
        resolution.read_agents_again(pretended, session.memory.table());
        resolution.read_grammars_again(pretended, session.memory.table());
        resolution.read_prompts_again(targets, pretended, session.memory.table());
        Ok(Some(fix_report))
    }

    /// True if no option filters or extends the findings.
    pub(super) fn is_plain(&self) -> bool {
        let narrows = self.since.is_some() || self.baseline.file().is_some();
        !(self.fix.is_on() || narrows || self.statistics || self.verify || self.watch)
    }

    /// Writes the last line of the report: to standard output for text, else to standard error.
    fn close(&self, out: &mut Output, line: &str) -> Result<()> {
        match self.format {
            Format::Text if !self.fix.only_shows() => {
                out.write(line)?;
                Ok(out.flush()?)
            }
            _ => {
                output::note(line);
                Ok(())
            }
        }
    }

    /// Resolves the arguments to files and programs.
    pub(super) fn resolve(
        &self,
        working: &Path,
        overlay: &Overlay,
        memory: &CheckCache,
    ) -> Result<(Vec<CheckTarget>, Resolution)> {
        let mut named = mangle_host::targets_with_transcripts(&self.paths, &self.transcripts, working);
        // A document that is passed by the caller need not exist on disk.
        named.problems.retain(|problem| {
            let is_open = overlay.get(&problem.path).is_some();
            named.targets.extend(is_open.then(|| CheckTarget::File(problem.path.clone())));
            !is_open
        });
        let mut resolution = mangle_host::resolve_with_transcripts(
            &named.targets,
            Shell::CommandLine,
            overlay,
            memory.table(),
        );
        self.reading.apply(&mut resolution)?;
        resolution.problems.extend(named.problems);
        if !self.paths.is_empty() {
            resolution.problems.append(&mut resolution.empty_targets);
        }
        tracing::info!(programs = resolution.programs.len(), files = resolution.files().len(), "resolved");
        Ok((named.targets, resolution))
    }

    /// True if standard input is checked.
    fn reads_stdin(&self) -> bool {
        self.paths.iter().chain(&self.transcripts).any(|path| path.as_os_str() == "-")
    }

    /// The files and folders to watch, as absolute paths: the checked ones, and their dependencies.
    fn watched(&self, working: &Path, session: &Session) -> Vec<PathBuf> {
        let (table, overlay) = (session.memory.table(), surroundings::disk());
        let named = mangle_host::targets_with_transcripts(&self.paths, &self.transcripts, working);
        let resolution =
            mangle_host::resolve_with_transcripts(&named.targets, Shell::CommandLine, &overlay, table);
        let mut watched: Vec<_> =
            self.paths.iter().map(|path| mangle_host::absolute(working, path)).collect();
        if self.paths.is_empty() {
            watched.push(working.into());
        }
        watched.extend(named.targets.iter().filter_map(CheckTarget::folder).map(Path::to_path_buf));
        watched.extend(resolution.projects.iter().map(|project| project.root.clone()));
        watched.extend(resolution.agents.iter().map(|agent| agent.path.clone()));
        watched.extend(resolution.go_mods.iter().cloned());
        watched.extend(resolution.grammars.iter().map(|grammar| grammar.path.clone()));
        let beside = resolution.beside();
        watched.extend(beside.map(|(_, path, _)| path.to_path_buf()));
        watched.extend(resolution.transcripts.iter().map(|found| found.path.clone()));
        watched.extend(resolution.files().iter().map(|file| table.path(*file).to_path_buf()));
        watched
    }

    /// Files besides policies that affect the report.
    fn beside(&self, working: &Path) -> Vec<PathBuf> {
        self.baseline.file().map(|file| mangle_host::absolute(working, file)).into_iter().collect()
    }

    /// Standard input as a document, if it is checked.
    pub(super) fn overlay(&self, working: &Path) -> Result<Overlay> {
        let mut overlay = surroundings::documents();
        if self.paths.iter().any(|path| path.as_os_str() == "-") {
            let mut bytes = Vec::new();
            let input = std::io::stdin().lock().take(MAX_FILE_LEN as u64 + 1).read_to_end(&mut bytes);
            input.context("cannot read standard input")?;
            overlay.insert_bytes(working.join(STDIN), bytes);
        } else if (self.fix.is_on() || self.compare.versions().is_some()) && self.reads_stdin() {
            // A transcript that is fixed or compared is read several times.
            let mut bytes = Vec::new();
            let input = std::io::stdin().lock().take(MAX_DOCUMENT_LEN as u64 + 1).read_to_end(&mut bytes);
            input.context("cannot read standard input")?;
            ensure!(bytes.len() <= MAX_DOCUMENT_LEN, "standard input is too long to be read twice");
            overlay.insert_transcript(working.join(STDIN), bytes.into());
        }
        Ok(overlay)
    }

    fn show_program(&self, out: &mut Output, shown: &str) -> Result<()> {
        match self.format {
            Format::Text => out.write(&format!("{shown}\n"))?,
            _ => output::note(shown),
        }
        Ok(())
    }
}
