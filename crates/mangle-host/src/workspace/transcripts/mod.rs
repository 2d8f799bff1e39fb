//! Open transcripts, and closed transcripts below the size limit, with their settings and
//! programs.

mod check_context;
mod conversation;
mod conversation_cache;
mod replays;
pub(super) mod stretch;

use std::path::Path;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use self::check_context::CheckContext;
use self::conversation_cache::{KnownStarts, LastConversation};
use super::file::SnapshotFile;
use super::program::SnapshotProgram;
use super::program_state::Identity as ProgramIdentity;
use crate::transcripts::{capture_kind, is_included};
use crate::{Project, TranscriptFile, relative};
use mangle_check::diagnostics::FindingCache;
use mangle_ide::file_findings::file_findings;
use mangle_ide::registry;
use mangle_ide::replays::{TranscriptVerdicts, Verdicts};
use mangle_ide::transcripts::{MangleText, Records, TranscriptContext, TranscriptView, diagnostics_of};
use mangle_settings::{RuleSettings, TranscriptSettings};
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
struct Memos {
    records: Memo<RecordsInputs, Arc<Records>>,
    context: Memo<ContextInputs, Arc<CheckContext>>,
    verdicts: Memo<ReplayInputs, Option<Arc<Verdicts>>>,
    starts: KnownStarts,
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
struct ReplayInputs {
    records: Identity<Records>,
    context: Identity<CheckContext>,
    rules: Arc<RuleSettings>,
    limits: Arc<transcript::Limits>,
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
    rules: Arc<RuleSettings>,
    tools: Option<Arc<Catalogue>>,
    limits: Arc<transcript::Limits>,
    /// The governing configuration file.
    pub configuration: Option<FileId>,
    /// True if the file is a Markdown document and not a transcript. Only its Mangle code fences
    /// are checked.
    pub is_document: bool,
    fenced: Arc<FindingCache>,
    memos: Arc<Memos>,
    records: OnceLock<Arc<Records>>,
    diagnostics: OnceLock<Arc<[Diagnostic]>>,
    replayed: OnceLock<Replayed>,
    carried: OnceLock<Replayed>,
    conversation: LastConversation,
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

    fn judge<'k>(&'k self, known: &'k CheckContext) -> TranscriptContext<'k> {
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
    fn known(&self) -> Arc<CheckContext> {
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
