//! Reads a transcript as its bytes come: cuts them into records (`batch`), and counts what is in them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::batch::{Batch, Cut, CutKind, EachTaken, ReadBatch};
use super::detect::{self, HEAD, Plan};
use super::lines::CustomShapes;
use super::majority::{HeadRecords, LOOK_AHEAD, majority};
use super::read_terms::ReadTerms;
use super::record_shape::RecordShape;
use super::record_splitter::{RecordBounds, RecordSplitter};
use super::repetitions::{Repetitions, TextKeys};
use super::shapes::{self};
use super::turn::{Record, TextKind, Turn};
use super::{TranscriptOptions, binary, findings, sketch};
use mangle_settings::{Container, Profile};
use mangle_syntax::lint::Finding;
use mangle_syntax::text::TextRange;

/// How long a record may be, in bytes, where a file has many. What is longer is a finding, and not read.
pub const LONGEST_RECORD: usize = 16 << 20;

/// How long a file may be, in bytes, that is one record, or tells its records only as a whole.
pub const LONGEST_DOCUMENT: usize = 64 << 20;

/// How much of a record that is too long is kept, to show where it is.
const SHOWN: usize = 256;

/// Reads records from bytes that come in chunks of any size. Holds a chunk, and what came before it of a record that is not
/// complete.
#[derive(Debug)]
pub struct TranscriptReader {
    options: TranscriptOptions,
    own: CustomShapes,
    repeated: Repetitions,
    /// Whether the file is not text, so that nothing of it is read.
    is_refused: bool,
    /// The first bytes of the file, to say what it looks like.
    head: Vec<u8>,
    state: Option<(Arc<ReadTerms>, RecordSplitter)>,
    /// What came and belongs to no record that is complete.
    buffer: Vec<u8>,
    /// Where in the file it begins.
    start: u64,
    /// Whether the record at its start was too long.
    is_skipping: bool,
    has_begun: bool,
    number: u64,
    summary: ReadSummary,
    limit: usize,
    /// The version of most replies of the file.
    session: Option<Profile>,
}

/// What a reader saw.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadSummary {
    /// The container; `None` of an empty file.
    pub container: Option<Container>,
    /// How many records there were.
    pub records: u64,
    /// How many bytes there were.
    pub bytes: u64,
    /// How many records there were of each shape.
    pub shapes: BTreeMap<RecordShape, u64>,
    /// How many texts there were of the model, be they empty, cut off or copies of others.
    pub answers: u64,
    /// How many texts there were that the model was given.
    pub prompts: u64,
    /// How many records have a finding about the record itself.
    pub damaged: u64,
    /// The path of the first reply in a record of an unknown format.
    pub unknown: Option<String>,
    /// Whether the file is named, and not a document among others.
    pub is_named: bool,
    /// The names of the shapes that the settings declare.
    pub declared: Vec<String>,
    /// What the file looks like, where nothing in it is a reply.
    pub sketch: Option<String>,
}

impl ReadSummary {
    /// What is to be said of the file as a whole; ranges count from its start.
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
        mixed.into_iter().chain(self.unknown()).chain(self.silent()).collect()
    }

    /// What is to be said where the format is unknown.
    fn unknown(&self) -> Option<Finding> {
        let records = self.shapes.get(&RecordShape::Unknown)?;
        Some(findings::unknown_format(*records, self.unknown.as_deref().unwrap_or_default()))
    }

    /// What is to be said where there is no reply. A document in Markdown is one among others, unless it is named; what is
    /// damaged has a finding of its own.
    fn silent(&self) -> Option<Finding> {
        if self.container.is_none() && self.damaged == 0 {
            return Some(findings::empty_file());
        }
        let is_document = self.container == Some(Container::Markdown) && !self.is_named;
        let is_silent = self.answers == 0 && self.damaged == 0 && !is_document;
        let first = self.sketch.as_deref().unwrap_or("blank");
        let declared = self.declared.iter().map(String::as_str);
        let tried = || declared.chain(shapes::names()).collect::<Vec<_>>().join(", ");
        is_silent.then(|| findings::no_reply((self.prompts, self.is_named), first, &tried()))
    }

    /// Counts what is in a record.
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

    /// Notes what the file looks like, if no reply was found in it.
    pub(super) fn look(&mut self, head: &[u8]) {
        self.sketch = (self.answers == 0).then(|| sketch::sketch(head));
    }
}

impl TranscriptReader {
    /// A reader of one file.
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
            limit: LONGEST_RECORD,
            session: None,
        }
    }

    /// A reader that goes on in the middle of a file, where the record with this number begins, most of whose replies
    /// are of version `session`.
    pub(super) fn resuming(mut self, plan: Plan, start: u64, number: u64, session: Option<Profile>) -> Self {
        self.session = session;
        self.state =
            Some((Arc::new(ReadTerms::new(&self.options, plan, session)), RecordSplitter::new(plan.frame)));
        // At the start of the file there may be a byte order mark.
        (self.has_begun, self.start, self.number) = (start > 0, start, number.saturating_sub(1));
        self.summary.container = Some(plan.container);
        self
    }

    /// A reader that knows the first bytes of its file, behind the mark of their encoding.
    #[cfg(test)]
    pub(super) fn knowing(mut self, head: &[u8], is_all: bool) -> Self {
        self.state = Some(self.decide(head, is_all).0);
        self
    }

    /// With another limit than [`LONGEST_RECORD`].
    #[cfg(test)]
    pub(super) fn with_limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// How many bytes are waiting.
    #[cfg(test)]
    pub(super) fn waiting(&self) -> usize {
        self.buffer.len()
    }

    /// Takes the next bytes of the file, and gives the records that they complete.
    pub fn feed(&mut self, chunk: &[u8], each: &mut dyn FnMut(&Record<'_>)) {
        let mut batch = self.cut(chunk);
        self.read(&mut batch, &mut |record, _| each(record));
    }

    /// Gives the records that end with the file, and what was seen.
    pub fn finish(mut self, each: &mut dyn FnMut(&Record<'_>)) -> ReadSummary {
        let mut batch = self.cut_rest();
        self.read(&mut batch, &mut |record, _| each(record));
        self.summary()
    }

    /// Takes the next bytes of the file, and cuts the records that they complete. Each batch has to be given back, in order:
    /// to [`TranscriptReader::read`], or to [`TranscriptReader::take`] when it was read elsewhere.
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

    /// Cuts the records that end with the file.
    pub fn cut_rest(&mut self) -> Batch {
        match self.is_refused {
            true => self.batch(Vec::new(), Vec::new()),
            false => self.cut_buffer(true),
        }
    }

    /// Reads a batch; gives its records, each with the bytes of the batch in front of it.
    pub fn read(&mut self, batch: &mut Batch, each: &mut dyn FnMut(&Record<'_>, &[u8])) {
        let head = std::mem::take(&mut batch.head);
        let session = batch.each(head, &mut |mut record, keys| {
            self.count(&mut record, &keys);
            let from = usize::try_from(record.start.saturating_sub(batch.start)).unwrap_or(usize::MAX);
            each(&record, batch.bytes.get(..from).unwrap_or(&batch.bytes));
        });
        self.settle(session);
    }

    /// Takes a batch that was read elsewhere; gives its records as [`TranscriptReader::read`] does, with what was found out
    /// about each there. That is `None` where it holds no more, since a turn of the record is a copy of another one. Returns
    /// the bytes of the batch.
    pub fn take<T>(&mut self, batch: ReadBatch<T>, each: &mut EachTaken<'_, T>) -> Vec<u8> {
        let ReadBatch { bytes, start, records, session } = batch;
        for record in records {
            let (mut record, from, keys, result) = record.with_bytes(&bytes, start);
            let holds = !self.count(&mut record, &keys);
            each(&record, bytes.get(..from).unwrap_or(&bytes), holds.then_some(result));
        }
        self.settle(session);
        bytes
    }

    /// What was seen, when all batches were given back.
    #[must_use]
    pub fn summary(mut self) -> ReadSummary {
        self.summary.look(&self.head);
        self.summary
    }

    /// Counts a record, and marks what of it was there before. Gives whether something was.
    fn count(&mut self, record: &mut Record<'_>, keys: &TextKeys) -> bool {
        let has_copies = self.repeated.mark(record, keys);
        record.shape = record
            .shape
            .filter(|shape| *shape != RecordShape::Unknown || record.turns.iter().any(Turn::is_reply));
        self.summary.add(record.shape, &record.turns, &record.findings);
        has_copies
    }

    /// Notes the version of most replies, which may be known only when a batch was read.
    fn settle(&mut self, session: Option<Profile>) {
        self.session = session.or(self.session);
    }

    /// Where in the file those bytes begin that belong to no record that was given.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.start
    }

    /// The version of the protocol that most replies of the file are written in, once that is known.
    #[must_use]
    pub fn session(&self) -> Option<Profile> {
        self.session
    }

    /// The container, once it is known.
    #[must_use]
    pub fn container(&self) -> Option<Container> {
        self.summary.container
    }

    /// Whether the file has records that are read one by one.
    #[must_use]
    pub fn has_records(&self) -> bool {
        self.state.as_ref().is_some_and(|(terms, _)| !terms.is_whole())
    }

    /// A batch of bytes in front of `start`.
    fn batch(&self, bytes: Vec<u8>, cuts: Vec<Cut>) -> Batch {
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
        let limit = self.limit * if terms.is_whole() { LONGEST_DOCUMENT / LONGEST_RECORD } else { 1 };
        let mut cuts = Vec::new();
        while let Some(RecordBounds { start, end, next }) =
            cutter.next(buffer.get(at..).unwrap_or(&[]), is_end)
        {
            self.number += 1;
            if !std::mem::take(&mut self.is_skipping) {
                cuts.push(Cut::new(self.number, at + start..at + end, limit));
            }
            at += next;
        }
        at = at.min(buffer.len());
        if buffer.len() - at > limit && !self.is_skipping {
            self.is_skipping = true;
            cuts.push(Cut::new(self.number + 1, at..buffer.len(), limit));
        }
        if self.is_skipping {
            cutter.forget(buffer.len() - at);
        }
        // What follows the last record of a file belongs to none.
        if self.is_skipping || is_end {
            at = buffer.len();
        }
        self.start += at as u64;
        self.state = Some((terms, cutter));
        // Splitting at the start would give up the room for what is to come.
        self.buffer = if at == 0 { std::mem::take(&mut buffer) } else { buffer.split_off(at) };
        Batch { head, ..self.batch(buffer, cuts) }
    }

    /// How the file is read, and the records that were read to know it.
    fn decide(&mut self, head: &[u8], is_all: bool) -> ((Arc<ReadTerms>, RecordSplitter), HeadRecords) {
        let start = head.get(..HEAD).unwrap_or(head);
        let plan = detect::plan(&self.options, start, is_all && start.len() == head.len(), &self.own);
        let mut terms = ReadTerms::new(&self.options, plan, None);
        let mut records = HeadRecords::default();
        // What is there of an only record need not be all of it.
        if !terms.is_whole() {
            (terms.session, records) = majority(&terms, head, is_all);
        }
        self.session = terms.session;
        self.summary.container = (!head.is_empty()).then_some(plan.container);
        ((Arc::new(terms), RecordSplitter::new(plan.frame)), records)
    }

    /// What a file is that is not text. Where it is named as one reply it is read, byte by byte.
    fn refusal(&self) -> Option<&'static str> {
        let is_one = self.options.container == Some(Container::Raw);
        binary::kind(&self.buffer).filter(|_| !is_one)
    }

    /// Refuses the file, with a finding.
    fn refuse(&mut self, kind: &'static str) -> Batch {
        self.is_refused = true;
        let bytes = std::mem::take(&mut self.buffer);
        self.start += bytes.len() as u64;
        self.batch(bytes, vec![Cut { number: 1, range: 0..0, kind: CutKind::Binary(kind) }])
    }
}

impl Cut {
    /// The bytes of a record; of more than `limit` the first few.
    fn new(number: u64, range: Range<usize>, limit: usize) -> Self {
        if range.len() <= limit {
            return Self { number, range, kind: CutKind::Record };
        }
        let end = range.end.min(range.start + SHOWN);
        Self { number, range: range.start..end, kind: CutKind::TooLong(limit) }
    }
}
