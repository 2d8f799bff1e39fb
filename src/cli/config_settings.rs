//! `config show`: the settings of a project, all of them or the ones that differ from their defaults.

use std::path::Path;

use serde::Serialize;

use super::changed::{Changed, changed};
use super::protected_predicates::{self, ProtectedPredicate};
use crate::host::{CheckTarget, FileTable, Memory, ProgramFiles, Project, Resolution, ShownStores, relative};
use mangle_settings::{ProgramSettings, Rows, SettingTable as _, Settings};

/// The settings that hold.
#[derive(Debug, Serialize)]
pub(super) struct ResolvedConfig {
    /// The configuration file; `null`: there is none, everything is at its default.
    configuration: Option<String>,
    #[serde(flatten)]
    settings: Rows,
    /// The names of the stores, if the runtime has several.
    #[serde(rename = "store_names", skip_serializing_if = "ShownStores::is_empty")]
    stores: ShownStores,
    /// The predicates that no reply should assert.
    protected: Vec<ProtectedPredicate>,
    programs: Vec<Program>,
    /// The rules that are not at their defaults.
    rules: Vec<Changed>,
    #[serde(skip)]
    has_defaults: bool,
}

#[derive(Debug, Serialize)]
struct Program {
    #[serde(flatten)]
    settings: Rows,
    /// The files that belong to it.
    files: Vec<String>,
}

impl ResolvedConfig {
    /// The settings of `project`, or those that hold without one.
    pub(super) fn new(
        project: Option<&Project>,
        resolution: &Resolution,
        (target, memory): (&CheckTarget, &Memory),
        working: &Path,
    ) -> Self {
        let table = memory.table();
        let settings = project.map_or_else(Default::default, |project| (*project.settings).clone());
        let index =
            project.and_then(|own| resolution.projects.iter().position(|other| other.file == own.file));
        let programs: Vec<_> =
            resolution.programs.iter().filter(|program| program.project == index).collect();
        Self {
            configuration: project.map(|project| relative(working, &project.path)),
            settings: settings.rows().without(&["program", "rules"]),
            stores: ShownStores::of(settings.runtime.stores.as_deref()),
            protected: protected_predicates::of_project(
                &settings,
                &programs,
                resolution,
                (target, memory, working),
            ),
            programs: programs.iter().map(|program| described(program, &settings, table, working)).collect(),
            rules: project.map_or_else(Vec::new, |project| changed(project, working)),
            has_defaults: true,
        }
    }

    /// The settings that differ from their defaults.
    pub(super) fn without_defaults(mut self) -> Self {
        self.settings = self.settings.differing_from(&Settings::default().rows());
        self.protected.clear();
        for program in &mut self.programs {
            let settings = std::mem::replace(&mut program.settings, ProgramSettings::default().rows());
            program.settings = settings.differing_from(&ProgramSettings::default().rows());
        }
        self.has_defaults = false;
        self
    }

    /// For people: as a configuration file.
    pub(super) fn text(&self) -> String {
        let from = match &self.configuration {
            Some(path) if self.has_defaults => format!("The settings of {path}, with all defaults"),
            Some(path) => {
                format!("The settings of {path} that differ from the defaults; --all shows all settings")
            }
            None if self.has_defaults => "No mangle-ls.toml here or above: the default settings".to_owned(),
            None => "No mangle-ls.toml here or above: all settings have their defaults; --all shows them"
                .to_owned(),
        };
        let mut out = format!("# {from}.\n{}", self.settings.text());
        if let Some(stores) = self.stores.text() {
            out.push_str(&format!("\n# [runtime] {stores}\n"));
        }
        if self.has_defaults {
            out.push_str(&protected_predicates::text(&self.protected));
        }
        self.programs.iter().for_each(|program| out.push_str(&program.text()));
        if !self.rules.is_empty() || self.has_defaults {
            out.push_str("\n[rules]\n");
        }
        if self.rules.is_empty() && self.has_defaults {
            out.push_str("# All rules have their defaults; `mangle-ls explain` lists them.\n");
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

fn described(program: &ProgramFiles, settings: &Settings, table: &FileTable, working: &Path) -> Program {
    let declared = program.declared.and_then(|index| settings.programs.get(index)).cloned();
    let holding = ProgramSettings {
        name: Some(program.name.clone()),
        host_predicates: program.embedding.predicates.iter().map(|key| (key.name, key.arity)).collect(),
        ..declared.unwrap_or_default()
    };
    Program {
        settings: holding.rows(),
        files: program.own().map(|member| relative(working, &table.path(member.file))).collect(),
    }
}
