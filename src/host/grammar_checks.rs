//! Grammars and schemas of replies, compared with the programs of their projects.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::GrammarFile;
use super::resolve::{ProgramFiles, Resolution};
use crate::ide::file_findings::file_findings;
use crate::ide::reply_grammars::{GrammarComparison, GrammarFileRequest};
use mangle_engine::program::{FileSummary, Program};
use mangle_settings::{FailOn, Settings};
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::FileId;
use piggyback::envelope::Catalogue;

/// What decides on the grammars of a project.
#[derive(Debug, Clone, Copy)]
pub(super) struct GrammarContext<'a> {
    /// The program, if the project has one.
    pub(super) program: Option<&'a Program>,
    pub(super) settings: &'a Settings,
    /// The tools of the agent, where they are known.
    pub(super) tools: Option<&'a Catalogue>,
}

impl GrammarContext<'_> {
    /// Compares a grammar file that has this text.
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

/// The programs that the grammars of a command are compared with.
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

    /// What is found in a grammar file with this text.
    pub(super) fn check(&self, grammar: &GrammarFile, text: &str) -> Vec<Diagnostic> {
        let project = self.resolution.projects.get(grammar.project);
        let program = self.joined.get(&grammar.project);
        let Some(project) = project else { return Vec::new() };
        let (settings, tools) = (&*project.settings, project.tools.as_deref());
        let comparison = GrammarContext { program, settings, tools }.compare(grammar, text);
        file_findings(grammar.file, comparison.findings, &settings.rules)
    }

    /// From which severity on findings in a grammar file fail.
    pub(super) fn fail_on(&self, grammar: &GrammarFile) -> FailOn {
        let project = self.resolution.projects.get(grammar.project);
        project.map_or_else(FailOn::default, |project| project.settings.fail_on)
    }
}

/// The program of a project that its grammars are compared with: the first one that it declares.
pub(super) fn first_program(resolution: &Resolution, project: usize) -> Option<&ProgramFiles> {
    let of_project = resolution.programs.iter().filter(|program| program.project == Some(project));
    of_project.min_by_key(|program| program.declared)
}
