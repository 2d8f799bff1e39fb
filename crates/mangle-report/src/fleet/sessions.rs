//! Sessions with the most violations.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};

use super::event::{FleetFile, Origin};
use mangle_syntax::lint::Severity;
use mangle_syntax::text::shorten;
use piggyback::envelope::secrets::redacted;

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
