//! `diff`: compares the facts that two policies derive, over all fact sets up to a size.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use clap::{Args, ColorChoice, ValueEnum};

use super::output::{self, Medium, Output};
use super::programs::Programs;
use super::shared_args::{LoadArgs, Semantics, SolverName};
use super::terminal::Progress;
use super::verify::scope;
use super::{ExitStatus, surroundings};
use mangle_engine::kernel::{Clock, Limits, Reading};
use mangle_host::{LinkedProgram, ProgramScope};
use mangle_ide::comparison::{ComparisonRun, atoms_named, compare_all};
use mangle_ide::verification::default_inputs;
use mangle_report::LoadErrors;
use mangle_report::comparison::ComparisonReport;
use mangle_settings::SolverChoice;
use mangle_syntax::text::FileId;

/// Compare the facts that two policies derive, with a smallest world for each difference
///
/// `mangle-ls diff main . 'permitted(Action, Target, _)'`. OLD and NEW are paths or git revisions.
/// Without an atom, `diff` compares the predicates of `[replay] permit` and `deny`. Exit status: 0
/// if the policies agree in all worlds of the scope, 1 if they differ in one, 2 if the answer is
/// unknown.
#[derive(Debug, Args)]
pub(super) struct DiffCommand {
    /// The policy as it was: a file, a folder, or a revision
    #[arg(value_name = "OLD")]
    old: PathBuf,
    /// The policy as it is now: a file, a folder, or a revision
    #[arg(value_name = "NEW")]
    new: PathBuf,
    /// The atoms to compare
    #[arg(value_name = "ATOM")]
    atoms: Vec<String>,
    /// Maximum number of facts in a world [default: `verify.facts` of NEW, or 5]
    #[arg(long, value_name = "FACTS", value_parser = clap::value_parser!(u8).range(0..=12))]
    scope: Option<u8>,
    /// Maximum number of seconds for each search of a world [default: `verify.seconds` of NEW, or
    /// 10]
    #[arg(long, value_name = "SECONDS")]
    time: Option<u32>,
    /// The semantics of the policies [default: `kernel.reading` of NEW, or `engine`]
    #[arg(long, value_enum)]
    reading: Option<Semantics>,
    /// Solver for comparisons whose values are not complete [default: `verify.solver` of NEW, or
    /// `auto`]
    #[arg(long, value_enum)]
    solver: Option<SolverName>,
    /// The format of the report
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Layout,
    #[command(flatten)]
    load: LoadArgs,
}

/// The format of a report.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Layout {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
    /// For a pull request
    Markdown,
}

/// A compared policy.
struct Side {
    name: String,
    programs: Programs,
    /// The prefix of its file names in output.
    prefix: String,
}

impl DiffCommand {
    /// Runs the command.
    ///
    /// # Errors
    /// If the working directory is unknown, a policy cannot be found, an atom is invalid, or
    /// standard output fails.
    pub(super) fn run(&self, color: ColorChoice) -> Result<ExitStatus> {
        let working = surroundings::working_folder()?;
        let (old, new) =
            (Side::load(&self.old, &self.new, &working)?, Side::load(&self.new, &self.old, &working)?);
        let mut errors = old.load_errors();
        errors.add(new.load_errors());
        let Some(mark) = self.load.admit(errors, color) else {
            [&old, &new].iter().for_each(|side| side.programs.complain(&working, color));
            return Ok(ExitStatus::Failure);
        };
        let report = self.compared(&old, &new)?;
        let mut out = Output::stdout(Medium::json_if(self.format == Layout::Json), color);
        out.write(&match self.format {
            Layout::Text => mark.comment("#") + &report.text(),
            Layout::Json => {
                let mut value = serde_json::to_value(&report)?;
                mark.mark_json(&mut value);
                serde_json::to_string_pretty(&value)? + "\n"
            }
            Layout::Markdown => mark.markdown() + &report.markdown(&old.name, &new.name),
        })?;
        out.flush()?;
        [&old, &new].iter().for_each(|side| side.programs.complain(&working, color));
        let problems = old.programs.problems.len() + new.programs.problems.len();
        if report.comparisons.is_empty() {
            output::complain(
                color,
                "neither policy has a predicate of `[replay] permit` or `deny`: name an atom",
            );
            return Ok(ExitStatus::Failure);
        }
        let is_open = report.comparisons.iter().any(|comparison| comparison.undecided.is_some());
        Ok(match (problems == 0 && !is_open, report.summary.different) {
            (true, 0) => ExitStatus::Clean,
            (_, 1..) if problems == 0 => ExitStatus::Findings,
            _ => ExitStatus::Failure,
        })
    }

    fn compared(&self, old: &Side, new: &Side) -> Result<ComparisonReport> {
        let (before, now) = (old.only()?, new.only()?);
        let (kernel, replay) = (&now.settings.kernel, &now.settings.replay);
        let names = [vec![replay.permit.clone()], replay.deny.clone()].concat();
        let atoms = match self.atoms.is_empty() {
            true => atoms_named([&now.program, &before.program], &names),
            false => self.atoms.clone(),
        };
        let inputs = default_inputs(&now.settings.verify);
        let solver = self.solver.map_or(now.settings.verify.solver, SolverChoice::from);
        let solvers = mangle_host::solvers(solver);
        let old_name = |file| old.file(file);
        let new_name = |file| new.file(file);
        let run = ComparisonRun {
            old: &before.program,
            new: &now.program,
            reading: self.reading.map_or(kernel.reading, Reading::from),
            limits: Limits::from_settings(kernel),
            clock: Clock::from_settings(kernel),
            inputs: &inputs,
            scope: scope(&now.settings.verify, self.scope, self.time),
            solvers: &solvers,
            names: [&old_name, &new_name],
        };
        let progress = Progress::of_names("comparing");
        let report = compare_all(&run, &atoms, &mut |atom| progress.show(atom), &surroundings::cancel());
        report.map_err(|error| anyhow!(error.message))
    }
}

impl Side {
    /// Loads the policy at a path, or at a git revision of the files that the other side names.
    fn load(named: &Path, other: &Path, working: &Path) -> Result<Self> {
        let name = named.display().to_string();
        if mangle_host::absolute(working, named).exists() {
            let programs = Programs::load(&[named.to_path_buf()], working, ProgramScope::Exact);
            return Ok(Self { name, programs, prefix: String::new() });
        }
        let is_path = mangle_host::absolute(working, other).exists();
        let paths = if is_path { vec![other.to_path_buf()] } else { Vec::new() };
        let programs = Programs::load_past(&name, &paths, working);
        let programs = programs.with_context(|| format!("`{name}` is neither a path nor a revision"))?;
        Ok(Self { prefix: format!("{name}:"), name, programs })
    }

    /// The errors that prevent its programs from loading.
    fn load_errors(&self) -> LoadErrors {
        self.programs.load_errors(self.programs.all.iter().map(|joined| &*joined.program)).named(&self.prefix)
    }

    /// The single program of the policy.
    ///
    /// # Errors
    /// If the policy has no program, or several.
    fn only(&self) -> Result<&LinkedProgram> {
        self.programs.only(&format!("in {}", self.name)).map_err(|why| anyhow!(why))
    }

    fn file(&self, file: FileId) -> String {
        format!("{}{}", self.prefix, self.programs.sources.name(file))
    }
}
