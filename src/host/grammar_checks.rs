//! Grammars and schemas of replies, held against the programs of their projects.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::GrammarFile;
use super::resolve::{ProgramFiles, Resolution};
use crate::ide::file_findings::file_findings;
use crate::ide::reply_grammars::GrammarFileRequest;
use mangle_engine::program::{FileSummary, Program};
use mangle_settings::FailOn;
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::FileId;

/// What grammar files are held against: each project's first program, joined.
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
        let (Some(project), Some(program)) = (project, program) else { return Vec::new() };
        let findings = match &grammar.unread {
            Some(finding) => vec![finding.clone()],
            None => GrammarFileRequest {
                name: &grammar.path.to_string_lossy(),
                text,
                program,
                settings: &project.settings,
                tools: project.tools.as_deref(),
            }
            .check(),
        };
        file_findings(grammar.file, findings, &project.settings.rules)
    }

    /// From which severity on findings in a grammar file fail.
    pub(super) fn fail_on(&self, grammar: &GrammarFile) -> FailOn {
        let project = self.resolution.projects.get(grammar.project);
        project.map_or_else(FailOn::default, |project| project.settings.fail_on)
    }
}

fn first_program(resolution: &Resolution, project: usize) -> Option<&ProgramFiles> {
    let of_project = resolution.programs.iter().filter(|program| program.project == Some(project));
    of_project.min_by_key(|program| program.declared)
}
