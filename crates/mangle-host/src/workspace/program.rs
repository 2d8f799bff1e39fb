//! A program of the workspace: the state that is kept between revisions, and the snapshot at one
//! revision.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use crate::tables::Tables;
use crate::workspace::evaluated::{Evaluated, EvaluationCache, editor_limits};
use crate::workspace::file::SnapshotFile;
use crate::workspace::preview_cache::PreviewCache;
use crate::workspace::program_identity::Identity;
use crate::workspace::prompt_revisions::PromptRevisions;
use crate::workspace::provenance::PromptProvenance;
use crate::workspace::verified_program::VerifiedProgram;
use crate::{ProgramFiles, ProgramVersions, Shell};
use mangle_check::diagnostics::{CheckedProgram, FindingCache, check_unless, rejections};
use mangle_engine::kernel::Limits;
use mangle_engine::program::{FileSummary, Program, ProgramEnvironment};
use mangle_engine::types::ProgramTypes;
use mangle_ide::file_findings;
use mangle_ide::replays::evaluated_policy_findings;
use mangle_ide::verification::AnswerMemo;
use mangle_ide::{Analysis, evaluation, registry};
use mangle_report::LoadErrors;
use mangle_settings::{KernelSettings, RuleSettings, Settings, Stores};
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::memo::Memo;
use mangle_syntax::parallel;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{Cancel, FileId};

/// Settings, versions and embedding of a program, from its resolution.
#[derive(Debug, Clone, Default)]
pub(super) struct ProgramInputs {
    settings: Arc<Settings>,
    versions: Arc<ProgramVersions>,
    embedding: Arc<ProgramEnvironment>,
}

impl From<&ProgramFiles> for ProgramInputs {
    fn from(program: &ProgramFiles) -> Self {
        let ProgramFiles { settings, versions, embedding, .. } = program;
        Self {
            settings: Arc::clone(settings),
            versions: Arc::clone(versions),
            embedding: Arc::clone(embedding),
        }
    }
}

/// A program and its last snapshot.
#[derive(Debug)]
pub(super) struct ProgramState {
    pub(super) identity: Identity,
    /// Sorted.
    pub(super) members: Vec<FileId>,
    /// Sorted.
    pub(super) reported: Arc<[FileId]>,
    pub(super) rules: Arc<RuleSettings>,
    pub(super) settings: Arc<Settings>,
    /// The name of the sample, if this is the program of a sample.
    pub(super) sample: Option<Arc<str>>,
    /// The fact tables of the sample, if this is the program of a sample.
    pub(super) tables: Arc<Tables>,
    /// The versions in the settings and the embedding, with the reason for each.
    pub(super) versions: Arc<ProgramVersions>,
    pub(super) embedding: Arc<ProgramEnvironment>,
    pub(super) cache: Arc<FindingCache>,
    pub(super) evaluations: Arc<EvaluationCache>,
    /// The results of its properties.
    pub(super) answers: Arc<AnswerMemo>,
    pub(super) previews: Arc<PreviewCache>,
    pub(super) joined: Arc<JoinedProgram>,
    /// The shell that the program is evaluated for.
    pub(super) shell: Shell,
    /// Errors that make the settings invalid.
    pub(super) settings_errors: Arc<LoadErrors>,
    pub(super) last: Option<Arc<SnapshotProgram>>,
}

impl ProgramState {
    pub(super) fn new(
        identity: Identity,
        (mut members, mut reported): (Vec<FileId>, Vec<FileId>),
        rules: Arc<RuleSettings>,
        given: ProgramInputs,
    ) -> Self {
        members.sort_unstable();
        reported.sort_unstable();
        let cache = Arc::new(FindingCache::new(registry::all()));
        let (reported, evaluations) = (reported.into(), Arc::default());
        let (sample, tables, last) = (None, Arc::default(), None);
        Self {
            identity,
            members,
            reported,
            rules,
            settings: given.settings,
            sample,
            tables,
            versions: given.versions,
            embedding: given.embedding,
            cache,
            evaluations,
            answers: Arc::default(),
            previews: Arc::default(),
            joined: Arc::default(),
            shell: Shell::default(),
            settings_errors: Arc::default(),
            last,
        }
    }

    /// Takes over the caches of `old`, and its last snapshot if nothing changed. The flag is true
    /// if nothing changed.
    pub(super) fn inherit_caches(mut self, old: Self) -> (Self, bool) {
        for file in old.members.iter().filter(|file| self.members.binary_search(file).is_err()) {
            old.cache.forget(*file);
        }
        self.cache = old.cache;
        self.previews = old.previews;
        self.joined = old.joined;
        self.evaluations = old.evaluations;
        let (own, olds) = (&self.settings, &old.settings);
        let same_worlds =
            own.verify == olds.verify && own.transcripts == olds.transcripts && own.kernel == olds.kernel;
        if same_worlds {
            self.answers = old.answers;
        }
        let same = same_worlds
            && self.members == old.members
            && self.reported == old.reported
            && self.rules == old.rules
            && self.settings.format == old.settings.format
            && self.settings.prompt == old.settings.prompt
            && self.settings.replay == old.settings.replay
            && self.settings_errors == old.settings_errors
            && self.sample == old.sample
            && self.tables == old.tables
            && self.versions == old.versions
            && self.embedding == old.embedding;
        if same {
            self.last = old.last;
            self.rules = old.rules;
        }
        (self, same)
    }

    pub(super) fn at(
        &mut self,
        files: &FxHashMap<FileId, Arc<SnapshotFile>>,
        prompt_revisions: PromptRevisions,
    ) -> Arc<SnapshotProgram> {
        let files: Vec<_> = self.members.iter().filter_map(|id| files.get(id)).cloned().collect();
        // A command reads tables each time; an editor reads them only when it evaluates.
        if let Some(last) =
            self.last.as_ref().filter(|_| self.shell == Shell::Editor || self.tables.is_empty())
            && last.files.len() == files.len()
            && last.files.iter().zip(&files).all(|(a, b)| Arc::ptr_eq(a, b))
        {
            let is_same = last.prompt_revisions == prompt_revisions || last.previewed().is_none();
            if is_same && !last.compares() {
                return Arc::clone(last);
            }
            let program = Arc::new(last.with_revisions(self, prompt_revisions));
            self.last = Some(Arc::clone(&program));
            return program;
        }
        let program = Arc::new(SnapshotProgram::new(self, Arc::new(files), prompt_revisions));
        self.last = Some(Arc::clone(&program));
        program
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

/// The last linked program.
#[derive(Debug, Default)]
pub(super) struct JoinedProgram(Memo<JoinInputs, Arc<Program>>);

/// The minimum number of files per thread.
const MIN_FILES_PER_THREAD: usize = 8;

/// Returns the summaries. Files that are not parsed yet are parsed on all cores.
fn summaries(files: &[Arc<SnapshotFile>]) -> Vec<Arc<FileSummary>> {
    let unparsed: Vec<_> = files.iter().filter(|file| !file.is_parsed()).collect();
    parallel::map(&unparsed, MIN_FILES_PER_THREAD, |file| _ = file.summary());
    files.iter().map(|file| Arc::clone(file.summary())).collect()
}

/// A program at one revision, shared by all revisions with the same program.
#[derive(Debug)]
pub struct SnapshotProgram {
    /// The name in output.
    pub name: Arc<str>,
    /// The files, sorted by id.
    pub files: Arc<Vec<Arc<SnapshotFile>>>,
    /// The files whose diagnostics this program reports.
    pub(super) reported: Arc<[FileId]>,
    pub(super) rules: Arc<RuleSettings>,
    pub(super) settings: Arc<Settings>,
    /// The folder of the program. Empty for a document that is not on disk.
    root: PathBuf,
    configuration: Option<PathBuf>,
    /// The sample kernel, other sample file or policy test, if this is its program.
    pub(super) single: Option<FileId>,
    /// The name of the sample whose facts are used in evaluations.
    pub(super) sample: Option<Arc<str>>,
    /// The fact tables that are used in evaluations.
    tables: Arc<Tables>,
    pub versions: Arc<ProgramVersions>,
    pub(super) embedding: Arc<ProgramEnvironment>,
    pub(super) cache: Arc<FindingCache>,
    evaluations: Arc<EvaluationCache>,
    pub(super) answers: Arc<AnswerMemo>,
    pub(super) previews: Arc<PreviewCache>,
    joined: Arc<JoinedProgram>,
    shell: Shell,
    program: OnceLock<Arc<Program>>,
    types: OnceLock<ProgramTypes>,
    diagnostics: OnceLock<FxHashMap<FileId, Arc<[Diagnostic]>>>,
    settings_errors: Arc<LoadErrors>,
    /// The errors that prevent the program from loading.
    load_errors: OnceLock<LoadErrors>,
    /// Findings of the evaluation, by file.
    pub(super) evaluation: OnceLock<Arc<FxHashMap<FileId, Vec<Diagnostic>>>>,
    /// Findings of the properties and of the search for redundant rules.
    pub(super) verification: OnceLock<Arc<VerifiedProgram>>,
    /// The revision of the files that previews read in addition to policies.
    pub(super) prompt_revisions: PromptRevisions,
    pub(super) provenance: OnceLock<Arc<PromptProvenance>>,
}

impl SnapshotProgram {
    /// The stores of its facts, if the runtime has several.
    #[must_use]
    pub fn stores(&self) -> Option<&Stores> {
        self.embedding.stores.as_deref()
    }

    pub(super) fn new(
        state: &ProgramState,
        files: Arc<Vec<Arc<SnapshotFile>>>,
        prompt_revisions: PromptRevisions,
    ) -> Self {
        let (program, types, diagnostics) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Self {
            name: Arc::clone(&state.identity.name),
            files,
            reported: Arc::clone(&state.reported),
            rules: Arc::clone(&state.rules),
            settings: Arc::clone(&state.settings),
            root: state.identity.root.clone(),
            configuration: state.identity.configuration.clone(),
            single: state.identity.single,
            sample: state.sample.clone(),
            tables: Arc::clone(&state.tables),
            versions: Arc::clone(&state.versions),
            embedding: Arc::clone(&state.embedding),
            cache: Arc::clone(&state.cache),
            evaluations: Arc::clone(&state.evaluations),
            answers: Arc::clone(&state.answers),
            previews: Arc::clone(&state.previews),
            joined: Arc::clone(&state.joined),
            shell: state.shell,
            program,
            types,
            diagnostics,
            settings_errors: Arc::clone(&state.settings_errors),
            load_errors: OnceLock::new(),
            evaluation: OnceLock::new(),
            verification: OnceLock::new(),
            prompt_revisions,
            provenance: OnceLock::new(),
        }
    }

    /// Returns the same program with other files for previews.
    pub(super) fn with_revisions(&self, state: &ProgramState, prompt_revisions: PromptRevisions) -> Self {
        let (program, diagnostics) = (self.program.clone(), self.diagnostics.clone());
        let evaluation = self.evaluation.clone();
        // Comparisons with other programs are computed again.
        let verification = if self.compares() { OnceLock::new() } else { self.verification.clone() };
        Self {
            program,
            diagnostics,
            load_errors: self.load_errors.clone(),
            evaluation,
            verification,
            ..Self::new(state, Arc::clone(&self.files), prompt_revisions)
        }
    }

    /// Returns the linked program.
    pub fn program(&self) -> &Arc<Program> {
        self.program.get_or_init(|| {
            let inputs =
                JoinInputs { files: Arc::clone(&self.files), embedding: Arc::clone(&self.embedding) };
            self.joined.0.get_always(inputs, |last| {
                let files = summaries(&self.files);
                Arc::new(match last {
                    Some((_, last)) => last.succeed(files, &self.embedding),
                    None => Program::embedded(files, Arc::clone(&self.embedding)),
                })
            })
        })
    }

    /// Computes the diagnostics of all files, if they are not known yet. Changes nothing if
    /// canceled.
    pub fn diagnose(&self, cancel: &Cancel) {
        if self.is_diagnosed() || cancel.is_cancelled() {
            return;
        }
        let checked = match self.reported.is_empty() {
            true => Some(CheckedProgram {
                rejections: rejections(self.program(), &self.cache),
                ..CheckedProgram::default()
            }),
            false => check_unless(cancel, self.program(), self.types(), &self.rules, &self.cache),
        };
        if let Some(CheckedProgram { diagnostics: found, rejections }) = checked {
            self.load_errors.get_or_init(|| self.errors_of(rejections));
            // Findings of evaluations and properties come first. A diagnosed program is reported
            // immediately, and would briefly lack these findings.
            match self.evaluated() {
                Some(known) => self.adopt(&known),
                None if self.is_refused() => self.refuse_evaluation(),
                None => {}
            }
            self.adopt_answers();
            // If another thread was faster, it computed the same findings.
            let _ = self.diagnostics.set(found.into_iter().collect());
        }
    }

    /// Returns the errors that prevent the program from loading. Nothing derived is then reported.
    /// The cases of a policy test are not part of its program.
    pub fn load_errors(&self) -> &LoadErrors {
        self.load_errors.get_or_init(|| self.errors_of(rejections(self.program(), &self.cache)))
    }

    fn errors_of(&self, rejected: Vec<(FileId, Diagnostic)>) -> LoadErrors {
        let program = self.program();
        let found = match self.test() {
            Some(test) => file_findings::outside_cases(program, test, rejected),
            None => rejected,
        };
        let mut errors = LoadErrors::clone(&self.settings_errors);
        errors.add(file_findings::to_load_errors(program, &found, &|file| self.name_of(file)));
        errors
    }

    /// True if no derived results are shown, because the program does not load. Commands decide
    /// this themselves.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        self.shell == Shell::Editor && !self.load_errors().is_empty()
    }

    /// Returns the message that nothing derived is shown, with the first error. Returns `None` if
    /// the program loads.
    #[must_use]
    pub fn refusal(&self) -> Option<String> {
        self.load_errors().mark().filter(|_| self.is_refused())
    }

    /// True if requests about derived facts can be answered, with results or with the errors of a
    /// program that does not load.
    #[must_use]
    pub fn is_answerable(&self) -> bool {
        self.is_refused() || self.evaluated().is_some()
    }

    /// Sets empty findings for a refused evaluation.
    fn refuse_evaluation(&self) {
        self.evaluation.get_or_init(Arc::default);
    }

    /// Evaluates the program, unless the result is known or the program does not load. Changes
    /// nothing if canceled.
    pub fn evaluate(&self, cancel: &Cancel) {
        if cancel.is_cancelled() {
            return;
        }
        if self.is_refused() {
            return self.refuse_evaluation();
        }
        if let Some(evaluated) = self.evaluations.evaluate(
            self.program(),
            (&self.settings.kernel, &|| self.limits()),
            &self.tables,
            cancel,
        ) {
            self.adopt(&evaluated);
        }
    }

    /// Returns the cache of findings for trial fixes. In an editor, the program's own cache is
    /// reserved for the current texts.
    pub(super) fn cache_for_fixes(&self) -> Arc<FindingCache> {
        match self.shell {
            Shell::CommandLine => Arc::clone(&self.cache),
            Shell::Editor => Arc::new(FindingCache::new(registry::all())),
        }
    }

    /// The limits of its evaluations and prompts.
    pub(super) fn limits(&self) -> Limits {
        let limits = Limits::from_settings(&self.settings.kernel);
        match self.shell {
            Shell::CommandLine => limits,
            Shell::Editor => editor_limits(limits),
        }
    }

    fn adopt(&self, evaluated: &Evaluated) {
        self.evaluation.get_or_init(|| {
            let program = self.program();
            let mut found = evaluation::findings(&evaluated.readings, program, self.sample.as_deref());
            found.extend(evaluated_policy_findings(&evaluated.readings, program, &self.settings.replay));
            Arc::new(evaluation::diagnostics(program, &self.rules, &found))
        });
    }

    /// True if both are the same program, at any revisions, so that they share results.
    #[must_use]
    pub fn is_same_program(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.cache, &other.cache)
    }

    /// True if the findings of the evaluation are known. The derived facts may have been dropped.
    #[must_use]
    pub fn is_evaluated(&self) -> bool {
        self.evaluation.get().is_some()
    }

    /// Returns the evaluation, or `None` if the current revision was not evaluated.
    #[must_use]
    pub fn evaluated(&self) -> Option<Arc<Evaluated>> {
        if self.is_refused() {
            return None;
        }
        self.evaluations.get(self.program(), &self.settings.kernel)
    }

    /// Returns the last evaluation, possibly of an earlier revision. Returns `None` if the program
    /// does not load.
    #[must_use]
    pub fn evaluated_before(&self) -> Option<Arc<Evaluated>> {
        if self.is_refused() {
            return None;
        }
        self.evaluations.latest()
    }

    /// Drops the last evaluation and the previews. The findings are kept.
    pub fn forget_evaluation(&self) {
        self.evaluations.forget();
        self.previews.provenance.take();
    }

    /// The name of the sample whose facts are used in evaluations.
    #[must_use]
    pub fn sample(&self) -> Option<&Arc<str>> {
        self.sample.as_ref()
    }

    /// Returns the policy test, if this is its program.
    #[must_use]
    pub fn test(&self) -> Option<FileId> {
        self.single.filter(|file| self.embedding.is_test(*file))
    }

    #[must_use]
    pub fn rules(&self) -> &RuleSettings {
        &self.rules
    }

    /// The evaluation settings.
    #[must_use]
    pub fn kernel(&self) -> &KernelSettings {
        &self.settings.kernel
    }

    /// Sort key: programs without samples come first, followed by programs with samples, by sample
    /// name.
    pub(super) fn evaluation_order(&self) -> impl Ord {
        (self.sample.as_ref(), self.single)
    }

    /// True if this is the program of a policy test, whose cases are evaluated separately.
    #[must_use]
    pub fn is_test(&self) -> bool {
        self.test().is_some()
    }

    /// Returns the path that selects this program in a command: the sample or test, or the folder.
    #[must_use]
    pub fn subject(&self) -> &Path {
        let single = self.files.iter().find(|file| Some(file.id) == self.single);
        match single.or(self.files.first().filter(|_| self.root.as_os_str().is_empty())) {
            Some(file) => &file.path,
            None => &self.root,
        }
    }

    /// The folder of the program. Empty for a document that is not on disk.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The base folder of relative paths in the settings: the folder of the configuration file, or
    /// the folder of the program.
    #[must_use]
    pub fn settings_root(&self) -> &Path {
        self.configuration.as_deref().and_then(Path::parent).unwrap_or(&self.root)
    }

    /// The governing `mangle-ls.toml`, if any.
    #[must_use]
    pub fn configuration(&self) -> Option<&Path> {
        self.configuration.as_deref()
    }

    /// The settings from the configuration.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The sample or policy test, if this is its program.
    #[must_use]
    pub fn single(&self) -> Option<FileId> {
        self.single
    }

    /// True if [`SnapshotProgram::diagnose`] has completed.
    #[must_use]
    pub fn is_diagnosed(&self) -> bool {
        self.diagnostics.get().is_some()
    }

    /// Returns the diagnostics of a reported file. Empty before [`SnapshotProgram::diagnose`].
    #[must_use]
    pub fn diagnostics(&self, file: FileId) -> &[Diagnostic] {
        self.diagnostics.get().and_then(|found| found.get(&file)).map_or(&[], |found| found)
    }

    /// Returns the findings of the evaluation, by file. Empty before
    /// [`SnapshotProgram::evaluate`].
    pub fn evaluation_findings(&self) -> impl Iterator<Item = (FileId, &[Diagnostic])> {
        let found = self.evaluation.get().into_iter().flat_map(|found| found.iter());
        found.map(|(file, found)| (*file, found.as_slice()))
    }

    /// Returns the findings about prompts and their sources, by file. Empty before
    /// [`Snapshot::trace_prompts`].
    pub fn prompt_findings(&self) -> impl Iterator<Item = (FileId, &[Diagnostic])> {
        let found = self.provenance.get().into_iter().flat_map(|known| known.diagnostics.iter());
        found.map(|(file, found)| (*file, found.as_slice()))
    }

    /// The files whose diagnostics this program reports, sorted.
    #[must_use]
    pub fn reported(&self) -> &[FileId] {
        &self.reported
    }

    /// Drops the data that only further requests would need: the evaluation and the previews.
    pub fn release(&self) {
        self.evaluations.forget();
        self.previews.clear();
    }

    /// True if this program reports the diagnostics of `file`.
    #[must_use]
    pub fn reports(&self, file: FileId) -> bool {
        self.reported.binary_search(&file).is_ok()
    }
}

impl Analysis for SnapshotProgram {
    fn program(&self) -> &Program {
        self.program()
    }

    fn types(&self) -> &ProgramTypes {
        self.types.get_or_init(|| self.cache.types(self.program()))
    }

    fn source(&self, file: FileId) -> Option<&SourceFile> {
        let at = self.files.binary_search_by_key(&file, |file| file.id).ok()?;
        self.files.get(at).map(|file| file.source())
    }
}
