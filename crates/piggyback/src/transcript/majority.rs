//! Protocol version of the majority of replies in a file, and the records read to determine it.

use super::read_context::ReadContext;
use super::read_record::ReadRecord;
use super::record_splitter::{RecordBounds, RecordSplitter};
use super::repetitions::{self, Repetitions};
use super::turn::{Record, TextKind, Turn};
use crate::envelope::is_envelope;
use crate::envelope::json::Json;
use crate::envelope::profile::{self, Marker};
use mangle_settings::Profile;
use rustc_hash::FxHashMap;

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
            let keys = repetitions::keys(&record, terms.may_repeat());
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
