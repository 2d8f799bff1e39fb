//! Bytes of a file that are cut into records. What is in the records can be found out on any thread, since it depends on
//! their bytes alone; [`TranscriptReader::take`] puts it together in the order of the file.

use std::ops::Range;
use std::sync::Arc;

use regex::bytes::Regex;

use super::detect::Plan;
use super::lines::CustomShapes;
use super::reader::TranscriptReader;
use super::record::{self, RecordSite};
use super::record_shape::RecordShape;
use super::record_splitter::Frame;
use super::repetitions::{self, TextKeys};
use super::turn::{Record, Skip, TextKind, Turn, TurnRole};
use super::{TranscriptOptions, findings, markdown, plain};
use mangle_settings::{Container, Profile};
use mangle_syntax::lint::Finding;

/// What is needed to read a record, beside its bytes.
#[derive(Debug)]
pub(super) struct ReadTerms {
    pub(super) options: TranscriptOptions,
    pub(super) plan: Plan,
    pub(super) own: CustomShapes,
    pub(super) separator: Option<Regex>,
    /// The version of most replies of the file, where its first bytes tell it.
    pub(super) session: Option<Profile>,
    /// Whether the replies are only read to find that out.
    pub(super) is_voting: bool,
}

/// The next bytes of a file and the records in them, cut and not yet read.
#[derive(Debug)]
pub struct Batch {
    pub(super) bytes: Vec<u8>,
    /// Where in the file they begin.
    pub(super) start: u64,
    pub(super) cuts: Vec<Cut>,
    pub(super) terms: Option<Arc<ReadTerms>>,
}

/// The bytes of a record.
#[derive(Debug)]
pub(super) struct Cut {
    pub(super) number: u64,
    /// Where they are among those of the batch.
    pub(super) range: Range<usize>,
    pub(super) kind: CutKind,
}

/// What is done with the bytes of a record.
#[derive(Debug, Clone, Copy)]
pub(super) enum CutKind {
    /// They are read.
    Record,
    /// They are more than this limit, and only the first are here.
    TooLong(usize),
    /// The file is no text, but this.
    Binary(&'static str),
}

/// A batch that was read, with what was found out about each of its records.
#[derive(Debug)]
pub struct ReadBatch<T> {
    bytes: Vec<u8>,
    start: u64,
    records: Vec<ReadRecord<T>>,
    session: Option<Profile>,
}

/// Gets a record, the bytes of its batch in front of it, and what was found out about it, where that holds.
pub type EachTaken<'f, T> = dyn FnMut(&Record<'_>, &[u8], Option<T>) + 'f;

/// A [`Record`] without its bytes.
#[derive(Debug)]
struct ReadRecord<T> {
    number: u64,
    start: u64,
    len: usize,
    turns: Vec<Turn>,
    findings: Vec<Finding>,
    shape: Option<RecordShape>,
    keys: TextKeys,
    more: T,
}

impl Batch {
    /// The bytes of the batch. Those of all batches are the file.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Reads the records and does `work` with each.
    pub fn read<T>(self, work: &mut dyn FnMut(&Record<'_>) -> T) -> ReadBatch<T> {
        let mut records = Vec::with_capacity(self.cuts.len());
        let session = self.each(&mut |record| {
            let (keys, more) = (repetitions::keys(&record, self.may_repeat()), work(&record));
            let Record { number, start, bytes, turns, findings, shape } = record;
            records.push(ReadRecord { number, start, len: bytes.len(), turns, findings, shape, keys, more });
        });
        ReadBatch { bytes: self.bytes, start: self.start, records, session }
    }

    /// Gives the records, and the version of most replies.
    pub(super) fn each(&self, each: &mut dyn FnMut(Record<'_>)) -> Option<Profile> {
        let mut session = self.terms.as_ref().and_then(|terms| terms.session);
        for cut in &self.cuts {
            let bytes = self.bytes.get(cut.range.clone()).unwrap_or(&[]);
            let start = self.start + cut.range.start as u64;
            match (cut.kind, &self.terms) {
                (CutKind::Record, Some(terms)) => terms.read(cut.number, bytes, start, &mut session, each),
                (CutKind::Record, None) => {}
                (CutKind::TooLong(limit), _) => {
                    let mut record = Record::new(cut.number, start, bytes);
                    record.findings.push(findings::too_long(record.range(), limit));
                    each(record);
                }
                (CutKind::Binary(kind), _) => {
                    let mut record = Record::new(cut.number, start, &[]);
                    record.findings.push(findings::binary(kind));
                    each(record);
                }
            }
        }
        session
    }

    /// Whether texts of the file may be copies of others.
    pub(super) fn may_repeat(&self) -> bool {
        let container = self.terms.as_ref().map(|terms| terms.plan.container);
        matches!(container, Some(Container::Array | Container::ChatLines | Container::Response))
    }
}

impl<T> ReadBatch<T> {
    /// Gives the records to the reader that counts them, and then to `each`: with the bytes of the batch in front of the
    /// record, and what was found out, which is `None` where a turn turned out to be a copy. Returns the bytes of the batch.
    pub(super) fn each(self, reader: &mut TranscriptReader, each: &mut EachTaken<'_, T>) -> Vec<u8> {
        for ReadRecord { number, start, len, turns, findings, shape, keys, more } in self.records {
            let from = usize::try_from(start.saturating_sub(self.start)).unwrap_or(usize::MAX);
            let bytes = self.bytes.get(from..from.saturating_add(len)).unwrap_or(&[]);
            let mut record = Record { number, start, bytes, turns, findings, shape };
            let holds = !reader.count(&mut record, &keys);
            each(&record, self.bytes.get(..from).unwrap_or(&self.bytes), holds.then_some(more));
        }
        reader.settle(self.session);
        self.bytes
    }
}

impl ReadTerms {
    /// Gives the record, or the records, that some bytes are.
    fn read(
        &self,
        number: u64,
        bytes: &[u8],
        start: u64,
        session: &mut Option<Profile>,
        each: &mut dyn FnMut(Record<'_>),
    ) {
        let plan = self.plan;
        if matches!(plan.frame, Frame::Whole) && !self.is_voting {
            *session = TranscriptReader::majority(&self.options, plan, bytes, true);
        }
        let mut give = |mut record: Record<'_>, shape: Option<RecordShape>| {
            record.turns.iter_mut().for_each(|turn| turn.session = *session);
            record.findings.extend(findings::invalid_utf8(record.bytes));
            record.shape = shape;
            each(record);
        };
        let is_one = self.options.container == Some(Container::Raw);
        match plan.container {
            Container::Markdown => markdown::read(bytes, start, &mut |record| give(record, None)),
            Container::Raw if !is_one && bytes.trim_ascii().is_empty() => {
                let mut record = Record::new(1, start, bytes);
                let turn = Turn::part(TurnRole::Assistant, TextKind::Skipped(Skip::Empty), record.range());
                record.turns.push(turn);
                give(record, None);
            }
            Container::Raw => {
                let declared = Some(RecordShape::Declared);
                if !is_one && self.own.read(bytes, start, &mut |record| give(record, declared)) {
                    return;
                }
                let parts = plain::parts(bytes, self.separator.as_ref(), is_one);
                for (index, part) in parts.into_iter().enumerate() {
                    give(record::of_text(bytes, start, index, part), None);
                }
            }
            Container::Session => record::of_session(bytes, start, &mut |record| give(record, None)),
            _ => {
                let site = RecordSite { container: plan.container, frame: plan.frame, number };
                if let Some((record, shape)) = record::read(site, bytes, start, &self.own.shapes) {
                    give(record, shape);
                }
            }
        }
    }
}
