//! Options that several commands share: `--engine`, `--runtime`, `--compare-engine`, `--compare-runtime`,
//! `--reading`, `--solver` and `--anyway`.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ColorChoice, ValueEnum};

use super::{output, surroundings};
use mangle_engine::kernel::Reading;
use mangle_host::VersionOptions;
use mangle_report::LoadErrors;
use mangle_settings::versions::engine_names;
use mangle_settings::{EngineChoice, RuntimeChoice, SolverChoice};
use mangle_syntax::text::{listed, nearest};

/// The options about versions, which all commands have.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(super) struct VersionArgs {
    /// The version of the engine, instead of the version in the settings: auto, a name from
    /// `mangle-ls version`, a release, or a date
    #[arg(long, global = true, value_name = "VERSION", value_parser = engine)]
    engine: Option<EngineChoice>,
    /// The runtime that reads replies, instead of the runtime in the settings. none: only the rules
    /// of the protocol
    #[arg(long, global = true, value_name = "VERSION", value_parser = runtimes())]
    runtime: Option<RuntimeChoice>,
}

impl VersionArgs {
    /// The chosen versions.
    pub(super) fn options(self) -> VersionOptions {
        VersionOptions { engine: self.engine, runtime: self.runtime }
    }
}

/// Parses the name of an engine version.
fn engine(word: &str) -> Result<EngineChoice, String> {
    EngineChoice::parse(word).ok_or_else(|| {
        let names: Vec<&str> = std::iter::once("auto").chain(engine_names()).collect();
        let similar = nearest(word, names.iter().copied());
        let hint = similar.map(|name| format!("did you mean `{name}`? ")).unwrap_or_default();
        format!(
            "{hint}the versions are {}; a day such as 2026-06-30 is the engine of that day",
            listed(names.iter().copied())
        )
    })
}

/// Parses the name of a runtime.
fn runtimes() -> impl TypedValueParser<Value = RuntimeChoice> {
    PossibleValuesParser::new(RuntimeChoice::words())
        .map(|word| RuntimeChoice::parse(&word).unwrap_or_default())
}

/// The runtime to compare with.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(super) struct CompareRuntimeArgs {
    /// Compare with this version of the runtime
    #[arg(long, value_name = "VERSION", value_parser = runtimes())]
    pub(super) compare_runtime: Option<RuntimeChoice>,
}

/// The versions to compare with.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(super) struct CompareVersionArgs {
    /// Compare with this version of the engine
    #[arg(long, value_name = "VERSION", value_parser = engine)]
    compare_engine: Option<EngineChoice>,
    #[command(flatten)]
    runtime: CompareRuntimeArgs,
}

impl CompareRuntimeArgs {
    /// The versions to compare with, if the option is given. The engine stays the same.
    pub(super) fn versions(self) -> Option<VersionOptions> {
        let runtime = Some(self.compare_runtime?);
        Some(VersionOptions { runtime, ..surroundings::versions() })
    }
}

impl CompareVersionArgs {
    /// The versions to compare with, if an option is given. Versions without an option stay the
    /// same.
    pub(super) fn versions(self) -> Option<VersionOptions> {
        let chosen = surroundings::versions();
        let is_given = self.compare_engine.is_some() || self.runtime.compare_runtime.is_some();
        is_given.then(|| VersionOptions {
            engine: self.compare_engine.or(chosen.engine),
            runtime: self.runtime.compare_runtime.or(chosen.runtime),
        })
    }
}

/// The semantics of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Semantics {
    /// The behavior of the engine, bug for bug
    #[value(alias = "go")]
    Engine,
    /// The intended behavior: every negation is evaluated
    #[value(alias = "written")]
    Intended,
}

impl From<Semantics> for Reading {
    fn from(semantics: Semantics) -> Self {
        match semantics {
            Semantics::Engine => Self::Engine,
            Semantics::Intended => Self::Intended,
        }
    }
}

/// Prints a hint for each `--reading` with a word of earlier versions.
#[cfg(not(target_family = "wasm"))]
pub(super) fn hint_at_earlier_words(arguments: &[std::ffi::OsString]) {
    let words: Vec<_> = arguments.iter().map(|argument| argument.to_string_lossy()).collect();
    let behind = words.windows(2).filter(|pair| pair[0] == "--reading").map(|pair| &*pair[1]);
    let joined = words.iter().filter_map(|word| word.strip_prefix("--reading="));
    for earlier in behind.chain(joined) {
        if let Some(word) = Reading::successor(earlier) {
            super::output::note(&format!("note: `--reading {earlier}` is now `--reading {word}`\n"));
        }
    }
}

/// A solver for questions whose values are not complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum SolverName {
    /// `z3` and `cvc5`, if they are on the search path
    Auto,
    /// No solver
    None,
    /// `z3`
    Z3,
    /// `cvc5`
    Cvc5,
}

impl From<SolverName> for SolverChoice {
    fn from(name: SolverName) -> Self {
        match name {
            SolverName::Auto => Self::Auto,
            SolverName::None => Self::None,
            SolverName::Z3 => Self::Z3,
            SolverName::Cvc5 => Self::Cvc5,
        }
    }
}

/// The option of all commands that evaluate programs.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct LoadArgs {
    /// Evaluate the readable part of a program that does not load, and mark all output
    #[arg(long)]
    pub(super) anyway: bool,
}

impl LoadArgs {
    /// Returns the mark for all output. `None` if a program does not load and the option is
    /// missing. In this case, the first errors are reported, and the command ends with exit status
    /// 2.
    pub(super) fn admit(self, errors: LoadErrors, color: ColorChoice) -> Option<LoadErrors> {
        match errors.mark() {
            None => Some(errors),
            Some(mark) if self.anyway => {
                output::warn(color, &mark);
                Some(errors)
            }
            Some(_) => {
                refuse(&errors, color);
                output::note("  `--anyway` evaluates the rest of it\n");
                None
            }
        }
    }
}

/// Reports the errors that prevent a program from loading.
pub(super) fn refuse(errors: &LoadErrors, color: ColorChoice) {
    output::complain(color, "the program does not load");
    errors.lines().iter().for_each(|line| output::note(&format!("  {line}\n")));
}

/// Reports the errors that invalidate settings. Returns true if there are any.
pub(super) fn refuses_settings(errors: &LoadErrors, color: ColorChoice) -> bool {
    if !errors.is_empty() {
        output::complain(color, "the settings cannot be used");
        errors.lines().iter().for_each(|line| output::note(&format!("  {line}\n")));
    }
    !errors.is_empty()
}
