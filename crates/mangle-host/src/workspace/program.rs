//! A program of the workspace at one revision, and its results.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use super::evaluated::{Evaluated, editor_limits};
use super::file::SnapshotFile;
use super::program_inputs::{ProgramCaches, ProgramInputs, VerifiedProgram};
use super::provenance::{PromptProvenance, PromptRevisions};
use crate::{ProgramVersions, Shell};
use mangle_check::diagnostics::{CheckedProgram, FindingCache, check_unless, rejections};
use mangle_engine::kernel::Limits;
use mangle_engine::program::Program;
use mangle_engine::types::ProgramTypes;
use mangle_ide::replays::evaluated_policy_findings;
use mangle_ide::{Analysis, evaluation, file_findings, registry};
use mangle_report::LoadErrors;
use mangle_settings::{KernelSettings, RuleSettings, Settings, Stores};
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{Cancel, FileId};

/// A program at one revision, shared by all revisions with the same program.
#[derive(Debug)]
pub struct SnapshotProgram {
    /// The files, sorted by id.
    pub files: Arc<Vec<Arc<SnapshotFile>>>,
    pub(super) inputs: Arc<ProgramInputs>,
    /// The revision of the files that previews read in addition to policies.
    pub(super) prompt_revisions: PromptRevisions,
    pub(super) caches: ProgramCaches,
    pub(super) results: Results,
}

/// The results of a program at one revision. Each is computed at most once.
#[derive(Debug, Default)]
pub(super) struct Results {
    program: OnceLock<Arc<Program>>,
    types: OnceLock<ProgramTypes>,
    diagnostics: OnceLock<FxHashMap<FileId, Arc<[Diagnostic]>>>,
    /// The errors that prevent the program from loading.
    load_errors: OnceLock<LoadErrors>,
    /// Findings of the evaluation, by file.
    pub(super) evaluation: OnceLock<Arc<FxHashMap<FileId, Vec<Diagnostic>>>>,
    /// Findings of the properties and of the search for redundant rules.
    pub(super) verification: OnceLock<Arc<VerifiedProgram>>,
    pub(super) provenance: OnceLock<Arc<PromptProvenance>>,
}

impl SnapshotProgram {
    /// The stores of its facts, if the runtime has several.
    #[must_use]
    pub fn stores(&self) -> Option<&Stores> {
        self.inputs.embedding.stores.as_deref()
    }

    pub(super) fn new(
        state: &ProgramState,
        files: Arc<Vec<Arc<SnapshotFile>>>,
        prompt_revisions: PromptRevisions,
    ) -> Self {
        Self {
            files,
            inputs: Arc::clone(&state.inputs),
            prompt_revisions,
            caches: state.caches.clone(),
            results: Results::default(),
        }
    }

    /// True if the program has exactly these files, at the same revisions.
    fn has_files(&self, files: &[Arc<SnapshotFile>]) -> bool {
        self.files.len() == files.len() && self.files.iter().zip(files).all(|(a, b)| Arc::ptr_eq(a, b))
    }

    /// Returns the same program with other revisions of the files that previews read. Comparisons
    /// with other programs are computed again.
    fn at_revisions(self: &Arc<Self>, prompt_revisions: PromptRevisions) -> Arc<Self> {
        let is_same = self.prompt_revisions == prompt_revisions || self.previewed().is_none();
        if is_same && !self.compares() {
            return Arc::clone(self);
        }
        let known = &self.results;
        let verification = if self.compares() { OnceLock::new() } else { known.verification.clone() };
        let results = Results {
            program: known.program.clone(),
            types: OnceLock::new(),
            diagnostics: known.diagnostics.clone(),
            load_errors: known.load_errors.clone(),
            evaluation: known.evaluation.clone(),
            verification,
            provenance: OnceLock::new(),
        };
        let (files, inputs) = (Arc::clone(&self.files), Arc::clone(&self.inputs));
        Arc::new(Self { files, inputs, prompt_revisions, caches: self.caches.clone(), results })
    }

    /// The name in output.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.inputs.identity.name
    }

    /// The versions of engine and runtime, with the reason for each.
    #[must_use]
    pub fn versions(&self) -> &Arc<ProgramVersions> {
        &self.inputs.versions
    }

    /// Returns the linked program.
    pub fn program(&self) -> &Arc<Program> {
        self.results.program.get_or_init(|| self.caches.joined.program(&self.files, &self.inputs.embedding))
    }

    /// Computes the diagnostics of all files, if they are not known yet. Changes nothing if
    /// canceled.
    pub fn diagnose(&self, cancel: &Cancel) {
        if self.is_diagnosed() || cancel.is_cancelled() {
            return;
        }
        let checked = match self.inputs.reported.is_empty() {
            true => Some(CheckedProgram {
                rejections: rejections(self.program(), &self.caches.findings),
                ..CheckedProgram::default()
            }),
            false => {
                check_unless(cancel, self.program(), self.types(), &self.inputs.rules, &self.caches.findings)
            }
        };
        if let Some(CheckedProgram { diagnostics: found, rejections }) = checked {
            self.results.load_errors.get_or_init(|| self.errors_of(rejections));
            // Findings of evaluations and properties come first. A diagnosed program is reported
            // immediately, and would briefly lack these findings.
            match self.evaluated() {
                Some(known) => self.adopt(&known),
                None if self.is_refused() => self.refuse_evaluation(),
                None => {}
            }
            self.adopt_answers();
            // If another thread was faster, it computed the same findings.
            let _ = self.results.diagnostics.set(found.into_iter().collect());
        }
    }

    /// Returns the errors that prevent the program from loading. Nothing derived is then reported.
    /// The cases of a policy test are not part of its program.
    pub fn load_errors(&self) -> &LoadErrors {
        self.results
            .load_errors
            .get_or_init(|| self.errors_of(rejections(self.program(), &self.caches.findings)))
    }

    fn errors_of(&self, rejected: Vec<(FileId, Diagnostic)>) -> LoadErrors {
        let program = self.program();
        let found = match self.test() {
            Some(test) => file_findings::outside_cases(program, test, rejected),
            None => rejected,
        };
        let mut errors = LoadErrors::clone(&self.inputs.settings_errors);
        errors.add(file_findings::to_load_errors(program, &found, &|file| self.name_of(file)));
        errors
    }

    /// True if no derived results are shown, because the program does not load. Commands decide
    /// this themselves.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        self.inputs.shell == Shell::Editor && !self.load_errors().is_empty()
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
        self.results.evaluation.get_or_init(Arc::default);
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
        if let Some(evaluated) = self.caches.evaluations.evaluate(
            self.program(),
            &self.inputs.settings.kernel,
            &|| self.limits(),
            &self.inputs.tables,
            cancel,
        ) {
            self.adopt(&evaluated);
        }
    }

    /// Returns the cache of findings for trial fixes. In an editor, the program's own cache is
    /// reserved for the current texts.
    pub(super) fn cache_for_fixes(&self) -> Arc<FindingCache> {
        match self.inputs.shell {
            Shell::CommandLine => Arc::clone(&self.caches.findings),
            Shell::Editor => Arc::new(FindingCache::new(registry::all())),
        }
    }

    /// The limits of its evaluations and prompts.
    pub(super) fn limits(&self) -> Limits {
        let limits = Limits::from_settings(&self.inputs.settings.kernel);
        match self.inputs.shell {
            Shell::CommandLine => limits,
            Shell::Editor => editor_limits(limits),
        }
    }

    fn adopt(&self, evaluated: &Evaluated) {
        self.results.evaluation.get_or_init(|| {
            let program = self.program();
            let mut found = evaluation::findings(&evaluated.readings, program, self.inputs.sample.as_deref());
            found.extend(evaluated_policy_findings(
                &evaluated.readings,
                program,
                &self.inputs.settings.replay,
            ));
            Arc::new(evaluation::diagnostics(program, &self.inputs.rules, &found))
        });
    }

    /// True if both are the same program, at any revisions, so that they share results.
    #[must_use]
    pub fn is_same_program(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.caches.findings, &other.caches.findings)
    }

    /// True if the findings of the evaluation are known. The derived facts may have been dropped.
    #[must_use]
    pub fn is_evaluated(&self) -> bool {
        self.results.evaluation.get().is_some()
    }

    /// Returns the evaluation, or `None` if the current revision was not evaluated.
    #[must_use]
    pub fn evaluated(&self) -> Option<Arc<Evaluated>> {
        if self.is_refused() {
            return None;
        }
        self.caches.evaluations.get(self.program(), &self.inputs.settings.kernel)
    }

    /// Returns the last evaluation, possibly of an earlier revision. Returns `None` if the program
    /// does not load.
    #[must_use]
    pub fn evaluated_before(&self) -> Option<Arc<Evaluated>> {
        if self.is_refused() {
            return None;
        }
        self.caches.evaluations.latest()
    }

    /// Drops the last evaluation and the previews. The findings are kept.
    pub fn forget_evaluation(&self) {
        self.caches.evaluations.forget();
        self.caches.previews.provenance.take();
    }

    /// The name of the sample whose facts are used in evaluations.
    #[must_use]
    pub fn sample(&self) -> Option<&Arc<str>> {
        self.inputs.sample.as_ref()
    }

    /// Returns the policy test, if this is its program.
    #[must_use]
    pub fn test(&self) -> Option<FileId> {
        self.inputs.identity.single.filter(|file| self.inputs.embedding.is_test(*file))
    }

    #[must_use]
    pub fn rules(&self) -> &RuleSettings {
        &self.inputs.rules
    }

    /// The evaluation settings.
    #[must_use]
    pub fn kernel(&self) -> &KernelSettings {
        &self.inputs.settings.kernel
    }

    /// Sort key: programs without samples come first, followed by programs with samples, by sample
    /// name.
    pub(super) fn evaluation_order(&self) -> impl Ord {
        (self.inputs.sample.as_ref(), self.inputs.identity.single)
    }

    /// True if this is the program of a policy test, whose cases are evaluated separately.
    #[must_use]
    pub fn is_test(&self) -> bool {
        self.test().is_some()
    }

    /// Returns the path that selects this program in a command: the sample or test, or the folder.
    #[must_use]
    pub fn subject(&self) -> &Path {
        let single = self.files.iter().find(|file| Some(file.id) == self.inputs.identity.single);
        match single.or(self.files.first().filter(|_| self.inputs.identity.root.as_os_str().is_empty())) {
            Some(file) => &file.path,
            None => &self.inputs.identity.root,
        }
    }

    /// The folder of the program. Empty for a document that is not on disk.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.inputs.identity.root
    }

    /// The base folder of relative paths in the settings: the folder of the configuration file, or
    /// the folder of the program.
    #[must_use]
    pub fn settings_root(&self) -> &Path {
        self.inputs
            .identity
            .configuration
            .as_deref()
            .and_then(Path::parent)
            .unwrap_or(&self.inputs.identity.root)
    }

    /// The governing `mangle-ls.toml`, if any.
    #[must_use]
    pub fn configuration(&self) -> Option<&Path> {
        self.inputs.identity.configuration.as_deref()
    }

    /// The settings from the configuration.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.inputs.settings
    }

    /// The sample or policy test, if this is its program.
    #[must_use]
    pub fn single(&self) -> Option<FileId> {
        self.inputs.identity.single
    }

    /// True if [`SnapshotProgram::diagnose`] has completed.
    #[must_use]
    pub fn is_diagnosed(&self) -> bool {
        self.results.diagnostics.get().is_some()
    }

    /// Returns the diagnostics of a reported file. Empty before [`SnapshotProgram::diagnose`].
    #[must_use]
    pub fn diagnostics(&self, file: FileId) -> &[Diagnostic] {
        self.results.diagnostics.get().and_then(|found| found.get(&file)).map_or(&[], |found| found)
    }

    /// Returns the findings of the evaluation, by file. Empty before
    /// [`SnapshotProgram::evaluate`].
    pub fn evaluation_findings(&self) -> impl Iterator<Item = (FileId, &[Diagnostic])> {
        let found = self.results.evaluation.get().into_iter().flat_map(|found| found.iter());
        found.map(|(file, found)| (*file, found.as_slice()))
    }

    /// Returns the findings about prompts and their sources, by file. Empty before
    /// [`Snapshot::trace_prompts`](super::Snapshot::trace_prompts).
    pub fn prompt_findings(&self) -> impl Iterator<Item = (FileId, &[Diagnostic])> {
        let found = self.results.provenance.get().into_iter().flat_map(|known| known.diagnostics.iter());
        found.map(|(file, found)| (*file, found.as_slice()))
    }

    /// The files whose diagnostics this program reports, sorted.
    #[must_use]
    pub fn reported(&self) -> &[FileId] {
        &self.inputs.reported
    }

    /// Drops the data that only further requests would need: the evaluation and the previews.
    pub fn release(&self) {
        self.caches.evaluations.forget();
        self.caches.previews.clear();
    }

    /// True if this program reports the diagnostics of `file`.
    #[must_use]
    pub fn reports(&self, file: FileId) -> bool {
        self.inputs.reported.binary_search(&file).is_ok()
    }
}

impl Analysis for SnapshotProgram {
    fn program(&self) -> &Program {
        self.program()
    }

    fn types(&self) -> &ProgramTypes {
        self.results.types.get_or_init(|| self.caches.findings.types(self.program()))
    }

    fn source(&self, file: FileId) -> Option<&SourceFile> {
        let at = self.files.binary_search_by_key(&file, |file| file.id).ok()?;
        self.files.get(at).map(|file| file.source())
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
