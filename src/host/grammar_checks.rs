//! Grammars and schemas of replies, compared with the programs of their projects.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::GrammarFile;
use super::resolve::{ProgramFiles, Resolution};
use crate::ide::file_findings::file_findings;
use crate::ide::reply_grammars::{GrammarComparison, GrammarFileRequest};
use mangle_engine::program::{FileSummary, Program};
use mangle_settings::{FailOn, RuleSettings, Settings};
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::FileId;
use piggyback::envelope::Catalogue;
use reply_grammar::lint::unchecked;

/// What decides on the grammars of a project.
#[derive(Debug, Clone, Copy)]
pub(super) struct GrammarContext<'a> {
    /// The program, if the project has one.
    pub(super) program: Option<&'a Program>,
    pub(super) settings: &'a Settings,
    /// What holds for rules, also where the configuration says nothing of them.
    pub(super) rules: &'a RuleSettings,
    /// The tools of the agent, where they are known.
    pub(super) tools: Option<&'a Catalogue>,
}

/// Why a file is not compared with declarations.
const NO_POLICY: &str = "its project has no policy";

impl GrammarContext<'_> {
    /// What is found in a grammar file with this text.
    pub(super) fn check(&self, grammar: &GrammarFile, text: &str) -> Vec<Diagnostic> {
        let name = grammar.path.to_string_lossy();
        let findings = match (&grammar.unread, self.request(&name, text)) {
            (Some(finding), _) => vec![finding.clone()],
            (None, Some(request)) => request.check(),
            (None, None) => vec![unchecked(text, NO_POLICY)],
        };
        file_findings(grammar.file, findings, self.rules)
    }

    /// A file of this name and text, to be compared with the program if there is one.
    fn request<'r>(&'r self, name: &'r str, text: &'r str) -> Option<GrammarFileRequest<'r>> {
        let Self { program, settings, tools, .. } = *self;
        program.map(|program| GrammarFileRequest { name, text, program, settings, tools })
    }

    /// What a file of this name and text is compared with.
    ///
    /// # Errors
    /// The reason why it cannot be compared.
    pub(super) fn comparison<'r>(
        &'r self,
        name: &'r str,
        text: &'r str,
    ) -> Result<GrammarComparison<'r>, String> {
        self.request(name, text).ok_or(NO_POLICY)?.comparison()
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
        GrammarContext { program, settings, rules: &settings.rules, tools }.check(grammar, text)
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
