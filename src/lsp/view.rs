//! The state that answers a request: the workspace at one revision, the client's capabilities, the
//! known evaluation results, and the semantic tokens that were sent before.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use tower_lsp::ls_types::{Position, Range, SemanticToken, TextDocumentPositionParams, Uri};

use super::client::Outbox;
use super::from_proto;
use super::session::ClientSession;
use mangle_host::workspace::{Evaluated, Snapshot, SnapshotFile, SnapshotProgram, SnapshotTranscript};
use mangle_ide::Place;
use mangle_ide::evaluation::{EvaluationView, PlaceNames};
use mangle_ide::hover::prompts::SampleProvenance;
use mangle_ide::transcripts::MangleText;
use mangle_settings::{HintSettings, LensSettings};
use mangle_syntax::text::{FileId, TextRange, TextSize};

/// A snapshot with its session. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct View {
    pub(super) session: Arc<ClientSession>,
    pub(super) snapshot: Arc<Snapshot>,
    pub(super) writer_status: Arc<WriterStatus>,
    pub(super) pulled: Arc<PulledDiagnostics>,
    pub(super) tokens: Arc<SentTokens>,
    pub(super) outbox: Outbox,
    pub(super) hints: HintSettings,
    pub(super) lenses: LensSettings,
    /// The requested opening, if its file is open at several URIs.
    pub(super) asked: OnceLock<Arc<SnapshotFile>>,
}

/// Fingerprints of the last pulled diagnostics, by document.
#[derive(Debug, Default)]
pub(super) struct PulledDiagnostics(Mutex<FxHashMap<FileId, u64>>);

impl PulledDiagnostics {
    /// Records the diagnostics that the client receives.
    pub(super) fn tell(&self, file: FileId, fingerprint: u64) {
        self.0.lock().insert(file, fingerprint);
    }

    /// True if the client has different diagnostics of a document.
    pub(super) fn is_outdated(&self, file: FileId, fingerprint: u64) -> bool {
        self.0.lock().get(&file).is_some_and(|told| *told != fingerprint)
    }
}

/// Status of the writer that other threads can read.
#[derive(Debug, Default)]
pub(super) struct WriterStatus {
    /// The current revision.
    pub(super) revision: AtomicU64,
    /// True if the client has requested inlay hints.
    pub(super) hinted: AtomicBool,
    /// True if the client has requested code lenses.
    pub(super) lensed: AtomicBool,
    /// The duration of its longest turn, in microseconds.
    pub(super) longest_turn: AtomicU64,
}

impl View {
    /// True if something changed after the snapshot was taken.
    pub(super) fn is_outdated(&self) -> bool {
        self.writer_status.revision.load(Ordering::Acquire) != self.snapshot.revision
    }

    pub(super) fn file(&self, uri: &Uri) -> Option<&Arc<SnapshotFile>> {
        let Some(opening) = self.snapshot.opening(uri.as_str()) else {
            return self.snapshot.file_at(&from_proto::document_path(uri));
        };
        if opening.is_same {
            let _ = self.asked.set(Arc::clone(&opening.file));
        }
        Some(&opening.file).filter(|_| opening.is_same)
    }

    /// Returns a file for a response. If the file is open at several URIs, returns the requested
    /// opening.
    pub(super) fn shown(&self, id: FileId) -> Option<&Arc<SnapshotFile>> {
        self.asked.get().filter(|file| file.id == id).or_else(|| self.snapshot.file(id))
    }

    /// Converts a range of the analyzed text to lines and columns of the document.
    pub(super) fn range(&self, file: &SnapshotFile, range: TextRange) -> Range {
        let range = file.map().to_source(range);
        let position = |offset| {
            let at = file.line_col(offset, self.session.encoding);
            Position { line: at.line, character: at.col }
        };
        Range { start: position(range.start()), end: position(range.end()) }
    }

    /// Returns the position of a request.
    pub(super) fn spot(&self, at: &TextDocumentPositionParams) -> Option<DocumentPlace<'_>> {
        let file = self.file(&at.text_document.uri)?;
        let position = from_proto::line_col(at.position);
        let source = file.lines().offset(file.text(), position, self.session.encoding);
        if let Some(transcript) = self.snapshot.transcript(file.id) {
            let (start, text, offset) = transcript.mangle_at(source)?;
            return Some(DocumentPlace {
                view: self,
                file,
                offset,
                inside: Some(EmbeddedMangle { transcript, start, text }),
            });
        }
        Some(DocumentPlace { view: self, file, offset: file.map().to_derived(source)?, inside: None })
    }

    /// Returns the transcript of a request, and the offset in it.
    pub(super) fn transcript_spot(
        &self,
        at: &TextDocumentPositionParams,
    ) -> Option<(&Arc<SnapshotTranscript>, TextSize)> {
        let transcript = self.transcript(&at.text_document.uri)?;
        let position = from_proto::line_col(at.position);
        let file = &transcript.file;
        Some((transcript, file.lines().offset(file.text(), position, self.session.encoding)))
    }

    pub(super) fn transcript(&self, uri: &Uri) -> Option<&Arc<SnapshotTranscript>> {
        self.snapshot.transcript(self.file(uri)?.id)
    }
}

/// A position of a request in a document.
#[derive(Debug, Clone, Copy)]
pub(super) struct DocumentPlace<'v> {
    pub(super) view: &'v View,
    pub(super) file: &'v Arc<SnapshotFile>,
    /// The offset in the analyzed text.
    pub(super) offset: TextSize,
    /// The Mangle text around the position, if the document is a transcript.
    pub(super) inside: Option<EmbeddedMangle<'v>>,
}

/// Mangle text in a transcript.
#[derive(Debug, Clone, Copy)]
pub(super) struct EmbeddedMangle<'v> {
    pub(super) transcript: &'v SnapshotTranscript,
    /// The start of its record.
    pub(super) start: TextSize,
    pub(super) text: &'v MangleText,
}

impl<'v> DocumentPlace<'v> {
    /// Returns the position in the first program that reports the file.
    pub(super) fn place(&self) -> Option<Place<'v>> {
        self.places().next()
    }

    /// Returns the position in each program that reports the file.
    pub(super) fn places(&self) -> impl Iterator<Item = Place<'v>> + use<'_, 'v> {
        let Self { view, file, .. } = *self;
        let programs: Vec<_> = match self.inside {
            Some(inside) => inside.transcript.programs.iter().collect(),
            None => view.snapshot.programs_of(file.id).collect(),
        };
        programs.into_iter().filter_map(|program| self.place_in(program))
    }

    /// Returns the position in each program with the file, including programs that use it only as
    /// context: sample kernels and policy tests.
    pub(super) fn everywhere(&self) -> impl Iterator<Item = Place<'v>> + use<'_, 'v> {
        let Self { view, file, .. } = *self;
        let programs: Vec<_> = match self.inside {
            Some(inside) => inside.transcript.programs.iter().collect(),
            None => view.snapshot.programs_with(file.id).collect(),
        };
        programs.into_iter().filter_map(|program| self.place_in(program))
    }

    /// Returns the position in a program. Mangle in a transcript is not part of a program, but is
    /// analyzed with its declarations.
    fn place_in(&self, program: &'v Arc<SnapshotProgram>) -> Option<Place<'v>> {
        match self.inside {
            Some(inside) => Some(inside.text.place(program.as_ref(), self.offset)),
            None => Place::new(program.as_ref(), self.file.id, self.offset),
        }
    }

    /// Converts a range of the same document.
    pub(super) fn range(&self, range: TextRange) -> Range {
        let range = match self.inside {
            Some(inside) => inside.text.to_source(range) + inside.start,
            None => range,
        };
        self.view.range(self.file, range)
    }
}

/// The programs of the samples of a document or, without samples, its own program.
pub(super) struct ProgramEvaluations<'v> {
    view: &'v View,
    programs: Vec<ProgramEvaluation<'v>>,
}

struct ProgramEvaluation<'v> {
    program: &'v Arc<SnapshotProgram>,
    evaluated: Option<Arc<Evaluated>>,
    is_current: bool,
    refusal: Option<String>,
}

impl View {
    /// Returns the known evaluation results for a file. Policy tests are excluded, because their
    /// cases are evaluated separately.
    pub(super) fn evaluations_of(&self, file: FileId) -> ProgramEvaluations<'_> {
        let programs = self.snapshot.query_programs(file).into_iter().filter(|program| !program.is_test());
        let known = programs.map(|program| match program.evaluated() {
            Some(evaluated) => {
                ProgramEvaluation { program, evaluated: Some(evaluated), is_current: true, refusal: None }
            }
            None => ProgramEvaluation {
                program,
                evaluated: program.evaluated_before(),
                is_current: false,
                refusal: program.refusal(),
            },
        });
        ProgramEvaluations { view: self, programs: known.collect() }
    }

    /// Calls `ask` with the known prompts that may depend on a file.
    pub(super) fn with_provenance<T>(
        &self,
        file: FileId,
        ask: impl FnOnce(&[SampleProvenance<'_>]) -> T,
    ) -> T {
        let programs = self.snapshot.kernels_reading(file);
        let known: Vec<_> =
            programs.iter().map(|program| (program.sample(), program.prompt_provenance())).collect();
        let provenance = known.iter().map(|(sample, known)| SampleProvenance {
            sample: sample.map_or("", |sample| sample),
            provenance: known.as_ref().map(|(known, _)| &known.provenance),
            is_current: known.as_ref().is_none_or(|(_, is_current)| *is_current),
        });
        ask(&provenance.collect::<Vec<_>>())
    }

    /// Returns the name of a file for use in sentences.
    pub(super) fn name(&self, file: FileId) -> String {
        let path = self.snapshot.file(file).map(|file| &file.path);
        let name = path.and_then(|path| path.file_name());
        name.map_or_else(|| "?".to_owned(), |name| name.to_string_lossy().into_owned())
    }
}

impl ProgramEvaluations<'_> {
    /// Calls `ask` with the view of the evaluations for features.
    pub(super) fn with<T>(&self, ask: impl FnOnce(&[EvaluationView<'_>]) -> T) -> T {
        let name = |file| self.view.name(file);
        let tried = self.programs.iter().map(|known| EvaluationView {
            sample: known.program.sample().map(AsRef::as_ref),
            readings: known.evaluated.as_ref().map(|evaluated| &evaluated.readings),
            is_current: known.is_current,
            refusal: known.refusal.as_deref(),
            places: PlaceNames { program: known.program.program(), file: &name },
        });
        ask(&tried.collect::<Vec<_>>())
    }
}

#[derive(Debug, Default)]
pub(super) struct SentTokens {
    files: Mutex<FxHashMap<FileId, (String, Vec<SemanticToken>)>>,
    next: AtomicU64,
}

impl SentTokens {
    /// Stores the tokens of a file and removes tokens of closed documents. Returns the result id.
    pub(super) fn remember(&self, snapshot: &Snapshot, file: FileId, tokens: &[SemanticToken]) -> String {
        let id = self.next.fetch_add(1, Ordering::Relaxed).to_string();
        let mut files = self.files.lock();
        files.insert(file, (id.clone(), tokens.to_vec()));
        files.retain(|file, _| snapshot.file(*file).is_some_and(|file| file.open.is_some()));
        id
    }

    pub(super) fn recall(&self, file: FileId, id: &str) -> Option<Vec<SemanticToken>> {
        self.files.lock().get(&file).filter(|(known, _)| known == id).map(|(_, tokens)| tokens.clone())
    }
}
