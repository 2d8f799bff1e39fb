//! Events of sessions that the page counts, with their origin, and the sessions with the most
//! violations.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};

use super::counts::Dimension;
use mangle_syntax::lint::{Rule, Severity};
use mangle_syntax::text::shorten;
use piggyback::envelope::secrets::redacted;
use piggyback::transcript::labels::Labels;

/// The origin of an event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    pub time: OriginTime,
    /// The labels of the model and the role that replied.
    pub labels: Labels,
    /// The session id in the record.
    pub session: Option<String>,
    /// The displayed version, if it differs from the version for the checks.
    pub version: Option<String>,
    /// The number of the record or turn; `None` for a whole file.
    pub record: Option<i64>,
}

/// The time of an event.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OriginTime {
    /// The record has no time.
    #[default]
    Absent,
    /// The record has a time in an unknown format.
    Unreadable,
    /// Seconds since 1970, UTC.
    At(i64),
}

#[derive(Debug, Clone, Copy)]
pub enum FleetEvent {
    /// A reply of the model. `said` is the number of tokens of its text and of the preceding
    /// prompts.
    Answer {
        said: u64,
    },
    /// A change in the size of the asserted facts, in tokens.
    State {
        change: i64,
    },
    /// The constitution blocked a request, a reply or a text.
    Blocked,
    Found {
        rule: &'static Rule,
        severity: Severity,
    },
}

/// A file of sessions, or a session in memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FleetFile {
    /// The display name of the file.
    pub name: String,
    /// The URI for links in a page; `None` without a file.
    pub link: Option<String>,
    /// The unit of its records: `line`, `record` or `turn`.
    pub unit: &'static str,
}

/// The valid times: the seconds of the years 1990 to 2199.
const SECONDS: std::ops::Range<i64> = 631_152_000..7_258_118_400;

impl OriginTime {
    /// Parses a time like a replay: RFC 3339, RFC 2822, or a number since 1970 in seconds or
    /// smaller units. A time without a zone is interpreted as UTC.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        let second = agent_replay::instant(text).map(|nanoseconds| nanoseconds.div_euclid(1_000_000_000));
        second.map_or(Self::Unreadable, Self::of_second)
    }

    /// The time for seconds since 1970, UTC. Years outside of 1990 to 2199 are unreadable.
    #[must_use]
    pub fn of_second(second: i64) -> Self {
        if SECONDS.contains(&second) { Self::At(second) } else { Self::Unreadable }
    }
}

impl Origin {
    /// The words of all dimensions except the rule.
    pub(super) fn words(&self) -> [(Dimension, Option<&str>); 3] {
        [
            (Dimension::Shard, self.labels.shard.as_deref()),
            (Dimension::Model, self.labels.model.as_deref()),
            (Dimension::Version, self.version.as_deref().or(self.labels.version)),
        ]
    }
}

/// The maximum number of displayed sessions.
pub(super) const MAX_SHOWN: usize = 10;

/// The maximum number of distinct sessions of a file. Violations of further sessions are counted
/// together.
const MAX_KNOWN: usize = 100_000;

/// The maximum length of a session name in characters.
const MAX_LEN: usize = 100;

/// The worst sessions so far, and the sessions of the current file.
#[derive(Debug, Default)]
pub(super) struct SessionBoard {
    pub(super) worst: Vec<WorstSession>,
    /// Violations in sessions beyond [`MAX_KNOWN`].
    pub(super) beyond: u64,
    file: FleetFile,
    hasher: RandomState,
    open: HashMap<u64, SessionTally>,
    /// The start order of the next session in the file.
    next: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WorstSession {
    pub(super) file: FleetFile,
    pub(super) tally: SessionTally,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct SessionTally {
    /// The id in records; `None` for a whole file.
    pub(super) name: Option<String>,
    pub(super) answers: u64,
    pub(super) errors: u64,
    pub(super) warnings: u64,
    pub(super) blocked: u64,
    pub(super) first: Option<FirstViolation>,
    order: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FirstViolation {
    /// Code and name of the rule.
    pub(super) rule: String,
    /// The line of its record, if known.
    pub(super) line: Option<u32>,
    pub(super) record: Option<i64>,
}

impl SessionBoard {
    pub(super) fn begin(&mut self, file: FleetFile) {
        self.file = file;
        self.open.clear();
        self.next = 0;
    }

    pub(super) fn answer(&mut self, origin: &Origin) {
        if let Some(tally) = self.tally(origin) {
            tally.answers += 1;
        }
    }

    pub(super) fn blocked(&mut self, origin: &Origin) {
        if let Some(tally) = self.tally(origin) {
            tally.blocked += 1;
        }
    }

    pub(super) fn violation(&mut self, origin: &Origin, line: Option<u32>, severity: Severity, rule: String) {
        let record = origin.record;
        let Some(tally) = self.tally(origin) else {
            self.beyond += 1;
            return;
        };
        match severity {
            Severity::Error => tally.errors += 1,
            _ => tally.warnings += 1,
        }
        tally.first.get_or_insert(FirstViolation { rule, line, record });
    }

    /// Ends a file. Returns the number of its sessions with replies.
    pub(super) fn end(&mut self) -> u64 {
        let answered = self.open.values().filter(|tally| tally.answers > 0).count();
        let mut bad: Vec<_> = std::mem::take(&mut self.open).into_values().collect();
        bad.retain(|tally| tally.violations() > 0);
        bad.sort_by_key(|tally| (std::cmp::Reverse(tally.rank()), tally.order));
        bad.truncate(MAX_SHOWN);
        let file = std::mem::take(&mut self.file);
        self.worst.extend(bad.into_iter().map(|tally| WorstSession { file: file.clone(), tally }));
        // The sort is stable: for equal ranks, earlier files come first.
        self.worst.sort_by_key(|session| std::cmp::Reverse(session.tally.rank()));
        self.worst.truncate(MAX_SHOWN);
        answered as u64
    }

    /// The counts of the session of an origin; `None` beyond [`MAX_KNOWN`] sessions.
    fn tally(&mut self, origin: &Origin) -> Option<&mut SessionTally> {
        let key = self.hasher.hash_one(&origin.session);
        if !self.open.contains_key(&key) && self.open.len() >= MAX_KNOWN {
            return None;
        }
        let next = &mut self.next;
        Some(self.open.entry(key).or_insert_with(|| {
            *next += 1;
            let name = origin.session.as_deref().map(|name| shorten(&redacted(name), MAX_LEN).into_owned());
            SessionTally { name, order: *next, ..SessionTally::default() }
        }))
    }
}

impl SessionTally {
    pub(super) fn violations(&self) -> u64 {
        self.errors + self.warnings
    }

    /// The sort key of sessions. The worst session has the largest key.
    fn rank(&self) -> (u64, u64, u64) {
        (self.violations(), self.errors, self.blocked)
    }
}
