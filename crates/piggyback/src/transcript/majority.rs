//! The version of the protocol that most replies of a file are written in, and the records that were read to find out.

use super::read_record::ReadRecord;
use super::read_terms::ReadTerms;
use super::record_splitter::{RecordBounds, RecordSplitter};
use super::repetitions::{self, Repetitions};
use super::turn::{Record, TextKind, Turn};
use crate::envelope::is_envelope;
use crate::envelope::json::Json;
use crate::envelope::profile::{self, Marker};
use mangle_settings::Profile;
use rustc_hash::FxHashMap;

/// How many bytes of a file tell which version most of its replies are written in.
pub(super) const LOOK_AHEAD: usize = 1 << 20;

/// How many envelopes are looked at.
const MOST: usize = 1_000;

/// What the envelopes of a file tell.
#[derive(Debug, Default)]
struct Votes {
    total: usize,
    counts: [usize; Profile::ALL.len()],
    /// How many have something that 1.1 has, and that may be a slip elsewhere.
    hinted: usize,
    /// What that is, each once.
    hints: Vec<Marker>,
}

/// The records at the beginning of a file, by the number of the bytes that they were read from. They start where those bytes do, and
/// are of no version.
pub(super) type HeadRecords = FxHashMap<u64, Vec<ReadRecord<()>>>;

/// The version of most replies in the bytes that a file begins with, and the records in them; `None` where there are too few to tell, or
/// as many of each. `is_all` says that no more bytes follow.
pub(super) fn majority(terms: &ReadTerms, head: &[u8], is_all: bool) -> (Option<Profile>, HeadRecords) {
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
            if self.total < MOST {
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
        let signs = profile::signs(&json);
        let declared = turn.details.as_ref().and_then(|details| details.profile).or(signs.declared);
        if let Some(own) = declared.or(signs.own) {
            self.add(own);
            self.note(&signs.markers);
        } else if !signs.hints.is_empty() {
            self.hinted += 1;
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

    /// What has no mark of a version counts as current.
    fn majority(&self) -> Option<Profile> {
        let known: usize = self.counts.iter().sum();
        let count = |profile: Profile| {
            let at = Profile::ALL.iter().position(|one| *one == profile);
            at.and_then(|at| self.counts.get(at)).copied().unwrap_or_default()
        };
        // Hints that do not depend on each other, or beside what only 1.1 has, are no slips.
        let is_old = self.hints.len() > 1 || count(Profile::V1_1) > 0;
        let votes = |profile: Profile| match profile {
            Profile::V1_1 => count(profile) + if is_old { self.hinted } else { 0 },
            Profile::Current => count(profile) + self.total - known - if is_old { self.hinted } else { 0 },
            _ => count(profile),
        };
        // A single envelope tells its version itself.
        let has_others = self.total > 1;
        Profile::ALL.into_iter().find(|profile| has_others && votes(*profile) * 2 > self.total)
    }
}
