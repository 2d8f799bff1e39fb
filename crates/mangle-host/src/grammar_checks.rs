//! Checks of reply grammars and schemas against the programs of their projects.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::GrammarFile;
use super::resolve::{ProgramFiles, Resolution};
use mangle_engine::program::{FileSummary, Program};
use mangle_ide::file_findings::file_findings;
use mangle_ide::reply_grammars::{GrammarComparison, GrammarFileRequest};
use mangle_settings::{FailOn, Settings};
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::FileId;
use piggyback::envelope::Catalogue;

/// The program and the tools that the grammars of a project are checked against.
#[derive(Debug, Clone, Copy)]
pub(super) struct GrammarContext<'a> {
    /// `None` if the project has no program.
    pub(super) program: Option<&'a Program>,
    pub(super) settings: &'a Settings,
    /// `None` if the tools of the agent are unknown.
    pub(super) tools: Option<&'a Catalogue>,
}

impl GrammarContext<'_> {
    /// Checks a grammar file with the given text.
    pub(super) fn compare(&self, grammar: &GrammarFile, text: &str) -> GrammarComparison {
        let Self { program, settings, tools } = *self;
        let name = &*grammar.path.to_string_lossy();
        match (&grammar.unread, program) {
            (Some(finding), _) => {
                let generated = Err(finding.message.to_string());
                GrammarComparison { findings: vec![finding.clone()], declarations: None, generated }
            }
            (None, Some(program)) => GrammarFileRequest { name, text, program, settings, tools }.compare(),
            (None, None) => GrammarComparison::none(text, "its project has no policy"),
        }
    }
}

/// The programs that the grammars of a command are checked against.
pub(super) struct GrammarPrograms<'r> {
    resolution: &'r Resolution,
    /// By index into [`Resolution::projects`].
    joined: FxHashMap<usize, Program>,
}

impl<'r> GrammarPrograms<'r> {
    pub(super) fn new(resolution: &'r Resolution, files: &FxHashMap<FileId, Arc<FileSummary>>) -> Self {
        let mut joined = FxHashMap::default();
        for grammar in &resolution.grammars {
            let program = first_program(resolution, grammar.project);
            if let (Some(program), false) = (program, joined.contains_key(&grammar.project)) {
                let members = program.members.iter();
                let summaries = members.filter_map(|member| files.get(&member.file).map(Arc::clone));
                let program = Program::embedded(summaries.collect(), Arc::clone(&program.embedding));
                joined.insert(grammar.project, program);
            }
        }
        Self { resolution, joined }
    }

    /// Returns the findings for a grammar file with the given text.
    pub(super) fn check(&self, grammar: &GrammarFile, text: &str) -> Vec<Diagnostic> {
        let project = self.resolution.projects.get(grammar.project);
        let program = self.joined.get(&grammar.project);
        let Some(project) = project else { return Vec::new() };
        let (settings, tools) = (&*project.settings, project.tools.as_deref());
        let comparison = GrammarContext { program, settings, tools }.compare(grammar, text);
        file_findings(grammar.file, comparison.findings, &settings.rules)
    }

    /// Returns the minimum severity that fails the check, for findings in a grammar file.
    pub(super) fn fail_on(&self, grammar: &GrammarFile) -> FailOn {
        let project = self.resolution.projects.get(grammar.project);
        project.map_or_else(FailOn::default, |project| project.settings.fail_on)
    }
}

/// Returns the program that the grammars of a project are checked against: the first program that
/// the project declares.
pub(super) fn first_program(resolution: &Resolution, project: usize) -> Option<&ProgramFiles> {
    let of_project = resolution.programs.iter().filter(|program| program.project == Some(project));
    of_project.min_by_key(|program| program.declared)
}
