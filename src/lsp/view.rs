//! What a question is answered from: the workspace at one revision, and the client's abilities.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use tower_lsp::ls_types::{Position, Range, TextDocumentPositionParams, Uri};

use super::client::Outbox;
use super::from_proto;
use super::sent_tokens::SentTokens;
use super::session::ClientSession;
use crate::host::workspace::{Snapshot, SnapshotFile, SnapshotProgram, SnapshotTranscript};
use crate::ide::Place;
use crate::ide::transcripts::MangleText;
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
    /// Which inlay hints are wanted.
    pub(super) hints: HintSettings,
    /// Which lenses are wanted.
    pub(super) lenses: LensSettings,
    /// The opening that the question is about, where its file is open at another URI, too.
    pub(super) asked: OnceLock<Arc<SnapshotFile>>,
}

/// The fingerprints of the diagnostics that the client pulled last, by document.
#[derive(Debug, Default)]
pub(super) struct PulledDiagnostics(Mutex<FxHashMap<FileId, u64>>);

impl PulledDiagnostics {
    /// Remembers what the client is told about a document.
    pub(super) fn tell(&self, file: FileId, fingerprint: u64) {
        self.0.lock().insert(file, fingerprint);
    }

    /// Whether the client was told something else about a document.
    pub(super) fn is_outdated(&self, file: FileId, fingerprint: u64) -> bool {
        self.0.lock().get(&file).is_some_and(|told| *told != fingerprint)
    }
}

/// What the writer lets everybody see of itself while it works.
#[derive(Debug, Default)]
pub(super) struct WriterStatus {
    /// The revision that it is at by now.
    pub(super) revision: AtomicU64,
    /// Whether the client has asked for inlay hints.
    pub(super) hinted: AtomicBool,
    /// Whether the client has asked for code lenses.
    pub(super) lensed: AtomicBool,
    /// How long its longest turn took, in microseconds.
    pub(super) longest_turn: AtomicU64,
}

impl View {
    /// Whether something changed since the snapshot was taken.
    pub(super) fn is_outdated(&self) -> bool {
        self.writer_status.revision.load(Ordering::Acquire) != self.snapshot.revision
    }

    /// The file that a URI names.
    pub(super) fn file(&self, uri: &Uri) -> Option<&Arc<SnapshotFile>> {
        let Some(opening) = self.snapshot.opening(uri.as_str()) else {
            return self.snapshot.file_at(&from_proto::document_path(uri));
        };
        if opening.is_same {
            let _ = self.asked.set(Arc::clone(&opening.file));
        }
        Some(&opening.file).filter(|_| opening.is_same)
    }

    /// A file for an answer: where it is open at several URIs, as it is at the one that was asked about.
    pub(super) fn shown(&self, id: FileId) -> Option<&Arc<SnapshotFile>> {
        self.asked.get().filter(|file| file.id == id).or_else(|| self.snapshot.file(id))
    }

    /// A range of the text that features see, as lines and columns of the document.
    pub(super) fn range(&self, file: &SnapshotFile, range: TextRange) -> Range {
        let range = file.map().to_source(range);
        let position = |offset| {
            let at = file.line_col(offset, self.session.encoding);
            Position { line: at.line, character: at.col }
        };
        Range { start: position(range.start()), end: position(range.end()) }
    }

    /// Where a request points to.
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

    /// The transcript that a request points into, and the offset in it.
    pub(super) fn transcript_spot(
        &self,
        at: &TextDocumentPositionParams,
    ) -> Option<(&Arc<SnapshotTranscript>, TextSize)> {
        let transcript = self.transcript(&at.text_document.uri)?;
        let position = from_proto::line_col(at.position);
        let file = &transcript.file;
        Some((transcript, file.lines().offset(file.text(), position, self.session.encoding)))
    }

    /// The transcript that a URI names.
    pub(super) fn transcript(&self, uri: &Uri) -> Option<&Arc<SnapshotTranscript>> {
        self.snapshot.transcript(self.file(uri)?.id)
    }
}

/// A place in a document that a request points to.
#[derive(Debug, Clone, Copy)]
pub(super) struct DocumentPlace<'v> {
    pub(super) view: &'v View,
    pub(super) file: &'v Arc<SnapshotFile>,
    /// In the text that features see.
    pub(super) offset: TextSize,
    /// The Mangle that it is in, where the document is a transcript.
    pub(super) inside: Option<EmbeddedMangle<'v>>,
}

/// Mangle inside a transcript.
#[derive(Debug, Clone, Copy)]
pub(super) struct EmbeddedMangle<'v> {
    pub(super) transcript: &'v SnapshotTranscript,
    /// Where the record starts that it is in.
    pub(super) start: TextSize,
    pub(super) text: &'v MangleText,
}

impl<'v> DocumentPlace<'v> {
    /// The place in the first program that shows the file.
    pub(super) fn place(&self) -> Option<Place<'v>> {
        self.places().next()
    }

    /// The place in each program that shows the file.
    pub(super) fn places(&self) -> impl Iterator<Item = Place<'v>> + use<'_, 'v> {
        let Self { view, file, .. } = *self;
        let programs: Vec<_> = match self.inside {
            Some(inside) => inside.transcript.programs.iter().collect(),
            None => view.snapshot.programs_of(file.id).collect(),
        };
        programs.into_iter().filter_map(|program| self.place_in(program))
    }

    /// The place in each program that the file is part of, also where it only goes along: with sample kernels
    /// and policy tests.
    pub(super) fn everywhere(&self) -> impl Iterator<Item = Place<'v>> + use<'_, 'v> {
        let Self { view, file, .. } = *self;
        let programs: Vec<_> = match self.inside {
            Some(inside) => inside.transcript.programs.iter().collect(),
            None => view.snapshot.programs_with(file.id).collect(),
        };
        programs.into_iter().filter_map(|program| self.place_in(program))
    }

    /// The place in a program. Mangle inside a transcript is no part of one, and looked at with its eyes.
    fn place_in(&self, program: &'v Arc<SnapshotProgram>) -> Option<Place<'v>> {
        match self.inside {
            Some(inside) => Some(inside.text.place(program.as_ref(), self.offset)),
            None => Place::new(program.as_ref(), self.file.id, self.offset),
        }
    }

    /// A range of the same document for the client.
    pub(super) fn range(&self, range: TextRange) -> Range {
        let range = match self.inside {
            Some(inside) => inside.text.to_source(range) + inside.start,
            None => range,
        };
        self.view.range(self.file, range)
    }
}
