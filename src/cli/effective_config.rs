//! `config show FILE`: the settings that apply to a file, with their origin.

use std::path::Path;

use serde::Serialize;

use super::changed::{Changed, changed};
use mangle_host::{FileTable, ProgramFiles, ProgramOrigin, Resolution, ShownStores, ShownVersions, relative};
use mangle_report::sink::terminal;
use mangle_syntax::text::FileId;

#[derive(Debug, Serialize)]
pub(super) struct EffectiveConfig {
    file: String,
    /// The path of the configuration file. `null` if none exists and all defaults apply.
    configuration: Option<String>,
    fail_on: &'static str,
    required_version: Option<String>,
    programs: Vec<Membership>,
    /// The rules with a non-default severity.
    rules: Vec<Changed>,
}

/// The program of a file, and its role in the program.
#[derive(Debug, Serialize)]
struct Membership {
    name: String,
    root: String,
    /// The reason that the file belongs to the program.
    role: &'static str,
    /// The number of files in the program, including this file.
    files: usize,
    #[serde(flatten)]
    versions: ShownVersions,
    /// The names of the stores, if the runtime has several.
    #[serde(skip_serializing_if = "ShownStores::is_empty")]
    stores: ShownStores,
    /// True if directives of codeNERD are ignored in the file.
    hybrid: bool,
}

impl EffectiveConfig {
    /// The settings that apply to the file at `path`, which must be a target of `resolution`.
    pub(super) fn new(path: &Path, resolution: &Resolution, table: &FileTable, working: &Path) -> Self {
        let file = table.id(path);
        let programs = resolution.programs.iter();
        let programs: Vec<_> =
            programs.filter(|program| program.own().any(|member| member.file == file)).collect();
        // Without a program, the file is a configuration file, or is unrelated to mangle-ls.
        let own = || resolution.projects.iter().position(|project| project.file == file);
        let project = programs.iter().find_map(|program| program.project).or_else(own);
        let project = project.and_then(|index| resolution.projects.get(index));
        let settings = project.map(|project| &project.settings);
        Self {
            file: relative(working, path),
            configuration: project.map(|project| relative(working, &project.path)),
            fail_on: settings.map(|settings| settings.fail_on).unwrap_or_default().as_str(),
            required_version: settings
                .and_then(|settings| Some(settings.required_version.as_ref()?.to_string())),
            programs: programs.into_iter().map(|program| membership(program, file, working)).collect(),
            rules: project.map_or_else(Vec::new, |project| changed(project, working)),
        }
    }

    /// Formats the settings as text.
    pub(super) fn text(&self) -> String {
        let mut out = format!("{}\n", terminal(&self.file));
        let mut line = |name: &str, value: &str| out.push_str(&format!("  {name:18}{}\n", terminal(value)));
        line(
            "configuration",
            self.configuration.as_deref().unwrap_or("none here or above; everything is at its default"),
        );
        line("fail_on", self.fail_on);
        if let Some(required) = &self.required_version {
            line("required_version", required);
        }
        if self.programs.is_empty() {
            line("program", "none: it is not Mangle (`.mg`, `.gl`)");
        }
        for program in &self.programs {
            let Membership { name, root, role, files, .. } = program;
            line(
                "program",
                &format!("{name} in {root}: {role} ({files} {})", if *files == 1 { "file" } else { "files" }),
            );
            line("", &format!("engine {}", program.versions.engine));
            line("", &format!("runtime {}", program.versions.runtime));
            if let Some(stores) = program.stores.text() {
                line("", &stores);
            }
            if program.hybrid {
                line("", "hybrid: directives of codeNERD are passed over");
            }
        }
        if self.rules.is_empty() {
            line("rules", "all at their defaults");
        } else {
            out.push_str("  rules that are not at their defaults\n");
        }
        let width = self.rules.iter().map(|rule| rule.name.len()).max().unwrap_or(0);
        for rule in &self.rules {
            let Changed { code, name, severity, default, file, line, text } = rule;
            out.push_str(&format!(
                "    {code} {name:width$}  {severity} instead of {default}, by {}:{line}: {}\n",
                terminal(file),
                terminal(text)
            ));
        }
        out
    }
}

fn membership(program: &ProgramFiles, file: FileId, working: &Path) -> Membership {
    let single = program.standalone_files.iter().find(|single| single.member.file == file);
    let (role, files) = match single {
        Some(single) if single.uses.is_some() => {
            ("by itself with what its header uses", program.unit_of(single).files.len())
        }
        Some(single) => ("by itself with the program", program.unit_of(single).files.len()),
        None => {
            let role = match program.origin {
                ProgramOrigin::Configured => "part of the program",
                ProgramOrigin::Together => "part of what was named",
                ProgramOrigin::Lone if program.project.is_some() => {
                    "left out by its configuration; with the schemas beside it"
                }
                ProgramOrigin::Lone => "alone, with the schemas beside it",
            };
            (role, program.members.len())
        }
    };
    Membership {
        name: program.name.clone(),
        root: relative(working, &program.root),
        role,
        files,
        versions: ShownVersions::new(&program.versions),
        stores: ShownStores::new(program.embedding.stores.as_deref()),
        hybrid: program.embedding.is_hybrid(file),
    }
}
