//! A transcript at one revision: open, or closed and below the size limit, with its settings, the
//! declarations and policy rules (constitution) of its programs, and its findings.

use std::hash::{Hash, Hasher};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHasher};

use super::evaluated::editor_limits;
use super::file::SnapshotFile;
use super::program::SnapshotProgram;
use super::program_inputs::Identity as ProgramIdentity;
use crate::transcripts::{RecordStart, capture_kind, is_included};
use crate::{Project, TranscriptFile, relative};
use agent_replay::{Constitution, ConstitutionConfig};
use mangle_check::diagnostics::FindingCache;
use mangle_engine::kernel::{Clock, Limits};
use mangle_engine::program::{Program, ProgramEnvironment};
use mangle_ide::conversation::window::ConversationWindow;
use mangle_ide::file_findings::file_findings;
use mangle_ide::registry;
use mangle_ide::replays::{TranscriptVerdicts, Verdicts};
use mangle_ide::transcripts::{MangleText, Records, TranscriptContext, TranscriptView, diagnostics_of};
use mangle_settings::{KernelSettings, ReplaySettings, RuleSettings, Settings, TranscriptSettings};
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::memo::{Identity, Memo};
use mangle_syntax::text::{Cancel, FileId, TextRange, TextSize};
use piggyback::envelope::atoms::Declarations;
use piggyback::envelope::{Catalogue, ReplyContext};
use piggyback::transcript;

/// LSP language ids of transcripts.
const LANGUAGES: [&str; 8] =
    ["json", "jsonc", "jsonl", "jsonlines", "ndjson", "markdown", "plaintext", "log"];

/// File name extensions of transcripts.
const EXTENSIONS: [&str; 10] =
    ["json", "jsonl", "ndjson", "md", "markdown", "txt", "log", "out", "traj", "sse"];

/// True if a document with this name and language can be a transcript.
pub(super) fn can_be(path: &Path, language: &str) -> bool {
    let extension = path.extension().map(|end| end.to_string_lossy().to_lowercase());
    let is_known = |end: String| EXTENSIONS.contains(&end.as_str());
    path.is_absolute() && (LANGUAGES.contains(&language) || extension.is_some_and(is_known))
}

/// True if known settings may classify the file as a transcript, so that a scan is useful.
pub(super) fn may_be(path: &Path, projects: &[Project]) -> bool {
    let by_default = is_included(&TranscriptSettings::default().include, &relative(Path::new("/"), path));
    let around = projects.iter().filter(|project| path.starts_with(&project.root));
    let mut around =
        around.map(|project| (&project.settings.transcripts.include, relative(&project.root, path)));
    // The content may classify the file as a transcript. The resolution excludes folders of tools
    // later, because it knows the roots of the workspace.
    let is_examined = path.file_name().is_some_and(|name| capture_kind(&name.to_string_lossy()).is_some());
    by_default || is_examined || around.any(|(include, path)| is_included(include, &path))
}

/// A transcript and its last snapshot.
#[derive(Debug)]
pub(super) struct TranscriptState {
    pub(super) file: FileId,
    /// True if the file is a Markdown document and not a transcript.
    is_document: bool,
    settings: Arc<TranscriptSettings>,
    rules: Arc<RuleSettings>,
    /// The programs whose declarations the transcript is checked against.
    programs: Vec<ProgramIdentity>,
    tools: Option<Arc<Catalogue>>,
    limits: Arc<transcript::Limits>,
    configuration: Option<FileId>,
    memos: Arc<Memos>,
    /// Cached findings in the statements of its code fences.
    fenced: Arc<FindingCache>,
    last: Option<Arc<SnapshotTranscript>>,
}

impl TranscriptState {
    pub(super) fn new(
        found: &TranscriptFile,
        programs: Vec<ProgramIdentity>,
        rules: RuleSettings,
        tools: Option<Arc<Catalogue>>,
        limits: Arc<transcript::Limits>,
        configuration: Option<FileId>,
    ) -> Self {
        Self {
            file: found.file,
            is_document: found.is_document,
            settings: Arc::clone(&found.settings),
            rules: rules.into(),
            programs,
            tools,
            limits,
            configuration,
            memos: Arc::default(),
            fenced: Arc::new(FindingCache::new(registry::all())),
            last: None,
        }
    }

    /// In bytes: the maximum size that is read while the transcript is closed. 0 to skip it.
    pub(super) fn closed_limit(&self) -> u64 {
        if self.is_document { 0 } else { self.settings.closed_limit as u64 }
    }

    /// Takes over the caches of `old`. Returns true if nothing changed.
    pub(super) fn succeed(&mut self, old: Self) -> bool {
        self.memos = old.memos;
        self.fenced = old.fenced;
        let same = self.settings == old.settings
            && self.is_document == old.is_document
            && self.rules == old.rules
            && self.programs == old.programs
            && self.tools == old.tools
            && self.limits == old.limits
            && self.configuration == old.configuration;
        if same {
            (self.settings, self.rules, self.last) = (old.settings, old.rules, old.last);
        }
        same
    }

    /// Returns the snapshot of the transcript with this text and these programs.
    pub(super) fn at(
        &mut self,
        files: &FxHashMap<FileId, Arc<SnapshotFile>>,
        programs: &dyn Fn(&ProgramIdentity) -> Option<Arc<SnapshotProgram>>,
    ) -> Option<Arc<SnapshotTranscript>> {
        let file = files.get(&self.file)?;
        if file.open.is_none() && self.closed_limit() == 0 {
            return None;
        }
        let programs: Vec<_> = self.programs.iter().filter_map(programs).collect();
        let same = |last: &&Arc<SnapshotTranscript>| {
            let mut pairs = last.programs.iter().zip(&programs);
            Arc::ptr_eq(&last.file, file)
                && last.programs.len() == programs.len()
                && pairs.all(|(a, b)| Arc::ptr_eq(a, b))
        };
        if let Some(last) = self.last.as_ref().filter(same) {
            return Some(Arc::clone(last));
        }
        if file.open.is_none() {
            // The transcript is no longer viewed.
            self.memos.verdicts.take();
        }
        let transcript = Arc::new(SnapshotTranscript {
            file: Arc::clone(file),
            settings: Arc::clone(&self.settings),
            programs,
            rules: Arc::clone(&self.rules),
            tools: self.tools.clone(),
            limits: Arc::clone(&self.limits),
            configuration: self.configuration,
            is_document: self.is_document,
            fenced: Arc::clone(&self.fenced),
            memos: Arc::clone(&self.memos),
            records: OnceLock::new(),
            diagnostics: OnceLock::new(),
            replayed: OnceLock::new(),
            carried: OnceLock::new(),
            conversation: LastConversation::default(),
        });
        self.last = Some(Arc::clone(&transcript));
        Some(transcript)
    }
}

/// Memoized results of a transcript across revisions.
#[derive(Debug, Default)]
pub(super) struct Memos {
    records: Memo<RecordsInputs, Arc<Records>>,
    context: Memo<ContextInputs, Arc<CheckContext>>,
    pub(super) verdicts: Memo<ReplayInputs, Option<Arc<Verdicts>>>,
    pub(super) starts: KnownStarts,
}

#[derive(Debug, Clone, PartialEq)]
struct RecordsInputs {
    text: Identity<str>,
    reading: Reading,
}

#[derive(Debug, Clone, PartialEq)]
struct Reading {
    settings: Arc<TranscriptSettings>,
    is_document: bool,
}

#[derive(Debug, Clone, PartialEq)]
struct ContextInputs {
    programs: Vec<Identity<SnapshotProgram>>,
    tools: Option<Arc<Catalogue>>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct ReplayInputs {
    pub(super) records: Identity<Records>,
    pub(super) context: Identity<CheckContext>,
    pub(super) rules: Arc<RuleSettings>,
    pub(super) limits: Arc<transcript::Limits>,
}

/// A transcript at one revision, shared by all revisions with the same transcript.
#[derive(Debug)]
pub struct SnapshotTranscript {
    /// The file. A transcript over the size limit has an empty text and a finding.
    pub file: Arc<SnapshotFile>,
    /// The effective settings, including overrides.
    pub settings: Arc<TranscriptSettings>,
    /// The programs whose declarations the transcript is checked against.
    pub programs: Vec<Arc<SnapshotProgram>>,
    pub(super) rules: Arc<RuleSettings>,
    tools: Option<Arc<Catalogue>>,
    pub(super) limits: Arc<transcript::Limits>,
    /// The governing configuration file.
    pub configuration: Option<FileId>,
    /// True if the file is a Markdown document and not a transcript. Only its Mangle code fences
    /// are checked.
    pub is_document: bool,
    pub(super) fenced: Arc<FindingCache>,
    pub(super) memos: Arc<Memos>,
    records: OnceLock<Arc<Records>>,
    diagnostics: OnceLock<Arc<[Diagnostic]>>,
    pub(super) replayed: OnceLock<Replayed>,
    pub(super) carried: OnceLock<Replayed>,
    pub(super) conversation: LastConversation,
}

impl SnapshotTranscript {
    pub fn records(&self) -> &Arc<Records> {
        self.records.get_or_init(|| {
            let text = Arc::clone(self.file.text());
            let reading = Reading { settings: Arc::clone(&self.settings), is_document: self.is_document };
            let inputs = RecordsInputs { text: Identity(Arc::clone(&text)), reading };
            self.memos.records.get_always(inputs.clone(), |before| match before {
                Some((before, records)) if before.reading == inputs.reading => {
                    Arc::new(records.with_text(text))
                }
                _ if self.is_document => Arc::new(Records::document(text)),
                _ => {
                    let name = self.file.path.file_name().map(|name| name.to_string_lossy());
                    Arc::new(Records::read(text, &name.unwrap_or_default(), &self.settings))
                }
            })
        })
    }

    /// Computes the diagnostics, if they are not known yet. Changes nothing if canceled.
    pub fn diagnose(&self, cancel: &Cancel) {
        if !self.is_diagnosed()
            && let Some(found) = self.find(cancel)
        {
            let _ = self.diagnostics.set(found.into());
            let _ = self.replayed();
        }
    }

    fn find(&self, cancel: &Cancel) -> Option<Vec<Diagnostic>> {
        if self.is_left_out() {
            return Some(file_findings(self.file.id, self.file.findings.clone(), &self.rules));
        }
        let records = self.records();
        let known = self.known();
        let judge = self.judge(&known);
        let context = judge.context;
        let text = records.text().as_bytes();
        for entry in records.transcript().entries() {
            if cancel.is_cancelled() {
                return None;
            }
            let _ = entry.checked(text, &context, known.key);
        }
        Some(diagnostics_of(self.file.id, records, judge, known.key, &self.fenced))
    }

    pub(super) fn judge<'k>(&'k self, known: &'k CheckContext) -> TranscriptContext<'k> {
        let context = ReplyContext {
            declarations: known.declarations.as_ref(),
            tools: self.tools.as_deref(),
            ..ReplyContext::new(&self.settings)
        };
        TranscriptContext { rules: &self.rules, context, limits: &self.limits, programs: &known.programs }
    }

    /// Passes the declarations of its programs to `see`, or `None` if they contain none.
    pub fn with_declarations<T>(&self, see: impl FnOnce(Option<&Declarations>) -> T) -> T {
        see(self.known().declarations.as_ref())
    }

    /// True if the transcript exceeds the size limit for closed files.
    #[must_use]
    pub fn is_left_out(&self) -> bool {
        self.file.open.is_none() && !self.file.findings.is_empty()
    }

    /// Returns the declarations of the programs, computed once for all revisions with the same
    /// programs.
    pub(super) fn known(&self) -> Arc<CheckContext> {
        let programs = self.programs.iter().map(|program| Identity(Arc::clone(program))).collect();
        let inputs = ContextInputs { programs, tools: self.tools.clone() };
        self.memos
            .context
            .get_always(inputs, |_| Arc::new(CheckContext::new(&self.programs, self.tools.as_ref())))
    }

    /// True if [`SnapshotTranscript::diagnose`] has completed.
    #[must_use]
    pub fn is_diagnosed(&self) -> bool {
        self.diagnostics.get().is_some()
    }

    /// The diagnostics, sorted by start. Empty before [`SnapshotTranscript::diagnose`].
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        self.diagnostics.get().map_or(&[], |found| found)
    }

    /// Returns the view of the transcript for editor features.
    pub fn opened(&self) -> TranscriptView<'_> {
        TranscriptView::new(self.records(), &self.settings)
    }

    /// Passes the transcript with the declarations of its policies and the replay results to
    /// `see`.
    pub fn with_policies<T>(&self, see: impl FnOnce(TranscriptView<'_>) -> T) -> T {
        let known = self.known();
        let declarations = known.declarations.as_ref();
        let verdicts = self.replayed().verdicts.as_ref();
        see(TranscriptView { declarations, verdicts, ..self.opened() })
    }

    /// Returns the Mangle text at an offset of the file, with the start of its record, and the
    /// offset in the text.
    #[must_use]
    pub fn mangle_at(&self, offset: TextSize) -> Option<(TextSize, &MangleText, TextSize)> {
        let records = self.records();
        let in_records = records.touching(TextRange::empty(offset)).find_map(|entry| {
            let inside = offset.checked_sub(entry.start)?;
            let mut texts = records.mangle(entry, &self.settings);
            texts.find_map(|text| Some((entry.start, text, text.to_derived(inside)?)))
        });
        let start = TextSize::new(0);
        let mut fences = records.fences().iter();
        in_records.or_else(|| fences.find_map(|text| Some((start, text, text.to_derived(offset)?))))
    }
}

/// The replay results of a transcript at its revision. Empty if no replay is requested.
#[derive(Debug, Default)]
pub struct Replayed {
    pub verdicts: Option<TranscriptVerdicts>,
    /// The findings, sorted by start.
    pub diagnostics: Vec<Diagnostic>,
}

/// The maximum number of cached starts per file.
const MAX_STARTS: usize = 10_000;

/// The last displayed stretch. The key is the index of its first record, the maximum number of
/// records, and a flag for replay results.
type ShownStretch = ((usize, usize, bool), Arc<ConversationWindow>);

/// The last requested conversation.
#[derive(Debug, Default)]
pub(super) struct LastConversation(pub(super) Mutex<Option<ShownStretch>>);

/// Starts of stretches that were read before, in file order.
#[derive(Debug, Default)]
pub(super) struct KnownStarts(Mutex<Vec<RecordStart>>);

impl KnownStarts {
    pub(super) fn all(&self) -> Vec<RecordStart> {
        self.0.lock().clone()
    }

    pub(super) fn add(&self, start: &RecordStart) {
        let mut all = self.0.lock();
        let at = all.partition_point(|known| known.number < start.number);
        // A start with the same number is from an older version of the file.
        if all.get(at).is_some_and(|known| known.number == start.number) {
            all.remove(at);
        }
        if all.len() < MAX_STARTS {
            all.insert(at, start.clone());
        }
    }
}

#[derive(Debug)]
pub(super) struct CheckContext {
    /// The programs, treated as one: an atom is known if at least one of them declares it.
    programs: Vec<Arc<Program>>,
    pub(super) declarations: Option<Declarations>,
    /// The policy for replays, compiled on request.
    constitution: Memo<ConstitutionInputs, Arc<Constitution>>,
    /// A number that changes with every input of the record checks.
    pub(super) key: u64,
}

impl CheckContext {
    fn new(of: &[Arc<SnapshotProgram>], tools: Option<&Arc<Catalogue>>) -> Self {
        let program = match of {
            [] => None,
            [one] => Some(Arc::clone(one.program())),
            several => Some(joined(several)),
        };
        let replay = of.first().map(|program| program.inputs.settings.replay.clone()).unwrap_or_default();
        let declarations = program.as_deref().map(|program| Declarations::with(program, &replay));
        let declarations = declarations.filter(|known| !known.is_empty());
        let mut hasher = FxHasher::default();
        program.as_ref().map(|program| (program.environment(), program.vocabulary())).hash(&mut hasher);
        let hypotheses = declarations.iter().flat_map(|known| known.hypotheses());
        hypotheses.for_each(|(text, _)| text.hash(&mut hasher));
        for declared in declarations.iter().flat_map(Declarations::all) {
            let ground = declared.ground.map(|ground| (ground.place, ground.by, ground.root, ground.grants));
            ground.map(|ground| (declared.name, ground)).hash(&mut hasher);
            // Findings refer to the declarations, and a rewritten statement is a different one.
            (declared.place, declared.derived, declared.is_used).hash(&mut hasher);
        }
        declarations.as_ref().map(Declarations::home).hash(&mut hasher);
        tools.map(|tools| &tools.tools).hash(&mut hasher);
        let programs = program.into_iter().collect();
        Self { programs, declarations, constitution: Memo::default(), key: hasher.finish() }
    }

    /// Returns the compiled and evaluated program. Returns `None` without a policy, or if
    /// canceled.
    pub(super) fn constitution(&self, settings: &Settings, cancel: &Cancel) -> Option<Arc<Constitution>> {
        let program = self.programs.first()?;
        let (kernel, replay) = (&settings.kernel, &settings.replay);
        let inputs = ConstitutionInputs { kernel: kernel.clone(), replay: replay.clone() };
        self.constitution.get(inputs, |_| {
            let basis = ConstitutionConfig {
                program: Arc::clone(program),
                reading: kernel.reading,
                settings: replay.clone(),
                limits: editor_limits(Limits::from_settings(kernel)),
                clock: Clock::from_settings(kernel),
            };
            let constitution = Constitution::new(basis, cancel);
            (!cancel.is_cancelled()).then(|| Arc::new(constitution))
        })
    }
}

/// Inputs of the constitution in addition to the program.
#[derive(Debug, Clone, PartialEq)]
struct ConstitutionInputs {
    kernel: KernelSettings,
    replay: ReplaySettings,
}

/// Links several programs into one.
fn joined(programs: &[Arc<SnapshotProgram>]) -> Arc<Program> {
    let mut files: Vec<_> = programs.iter().flat_map(|program| program.files.iter()).collect();
    files.sort_unstable_by_key(|file| file.id);
    files.dedup_by_key(|file| file.id);
    let embeddings = programs.iter().map(|program| &*program.inputs.embedding);
    let summaries = files.into_iter().map(|file| Arc::clone(file.summary())).collect();
    Arc::new(Program::embedded(summaries, embedding(embeddings).into()))
}

/// Combines the embeddings of several programs.
pub(crate) fn embedding<'e>(all: impl Iterator<Item = &'e ProgramEnvironment>) -> ProgramEnvironment {
    let mut joined = ProgramEnvironment::default();
    for (at, one) in all.enumerate() {
        if at == 0 {
            (joined.engine, joined.stores) = (one.engine, one.stores.clone());
        }
        joined.predicates.extend(one.predicates.iter().copied());
        joined.files_with_directives.extend(one.files_with_directives.iter().copied());
    }
    joined.files_with_directives.sort_unstable();
    joined.files_with_directives.dedup();
    joined
}
