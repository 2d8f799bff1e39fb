//! `config show`: the effective settings of the working directory or of a file, with their origin.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Args, ColorChoice};

use super::ExitStatus;
use super::config_settings::ResolvedConfig;
use super::effective_config::EffectiveConfig;
use super::load_args::refuses_settings;
use super::output::{self, Output};
use super::output_form::OutputForm;
use super::surroundings;
use mangle_host::{CheckCache, CheckTarget, Project, Resolution, SettingsProblems, Shell};

/// Show the settings that differ from their defaults
///
/// Exit status: 0, or 2 if the file is missing or the settings cannot be used.
#[derive(Debug, Args)]
pub(super) struct ShowConfig {
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
    pub(super) fn run(&self, color: ColorChoice) -> Result<ExitStatus> {
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
