//! A program of the workspace between revisions: its inputs, its caches and its last snapshot.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::evaluated::EvaluationCache;
use super::file::SnapshotFile;
use super::preview_cache::PreviewCache;
use super::program::{JoinedProgram, SnapshotProgram};
use super::prompt_revisions::PromptRevisions;
use crate::tables::Tables;
use crate::{ProgramFiles, ProgramVersions, Project, Shell};
use mangle_check::diagnostics::FindingCache;
use mangle_engine::program::ProgramEnvironment;
use mangle_ide::registry;
use mangle_ide::verification::AnswerMemo;
use mangle_report::LoadErrors;
use mangle_settings::{RuleSettings, Settings};
use mangle_syntax::text::FileId;

/// Identity of a program across changes of its files or settings.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Identity {
    pub(super) name: Arc<str>,
    /// The folder of the program. Empty for a document that is not on disk.
    pub(super) root: PathBuf,
    /// The governing `mangle-ls.toml`.
    pub(super) configuration: Option<PathBuf>,
    /// The sample kernel, other sample file or policy test, if this is its program.
    pub(super) single: Option<FileId>,
    /// True for the program with the tables of a sample that has no other files.
    pub(super) is_with_tables: bool,
}

impl Identity {
    /// The identity of the program itself, without samples and tests.
    pub(super) fn new(program: &ProgramFiles, projects: &[Project]) -> Self {
        let project = program.project.and_then(|project| projects.get(project));
        Self {
            name: program.name.as_str().into(),
            root: program.root.clone(),
            configuration: project.map(|project| project.path.clone()),
            single: None,
            is_with_tables: false,
        }
    }
}

/// Everything that determines the results of a program, except the texts of its files and of the
/// files that previews read. Programs with equal inputs and texts have equal results.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ProgramInputs {
    pub(super) identity: Identity,
    /// Sorted.
    pub(super) members: Vec<FileId>,
    /// The files whose diagnostics this program reports, sorted.
    pub(super) reported: Vec<FileId>,
    pub(super) rules: Arc<RuleSettings>,
    pub(super) settings: Arc<Settings>,
    /// The name of the sample whose facts are used in evaluations.
    pub(super) sample: Option<Arc<str>>,
    /// The fact tables of the sample.
    pub(super) tables: Arc<Tables>,
    /// The versions in the settings and the embedding, with the reason for each.
    pub(super) versions: Arc<ProgramVersions>,
    pub(super) embedding: Arc<ProgramEnvironment>,
    /// The shell that the program is evaluated for.
    pub(super) shell: Shell,
    /// Errors that make the settings invalid.
    pub(super) settings_errors: Arc<LoadErrors>,
}

impl ProgramInputs {
    /// The program of a document that is not on disk.
    pub(super) fn unsaved(file: FileId, path: &Path, rules: Arc<RuleSettings>) -> Self {
        let name = path.to_string_lossy().into();
        Self {
            identity: Identity {
                name,
                root: PathBuf::new(),
                configuration: None,
                single: None,
                is_with_tables: false,
            },
            members: vec![file],
            reported: vec![file],
            rules,
            settings: Arc::default(),
            sample: None,
            tables: Arc::default(),
            versions: Arc::default(),
            embedding: Arc::default(),
            shell: Shell::default(),
            settings_errors: Arc::default(),
        }
    }
}

/// The caches of a program, shared by all its snapshots.
#[derive(Debug, Clone)]
pub(super) struct ProgramCaches {
    pub(super) findings: Arc<FindingCache>,
    pub(super) evaluations: Arc<EvaluationCache>,
    /// The results of its properties.
    pub(super) answers: Arc<AnswerMemo>,
    pub(super) previews: Arc<PreviewCache>,
    pub(super) joined: Arc<JoinedProgram>,
}

impl Default for ProgramCaches {
    fn default() -> Self {
        Self {
            findings: Arc::new(FindingCache::new(registry::all())),
            evaluations: Arc::default(),
            answers: Arc::default(),
            previews: Arc::default(),
            joined: Arc::default(),
        }
    }
}

/// A program and its last snapshot.
#[derive(Debug)]
pub(super) struct ProgramState {
    pub(super) inputs: Arc<ProgramInputs>,
    pub(super) caches: ProgramCaches,
    pub(super) last: Option<Arc<SnapshotProgram>>,
}

impl ProgramState {
    pub(super) fn new(inputs: ProgramInputs) -> Self {
        Self { inputs: inputs.into(), caches: ProgramCaches::default(), last: None }
    }

    /// Replaces the inputs, and keeps the caches that remain valid. Returns true if the inputs
    /// changed.
    pub(super) fn set_inputs(&mut self, inputs: ProgramInputs) -> bool {
        let old = std::mem::replace(&mut self.inputs, inputs.into());
        if self.inputs == old {
            // Caches compare some inputs by identity.
            self.inputs = old;
            return false;
        }
        for file in &old.members {
            if self.inputs.members.binary_search(file).is_err() {
                self.caches.findings.forget(*file);
            }
        }
        let (new, old) = (&self.inputs.settings, &old.settings);
        let same_worlds =
            new.verify == old.verify && new.transcripts == old.transcripts && new.kernel == old.kernel;
        if !same_worlds {
            self.caches.answers = Arc::default();
        }
        self.last = None;
        true
    }

    /// Returns the snapshot of the program with these files.
    pub(super) fn at(
        &mut self,
        files: &FxHashMap<FileId, Arc<SnapshotFile>>,
        prompt_revisions: PromptRevisions,
    ) -> Arc<SnapshotProgram> {
        let files: Vec<_> = self.inputs.members.iter().filter_map(|id| files.get(id)).cloned().collect();
        // A command reads tables each time; an editor reads them only when it evaluates.
        let may_reuse = self.inputs.shell == Shell::Editor || self.inputs.tables.is_empty();
        let program = match &self.last {
            Some(last) if may_reuse && last.has_files(&files) => last.at_revisions(prompt_revisions),
            _ => Arc::new(SnapshotProgram::new(self, Arc::new(files), prompt_revisions)),
        };
        self.last = Some(Arc::clone(&program));
        program
    }
}
