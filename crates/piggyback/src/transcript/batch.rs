//! Bytes of a file, cut into records that any thread can read.
//!
//! Reading depends only on the bytes of a record. [`super::TranscriptReader::take`] merges the
//! results in file order.

use std::ops::Range;
use std::sync::Arc;

use super::findings;
use super::majority::{HeadRecords, majority};
use super::read_context::ReadContext;
use super::read_record::ReadRecord;
use super::repetitions::{self, TextKeys};
use super::turn::Record;
use mangle_settings::Profile;

/// The next bytes of a file and the bounds of the records in them, not yet read.
#[derive(Debug)]
pub struct Batch {
    pub(super) bytes: Vec<u8>,
    /// Offset of the bytes in the file.
    pub(super) start: u64,
    pub(super) cuts: Vec<RecordSlice>,
    pub(super) terms: Option<Arc<ReadContext>>,
    /// Records that were read earlier, to detect the protocol version.
    pub(super) head: HeadRecords,
}

/// Bounds of one record.
#[derive(Debug)]
pub(super) struct RecordSlice {
    pub(super) number: u64,
    /// Byte range, relative to the batch.
    pub(super) range: Range<usize>,
    pub(super) kind: CutKind,
}

/// Treatment of the bytes of a record.
#[derive(Debug, Clone, Copy)]
pub(super) enum CutKind {
    /// The record is read.
    Record,
    /// The record is longer than this limit in bytes; only its first bytes are kept.
    TooLong(usize),
    /// The file is not text; the value is a description of its type.
    Binary(&'static str),
}

/// A batch after reading, with one result per record.
#[derive(Debug)]
pub struct ReadBatch<T> {
    pub(super) bytes: Vec<u8>,
    pub(super) start: u64,
    pub(super) records: Vec<ReadRecord<T>>,
    /// Protocol version of the majority of replies, if the batch determines it.
    pub(super) session: Option<Profile>,
}

/// Callback for each record: the record, the bytes of its batch before the record, and the result
/// if the result is still valid.
pub type MergedRecordCallback<'f, T> = dyn FnMut(&Record<'_>, &[u8], Option<T>) + 'f;

impl Batch {
    /// The bytes of the batch. The concatenation of all batches is the file.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Reads the records and calls `work` for each.
    pub fn read<T>(mut self, work: &mut dyn FnMut(&Record<'_>) -> T) -> ReadBatch<T> {
        let mut records = Vec::with_capacity(self.cuts.len());
        let head = std::mem::take(&mut self.head);
        let session = self.each(head, &mut |record, keys| {
            let result = work(&record);
            records.push(ReadRecord::new(record, keys, result));
        });
        ReadBatch { bytes: self.bytes, start: self.start, records, session }
    }

    /// Passes each record to `each`, with the hashes of its texts that may be copies. Returns the
    /// protocol version of the majority of replies. `head` holds the records that were read
    /// earlier.
    pub(super) fn each(
        &self,
        mut head: HeadRecords,
        each: &mut dyn FnMut(Record<'_>, TextKeys),
    ) -> Option<Profile> {
        let may_repeat = self.may_repeat();
        let mut session = self.terms.as_ref().and_then(|terms| terms.session);
        for cut in &self.cuts {
            let bytes = self.bytes.get(cut.range.clone()).unwrap_or(&[]);
            let start = self.start + cut.range.start as u64;
            match (cut.kind, &self.terms) {
                (CutKind::Record, Some(terms)) => {
                    let mut known = head.remove(&cut.number);
                    if terms.is_whole() {
                        let (version, mut records) = majority(terms, bytes, true);
                        session = version;
                        known = records.remove(&1);
                    }
                    match known {
                        Some(known) => replay_head_records(known, bytes, start, session, each),
                        None => terms.read(cut.number, bytes, start, session, &mut |record| {
                            let keys = repetitions::keys(&record, may_repeat);
                            each(record, keys);
                        }),
                    }
                }
                (CutKind::Record, None) => {}
                (CutKind::TooLong(limit), _) => {
                    let mut record = Record::new(cut.number, start, bytes);
                    record.findings.push(findings::too_long(record.range(), limit));
                    each(record, TextKeys::default());
                }
                (CutKind::Binary(kind), _) => {
                    let mut record = Record::new(cut.number, start, &[]);
                    record.findings.push(findings::binary(kind));
                    each(record, TextKeys::default());
                }
            }
        }
        session
    }

    /// True if texts of the file may be copies of other texts.
    pub(super) fn may_repeat(&self) -> bool {
        self.terms.as_ref().is_some_and(|terms| terms.may_repeat())
    }
}

/// Passes on records that were read earlier, with their bytes, file offset and protocol version.
fn replay_head_records(
    known: Vec<ReadRecord<()>>,
    bytes: &[u8],
    start: u64,
    session: Option<Profile>,
    each: &mut dyn FnMut(Record<'_>, TextKeys),
) {
    for record in known {
        let (mut record, _, keys, ()) = record.with_bytes(bytes, 0);
        record.start += start;
        record.turns.iter_mut().for_each(|turn| turn.session = session);
        each(record, keys);
    }
}
