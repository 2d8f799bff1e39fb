//! Batches of a transcript: bytes of a file, cut into records that any thread can read.
//!
//! Reading depends only on the bytes of a record. [`super::TranscriptReader::take`] merges the
//! results in file order. The protocol version of the majority depends on the first records, and
//! [`Repetitions`] marks texts that an export contains more than once: the history before an
//! answer, the output of nested steps, a conversation that is exported again after each answer.
//! Only the first occurrence is a turn.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::findings;
use super::record::ReadContext;
use super::record_splitter::{RecordBounds, RecordSplitter};
use super::turn::{Record, RecordShape, Skip, TextKind, Turn, TurnRole};
use super::words::hash;
use crate::envelope::is_envelope;
use crate::envelope::json::Json;
use crate::envelope::profile::{self, Marker};
use mangle_settings::Profile;
use mangle_syntax::lint::Finding;

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
                            let keys = text_keys(&record, may_repeat);
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

/// A [`Record`] without its bytes.
#[derive(Debug)]
pub(super) struct ReadRecord<T> {
    number: u64,
    start: u64,
    len: usize,
    turns: Vec<Turn>,
    findings: Vec<Finding>,
    shape: Option<RecordShape>,
    /// Hashes of the texts that may be copies.
    keys: TextKeys,
    /// Result of the work on the record.
    result: T,
}

impl<T> ReadRecord<T> {
    /// Drops the bytes of a record and attaches a result.
    fn new(record: Record<'_>, keys: TextKeys, result: T) -> Self {
        let Record { number, start, bytes, turns, findings, shape } = record;
        Self { number, start, len: bytes.len(), turns, findings, shape, keys, result }
    }

    /// Returns the record with its bytes, the offset of these bytes in the batch, the keys and the
    /// result.
    pub(super) fn with_bytes(self, batch: &[u8], start: u64) -> (Record<'_>, usize, TextKeys, T) {
        let from = usize::try_from(self.start.saturating_sub(start)).unwrap_or(usize::MAX);
        let bytes = batch.get(from..from.saturating_add(self.len)).unwrap_or(&[]);
        let Self { number, start, turns, findings, shape, keys, result, .. } = self;
        (Record { number, start, bytes, turns, findings, shape }, from, keys, result)
    }
}

/// Number of leading bytes of a file that are examined.
pub(super) const LOOK_AHEAD: usize = 1 << 20;

/// Maximum number of envelopes that are examined.
const MAX_ENVELOPES: usize = 1_000;

/// Version counts of the envelopes of a file.
#[derive(Debug, Default)]
struct Votes {
    total: usize,
    counts: [usize; Profile::ALL.len()],
    /// Number of envelopes with only weak hints at version 1.1, which may be mistakes.
    hint_only: usize,
    /// Distinct kinds of these hints.
    hints: Vec<Marker>,
}

/// Records at the beginning of a file, by the number of the bytes they were read from. Offsets are
/// relative to these bytes; the protocol version is not set.
pub(super) type HeadRecords = FxHashMap<u64, Vec<ReadRecord<()>>>;

/// Returns the protocol version of the majority of replies in the first bytes of a file, and the
/// records in them.
///
/// The version is `None` if there are fewer than two envelopes or no majority. `is_all` is true if
/// no more bytes follow.
pub(super) fn majority(terms: &ReadContext, head: &[u8], is_all: bool) -> (Option<Profile>, HeadRecords) {
    let is_all = is_all || terms.is_whole();
    let mut rest = if terms.is_whole() { head } else { head.get(..LOOK_AHEAD).unwrap_or(head) };
    let (mut votes, mut repeated) = (Votes::default(), Repetitions::default());
    let mut splitter = RecordSplitter::new(terms.plan.frame);
    let (mut number, mut records) = (0, HeadRecords::default());
    while let Some(RecordBounds { start, end, next }) = splitter.next(rest, is_all) {
        number += 1;
        let bytes = rest.get(start..end).unwrap_or(&[]);
        let mut read = Vec::new();
        terms.read(number, bytes, 0, None, &mut |mut record| {
            let keys = text_keys(&record, terms.may_repeat());
            let kinds: Vec<TextKind> = record.turns.iter().map(|turn| turn.kind).collect();
            repeated.mark(&mut record, &keys);
            votes.record(&record);
            // The reader of the file marks copies itself.
            record.turns.iter_mut().zip(kinds).for_each(|(turn, kind)| turn.kind = kind);
            read.push(ReadRecord::new(record, keys, ()));
        });
        records.insert(number, read);
        rest = rest.get(next..).unwrap_or(&[]);
    }
    (votes.majority(), records)
}

impl Votes {
    fn record(&mut self, record: &Record<'_>) {
        for turn in record.turns.iter().filter(|turn| turn.is_reply()) {
            if self.total < MAX_ENVELOPES {
                self.turn(record, turn);
            }
        }
    }

    fn turn(&mut self, record: &Record<'_>, turn: &Turn) {
        let text = turn.text(record.bytes);
        let Some(brace) = memchr::memchr(b'{', text) else { return };
        let json = Json::parse_part(text, brace..text.len());
        if !is_envelope(&json) {
            return;
        }
        self.total += 1;
        let signs = profile::evidence(&json);
        let declared = turn.details.as_ref().and_then(|details| details.profile).or(signs.declared);
        if let Some(own) = declared.or(signs.own) {
            self.add(own);
            self.note(&signs.markers);
        } else if !signs.hints.is_empty() {
            self.hint_only += 1;
            self.note(&signs.hints);
        }
    }

    fn add(&mut self, profile: Profile) {
        let at = Profile::ALL.iter().position(|one| *one == profile);
        if let Some(count) = at.and_then(|at| self.counts.get_mut(at)) {
            *count += 1;
        }
    }

    fn note(&mut self, markers: &[Marker]) {
        let kind = |marker: &Marker| std::mem::discriminant(marker);
        for marker in markers {
            let is_hint = !matches!(marker, Marker::Member(_));
            if is_hint && !self.hints.iter().any(|known| kind(known) == kind(marker)) {
                self.hints.push(*marker);
            }
        }
    }

    /// Returns the version of more than half of the envelopes. Envelopes without a version mark are
    /// current.
    fn majority(&self) -> Option<Profile> {
        let known: usize = self.counts.iter().sum();
        let count = |profile: Profile| {
            let at = Profile::ALL.iter().position(|one| *one == profile);
            at.and_then(|at| self.counts.get(at)).copied().unwrap_or_default()
        };
        // Several kinds of hints, or a certain mark of version 1.1, mean that the hints are not
        // mistakes.
        let is_old = self.hints.len() > 1 || count(Profile::V1_1) > 0;
        let votes = |profile: Profile| match profile {
            Profile::V1_1 => count(profile) + if is_old { self.hint_only } else { 0 },
            Profile::Current => count(profile) + self.total - known - if is_old { self.hint_only } else { 0 },
            _ => count(profile),
        };
        // A single envelope determines its own version.
        let has_others = self.total > 1;
        Profile::ALL.into_iter().find(|profile| has_others && votes(*profile) * 2 > self.total)
    }
}

/// Maximum number of remembered texts.
const MAX_TEXTS: usize = 1 << 17;

/// Hashes of the texts of a file so far.
#[derive(Debug, Default)]
pub(super) struct Repetitions {
    /// Number of occurrences per text that were read from a repeating place and have not yet
    /// appeared in their own place.
    known: FxHashMap<(TurnRole, u64), u32>,
    /// Conversations of earlier records: one hash of all texts in order.
    conversations: FxHashSet<u64>,
}

/// Minimum number of texts of a conversation that a later record can continue: a prompt and its
/// answer.
const MIN_TEXTS: usize = 2;

/// Hashes of the texts of a record that may be copies.
pub(super) type TextKeys = SmallVec<[u64; 2]>;

/// Returns the hashes of the texts of a record. Empty if `may_repeat` is false.
fn text_keys(record: &Record<'_>, may_repeat: bool) -> TextKeys {
    let turns = record.turns.iter().filter(|turn| may_repeat && is_counted(turn));
    turns.map(|turn| hash(turn.text(record.bytes))).collect()
}

/// True if the detection of copies in a record depends on other records.
pub(super) fn depend_on_others(turns: &[Turn]) -> bool {
    let is_copy = |turn: &Turn| turn.may_repeat || turn.kind == TextKind::Skipped(Skip::Repeated);
    turns.iter().any(is_copy) || turns.iter().filter(|turn| is_counted(turn)).count() >= MIN_TEXTS
}

/// True if a turn can be a copy or can have copies.
fn is_counted(turn: &Turn) -> bool {
    turn.is_reply() || turn.kind == TextKind::Prompt
}

impl Repetitions {
    /// Marks turns that are copies of earlier turns. `keys` are the texts of the record. Returns
    /// true if there are any.
    pub(super) fn mark(&mut self, record: &mut Record<'_>, keys: &TextKeys) -> bool {
        let known = self.mark_history(record, keys);
        let mut has_copies = known > 0;
        let keys = keys.iter().skip(known);
        for (turn, key) in record.turns.iter_mut().filter(|turn| is_counted(turn)).zip(keys) {
            if self.is_copy(turn, *key) {
                turn.kind = TextKind::Skipped(Skip::Repeated);
                has_copies = true;
            }
        }
        has_copies
    }

    /// Marks the leading turns of a record that repeat an earlier record: the same conversation,
    /// exported again with later messages. Returns the number of marked turns.
    fn mark_history(&mut self, record: &mut Record<'_>, keys: &TextKeys) -> usize {
        if keys.len() < MIN_TEXTS {
            return 0;
        }
        let named = record.turns.iter().find_map(|turn| turn.details.as_ref()?.session.as_ref());
        let (mut chain, mut known) = (hash(named), 0);
        let counted = record.turns.iter().filter(|turn| is_counted(turn)).zip(keys);
        for (at, (turn, key)) in counted.enumerate() {
            chain = hash((chain, turn.role, *key));
            // Without a session name, two equal records may be two conversations.
            let is_whole = at + 1 == keys.len();
            if at + 1 >= MIN_TEXTS && self.conversations.contains(&chain) && (!is_whole || named.is_some()) {
                known = at + 1;
            }
        }
        if self.conversations.len() < MAX_TEXTS {
            self.conversations.insert(chain);
        }
        for turn in record.turns.iter_mut().filter(|turn| is_counted(turn)).take(known) {
            turn.kind = TextKind::Skipped(Skip::Repeated);
        }
        known
    }

    fn is_copy(&mut self, turn: &Turn, key: u64) -> bool {
        let key = (turn.role, key);
        match self.known.get_mut(&key) {
            Some(_) if turn.may_repeat => true,
            Some(waiting) if *waiting > 0 => {
                *waiting -= 1;
                true
            }
            Some(_) => false,
            None => {
                if self.known.len() < MAX_TEXTS {
                    self.known.insert(key, u32::from(turn.may_repeat));
                }
                false
            }
        }
    }
}
