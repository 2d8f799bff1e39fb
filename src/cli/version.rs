//! `--version` and `version`: the version of mangle-ls, and the supported reference versions of
//! engine and runtime.

use std::sync::LazyLock;

use anyhow::Result;
use clap::{Args, ColorChoice};
use serde::Serialize;

use super::config::write_marked;
use super::output::OutputForm;
use super::{ExitStatus, surroundings};
use mangle_host::{CheckTarget, FileTable, Resolution, Shell, ShownVersions};
use mangle_report::sink::terminal;
use mangle_settings::Runtime;
use mangle_settings::versions::{ENGINES, Published};

/// The version, the ABI of the grammar for editors, and the git revision if `build.rs` found it.
/// The first line must stay `mangle-ls VERSION`, because clients parse it.
pub(super) fn long() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let version = env!("CARGO_PKG_VERSION");
        let abi = mangle_syntax::syntax::grammar_abi();
        let revision = option_env!("MANGLE_LS_REVISION").unwrap_or("unknown");
        format!("{version}\ngrammar ABI {abi}\nrevision {revision}")
    });
    &TEXT
}

/// List the modeled versions of the engine and the runtime, and the versions in effect here
#[derive(Debug, Args)]
pub(super) struct VersionCommand {
    /// The format of the output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: OutputForm,
}

#[derive(Debug, Serialize)]
struct Versions {
    version: &'static str,
    engines: Vec<Reference>,
    runtimes: Vec<Reference>,
    programs: Vec<Program>,
}

#[derive(Debug, Serialize)]
struct Reference {
    name: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    day: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    revision: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    module: &'static str,
    /// The engine version that a runtime pins.
    #[serde(skip_serializing_if = "Option::is_none")]
    engine: Option<&'static str>,
}

/// A program of the working directory.
#[derive(Debug, Serialize)]
struct Program {
    name: String,
    #[serde(flatten)]
    versions: ShownVersions,
}

impl VersionCommand {
    /// Runs the command. The programs equal those of an editor that opens the working directory.
    ///
    /// # Errors
    /// If the working directory is unknown, or standard output fails.
    pub(super) fn run(&self, color: ColorChoice) -> Result<ExitStatus> {
        let working = surroundings::working_folder()?;
        let target = CheckTarget::Folder(working.clone());
        let resolution =
            mangle_host::resolve(&[target], Shell::Editor, &surroundings::disk(), &FileTable::default());
        let versions = Versions::new(&resolution);
        let settings = resolution.settings_problems(&working);
        write_marked(self.format, color, &settings, &versions, &versions.text())
    }
}

impl Reference {
    fn new(published: &Published, engine: Option<&'static str>) -> Self {
        let Published { name, day, revision, module } = *published;
        Self { name, day, revision, module, engine }
    }

    fn line(&self) -> String {
        let revision = self.revision.get(..12).unwrap_or(self.revision);
        let line = format!("  {:<17} {:<11} {revision:<13} {}", self.name, self.day, self.module);
        let engine = self.engine.map(|engine| format!(", engine {engine}")).unwrap_or_default();
        format!("{}{engine}\n", line.trim_end())
    }
}

impl Versions {
    fn new(resolution: &Resolution) -> Self {
        let programs = resolution.programs.iter().map(|program| Program {
            name: program.name.clone(),
            versions: ShownVersions::new(&program.versions),
        });
        let runtimes = Runtime::all().map(Runtime::reference);
        Self {
            version: env!("CARGO_PKG_VERSION"),
            engines: ENGINES.iter().map(|engine| Reference::new(&engine.published, None)).collect(),
            runtimes: runtimes.map(|runtime| Reference::new(&runtime.published, runtime.engine)).collect(),
            programs: programs.collect(),
        }
    }

    fn text(&self) -> String {
        let lines = |references: &[Reference]| references.iter().map(Reference::line).collect::<String>();
        let mut out = format!("mangle-ls {}\n\nEngines\n{}", self.version, lines(&self.engines));
        out.push_str(&format!("\nRuntimes\n{}", lines(&self.runtimes)));
        for program in &self.programs {
            out.push_str(&format!("\nProgram {}\n", terminal(&program.name)));
            out.push_str(&program.versions.text("  "));
        }
        out
    }
}
