//! `config show`: all settings of a project, or only those that differ from their defaults.

use std::path::Path;

use serde::Serialize;

use super::changed::{Changed, changed};
use super::protected_predicates::{self, ProtectedPredicate};
use mangle_host::{CheckCache, CheckTarget, ProgramFiles, Project, Resolution, ShownStores, relative};
use mangle_settings::{ProgramSettings, Rows, SettingTable, Settings};

/// The effective settings.
#[derive(Debug, Serialize)]
pub(super) struct ResolvedConfig {
    /// The path of the configuration file. `null` if none exists and all defaults apply.
    configuration: Option<String>,
    #[serde(flatten)]
    settings: Rows,
    /// The names of the stores, if the runtime has several.
    #[serde(rename = "store_names", skip_serializing_if = "ShownStores::is_empty")]
    stores: ShownStores,
    /// The predicates that replies should not assert. `None` if only changed settings are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    protected: Option<Vec<ProtectedPredicate>>,
    programs: Vec<Program>,
    /// The rules with a non-default severity.
    rules: Vec<Changed>,
}

#[derive(Debug, Serialize)]
struct Program {
    #[serde(flatten)]
    settings: Rows,
    files: Vec<String>,
}

impl ResolvedConfig {
    /// The settings of `project`, or of a folder without a project. Unless `all`, only the settings
    /// that differ from their defaults.
    pub(super) fn new(
        project: Option<&Project>,
        resolution: &Resolution,
        target: &CheckTarget,
        memory: &CheckCache,
        working: &Path,
        all: bool,
    ) -> Self {
        let table = memory.table();
        let settings = project.map_or_else(Default::default, |project| (*project.settings).clone());
        let index =
            project.and_then(|own| resolution.projects.iter().position(|other| other.file == own.file));
        let programs: Vec<_> =
            resolution.programs.iter().filter(|program| program.project == index).collect();
        Self {
            configuration: project.map(|project| relative(working, &project.path)),
            settings: shown(&settings, all).without(&["program", "rules"]),
            stores: ShownStores::new(settings.runtime.stores.as_deref()),
            protected: all.then(|| {
                protected_predicates::protected_predicates(&settings, &programs, resolution, target, memory, working)
            }),
            programs: programs
                .iter()
                .map(|program| Program {
                    settings: shown(&holding(program, &settings), all),
                    files: program.own().map(|member| relative(working, &table.path(member.file))).collect(),
                })
                .collect(),
            rules: project.map_or_else(Vec::new, |project| changed(project, working)),
        }
    }

    /// Formats the settings as a configuration file.
    pub(super) fn text(&self) -> String {
        let from = match (&self.configuration, &self.protected) {
            (Some(path), Some(_)) => format!("The settings of {path}, with all defaults"),
            (Some(path), None) => {
                format!("The settings of {path} that differ from the defaults; --all shows all settings")
            }
            (None, Some(_)) => "No mangle-ls.toml here or above: the default settings".to_owned(),
            (None, None) => {
                "No mangle-ls.toml here or above: all settings have their defaults; --all shows them"
                    .to_owned()
            }
        };
        let mut out = format!("# {from}.\n{}", self.settings.text());
        if let Some(stores) = self.stores.text() {
            out.push_str(&format!("\n# [runtime] {stores}\n"));
        }
        if let Some(protected) = &self.protected {
            out.push_str(&protected_predicates::protected_text(protected));
        }
        self.programs.iter().for_each(|program| out.push_str(&program.text()));
        match (&self.protected, self.rules.is_empty()) {
            (None, true) => {}
            (Some(_), true) => {
                out.push_str("\n[rules]\n# All rules have their defaults; `mangle-ls explain` lists them.\n");
            }
            (_, false) => out.push_str("\n[rules]\n"),
        }
        for Changed { name, severity, default, file, line, text, .. } in &self.rules {
            out.push_str(&format!(
                "{name} = \"{severity}\" # instead of {default}, by {file}:{line}: {text}\n"
            ));
        }
        out
    }
}

impl Program {
    fn text(&self) -> String {
        let count = match self.files.len() {
            1 => "1 file".to_owned(),
            count => format!("{count} files"),
        };
        format!("\n[[program]] # {count}\n{}", self.settings.text())
    }
}

/// The rows of a table. Unless `all`, only those that differ from their defaults.
fn shown<T: SettingTable>(table: &T, all: bool) -> Rows {
    let rows = table.rows();
    if all { rows } else { rows.differing_from(&T::default().rows()) }
}

/// The effective settings of a program.
fn holding(program: &ProgramFiles, settings: &Settings) -> ProgramSettings {
    let declared = program.declared.and_then(|index| settings.programs.get(index)).cloned();
    ProgramSettings {
        name: Some(program.name.clone()),
        host_predicates: program.embedding.predicates.iter().map(|key| (key.name, key.arity)).collect(),
        ..declared.unwrap_or_default()
    }
}
