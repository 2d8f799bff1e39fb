//! `config`: the effective settings, and the files of each program.

mod settings;

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Args, ColorChoice, Subcommand};
use serde::Serialize;

use super::output::{self, Output, OutputForm};
use super::shared_args::refuses_settings;
use super::{ExitStatus, surroundings};
use mangle_host::{
    CheckCache, CheckTarget, FileTable, PartialScan, Project, Resolution, SettingsProblems, Shell,
    ShownStores, ShownVersions,
};
use mangle_report::sink::terminal;
use settings::{EffectiveConfig, ResolvedConfig};

/// Show settings, and the files of each program
#[derive(Debug, Args)]
pub(super) struct ConfigCommand {
    #[command(subcommand)]
    task: ConfigTask,
}

#[derive(Debug, Subcommand)]
enum ConfigTask {
    Show(ShowConfig),
    Files(FilesCommand),
}

impl ConfigCommand {
    pub(super) fn run(&self, color: ColorChoice) -> Result<ExitStatus> {
        match &self.task {
            ConfigTask::Show(show) => show.run(color),
            ConfigTask::Files(files) => files.run(color),
        }
    }
}

/// Show the settings that differ from their defaults
///
/// Exit status: 0, or 2 if the file is missing or the settings cannot be used.
#[derive(Debug, Args)]
struct ShowConfig {
    /// Show the configuration and the programs of this file, and the line that sets each
    /// non-default severity
    file: Option<PathBuf>,
    /// Also show the settings that have their defaults
    #[arg(long, conflicts_with = "file")]
    all: bool,
    /// The format of the output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: OutputForm,
}

impl ShowConfig {
    /// Runs the command.
    ///
    /// # Errors
    /// If the working directory is unknown, or standard output fails.
    fn run(&self, color: ColorChoice) -> Result<ExitStatus> {
        let working = surroundings::working_folder()?;
        let (text, settings) = match &self.file {
            Some(file) => match self.applies(file, &working) {
                Ok(applies) => applies,
                Err(why) => {
                    output::complain(color, &why);
                    return Ok(ExitStatus::Failure);
                }
            },
            None => self.resolved(&working),
        };
        output::warn_ignored(&settings, color);
        if refuses_settings(&settings.errors, color) {
            return Ok(ExitStatus::Failure);
        }
        let mut out = Output::stdout(self.format.medium(), color);
        out.write(&text)?;
        out.flush()?;
        Ok(ExitStatus::Clean)
    }

    /// The settings that apply to one file.
    fn applies(&self, file: &Path, working: &Path) -> Result<(String, SettingsProblems), String> {
        let path = mangle_host::absolute(working, file);
        if !path.is_file() {
            return Err(format!("{}: there is no such file", file.display()));
        }
        let (resolution, memory) = resolve(&CheckTarget::File(path.clone()));
        let applies = EffectiveConfig::new(&path, &resolution, memory.table(), working);
        let text = match self.format {
            OutputForm::Text => applies.text(),
            OutputForm::Json => json(&applies),
        };
        Ok((text, resolution.settings_problems(working)))
    }

    /// The settings of the project that contains the working directory.
    fn resolved(&self, working: &Path) -> (String, SettingsProblems) {
        let (resolution, _) = resolve(&CheckTarget::Folder(working.into()));
        // The whole project, for any folder inside of it.
        let root =
            around(&resolution, working).map_or_else(|| working.into(), |project| project.root.clone());
        let target = CheckTarget::Folder(root);
        let (resolution, memory) = resolve(&target);
        let project = around(&resolution, working);
        let resolved = ResolvedConfig::new(project, &resolution, &target, &memory, working, self.all);
        let text = match self.format {
            OutputForm::Text => resolved.text(),
            OutputForm::Json => json(&resolved),
        };
        // Subfolders with a configuration have their own settings.
        let problems =
            project.map(|project| project.problems(&mangle_host::relative(working, &project.path)));
        (text, problems.unwrap_or_default())
    }
}

fn resolve(target: &CheckTarget) -> (Resolution, CheckCache) {
    let memory = CheckCache::default();
    let targets = std::slice::from_ref(target);
    let resolution = mangle_host::resolve(targets, Shell::CommandLine, &surroundings::disk(), memory.table());
    (resolution, memory)
}

/// The innermost project that contains a folder.
fn around<'r>(resolution: &'r Resolution, folder: &Path) -> Option<&'r Project> {
    let around = resolution.projects.iter().filter(|project| folder.starts_with(&project.root));
    around.max_by_key(|project| project.root.components().count())
}

/// Serializes to JSON. Strings and numbers cannot fail, so the fallback is never used.
fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

/// List the programs of the working folder, with their files and versions
#[derive(Debug, Args)]
struct FilesCommand {
    /// The format of the output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: OutputForm,
}

/// The server's answer to `mangle/status` without the members about documents and progress.
#[derive(Debug, Serialize)]
struct Status {
    version: &'static str,
    programs: Vec<Program>,
}

#[derive(Debug, Serialize)]
struct Program {
    name: String,
    /// The path of the `mangle-ls.toml` that lists the program.
    configuration: Option<String>,
    files: Vec<String>,
    #[serde(flatten)]
    versions: ShownVersions,
    /// The names of the stores, if the runtime has several.
    #[serde(skip_serializing_if = "ShownStores::is_empty")]
    stores: ShownStores,
}

impl FilesCommand {
    /// Runs the command. The programs equal those of an editor that opens the working directory.
    ///
    /// # Errors
    /// If the working directory is unknown, or standard output fails.
    fn run(&self, color: ColorChoice) -> Result<ExitStatus> {
        let working = surroundings::working_folder()?;
        let table = FileTable::default();
        let target = CheckTarget::Folder(working.clone());
        let resolution = mangle_host::resolve(&[target], Shell::Editor, &surroundings::disk(), &table);
        let status = Status::new(&resolution, &table);
        let settings = resolution.settings_problems(&working);
        write_marked(self.format, color, &settings, &status, &status.text(&resolution, &working))
    }
}

impl Status {
    fn new(resolution: &Resolution, table: &FileTable) -> Self {
        let programs = resolution.programs.iter().map(|program| Program {
            name: program.name.clone(),
            configuration: program
                .project
                .and_then(|at| resolution.projects.get(at))
                .map(|project| project.path.to_string_lossy().into_owned()),
            files: program
                .own()
                .map(|member| table.path(member.file).to_string_lossy().into_owned())
                .collect(),
            versions: ShownVersions::new(&program.versions),
            stores: ShownStores::new(program.embedding.stores.as_deref()),
        });
        Self { version: env!("CARGO_PKG_VERSION"), programs: programs.collect() }
    }

    fn text(&self, resolution: &Resolution, working: &Path) -> String {
        let mut out = format!("mangle-ls {}\n", self.version);
        for project in &resolution.projects {
            out.push_str(&format!(
                "settings  {}\n",
                terminal(&mangle_host::relative(working, &project.path))
            ));
        }
        for program in &self.programs {
            let files = if program.files.len() == 1 { "file" } else { "files" };
            out.push_str(&format!(
                "program   {}: {} {files}\n",
                terminal(&program.name),
                program.files.len()
            ));
            out.push_str(&program.versions.text("  "));
            if let Some(stores) = program.stores.text() {
                out.push_str(&format!("  facts    {stores}\n"));
            }
        }
        let cuts: Vec<_> = resolution.partial_scans.iter().map(PartialScan::problem).collect();
        for problem in resolution.problems.iter().chain(&cuts) {
            let line = format!("{}: {}", mangle_host::relative(working, &problem.path), problem.why);
            out.push_str(&format!("unread    {}\n", terminal(&line)));
        }
        out
    }
}

/// Writes an answer, and reports invalid settings.
///
/// # Errors
/// If standard output fails.
pub(super) fn write_marked(
    form: OutputForm,
    color: ColorChoice,
    settings: &SettingsProblems,
    value: &impl Serialize,
    text: &str,
) -> Result<ExitStatus> {
    let mut out = Output::stdout(form.medium(), color);
    out.write(&match form {
        OutputForm::Text => settings.errors.comment("#") + text,
        OutputForm::Json => {
            let mut value = serde_json::to_value(value)?;
            settings.errors.mark_json(&mut value);
            serde_json::to_string_pretty(&value)? + "\n"
        }
    })?;
    out.flush()?;
    output::warn_ignored(settings, color);
    let is_refused = refuses_settings(&settings.errors, color);
    Ok(if is_refused { ExitStatus::Failure } else { ExitStatus::Clean })
}
