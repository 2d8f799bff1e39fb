//! Bytes of a file that are cut into records. What is in the records can be found out on any thread, since it depends on
//! their bytes alone; [`super::TranscriptReader::take`] puts it together in the order of the file.

use std::ops::Range;
use std::sync::Arc;

use super::findings;
use super::majority::{HeadRecords, majority};
use super::read_record::ReadRecord;
use super::read_terms::ReadTerms;
use super::repetitions::{self, TextKeys};
use super::turn::Record;
use mangle_settings::Profile;

/// The next bytes of a file and the records in them, cut and not yet read.
#[derive(Debug)]
pub struct Batch {
    pub(super) bytes: Vec<u8>,
    /// Where in the file they begin.
    pub(super) start: u64,
    pub(super) cuts: Vec<Cut>,
    pub(super) terms: Option<Arc<ReadTerms>>,
    /// Records that were read before.
    pub(super) head: HeadRecords,
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
    pub(super) bytes: Vec<u8>,
    pub(super) start: u64,
    pub(super) records: Vec<ReadRecord<T>>,
    /// The version of most replies of the file, where the batch tells it.
    pub(super) session: Option<Profile>,
}

/// Gets a record, the bytes of its batch in front of it, and what was found out about it, where that holds.
pub type EachTaken<'f, T> = dyn FnMut(&Record<'_>, &[u8], Option<T>) + 'f;

impl Batch {
    /// The bytes of the batch. Those of all batches are the file.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Reads the records and does `work` with each.
    pub fn read<T>(mut self, work: &mut dyn FnMut(&Record<'_>) -> T) -> ReadBatch<T> {
        let mut records = Vec::with_capacity(self.cuts.len());
        let head = std::mem::take(&mut self.head);
        let session = self.each(head, &mut |record, keys| {
            let result = work(&record);
            records.push(ReadRecord::new(record, keys, result));
        });
        ReadBatch { bytes: self.bytes, start: self.start, records, session }
    }

    /// Gives the records and the texts in them that may be copies, each once, and the version of most replies.
    /// `head` are those that were read before.
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
                        Some(known) => again(known, bytes, start, session, each),
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

    /// Whether texts of the file may be copies of others.
    pub(super) fn may_repeat(&self) -> bool {
        self.terms.as_ref().is_some_and(|terms| terms.may_repeat())
    }
}

/// Gives records that were read before, with their bytes, their place in the file and their version.
fn again(
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
