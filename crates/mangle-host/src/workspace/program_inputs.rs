//! The inputs that determine the results of a program, and the caches that its revisions share.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::evaluated::EvaluationCache;
use super::file::SnapshotFile;
use super::provenance::PreviewCache;
use crate::samples::Tables;
use crate::{ProgramFiles, ProgramVersions, Project, Shell};
use mangle_check::diagnostics::FindingCache;
use mangle_engine::program::{FileSummary, Program, ProgramEnvironment};
use mangle_ide::registry;
use mangle_ide::verification::{AnswerMemo, AnsweredProperty};
use mangle_report::LoadErrors;
use mangle_settings::{RuleSettings, Settings};
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::memo::Memo;
use mangle_syntax::parallel;
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

#[derive(Debug, Default)]
pub(super) struct VerifiedProgram {
    pub(super) properties: Arc<[AnsweredProperty]>,
    pub(super) diagnostics: FxHashMap<FileId, Vec<Diagnostic>>,
}

impl VerifiedProgram {
    pub(super) fn diagnostics(&self, file: FileId) -> Option<&[Diagnostic]> {
        self.diagnostics.get(&file).map(Vec::as_slice)
    }
}

/// The last linked program.
#[derive(Debug, Default)]
pub(super) struct JoinedProgram(Memo<JoinInputs, Arc<Program>>);

impl JoinedProgram {
    pub(super) fn program(
        &self,
        files: &Arc<Vec<Arc<SnapshotFile>>>,
        embedding: &Arc<ProgramEnvironment>,
    ) -> Arc<Program> {
        let inputs = JoinInputs { files: Arc::clone(files), embedding: Arc::clone(embedding) };
        self.0.get_always(inputs, |last| {
            let files = summaries(files);
            Arc::new(match last {
                Some((_, last)) => last.succeed(files, embedding),
                None => Program::embedded(files, Arc::clone(embedding)),
            })
        })
    }
}

#[derive(Debug, Clone)]
struct JoinInputs {
    files: Arc<Vec<Arc<SnapshotFile>>>,
    embedding: Arc<ProgramEnvironment>,
}

impl PartialEq for JoinInputs {
    fn eq(&self, other: &Self) -> bool {
        let is_same = |(one, other): (&Arc<SnapshotFile>, &Arc<SnapshotFile>)| Arc::ptr_eq(one, other);
        let same_files =
            self.files.len() == other.files.len() && self.files.iter().zip(&*other.files).all(is_same);
        same_files && self.embedding == other.embedding
    }
}

/// The minimum number of files per thread.
const MIN_FILES_PER_THREAD: usize = 8;

/// Returns the summaries. Files that are not parsed yet are parsed on all cores.
fn summaries(files: &[Arc<SnapshotFile>]) -> Vec<Arc<FileSummary>> {
    let unparsed: Vec<_> = files.iter().filter(|file| !file.is_parsed()).collect();
    parallel::map(&unparsed, MIN_FILES_PER_THREAD, |file| _ = file.summary());
    files.iter().map(|file| Arc::clone(file.summary())).collect()
}
