//! Incremental reader of transcripts: cuts chunks into records (`batch`) and counts their contents.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::batch::{
    Batch, CutKind, HeadRecords, LOOK_AHEAD, MergedRecordCallback, ReadBatch, RecordSlice, Repetitions,
    TextKeys, majority,
};
use super::detect::{self, HEAD, Plan};
use super::record::ReadContext;
use super::record_splitter::{RecordBounds, RecordSplitter};
use super::shapes::{self, CustomShapes};
use super::turn::{Record, RecordShape, TextKind, Turn};
use super::{TranscriptOptions, findings, sketch};
use mangle_settings::{Container, Profile};
use mangle_syntax::lint::Finding;
use mangle_syntax::text::TextRange;

/// Maximum length of a record in bytes, in a file with several records. Longer records are reported
/// and not read.
pub const MAX_RECORD_LEN: usize = 16 << 20;

/// Maximum length in bytes of a file that must be read as a whole.
pub const MAX_DOCUMENT_LEN: usize = 64 << 20;

/// Number of bytes of an overlong record that are kept, to show its position.
const SHOWN: usize = 256;

/// Reads records from chunks of any size. Keeps one chunk and the incomplete record before it.
#[derive(Debug)]
pub struct TranscriptReader {
    options: TranscriptOptions,
    own: CustomShapes,
    repeated: Repetitions,
    /// True if the file is not text. Such a file is not read.
    is_refused: bool,
    /// First bytes of the file, for a description of its format.
    head: Vec<u8>,
    state: Option<(Arc<ReadContext>, RecordSplitter)>,
    /// Bytes that are not yet part of a complete record.
    buffer: Vec<u8>,
    /// Offset of the buffer in the file.
    start: u64,
    /// True if the buffer begins inside an overlong record.
    is_skipping: bool,
    has_begun: bool,
    number: u64,
    summary: ReadSummary,
    limit: usize,
    /// Protocol version of the majority of replies.
    session: Option<Profile>,
}

/// Summary of a file after reading.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadSummary {
    /// Container format; `None` for an empty file.
    pub container: Option<Container>,
    /// Number of records.
    pub records: u64,
    /// Number of bytes.
    pub bytes: u64,
    /// Number of records of each shape.
    pub shapes: BTreeMap<RecordShape, u64>,
    /// Number of texts of the model, including empty, truncated and repeated texts.
    pub answers: u64,
    /// Number of texts that the model was given.
    pub prompts: u64,
    /// Number of records with a finding about the record itself.
    pub damaged: u64,
    /// Path of the first reply in a record of an unknown format.
    pub unknown: Option<String>,
    /// True if the user named the file; false for a document found in a directory.
    pub is_named: bool,
    /// Names of the shapes from the settings.
    pub declared: Vec<String>,
    /// Description of the file's format, if the file contains no reply.
    pub sketch: Option<String>,
}

impl ReadSummary {
    /// Returns the findings about the file as a whole. Ranges are relative to its start.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        let mut words: Vec<_> = self.shapes.keys().map(|shape| shape.plural()).collect();
        words.dedup();
        let mixed = (words.len() > 1).then(|| {
            let message = match &words[..] {
                [one, other] => format!("file mixes {one} and {other}"),
                _ => format!("file mixes records of {} formats", words.len()),
            };
            let finding = Finding::new(&findings::MIXED_CONTAINER, TextRange::default(), message);
            let finding = match words.len() {
                2 => finding,
                _ => finding.note(format!("it has {}", words.join(", "))),
            };
            finding.note("each record is read by its own format")
        });
        mixed.into_iter().chain(self.unknown()).chain(self.missing_reply_finding()).collect()
    }

    /// Returns the finding about an unknown format, if any.
    fn unknown(&self) -> Option<Finding> {
        let records = self.shapes.get(&RecordShape::Unknown)?;
        Some(findings::unknown_format(*records, self.unknown.as_deref().unwrap_or_default()))
    }

    /// Returns the finding about a missing reply, if any. Not reported for Markdown documents that
    /// the user did not name, and not for damaged files.
    fn missing_reply_finding(&self) -> Option<Finding> {
        if self.container.is_none() && self.damaged == 0 {
            return Some(findings::empty_file());
        }
        let is_document = self.container == Some(Container::Markdown) && !self.is_named;
        let is_silent = self.answers == 0 && self.damaged == 0 && !is_document;
        let first = self.sketch.as_deref().unwrap_or("blank");
        let declared = self.declared.iter().map(String::as_str);
        let tried = || declared.chain(shapes::names()).collect::<Vec<_>>().join(", ");
        is_silent.then(|| findings::no_reply(self.prompts, self.is_named, first, &tried()))
    }

    /// Counts the contents of a record.
    pub(super) fn add(&mut self, shape: Option<RecordShape>, turns: &[Turn], findings: &[Finding]) {
        self.records += 1;
        if let Some(shape) = shape {
            *self.shapes.entry(shape).or_default() += 1;
        }
        self.answers += turns.iter().filter(|turn| turn.is_answer()).count() as u64;
        self.prompts += turns.iter().filter(|turn| turn.kind == TextKind::Prompt).count() as u64;
        self.damaged += u64::from(!findings.is_empty());
        if shape == Some(RecordShape::Unknown) && self.unknown.is_none() {
            self.unknown = turns.first().map(|turn| turn.path.join(" ▸ "));
        }
    }

    /// Stores a description of the file's format if no reply was found.
    pub(super) fn set_sketch(&mut self, head: &[u8]) {
        self.sketch = (self.answers == 0).then(|| sketch::sketch(head));
    }
}

impl TranscriptReader {
    /// Creates a reader for one file.
    #[must_use]
    pub fn new(options: TranscriptOptions) -> Self {
        let names = options.shapes.iter().map(|shape| shape.name.clone()).filter(|name| !name.is_empty());
        let declared = names.collect();
        let summary = ReadSummary { is_named: options.is_named, declared, ..ReadSummary::default() };
        Self {
            own: CustomShapes::new(Arc::clone(&options.shapes)),
            options,
            repeated: Repetitions::default(),
            is_refused: false,
            head: Vec::new(),
            state: None,
            buffer: Vec::new(),
            start: 0,
            is_skipping: false,
            has_begun: false,
            number: 0,
            summary,
            limit: MAX_RECORD_LEN,
            session: None,
        }
    }

    /// Continues in the middle of a file, at the start of record `number`. `session` is the
    /// protocol version of the majority of replies.
    pub(super) fn resuming(mut self, plan: Plan, start: u64, number: u64, session: Option<Profile>) -> Self {
        self.session = session;
        self.state =
            Some((Arc::new(ReadContext::new(&self.options, plan, session)), RecordSplitter::new(plan.frame)));
        // A byte order mark is possible only at the start of the file.
        (self.has_begun, self.start, self.number) = (start > 0, start, number.saturating_sub(1));
        self.summary.container = Some(plan.container);
        self
    }

    /// Determines the format from the first bytes of the file, after the byte order mark.
    #[cfg(test)]
    pub(super) fn with_format(mut self, head: &[u8], is_all: bool) -> Self {
        self.state = Some(self.decide(head, is_all).0);
        self
    }

    /// Replaces [`MAX_RECORD_LEN`].
    #[cfg(test)]
    pub(super) fn with_limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// The number of buffered bytes.
    #[cfg(test)]
    pub(super) fn buffered_len(&self) -> usize {
        self.buffer.len()
    }

    /// Reads the next chunk of the file and passes completed records to `each`.
    pub fn feed(&mut self, chunk: &[u8], each: &mut dyn FnMut(&Record<'_>)) {
        let mut batch = self.cut(chunk);
        self.read(&mut batch, &mut |record, _| each(record));
    }

    /// Passes the remaining records to `each` and returns the summary.
    pub fn finish(mut self, each: &mut dyn FnMut(&Record<'_>)) -> ReadSummary {
        let mut batch = self.cut_rest();
        self.read(&mut batch, &mut |record, _| each(record));
        self.summary()
    }

    /// Cuts the next chunk of the file into records. Return each batch in order: pass it to
    /// [`TranscriptReader::read`], or to [`TranscriptReader::take`] if it was read elsewhere.
    pub fn cut(&mut self, chunk: &[u8]) -> Batch {
        self.summary.bytes += chunk.len() as u64;
        let wanted = sketch::LOOKED_AT.saturating_sub(self.head.len()).min(chunk.len());
        self.head.extend_from_slice(chunk.get(..wanted).unwrap_or(&[]));
        if self.is_refused {
            self.start += chunk.len() as u64;
            return self.batch(Vec::new(), Vec::new());
        }
        self.buffer.extend_from_slice(chunk);
        if self.buffer.len() >= LOOK_AHEAD
            || (self.state.is_some() && (self.has_begun || self.buffer.len() >= 3))
        {
            return self.cut_buffer(false);
        }
        self.batch(Vec::new(), Vec::new())
    }

    /// Cuts the remaining records at the end of the file.
    pub fn cut_rest(&mut self) -> Batch {
        match self.is_refused {
            true => self.batch(Vec::new(), Vec::new()),
            false => self.cut_buffer(true),
        }
    }

    /// Reads a batch. Passes each record to `each`, with the bytes of the batch before the record.
    pub fn read(&mut self, batch: &mut Batch, each: &mut dyn FnMut(&Record<'_>, &[u8])) {
        let head = std::mem::take(&mut batch.head);
        let session = batch.each(head, &mut |mut record, keys| {
            self.count(&mut record, &keys);
            let from = usize::try_from(record.start.saturating_sub(batch.start)).unwrap_or(usize::MAX);
            each(&record, batch.bytes.get(..from).unwrap_or(&batch.bytes));
        });
        self.set_session_profile(session);
    }

    /// Merges a batch that was read elsewhere. Passes records to `each` as
    /// [`TranscriptReader::read`] does, with their results.
    ///
    /// The result is `None` if a turn of the record is a copy of an earlier turn, because it is no
    /// longer valid. Returns the bytes of the batch.
    pub fn take<T>(&mut self, batch: ReadBatch<T>, each: &mut MergedRecordCallback<'_, T>) -> Vec<u8> {
        let ReadBatch { bytes, start, records, session } = batch;
        for record in records {
            let (mut record, from, keys, result) = record.with_bytes(&bytes, start);
            let holds = !self.count(&mut record, &keys);
            each(&record, bytes.get(..from).unwrap_or(&bytes), holds.then_some(result));
        }
        self.set_session_profile(session);
        bytes
    }

    /// Returns the summary, after all batches were returned.
    #[must_use]
    pub fn summary(mut self) -> ReadSummary {
        self.summary.set_sketch(&self.head);
        self.summary
    }

    /// Counts a record and marks copies of earlier texts. Returns true if there are any.
    fn count(&mut self, record: &mut Record<'_>, keys: &TextKeys) -> bool {
        let has_copies = self.repeated.mark(record, keys);
        record.shape = record
            .shape
            .filter(|shape| *shape != RecordShape::Unknown || record.turns.iter().any(Turn::is_reply));
        self.summary.add(record.shape, &record.turns, &record.findings);
        has_copies
    }

    /// Stores the protocol version of the majority, which may become known only after a batch is
    /// read.
    fn set_session_profile(&mut self, session: Option<Profile>) {
        self.session = session.or(self.session);
    }

    /// File offset of the first byte that does not belong to a returned record.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.start
    }

    /// Protocol version of the majority of replies, if already known.
    #[must_use]
    pub fn session(&self) -> Option<Profile> {
        self.session
    }

    /// Container format, if already known.
    #[must_use]
    pub fn container(&self) -> Option<Container> {
        self.summary.container
    }

    /// True if the records of the file can be read one by one.
    #[must_use]
    pub fn has_records(&self) -> bool {
        self.state.as_ref().is_some_and(|(terms, _)| !terms.is_whole())
    }

    /// Creates a batch of bytes that end at `self.start`.
    fn batch(&self, bytes: Vec<u8>, cuts: Vec<RecordSlice>) -> Batch {
        let start = self.start - bytes.len() as u64;
        let terms = self.state.as_ref().map(|(terms, _)| Arc::clone(terms));
        Batch { bytes, start, cuts, terms, head: HeadRecords::default() }
    }

    fn cut_buffer(&mut self, is_end: bool) -> Batch {
        let mut at = 0;
        if !self.has_begun && (self.buffer.len() >= 3 || is_end) {
            self.has_begun = true;
            at = if self.buffer.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        }
        if self.state.is_none()
            && let Some(kind) = self.refusal()
        {
            return self.refuse(kind);
        }
        let (mut buffer, mut head) = (std::mem::take(&mut self.buffer), HeadRecords::default());
        let (terms, mut cutter) = match self.state.take() {
            Some(state) => state,
            None => {
                let (state, records) = self.decide(buffer.get(at..).unwrap_or(&[]), is_end);
                head = records;
                state
            }
        };
        let limit = self.limit * if terms.is_whole() { MAX_DOCUMENT_LEN / MAX_RECORD_LEN } else { 1 };
        let mut cuts = Vec::new();
        while let Some(RecordBounds { start, end, next }) =
            cutter.next(buffer.get(at..).unwrap_or(&[]), is_end)
        {
            self.number += 1;
            if !std::mem::take(&mut self.is_skipping) {
                cuts.push(RecordSlice::new(self.number, at + start..at + end, limit));
            }
            at += next;
        }
        at = at.min(buffer.len());
        if buffer.len() - at > limit && !self.is_skipping {
            self.is_skipping = true;
            cuts.push(RecordSlice::new(self.number + 1, at..buffer.len(), limit));
        }
        if self.is_skipping {
            cutter.forget(buffer.len() - at);
        }
        // Text after the last record does not belong to a record.
        if self.is_skipping || is_end {
            at = buffer.len();
        }
        self.start += at as u64;
        self.state = Some((terms, cutter));
        // `split_off` at 0 would give up the capacity for later chunks.
        self.buffer = if at == 0 { std::mem::take(&mut buffer) } else { buffer.split_off(at) };
        Batch { head, ..self.batch(buffer, cuts) }
    }

    /// Determines the format of the file. Returns the records that were read for this purpose.
    fn decide(&mut self, head: &[u8], is_all: bool) -> ((Arc<ReadContext>, RecordSplitter), HeadRecords) {
        let start = head.get(..HEAD).unwrap_or(head);
        let plan = detect::plan(&self.options, start, is_all && start.len() == head.len(), &self.own);
        let mut terms = ReadContext::new(&self.options, plan, None);
        let mut records = HeadRecords::default();
        // A file with a single record may be incomplete here.
        if !terms.is_whole() {
            (terms.session, records) = majority(&terms, head, is_all);
        }
        self.session = terms.session;
        self.summary.container = (!head.is_empty()).then_some(plan.container);
        ((Arc::new(terms), RecordSplitter::new(plan.frame)), records)
    }

    /// Returns the type of a file that is not text. A file that the user declared as one raw reply
    /// is always read.
    fn refusal(&self) -> Option<&'static str> {
        let is_one = self.options.container == Some(Container::Raw);
        sketch::binary_kind(&self.buffer).filter(|_| !is_one)
    }

    /// Rejects the file with a finding.
    fn refuse(&mut self, kind: &'static str) -> Batch {
        self.is_refused = true;
        let bytes = std::mem::take(&mut self.buffer);
        self.start += bytes.len() as u64;
        self.batch(bytes, vec![RecordSlice { number: 1, range: 0..0, kind: CutKind::Binary(kind) }])
    }
}

impl RecordSlice {
    /// Creates the bounds of a record. If it is longer than `limit`, keeps only its first bytes.
    fn new(number: u64, range: Range<usize>, limit: usize) -> Self {
        if range.len() <= limit {
            return Self { number, range, kind: CutKind::Record };
        }
        let end = range.end.min(range.start + SHOWN);
        Self { number, range: range.start..end, kind: CutKind::TooLong(limit) }
    }
}
