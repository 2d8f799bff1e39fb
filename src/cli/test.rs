//! `test`: runs policy tests.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ColorChoice, ValueEnum};

use super::output::{self, Medium, Output};
use super::programs::Programs;
use super::shared_args::{LoadArgs, Semantics};
use super::{ExitStatus, surroundings};
use mangle_check::policy_test::TestSettings;
use mangle_engine::kernel::{Clock, Limits};
use mangle_host::{CheckCache, LinkedTest, ProgramScope};
use mangle_ide::policy_tests::{TestRun, run_tests};
use mangle_ide::verification::Surroundings;
use mangle_report::policy_tests::TestReport;
use mangle_report::{LoadErrors, Sources};
use mangle_settings::Reading;
use mangle_syntax::text::FileId;

/// Run policy tests (`*_test.mg`)
///
/// `mangle-ls test policies --filter denied`. Exit status: 0, or 1 if a case failed or too few
/// rules fired. It is 2 if a case could not be run, a test file has no case, or no case exists. A
/// case cannot be run if the program does not load, if `check` finds an error in the case, or if it
/// expects nothing.
#[derive(Debug, Args)]
pub(super) struct TestCommand {
    /// Test files and folders [default: the working folder]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Run only the cases with this text in their name or file
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Also list the rules that fired in no case
    #[arg(long)]
    coverage: bool,
    /// Exit with status 1 if the cases fire less than this percentage of the rules
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    min_coverage: Option<u8>,
    /// The semantics of the program [default: `kernel.reading`, or `engine`]
    #[arg(long, value_enum)]
    reading: Option<Semantics>,
    /// The format of the report
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: TestLayout,
    #[command(flatten)]
    load: LoadArgs,
}

/// The format of a report about tests or properties.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum TestLayout {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
    /// For continuous integration
    Junit,
}

impl TestCommand {
    /// Runs the command.
    ///
    /// # Errors
    /// If the working directory is unknown, or standard output fails.
    pub(super) fn run(&self, color: ColorChoice) -> Result<ExitStatus> {
        let working = surroundings::working_folder()?;
        let (memory, sources) = (CheckCache::default(), Sources::default());
        let programs = Programs::load_as(
            &self.paths,
            &working,
            ProgramScope::Folder,
            &memory,
            sources,
            |resolution, files, _| mangle_host::join_tests(resolution, files),
        );
        let settings_errors = programs.load_errors([]);
        let runs: Vec<_> = programs.all.iter().map(|joined| self.one(joined, &settings_errors)).collect();
        let name = |file| programs.sources.name(file).to_owned();
        let wanted = |file, case: &str| {
            let has = |text: &String| {
                case.contains(text.as_str()) || programs.sources.name(file).contains(text.as_str())
            };
            self.filter.as_ref().is_none_or(has)
        };
        let other = |file: Option<FileId>, path: &str| {
            mangle_host::other_program_for(
                surroundings::versions(),
                &mangle_host::folder_of(file, memory.table(), &working),
                path,
                &working,
            )
        };
        let surroundings = Surroundings { name: &name, other: &other, solvers: &mangle_host::solvers };
        let (mut report, warnings) = run_tests(&runs, &wanted, surroundings, &surroundings::cancel());
        let is_covered = report.require(self.min_coverage);
        let mut out = Output::stdout(Medium::json_if(self.format == TestLayout::Json), color);
        out.write(&self.written(&report)?)?;
        out.flush()?;
        programs.complain(&working, color);
        let ran = |joined: &&LinkedTest| {
            joined.is_lone
                && report.suites.iter().any(|suite| suite.file == programs.sources.name(joined.file))
        };
        programs.all.iter().filter(ran).for_each(|joined| output::warn(color, &lone(&name(joined.file))));
        warnings.iter().for_each(|why| output::warn(color, why));
        let summary = report.summary;
        if report.suites.is_empty() && programs.problems.is_empty() {
            output::complain(color, &self.nothing(&programs));
        }
        let errors = report.suites.iter().map(|suite| suite.load_errors.clone());
        let mut load_errors = settings_errors.clone();
        errors.for_each(|errors| load_errors.add(errors));
        self.load.admit(load_errors, color);
        let is_done = programs.problems.is_empty() && summary.errors == 0 && !report.suites.is_empty();
        if let Err(why) = &is_covered {
            output::complain(color, why);
        }
        Ok(match (is_done, summary.failed) {
            (false, _) => ExitStatus::Failure,
            (true, 0) if is_covered.is_ok() => ExitStatus::Clean,
            (true, _) => ExitStatus::Findings,
        })
    }

    fn one<'p>(&self, joined: &'p LinkedTest, settings_errors: &'p LoadErrors) -> TestRun<'p> {
        let kernel = &joined.settings.kernel;
        let reading = self.reading.map_or(kernel.reading, Reading::from);
        let (limits, clock) = (Limits::from_settings(kernel), Clock::from_settings(kernel));
        let coverage = self.coverage || self.min_coverage.is_some();
        let settings = TestSettings { reading, limits, clock, coverage };
        let (file, project) = (joined.file, &*joined.settings);
        TestRun {
            program: &joined.program,
            file,
            settings,
            rules: &project.rules,
            project,
            memo: None,
            settings_errors,
            run_despite_load_errors: self.load.anyway,
        }
    }

    fn written(&self, report: &TestReport) -> Result<String> {
        Ok(match self.format {
            TestLayout::Text if report.suites.is_empty() => String::new(),
            TestLayout::Text => report.text(),
            TestLayout::Json => serde_json::to_string_pretty(&report.json())? + "\n",
            TestLayout::Junit => report.junit(),
        })
    }

    /// The reason that no test runs.
    fn nothing(&self, programs: &Programs<LinkedTest>) -> String {
        match &self.filter {
            Some(text) if !programs.all.is_empty() => {
                format!("no case and no test file has `{text}` in its name")
            }
            _ => "there are no policy tests (`*_test.mg`) here, or no cases in them".to_owned(),
        }
    }
}

/// The message about a test without a known program.
fn lone(name: &str) -> String {
    format!(
        "{name} goes with the schemas beside it alone; name its policy as well, or have a `mangle-ls.toml` say which program \
         it belongs to"
    )
}
