//! `verify`: checks properties of policies for all fact sets up to a size.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, anyhow, ensure};
use clap::{Args, ColorChoice, ValueEnum};
use rustc_hash::FxHashSet;

use super::output::{self, Medium, Output};
use super::programs::Programs;
use super::shared_args::{LoadArgs, SolverName};
use super::terminal::Progress;
use super::{ExitStatus, surroundings};
use mangle_check::policy_test::property::{Properties, Property};
use mangle_engine::kernel::{Clock, Limits, Reading};
use mangle_engine::program::Program;
use mangle_host::{CheckCache, LinkedTest, Problem, ProgramScope};
use mangle_ide::file_findings::load_errors_around_cases;
use mangle_ide::registry;
use mangle_ide::verification::{
    ProgramLoader, Surroundings, VerifiedProperties, VerifyRun, default_scope, survey_all, verify_all,
};
use mangle_report::verification::RuleSurveySummary;
use mangle_report::{LoadErrors, ReportEntry, SarifRun, Sources};
use mangle_settings::{Settings, SolverChoice, VerifySettings};
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::FileId;
use mangle_verify::{Scope, Solvers};

/// Check properties of policies in every small world (`@never` and others in `*_test.mg`)
///
/// `mangle-ls verify policies --property 'never permitted(/deploy, _, _)'`. A world is one possible
/// set of input facts, which come from outside the policy. Exit status: 0, or 1 if a property is
/// violated or impossible, or the evaluation aborts. It is 2 if a property is undecided or cannot
/// be checked, or no property exists.
#[derive(Debug, Args)]
pub(super) struct VerifyCommand {
    /// Test files and folders [default: the working folder]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Check this property instead of the properties in test files: `never BODY`, `always BODY then
    /// HEAD`, `possible BODY`
    #[arg(long, value_name = "PROPERTY")]
    property: Option<String>,
    /// Look for rules that never fire, and for rules and negations without effect, instead of
    /// properties
    #[arg(long, conflicts_with_all = ["property", "values"])]
    rules: bool,
    /// Maximum number of facts in a world [default: `verify.facts`, or 5]
    #[arg(long, value_name = "FACTS", value_parser = clap::value_parser!(u8).range(0..=12))]
    scope: Option<u8>,
    /// Maximum number of seconds for a property [default: `verify.seconds`, or 10]
    #[arg(long, value_name = "SECONDS")]
    time: Option<u32>,
    /// The semantics of the program [default: `kernel.reading`, or `engine`]
    #[arg(long, value_enum)]
    reading: Option<Readings>,
    /// Solver for properties whose values are not complete [default: `verify.solver`, or `auto`]
    #[arg(long, value_enum)]
    solver: Option<SolverName>,
    /// List the values that facts of a world can have
    #[arg(long)]
    values: bool,
    /// The format of the report
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Layout,
    #[command(flatten)]
    load: LoadArgs,
}

/// The format of the report.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Layout {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
    /// For continuous integration
    Junit,
    /// For code scanning services and viewers: SARIF 2.1.0
    Sarif,
}

/// The semantics of the program that is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Readings {
    /// The behavior of the engine, bug for bug
    #[value(alias = "go")]
    Engine,
    /// The intended behavior: every negation is evaluated
    #[value(alias = "written")]
    Intended,
    /// Both, one after the other
    Both,
}

impl VerifyCommand {
    /// Runs the command.
    ///
    /// # Errors
    /// If the working directory is unknown, the property is invalid, or standard output fails.
    pub(super) fn run(&self, color: ColorChoice) -> Result<ExitStatus> {
        let working = surroundings::working_folder()?;
        if self.rules {
            return self.survey(&working, color);
        }
        let property = self.property.as_deref().map(Properties::of_text).transpose();
        let property = property.map_err(|why| anyhow!(why))?;
        let no_place = property.is_some() && self.format == Layout::Sarif;
        ensure!(!no_place, "the format `sarif` is for properties of test files, which have places");
        let of_paths = self.of_paths(property.as_ref(), &working, color);
        let Some((verified, sources, mut problems, mark)) = of_paths else {
            return Ok(ExitStatus::Failure);
        };
        let report = &verified.report;
        if report.properties.is_empty() {
            output::complain(color, "there are no properties (`# @never …` in `*_test.mg`) here");
            return Ok(ExitStatus::Failure);
        }
        let status = match (
            problems.len() + report.summary.not_decided + report.summary.vacuous,
            report.summary.violated,
        ) {
            (0, 0) => ExitStatus::Clean,
            (0, _) => ExitStatus::Findings,
            _ => ExitStatus::Failure,
        };
        let text = match self.format {
            Layout::Text => mark.comment("#") + &report.text(self.values),
            Layout::Json => json(report, &mark)?,
            Layout::Junit => report.junit(&mark),
            Layout::Sarif => {
                problems.extend(problem(&mark, &working));
                sarif(verified.diagnostics, &sources, &problems, &working, status)
            }
        };
        self.write(&text, color)?;
        Ok(status)
    }

    fn write(&self, text: &str, color: ColorChoice) -> Result<()> {
        let is_json = matches!(self.format, Layout::Json | Layout::Sarif);
        let mut out = Output::stdout(Medium::json_if(is_json), color);
        out.write(text)?;
        Ok(out.flush()?)
    }

    /// Checks a property in the programs at the paths, or the properties of the test files there.
    /// Also returns the unreadable files and the mark of all output. `None` if a program does not
    /// load, which is reported.
    fn of_paths(
        &self,
        property: Option<&Property>,
        working: &Path,
        color: ColorChoice,
    ) -> Option<(VerifiedProperties, Sources, Vec<Problem>, LoadErrors)> {
        match property {
            Some(property) => {
                let programs = Programs::load(&self.paths, working, ProgramScope::Folder);
                let errors = programs.load_errors(programs.all.iter().map(|joined| &*joined.program));
                let mark = self.admit(errors, &programs, working, color)?;
                let runs = programs.all.iter().map(|joined| (&*joined.program, None, &*joined.settings));
                let other = |_: Option<FileId>, path: &str| {
                    mangle_host::other_program_for(surroundings::versions(), working, path, working)
                };
                let report =
                    self.checked(&runs.collect::<Vec<_>>(), Some(property), &programs.sources, &other);
                programs.complain(working, color);
                Some((report, programs.sources, programs.problems, mark))
            }
            None => {
                let (memory, sources) = (CheckCache::default(), Sources::default());
                let programs = Programs::load_as(
                    &self.paths,
                    working,
                    ProgramScope::Folder,
                    &memory,
                    sources,
                    |resolution, files, _| mangle_host::join_tests(resolution, files),
                );
                let mut errors = programs.load_errors([]);
                for joined in programs.all.iter().filter(|joined| has_properties(joined)) {
                    let name = |file| programs.sources.name(file).to_owned();
                    errors.add(load_errors_around_cases(&joined.program, joined.file, &name));
                }
                let mark = self.admit(errors, &programs, working, color)?;
                let runs =
                    programs.all.iter().map(|joined| (&joined.program, Some(joined.file), &*joined.settings));
                let other = |file: Option<FileId>, path: &str| {
                    mangle_host::other_program_for(
                        surroundings::versions(),
                        &mangle_host::folder_of(file, memory.table(), working),
                        path,
                        working,
                    )
                };
                let report = self.checked(&runs.collect::<Vec<_>>(), None, &programs.sources, &other);
                programs.complain(working, color);
                Some((report, programs.sources, programs.problems, mark))
            }
        }
    }

    /// Returns the mark of all output. `None` if a program does not load, which is reported.
    fn admit<J>(
        &self,
        errors: LoadErrors,
        programs: &Programs<J>,
        working: &Path,
        color: ColorChoice,
    ) -> Option<LoadErrors> {
        let mark = self.load.admit(errors, color);
        if mark.is_none() {
            programs.complain(working, color);
        }
        mark
    }

    /// Searches for rules without effect.
    fn survey(&self, working: &Path, color: ColorChoice) -> Result<ExitStatus> {
        ensure!(
            self.format != Layout::Junit,
            "the format `junit` is for properties; `--rules` has `text`, `json` and `sarif`"
        );
        let mut programs = Programs::load(&self.paths, working, ProgramScope::Folder);
        let errors = programs.load_errors(programs.all.iter().map(|joined| &*joined.program));
        let Some(mark) = self.admit(errors, &programs, working, color) else {
            return Ok(ExitStatus::Failure);
        };
        let readings: Vec<Vec<Reading>> =
            programs.all.iter().map(|joined| self.readings(joined.settings.kernel.reading)).collect();
        let runs = programs.all.iter().zip(&readings);
        let runs =
            runs.map(|(joined, readings)| self.run_of(&joined.program, None, &joined.settings, readings));
        let files: FxHashSet<FileId> =
            programs.all.iter().filter_map(|joined| joined.files.clone()).flatten().collect();
        let wanted = |file| files.is_empty() || files.contains(&file);
        let name = |file| programs.sources.name(file).to_owned();
        let other = |_: Option<FileId>, path: &str| {
            mangle_host::other_program_for(surroundings::versions(), working, path, working)
        };
        let solvers = |configured| self.solvers(configured);
        let surroundings = Surroundings { name: &name, other: &other, solvers: &solvers };
        let progress = Progress::of_names("checking");
        let surveyed = survey_all(
            &runs.collect::<Vec<_>>(),
            surroundings,
            &wanted,
            &mut |rule| progress.show(rule),
            &surroundings::cancel(),
        );
        drop(progress);
        let report = &surveyed.report;
        let status = match (programs.problems.len(), report.summary) {
            (1.., _) | (_, RuleSurveySummary { rules: 0, .. }) => ExitStatus::Failure,
            (_, RuleSurveySummary { idle: 1.., .. }) => ExitStatus::Findings,
            (_, RuleSurveySummary { not_decided: 1.., .. }) => ExitStatus::Failure,
            _ => ExitStatus::Clean,
        };
        let text = match self.format {
            Layout::Json => json(report, &mark)?,
            Layout::Text | Layout::Junit => mark.comment("#") + &report.text(),
            Layout::Sarif => {
                programs.problems.extend(problem(&mark, working));
                sarif(surveyed.diagnostics, &programs.sources, &programs.problems, working, status)
            }
        };
        self.write(&text, color)?;
        programs.complain(working, color);
        if report.summary.rules == 0 {
            output::complain(color, "there are no rules here");
        }
        Ok(status)
    }

    fn run_of<'p>(
        &self,
        program: &'p Program,
        file: Option<FileId>,
        settings: &'p Settings,
        readings: &'p [Reading],
    ) -> VerifyRun<'p> {
        VerifyRun {
            program,
            file,
            property: None,
            readings,
            limits: Limits::from_settings(&settings.kernel),
            clock: Clock::from_settings(&settings.kernel),
            scope: scope(&settings.verify, self.scope, self.time),
            settings,
            memo: None,
        }
    }

    fn checked(
        &self,
        programs: &[(&Program, Option<FileId>, &Settings)],
        property: Option<&Property>,
        sources: &Sources,
        other: &ProgramLoader<'_>,
    ) -> VerifiedProperties {
        let readings: Vec<Vec<Reading>> =
            programs.iter().map(|(.., settings)| self.readings(settings.kernel.reading)).collect();
        let runs = programs.iter().zip(&readings).map(|((program, file, settings), readings)| VerifyRun {
            property,
            ..self.run_of(program, *file, settings, readings)
        });
        let name = |file| sources.name(file).to_owned();
        let solvers = |configured| self.solvers(configured);
        let surroundings = Surroundings { name: &name, other, solvers: &solvers };
        let progress = Progress::of_names("checking");
        verify_all(
            &runs.collect::<Vec<_>>(),
            surroundings,
            &mut |name| progress.show(name),
            &surroundings::cancel(),
        )
    }

    /// The solvers from the option, or from the settings.
    fn solvers(&self, configured: SolverChoice) -> Solvers {
        mangle_host::solvers(self.solver.map_or(configured, SolverChoice::from))
    }

    fn readings(&self, configured: Reading) -> Vec<Reading> {
        match self.reading {
            None => vec![configured],
            Some(Readings::Engine) => vec![Reading::Engine],
            Some(Readings::Intended) => vec![Reading::Intended],
            Some(Readings::Both) => vec![Reading::Engine, Reading::Intended],
        }
    }
}

fn has_properties(joined: &LinkedTest) -> bool {
    !mangle_verify::properties(&joined.program, joined.file).all.is_empty()
}

/// Formats a report as JSON, marked if a program does not load.
fn json(report: &impl serde::Serialize, mark: &LoadErrors) -> Result<String> {
    let mut value = serde_json::to_value(report)?;
    mark.mark_json(&mut value);
    Ok(serde_json::to_string_pretty(&value)? + "\n")
}

/// The mark as a SARIF notification.
fn problem(mark: &LoadErrors, working: &Path) -> Option<Problem> {
    Some(Problem { path: working.to_path_buf(), why: mark.mark()?, named: false })
}

/// Formats findings as SARIF.
fn sarif(
    diagnostics: Vec<(FileId, Diagnostic)>,
    sources: &Sources,
    problems: &[Problem],
    working: &Path,
    status: ExitStatus,
) -> String {
    let entry = |(file, diagnostic)| ReportEntry { file, diagnostic, fails: true };
    let mut entries: Vec<ReportEntry> = diagnostics.into_iter().map(entry).collect();
    mangle_report::sort(&mut entries, sources);
    let rules: Vec<_> = registry::rules().collect();
    let failures = problems.iter().map(|problem| (problem.path.as_path(), problem.why.as_str()));
    let run =
        SarifRun { root: working, rules: &rules, failures: failures.collect(), exit_code: status as u8 };
    mangle_report::sarif(&entries, sources, &run)
}

/// The limits of a search, from the options or from the settings.
pub(super) fn scope(settings: &VerifySettings, facts: Option<u8>, seconds: Option<u32>) -> Scope {
    let usual = default_scope(settings);
    let time = seconds.map_or(usual.time, |seconds| Duration::from_secs(seconds.into()));
    Scope { facts: facts.map_or(usual.facts, usize::from), time }
}
