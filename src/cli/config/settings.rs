//! Settings that `config show` prints: the settings of a project or of a file with their origin, and the
//! predicates that replies must not assert.

use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use crate::cli::surroundings;
use mangle_engine::program::Program;
use mangle_host::{
    CheckCache, CheckTarget, FileTable, ProgramFiles, ProgramOrigin, Project, Resolution, ShownStores,
    ShownVersions, relative,
};
use mangle_report::sink::terminal;
use mangle_settings::{ProgramSettings, Rows, SettingTable, Settings};
use mangle_syntax::lint::Severity;
use mangle_syntax::text::{FileId, LineIndex, slice};
use piggyback::envelope::atoms::{Declarations, DeclaredPredicate, PermissionDependency, protected};

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
    programs: Vec<ConfiguredProgram>,
    /// The rules with a non-default severity.
    rules: Vec<Changed>,
}

#[derive(Debug, Serialize)]
struct ConfiguredProgram {
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
            protected: all
                .then(|| protected_predicates(&settings, &programs, resolution, target, memory, working)),
            programs: programs
                .iter()
                .map(|program| ConfiguredProgram {
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
            out.push_str(&protected_text(protected));
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

impl ConfiguredProgram {
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

/// A rule with a non-default severity.
#[derive(Debug, Serialize)]
struct Changed {
    code: &'static str,
    name: &'static str,
    severity: &'static str,
    default: &'static str,
    file: String,
    /// The line number, starting at 1.
    line: u32,
    /// The text of the line.
    text: String,
}

/// The rules that a project configures, in the order of its file.
fn changed(project: &Project, working: &Path) -> Vec<Changed> {
    let lines = LineIndex::new(&project.text);
    let settings = &project.settings.rules;
    let differing = project.rules.iter().filter(|(rule, _)| settings.severity(rule) != rule.severity);
    let one = |&(rule, place): &(&'static mangle_syntax::lint::Rule, mangle_syntax::text::TextRange)| {
        let line = lines.line_of(place.start());
        Changed {
            code: rule.code,
            name: rule.name,
            severity: settings.severity(rule).map_or("off", Severity::as_str),
            default: rule.default_word(),
            file: relative(working, &project.path),
            line: line + 1,
            text: slice(&project.text, lines.line_range(line)).trim().to_owned(),
        }
    };
    differing.map(one).collect()
}

#[derive(Debug, Serialize)]
struct ProtectedPredicate {
    predicate: String,
    /// The list that contains the predicate, or the predicate that depends on it.
    why: String,
    /// The position of a rule that uses the predicate: `policy.mg:12`.
    rule: Option<String>,
    /// True if an update that asserts the predicate is rejected. False if it is only reported.
    refused: bool,
}

impl ProtectedPredicate {
    /// Formats the predicate as a comment of a configuration file.
    fn text(&self) -> String {
        let Self { predicate, why, rule, refused } = self;
        let rule = rule.as_ref().map_or(String::new(), |rule| format!(" at {rule}"));
        let end = if *refused { "" } else { "; reported, not refused" };
        format!("# {}\n", terminal(&format!("{predicate}: {why}{rule}{end}")))
    }
}

/// Formats the predicates as comments of a configuration file.
fn protected_text(all: &[ProtectedPredicate]) -> String {
    let lines: String = all.iter().map(ProtectedPredicate::text).collect();
    format!("\n# Predicates that no reply should assert, and why:\n{lines}")
}

/// The protected predicates for the programs of a project. `target` is the path that was resolved
/// to the project.
fn protected_predicates(
    settings: &Settings,
    programs: &[&ProgramFiles],
    resolution: &Resolution,
    target: &CheckTarget,
    memory: &CheckCache,
    working: &Path,
) -> Vec<ProtectedPredicate> {
    let listed = protected(&settings.transcripts.atoms);
    let mut all: Vec<ProtectedPredicate> = listed
        .iter()
        .map(|one| ProtectedPredicate {
            predicate: one.predicate.to_owned(),
            why: one.why.to_owned(),
            rule: None,
            refused: true,
        })
        .collect();
    let (files, _) =
        mangle_host::load(resolution, std::slice::from_ref(target), &surroundings::disk(), memory, || {});
    for program in programs {
        let summaries = program.members.iter().filter_map(|member| files.get(&member.file).map(Arc::clone));
        let joined = Program::embedded(summaries.collect(), Arc::clone(&program.embedding));
        let declarations = Declarations::with(&joined, &settings.replay);
        let decisive = declarations.all().filter(|declared| declared.derived.is_none());
        for (declared, ground) in decisive.filter_map(|declared| Some((declared, declared.ground?))) {
            if !all.iter().any(|one| one.predicate == declared.name) {
                all.push(permission_dependency(declared, ground, &joined, memory, working));
            }
        }
    }
    all.sort_by(|a, b| a.predicate.cmp(&b.predicate));
    all
}

/// A predicate that permissions depend on.
fn permission_dependency(
    declared: &DeclaredPredicate,
    ground: PermissionDependency,
    program: &Program,
    memory: &CheckCache,
    working: &Path,
) -> ProtectedPredicate {
    let PermissionDependency { place, by, root, .. } = ground;
    let through = if by == root { String::new() } else { format!(" through `{by}`") };
    let rule = place.and_then(|(file, statement, range)| {
        let summary = program.file(file)?;
        let item = summary.items.iter().find(|item| item.statement.id == statement)?;
        let line = mangle_syntax::text::LineIndex::new(&summary.text).line_col(
            &summary.text,
            item.start + range.start(),
            mangle_syntax::text::Encoding::Utf8,
        );
        Some(format!("{}:{}", relative(working, &memory.table().path(file)), line.line + 1))
    });
    let why = format!("`{root}` depends on it{through}");
    ProtectedPredicate { predicate: declared.name.to_owned(), why, rule, refused: false }
}
