//! Totals of the statistics of all files.

use std::collections::BTreeMap;

use mangle_syntax::lint::Severity;
use piggyback::transcript::statistics::{OTHERS, Statistics};

/// The maximum number of distinct blocked actions.
const MAX_ACTIONS: usize = 200;

#[derive(Debug, Default, PartialEq)]
pub(super) struct Totals {
    pub(super) files: u64,
    pub(super) sessions: u64,
    pub(super) answers: u64,
    pub(super) prompts: u64,
    /// Replies by extraction method of the runtime.
    pub(super) methods: BTreeMap<&'static str, u64>,
    /// Updates by outcome.
    pub(super) kept: u64,
    pub(super) dropped: u64,
    pub(super) blocked: u64,
    pub(super) withdrawn: u64,
    /// Blocks by the constitution, by lock and action.
    pub(super) blocks: BTreeMap<(&'static str, String), u64>,
    /// Files without a policy to replay against.
    pub(super) unjudged: u64,
    pub(super) said: u64,
    pub(super) state: u64,
    pub(super) errors: u64,
    pub(super) warnings: u64,
    /// Findings of a lower severity.
    pub(super) lower: u64,
}

impl Totals {
    pub(super) fn found(&mut self, severity: Severity) {
        match severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
            Severity::Information | Severity::Hint => self.lower += 1,
        }
    }

    pub(super) fn add(&mut self, figures: &Statistics, latest: bool) {
        self.files += 1;
        self.answers += figures.answers;
        self.prompts += figures.prompts;
        for (method, count) in &figures.methods {
            *self.methods.entry(method).or_default() += count;
        }
        self.kept += figures.atoms.kept;
        self.dropped += figures.atoms.dropped;
        self.blocked += figures.atoms.blocked;
        self.withdrawn += figures.atoms.withdrawn;
        self.unjudged += u64::from(figures.blocks.is_none());
        for ((lock, action), count) in figures.blocks.iter().flatten() {
            let key = (*lock, action.clone());
            let is_known = self.blocks.contains_key(&key) || self.blocks.len() < MAX_ACTIONS;
            let key = if is_known { key } else { (*lock, OTHERS.to_owned()) };
            *self.blocks.entry(key).or_default() += count;
        }
        self.said += figures.compression.original;
        self.state += figures.compression.state(latest);
    }

    pub(super) fn violations(&self) -> u64 {
        self.errors + self.warnings
    }

    /// The number of blocks.
    pub(super) fn all_blocks(&self) -> u64 {
        self.blocks.values().sum()
    }
}
