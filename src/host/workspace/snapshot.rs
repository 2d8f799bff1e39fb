//! The workspace at one revision: immutable, cheap to share, complete. Every question is answered
//! from one of these.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use super::PromptRevisions;
use super::evaluated::{Evaluated, EvaluationCache, editor_limits};
use super::file::SnapshotFile;
use super::openings::Opening;
use super::previews::PreviewCache;
use super::programs::State;
use super::prompt_provenance::{ConfiguredAtoms, PromptProvenance};
use super::transcripts::SnapshotTranscript;
use crate::host::tables::Tables;
use crate::host::{FileTable, Identities, Overlay, PartialScan, ResolvedPath, Shell};
use crate::ide::merge::Lists;
use crate::ide::replays::of_evaluated;
use crate::ide::{Analysis, evaluation, registry};
use mangle_check::diagnostics::{FindingCache, diagnostics_unless};
use mangle_engine::kernel::Limits;
use mangle_engine::program::{Embedding, Program};
use mangle_engine::types::ProgramTypes;
use mangle_settings::{FormatSettings, KernelSettings, MaxFindings, RuleSettings, Settings};
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{Cancel, FileId};

/// A program as it was at some revision; shared by all revisions in which it is the same.
#[derive(Debug)]
pub struct SnapshotProgram {
    /// What it is called in output.
    pub name: Arc<str>,
    /// Its files, in the order of their ids.
    pub files: Vec<Arc<SnapshotFile>>,
    /// The files whose diagnostics are shown from here.
    pub(super) reported: Arc<[FileId]>,
    pub(super) rules: Arc<RuleSettings>,
    pub(super) settings: Arc<Settings>,
    /// The folder that it lies in; empty for a document that is not on disk.
    root: PathBuf,
    configuration: Option<PathBuf>,
    /// The sample kernel, other file of the sample, or policy test that this is the program of.
    single: Option<FileId>,
    /// What the file is called whose facts are answering out here.
    sample: Option<Arc<str>>,
    /// The tables that are answering out here.
    tables: Arc<Tables>,
    pub(super) embedding: Arc<Embedding>,
    pub(super) cache: Arc<FindingCache>,
    evaluations: Arc<EvaluationCache>,
    pub(super) previews: Arc<PreviewCache>,
    shell: Shell,
    program: OnceLock<Arc<Program>>,
    types: OnceLock<ProgramTypes>,
    diagnostics: OnceLock<FxHashMap<FileId, Arc<[Diagnostic]>>>,
    /// What an evaluation finds in its files.
    evaluation: OnceLock<Arc<FxHashMap<FileId, Vec<Diagnostic>>>>,
    /// What previews read beside policies.
    pub(super) prompt_revisions: PromptRevisions,
    pub(super) provenance: OnceLock<Arc<PromptProvenance>>,
}

impl SnapshotProgram {
    pub(super) fn new(
        state: &State,
        files: Vec<Arc<SnapshotFile>>,
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
            embedding: Arc::clone(&state.embedding),
            cache: Arc::clone(&state.cache),
            evaluations: Arc::clone(&state.evaluations),
            previews: Arc::clone(&state.previews),
            shell: state.shell,
            program,
            types,
            diagnostics,
            evaluation: OnceLock::new(),
            prompt_revisions,
            provenance: OnceLock::new(),
        }
    }

    /// The same program where previews read something else beside policies.
    pub(super) fn with_revisions(&self, state: &State, prompt_revisions: PromptRevisions) -> Self {
        let (program, diagnostics) = (self.program.clone(), self.diagnostics.clone());
        let evaluation = self.evaluation.clone();
        Self { program, diagnostics, evaluation, ..Self::new(state, self.files.clone(), prompt_revisions) }
    }

    /// The joined program.
    pub fn program(&self) -> &Arc<Program> {
        self.program.get_or_init(|| {
            let files = self.files.iter().map(|file| Arc::clone(file.summary())).collect();
            Arc::new(Program::embedded(files, Arc::clone(&self.embedding)))
        })
    }

    /// Computes the diagnostics of all files, unless somebody has already. Does nothing when
    /// `cancel` is raised meanwhile.
    pub fn diagnose(&self, cancel: &Cancel) {
        if self.is_diagnosed() || cancel.is_cancelled() {
            return;
        }
        let found = match self.reported.is_empty() {
            true => Some(Vec::new()),
            false => diagnostics_unless(cancel, self.program(), self.types(), &self.rules, &self.cache),
        };
        if let Some(found) = found {
            let found = found.into_iter().map(|(file, found)| (file, found.into())).collect();
            // Somebody else may have been faster; then both found the same.
            let _ = self.diagnostics.set(found);
            if let Some(known) = self.evaluations.of(self.program(), &self.settings.kernel) {
                self.adopt(&known);
            }
        }
    }

    /// Evaluates the program, unless what follows from it is known. Does nothing when `cancel` is raised meanwhile.
    pub fn evaluate(&self, cancel: &Cancel) {
        if cancel.is_cancelled() {
            return;
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

    /// What is kept of findings while fixes are answering. In an editor the program's own is for its texts as they are.
    pub(super) fn cache_for_fixes(&self) -> Arc<FindingCache> {
        match self.shell {
            Shell::CommandLine => Arc::clone(&self.cache),
            Shell::Editor => Arc::new(FindingCache::new(registry::all())),
        }
    }

    /// The limits of its evaluations and prompts.
    pub(super) fn limits(&self) -> Limits {
        let limits = Limits::of(&self.settings.kernel);
        match self.shell {
            Shell::CommandLine => limits,
            Shell::Editor => editor_limits(limits),
        }
    }

    fn adopt(&self, evaluated: &Evaluated) {
        self.evaluation.get_or_init(|| {
            let program = self.program();
            let mut found = evaluation::findings(&evaluated.readings, program, self.sample.as_deref());
            found.extend(of_evaluated(&evaluated.readings, program, &self.settings.replay));
            Arc::new(evaluation::diagnostics(program, &self.rules, &found))
        });
    }

    /// Whether this is the same program as another one, at any revision: what is found out about one is of use for both.
    #[must_use]
    pub fn succeeds(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.cache, &other.cache)
    }

    /// Whether it is known what an evaluation says of the program. What follows from it may be forgotten by now.
    #[must_use]
    pub fn is_evaluated(&self) -> bool {
        self.evaluation.get().is_some()
    }

    /// What follows from the program; `None` as long as that is not known.
    #[must_use]
    pub fn evaluated(&self) -> Option<Arc<Evaluated>> {
        self.evaluations.of(self.program(), &self.settings.kernel)
    }

    /// What followed from the program when it was last evaluated.
    #[must_use]
    pub fn evaluated_before(&self) -> Option<Arc<Evaluated>> {
        self.evaluations.latest()
    }

    /// Forgets what followed from the program when it was last evaluated, and its prompts. What is wrong with it stays
    /// known.
    pub fn forget_evaluation(&self) {
        self.evaluations.forget();
        self.previews.provenance.take();
    }

    /// What the file is called whose facts are answering out with this program, if it is the program of one.
    #[must_use]
    pub fn sample(&self) -> Option<&Arc<str>> {
        self.sample.as_ref()
    }

    /// The policy test that this is the program of.
    #[must_use]
    pub fn test(&self) -> Option<FileId> {
        self.single.filter(|file| self.embedding.is_test(*file))
    }

    /// How findings of rules are reported.
    #[must_use]
    pub fn rules(&self) -> &RuleSettings {
        &self.rules
    }

    /// How it is evaluated.
    #[must_use]
    pub fn kernel(&self) -> &KernelSettings {
        &self.settings.kernel
    }

    /// Programs with their own facts alone come first, then those with samples, by the names of these.
    fn evaluation_order(&self) -> impl Ord {
        (self.sample.as_ref(), self.single)
    }

    /// Whether this is the program of a policy test, whose cases are evaluated one by one.
    #[must_use]
    pub fn is_test(&self) -> bool {
        self.test().is_some()
    }

    /// What a command is to be given so that it asks this program: the sample or the test, else the folder.
    #[must_use]
    pub fn subject(&self) -> &Path {
        let single = self.files.iter().find(|file| Some(file.id) == self.single);
        match single.or(self.files.first().filter(|_| self.root.as_os_str().is_empty())) {
            Some(file) => &file.path,
            None => &self.root,
        }
    }

    /// The folder that it lies in; empty for a document that is not on disk.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder that paths of its settings count from: that of the configuration file, else its own.
    #[must_use]
    pub fn settings_root(&self) -> &Path {
        self.configuration.as_deref().and_then(Path::parent).unwrap_or(&self.root)
    }

    /// The `mangle-ls.toml` that speaks of it; `None` where there is none.
    #[must_use]
    pub fn configuration(&self) -> Option<&Path> {
        self.configuration.as_deref()
    }

    /// Its settings, as the configuration has them.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The file that this is the program of, where that is a sample or a policy test.
    #[must_use]
    pub fn single(&self) -> Option<FileId> {
        self.single
    }

    /// Whether [`SnapshotProgram::diagnose`] has been through.
    #[must_use]
    pub fn is_diagnosed(&self) -> bool {
        self.diagnostics.get().is_some()
    }

    /// The diagnostics of a file that is reported from here; empty before
    /// [`SnapshotProgram::diagnose`].
    #[must_use]
    pub fn diagnostics(&self, file: FileId) -> &[Diagnostic] {
        self.diagnostics.get().and_then(|found| found.get(&file)).map_or(&[], |found| found)
    }

    /// What its evaluation finds, by file; nothing before [`SnapshotProgram::evaluate`].
    pub fn evaluation_findings(&self) -> impl Iterator<Item = (FileId, &[Diagnostic])> {
        let found = self.evaluation.get().into_iter().flat_map(|found| found.iter());
        found.map(|(file, found)| (*file, found.as_slice()))
    }

    /// What is wrong with its prompts and with what these are made of, by file; nothing before [`Snapshot::trace_prompts`].
    pub fn prompt_findings(&self) -> impl Iterator<Item = (FileId, &[Diagnostic])> {
        let found = self.provenance.get().into_iter().flat_map(|known| known.diagnostics.iter());
        found.map(|(file, found)| (*file, found.as_slice()))
    }

    /// The files whose diagnostics are shown from here, sorted.
    #[must_use]
    pub fn reported(&self) -> &[FileId] {
        &self.reported
    }

    /// Drops what only further questions would need: what follows from the program, and its prompts.
    pub fn release(&self) {
        self.evaluations.forget();
        self.previews.clear();
    }

    /// Whether diagnostics of `file` are shown from here.
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

/// The whole workspace.
#[derive(Debug, Default)]
pub struct Snapshot {
    /// Counts changes of any kind: an edit, a file event, a configuration.
    pub revision: u64,
    /// The programs.
    pub programs: Vec<Arc<SnapshotProgram>>,
    /// The transcripts: those that are open, and those that are looked at while they are closed.
    pub transcripts: Vec<Arc<SnapshotTranscript>>,
    files: FxHashMap<FileId, Arc<SnapshotFile>>,
    /// What is wrong with the configuration files, and with files that could not be read.
    others: FxHashMap<FileId, Arc<[Diagnostic]>>,
    pub(super) table: Arc<FileTable>,
    /// Counts changes of what previews read beside policies.
    pub prompt_revisions: PromptRevisions,
    /// The open documents that previews may read.
    pub(super) beside: Arc<Overlay>,
    /// The prompt atoms that configurations name.
    pub(super) atoms: Vec<Arc<ConfiguredAtoms>>,
    /// What is said of the documents whose text may differ from the editor's.
    pub(super) suspects: FxHashMap<FileId, Arc<[Diagnostic]>>,
    /// Whether only what lies beside open documents is known yet.
    pub is_partial: bool,
    /// The folders of which only a part was scanned.
    pub cuts: Vec<PartialScan>,
    /// The URIs of documents that the editor edits and whose opening never arrived.
    pub missed: Vec<Arc<str>>,
    pub(super) identities: Arc<Identities>,
    /// The open documents by the paths that their URIs name, where that is not their identity.
    pub(super) spelled: Arc<FxHashMap<PathBuf, FileId>>,
    pub(super) openings: FxHashMap<Arc<str>, Opening>,
    /// [`Snapshot::of_open_documents`], once somebody has asked.
    of_open: OnceLock<Vec<Arc<SnapshotProgram>>>,
}

impl Snapshot {
    pub(super) fn new(
        revision: u64,
        programs: Vec<Arc<SnapshotProgram>>,
        transcripts: Vec<Arc<SnapshotTranscript>>,
        files: FxHashMap<FileId, Arc<SnapshotFile>>,
        others: FxHashMap<FileId, Arc<[Diagnostic]>>,
        table: Arc<FileTable>,
    ) -> Self {
        Self {
            revision,
            programs,
            transcripts,
            files,
            others,
            table,
            prompt_revisions: PromptRevisions::default(),
            beside: Arc::default(),
            atoms: Vec::new(),
            suspects: FxHashMap::default(),
            is_partial: false,
            cuts: Vec::new(),
            missed: Vec::new(),
            identities: Arc::default(),
            spelled: Arc::default(),
            openings: FxHashMap::default(),
            of_open: OnceLock::new(),
        }
    }

    /// The programs that say something of open documents.
    pub fn of_open_documents(&self) -> &[Arc<SnapshotProgram>] {
        self.of_open.get_or_init(|| {
            let of = |file: &Arc<SnapshotFile>| {
                let beside = self.samples_around(file).into_iter();
                self.evaluations_of(file.id).into_iter().chain(beside).collect::<Vec<_>>()
            };
            let mut programs: Vec<Arc<SnapshotProgram>> = Vec::new();
            for program in self.files().filter(|file| file.open.is_some()).flat_map(of) {
                if !programs.iter().any(|known| Arc::ptr_eq(known, program)) {
                    programs.push(Arc::clone(program));
                }
            }
            programs
        })
    }

    /// Whether what an evaluation of a program says is shown. Of a folder that is too large to be scanned as a whole only
    /// that of programs of open documents is, whatever was open before.
    #[must_use]
    pub fn shows_evaluation_of(&self, program: &Arc<SnapshotProgram>) -> bool {
        let is_of_open = || self.of_open_documents().iter().any(|of_open| Arc::ptr_eq(of_open, program));
        !program.is_test() && (self.cuts.is_empty() || is_of_open())
    }

    /// Whether no open document has a text that may differ from the editor's.
    #[must_use]
    pub fn is_in_sync(&self) -> bool {
        self.suspects.is_empty()
    }

    /// Whether edits of ours may touch a file: not where its text may differ from the editor's.
    #[must_use]
    pub fn is_editable(&self, file: FileId) -> bool {
        !self.suspects.contains_key(&file)
    }

    /// The further opening at a URI of a file that is open at another one, too.
    #[must_use]
    pub fn opening(&self, uri: &str) -> Option<&Opening> {
        self.openings.get(uri)
    }

    /// The further openings, sorted by URI.
    #[must_use]
    pub fn further_openings(&self) -> Vec<&Opening> {
        let mut all: Vec<_> = self.openings.iter().collect();
        all.sort_by_key(|(uri, _)| *uri);
        all.into_iter().map(|(_, opening)| opening).collect()
    }

    /// The file that a path leads to. Looks at the disk where the path is not known.
    #[must_use]
    pub fn file_at(&self, path: &Path) -> Option<&Arc<SnapshotFile>> {
        let known = self.id(path).and_then(|id| self.file(id));
        known.or_else(|| {
            let identity = self.identities.identity(&ResolvedPath::read(path));
            self.file(self.table.known(&identity)?)
        })
    }

    /// Whether documents are open that previews may read beside policies.
    #[must_use]
    pub fn is_beside_open(&self) -> bool {
        self.beside.paths().next().is_some()
    }

    /// The id of a path, also as the URI of an open document names it.
    #[must_use]
    pub fn id(&self, path: &Path) -> Option<FileId> {
        self.spelled.get(path).copied().or_else(|| self.table.known(path))
    }

    /// A file.
    #[must_use]
    pub fn file(&self, id: FileId) -> Option<&Arc<SnapshotFile>> {
        let beside = || self.all_provenance().find_map(|known| known.file(id));
        self.files.get(&id).or_else(beside)
    }

    /// All files, in no particular order.
    pub fn files(&self) -> impl Iterator<Item = &Arc<SnapshotFile>> {
        self.files.values()
    }

    /// Whether a file is in no program: a configuration file, or one that could not be read.
    #[must_use]
    pub fn is_apart(&self, file: FileId) -> bool {
        self.others.contains_key(&file)
    }

    /// The files whose diagnostics are shown, also those apart; each once, sorted.
    #[must_use]
    pub fn reported(&self) -> Vec<FileId> {
        let programs = self.programs.iter().flat_map(|program| program.reported.iter());
        let transcripts = self.transcripts.iter().map(|transcript| &transcript.file.id);
        let beside = self.all_provenance().flat_map(|known| known.diagnostics.keys());
        let mut files: Vec<_> =
            programs.chain(self.others.keys()).chain(transcripts).chain(beside).copied().collect();
        files.retain(|file| self.file(*file).is_some());
        files.sort_unstable();
        files.dedup();
        files
    }

    /// The transcript that a file is.
    #[must_use]
    pub fn transcript(&self, file: FileId) -> Option<&Arc<SnapshotTranscript>> {
        self.transcripts.iter().find(|transcript| transcript.file.id == file)
    }

    /// The programs that show diagnostics of a file: one, unless a configuration puts the file
    /// into several.
    pub fn programs_of(&self, file: FileId) -> impl Iterator<Item = &Arc<SnapshotProgram>> {
        self.programs.iter().filter(move |program| program.reports(file))
    }

    /// The programs that show diagnostics of a file, and those whose declarations hold for the transcript that it is.
    pub fn programs_around(&self, file: FileId) -> impl Iterator<Item = &Arc<SnapshotProgram>> {
        let transcript = self.transcript(file).into_iter();
        self.programs_of(file).chain(transcript.flat_map(|transcript| &transcript.programs))
    }

    /// The programs that a file is part of.
    pub fn programs_with(&self, file: FileId) -> impl Iterator<Item = &Arc<SnapshotProgram>> {
        self.programs
            .iter()
            .filter(move |program| program.files.binary_search_by_key(&file, |member| member.id).is_ok())
    }

    /// How many findings of one rule are shown of a file: as many as one of its programs allows.
    #[must_use]
    pub fn max_findings(&self, file: FileId) -> MaxFindings {
        let all = self.programs_around(file).map(|program| program.settings.max_findings);
        all.reduce(MaxFindings::larger).unwrap_or_default()
    }

    /// How a file is laid out.
    #[must_use]
    pub fn format(&self, file: FileId) -> FormatSettings {
        self.programs_of(file).next().map(|program| program.settings.format).unwrap_or_default()
    }

    /// The diagnostics of a file, sorted by start, each once. The programs of the file must have
    /// been diagnosed. Those of a document whose text may differ from the editor's would have the wrong places.
    #[must_use]
    pub fn diagnostics(&self, file: FileId) -> Vec<&Diagnostic> {
        if let Some(found) = self.suspects.get(&file) {
            return found.iter().collect();
        }
        if let Some(found) = self.others.get(&file) {
            return found.iter().collect();
        }
        if let Some(transcript) = self.transcript(file) {
            let others = vec![&*transcript.replayed().diagnostics];
            return Lists { checks: vec![transcript.diagnostics()], others, ..Lists::default() }.merged(None);
        }
        let is_shown = |program: &&Arc<SnapshotProgram>| self.shows_evaluation_of(program);
        let evaluated = self.evaluations_of(file).into_iter().filter(is_shown);
        Lists {
            checks: self.programs_of(file).map(|program| program.diagnostics(file)).collect(),
            evaluations: evaluated
                .filter_map(|program| program.evaluation.get()?.get(&file))
                .map(Vec::as_slice)
                .collect(),
            others: self.all_provenance().map(|known| known.diagnostics(file)).collect(),
        }
        .merged(self.file(file).map(|file| &**file.summary()))
    }

    /// Whether evaluations and replays have said all that they have to say of a file.
    #[must_use]
    pub fn is_settled(&self, file: FileId) -> bool {
        self.transcript(file).is_none_or(|transcript| transcript.is_replayed())
            && self.evaluations_of(file).iter().all(|program| program.is_evaluated())
    }

    /// All programs, in the order in which their evaluations are shown.
    pub(in crate::host) fn in_order_of_evaluation(&self) -> Vec<&Arc<SnapshotProgram>> {
        let mut programs: Vec<_> = self.programs.iter().collect();
        programs.sort_by(|a, b| a.evaluation_order().cmp(&b.evaluation_order()));
        programs
    }

    /// The programs whose evaluation says something of a file: those that show it, with their own facts alone, and
    /// those of the samples that it goes with.
    #[must_use]
    pub fn evaluations_of(&self, file: FileId) -> Vec<&Arc<SnapshotProgram>> {
        let own = self.programs_of(file).filter(|program| program.single.is_none());
        own.chain(self.samples_of(file)).collect()
    }

    /// The programs from which questions about a file are answered: those of its samples; without any those that show
    /// it.
    #[must_use]
    pub fn answering(&self, file: FileId) -> Vec<&Arc<SnapshotProgram>> {
        let samples = self.samples_of(file);
        if samples.is_empty() { self.programs_of(file).collect() } else { samples }
    }

    /// The programs of the samples that a file goes with, sorted by the names of these.
    #[must_use]
    pub fn samples_of(&self, file: FileId) -> Vec<&Arc<SnapshotProgram>> {
        let mut samples: Vec<_> =
            self.programs_with(file).filter(|program| program.sample.is_some()).collect();
        samples.sort_by(|a, b| a.evaluation_order().cmp(&b.evaluation_order()));
        samples
    }
}
