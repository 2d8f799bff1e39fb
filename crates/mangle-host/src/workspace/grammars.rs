//! Reply grammars and schemas, each checked against a program of its project, for commands and for
//! the editor.

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use super::file::SnapshotFile;
use super::program::SnapshotProgram;
use super::program_inputs::Identity;
use crate::resolve::ProgramFiles;
use crate::{GrammarFile, Resolution};
use mangle_engine::program::{FileSummary, Program};
use mangle_ide::file_findings::file_findings;
use mangle_ide::reply_grammars::{GrammarComparison, GrammarFileRequest};
use mangle_settings::{FailOn, RuleSettings, Settings};
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::FileId;
use piggyback::envelope::Catalogue;

/// A grammar file and its last snapshot.
#[derive(Debug)]
pub(super) struct GrammarState {
    found: Arc<GrammarFile>,
    /// The program that the grammar is checked against.
    program: Option<Identity>,
    settings: Arc<Settings>,
    rules: RuleSettings,
    tools: Option<Arc<Catalogue>>,
    last: Option<Arc<SnapshotGrammar>>,
}

impl GrammarState {
    /// Returns the grammars of a resolution. `base` has the severities of rules that the
    /// configurations do not set.
    pub(super) fn from_resolution(resolution: &mut Resolution, base: &RuleSettings) -> Vec<Self> {
        let files = std::mem::take(&mut resolution.grammars);
        let state = |found: GrammarFile| {
            let project = resolution.projects.get(found.project)?;
            let program = first_program(resolution, found.project);
            Some(Self {
                program: program.map(|program| Identity::new(program, &resolution.projects)),
                settings: Arc::clone(&project.settings),
                rules: project.settings.rules.overriding(base),
                tools: project.tools.clone(),
                found: Arc::new(found),
                last: None,
            })
        };
        files.into_iter().filter_map(state).collect()
    }

    pub(super) fn file(&self) -> FileId {
        self.found.file
    }

    /// Takes over the caches of `old`. Returns true if nothing changed.
    pub(super) fn succeed(&mut self, old: Self) -> bool {
        let same = self.found.text == old.found.text
            && self.found.unread == old.found.unread
            && self.program == old.program
            && self.settings == old.settings
            && self.rules == old.rules
            && self.tools == old.tools;
        if same {
            *self = old;
        }
        same
    }

    /// Returns the snapshot of the grammar, with the text of the editor or of the disk. Adds its
    /// file to `files`.
    pub(super) fn at(
        &mut self,
        files: &mut FxHashMap<FileId, Arc<SnapshotFile>>,
        programs: &dyn Fn(&Identity) -> Option<Arc<SnapshotProgram>>,
    ) -> Arc<SnapshotGrammar> {
        let Self { found, last, .. } = self;
        let program = self.program.as_ref().and_then(programs);
        let file = files.entry(found.file).or_insert_with(|| {
            let known = last.as_ref().map(|last| &last.file).filter(|file| file.open.is_none());
            let (path, text) = (found.path.as_path().into(), Arc::clone(&found.text));
            let read = || Arc::new(SnapshotFile::non_mangle(found.file, path, None, text));
            known.map_or_else(read, Arc::clone)
        });
        let is_same = |last: &&Arc<SnapshotGrammar>| {
            let pointers = |program: &Option<Arc<_>>| program.as_ref().map(Arc::as_ptr);
            Arc::ptr_eq(&last.file, file) && pointers(&last.program) == pointers(&program)
        };
        if let Some(last) = last.as_ref().filter(is_same) {
            return Arc::clone(last);
        }
        let grammar = Arc::new(SnapshotGrammar {
            file: Arc::clone(file),
            found: Arc::clone(found),
            program,
            settings: Arc::clone(&self.settings),
            rules: self.rules.clone(),
            tools: self.tools.clone(),
            compared: OnceLock::new(),
        });
        self.last = Some(Arc::clone(&grammar));
        grammar
    }
}

/// A grammar file at one revision, shared by all revisions with the same grammar and program.
#[derive(Debug)]
pub struct SnapshotGrammar {
    pub file: Arc<SnapshotFile>,
    found: Arc<GrammarFile>,
    /// The program that the grammar is checked against, if its project has one.
    program: Option<Arc<SnapshotProgram>>,
    settings: Arc<Settings>,
    rules: RuleSettings,
    tools: Option<Arc<Catalogue>>,
    compared: OnceLock<Compared>,
}

/// The result of the check.
#[derive(Debug)]
struct Compared {
    diagnostics: Vec<Diagnostic>,
    title: Option<String>,
    generated: Result<String, String>,
}

impl SnapshotGrammar {
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.compared().diagnostics
    }

    /// True if [`SnapshotGrammar::diagnostics`] has been computed.
    #[must_use]
    pub fn is_diagnosed(&self) -> bool {
        self.compared.get().is_some()
    }

    /// Returns the number of declarations that the file was generated from, and its state. Returns
    /// `None` for a file that was not generated, or that cannot be generated again.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.compared().title.as_deref()
    }

    /// Returns the text that the generator would write now.
    ///
    /// # Errors
    ///
    /// The reason why the file cannot be generated.
    pub fn generated(&self) -> Result<&str, &str> {
        self.compared().generated.as_deref().map_err(String::as_str)
    }

    fn compared(&self) -> &Compared {
        self.compared.get_or_init(|| {
            let program = self.program.as_ref().map(|program| &**program.program());
            let context = GrammarContext { program, settings: &self.settings, tools: self.tools.as_deref() };
            let comparison = context.compare(&self.found, self.file.text());
            let title = comparison.title(self.file.text());
            let diagnostics = file_findings(self.file.id, comparison.findings, &self.rules);
            match self.program.as_ref().and_then(|program| program.refusal()) {
                Some(why) => Compared { diagnostics, title: Some(why.clone()), generated: Err(why) },
                None => Compared { diagnostics, title, generated: comparison.generated },
            }
        })
    }
}

/// The program and the tools that the grammars of a project are checked against.
#[derive(Debug, Clone, Copy)]
struct GrammarContext<'a> {
    /// `None` if the project has no program.
    program: Option<&'a Program>,
    settings: &'a Settings,
    /// `None` if the tools of the agent are unknown.
    tools: Option<&'a Catalogue>,
}

impl GrammarContext<'_> {
    /// Checks a grammar file with the given text.
    fn compare(&self, grammar: &GrammarFile, text: &str) -> GrammarComparison {
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
pub(crate) struct GrammarPrograms<'r> {
    resolution: &'r Resolution,
    /// By index into [`Resolution::projects`].
    joined: FxHashMap<usize, Program>,
}

impl<'r> GrammarPrograms<'r> {
    pub(crate) fn new(resolution: &'r Resolution, files: &FxHashMap<FileId, Arc<FileSummary>>) -> Self {
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
    pub(crate) fn check(&self, grammar: &GrammarFile, text: &str) -> Vec<Diagnostic> {
        let project = self.resolution.projects.get(grammar.project);
        let program = self.joined.get(&grammar.project);
        let Some(project) = project else { return Vec::new() };
        let (settings, tools) = (&*project.settings, project.tools.as_deref());
        let comparison = GrammarContext { program, settings, tools }.compare(grammar, text);
        file_findings(grammar.file, comparison.findings, &settings.rules)
    }

    /// Returns the minimum severity that fails the check, for findings in a grammar file.
    pub(crate) fn fail_on(&self, grammar: &GrammarFile) -> FailOn {
        let project = self.resolution.projects.get(grammar.project);
        project.map_or_else(FailOn::default, |project| project.settings.fail_on)
    }
}

/// Returns the program that the grammars of a project are checked against: the first program that
/// the project declares.
fn first_program(resolution: &Resolution, project: usize) -> Option<&ProgramFiles> {
    let of_project = resolution.programs.iter().filter(|program| program.project == Some(project));
    of_project.min_by_key(|program| program.declared)
}
