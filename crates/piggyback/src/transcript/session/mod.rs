//! Checks across the turns of a session: repair rounds, memory operations, campaigns, and exceeded
//! limits.
//!
//! Input are the digests of turns in order, output are findings. Memory is bounded: at most
//! [`MAX_TRACKED`] names of each kind, [`MAX_PENDING_FINDINGS`] pending findings, and the atoms of
//! one turn.
//!
//! Names beyond these limits are dropped. Findings that dropped names could refute are not
//! reported.

mod campaign;
mod compression;
mod consistency;
mod limits;
mod partial;
#[cfg(test)]
mod tests;

use std::hash::Hash;

use rustc_hash::{FxHashMap, FxHashSet};

use super::digest::{Digest, ReplyDigest, TurnSite};
use super::placement::TranscriptFinding;
use super::turn::{TurnRole, is_answer};
use super::words::hash;
use crate::envelope::{PROFILE_INFERRED, ReplyContext};
use mangle_settings::Profile;
use mangle_syntax::lint::{Finding, Rule};

pub use limits::{Limits, ShardLimits};

/// Maximum number of findings of one rule that wait for the end of the file.
pub const MAX_PENDING_FINDINGS: usize = 100;

/// Rules about sessions, family by family.
pub(super) const RULES: [&[&Rule]; 5] =
    [partial::RULES, consistency::RULES, compression::RULES, campaign::RULES, limits::RULES];

/// State of a session so far.
#[derive(Debug)]
pub struct TranscriptSession {
    /// Number of answers.
    turns: u64,
    /// The configured profile, which overrides inference.
    profile: Option<Profile>,
    partial: partial::Partial,
    retries: consistency::Retries,
    profiles: consistency::Profiles,
    memory: consistency::MemoryKeys,
    corrections: consistency::Corrections,
    context: consistency::Prompts,
    state: compression::SessionSize,
    campaign: campaign::Campaign,
    limits: limits::Tasks,
    /// Hashes of the reported messages about inferred profiles.
    inferred: FxHashSet<u64>,
}

impl TranscriptSession {
    /// Creates the state at the start of a session.
    #[must_use]
    pub fn new(context: &ReplyContext<'_>, limits: Limits) -> Self {
        let profile = context.profile.or(context.settings.profile);
        Self {
            turns: 0,
            profile,
            partial: partial::Partial::default(),
            retries: consistency::Retries::default(),
            profiles: consistency::Profiles::new(profile.is_some()),
            memory: consistency::MemoryKeys::default(),
            corrections: consistency::Corrections::default(),
            context: consistency::Prompts::default(),
            state: compression::SessionSize::new(context),
            campaign: campaign::Campaign::default(),
            limits: limits::Tasks::new(limits),
            inferred: FxHashSet::default(),
        }
    }

    /// True if a finding about one reply is new in this file. Each message about an inferred
    /// profile is reported once.
    pub fn is_news(&mut self, finding: &Finding) -> bool {
        let is_inferred = finding.rule == &PROFILE_INFERRED;
        !is_inferred
            || (self.inferred.len() < MAX_PENDING_FINDINGS && self.inferred.insert(hash(&finding.message)))
    }

    /// True if this message about an inferred profile does not need to be reported again.
    pub(super) fn is_told(&self, message: &str) -> bool {
        self.inferred.len() >= MAX_PENDING_FINDINGS || self.inferred.contains(&hash(message))
    }

    /// Adds the next record, before its turns. `findings` are about the record itself.
    pub fn record(&mut self, bytes: &[u8], findings: &[Finding]) {
        self.partial.record(bytes, findings);
    }

    /// Adds the next turn and its findings.
    pub fn turn(&mut self, site: TurnSite, digest: &Digest, out: &mut Vec<TranscriptFinding>) {
        if !is_answer(digest.kind) {
            if matches!(digest.role, TurnRole::User | TurnRole::System | TurnRole::Tool) {
                self.partial.prompt(digest);
                self.retries.prompt(digest, out);
                self.context.prompt(digest);
                self.state.prompt(digest);
                self.limits.prompt(site, digest);
            }
            return;
        }
        self.turns += 1;
        self.partial.answer(digest);
        let Some(reply) = digest.reply.as_deref() else {
            self.state.shown(digest.tokens);
            return;
        };
        let own = digest.details.as_ref().and_then(|details| details.profile);
        let profile = self.profile.or(own).or(digest.session).or(reply.profile);
        let now = CurrentTurn { turn: self.turns, site, digest, reply, profile };
        self.partial.reply(&now);
        self.retries.reply(&now, out);
        self.profiles.reply(&now);
        self.corrections.reply(&now, out);
        self.context.reply(&now, out);
        self.state.reply(&now, out);
        self.campaign.reply(&now, out);
        self.memory.reply(&now, out);
        self.limits.reply(&now, out);
    }

    /// The number of replies so far that were sent back and answered again.
    #[must_use]
    pub fn repair_rounds(&self) -> u64 {
        self.retries.rounds
    }

    /// Reports the findings that depend on the whole session.
    pub fn finish(self, out: &mut Vec<TranscriptFinding>) {
        self.retries.finish(out);
        self.profiles.finish(out);
        self.state.finish(out);
        self.partial.finish(out);
    }
}

/// Formats a count: `1 thing`, `2 things`.
fn count(number: usize, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{plural}")
}

/// A reply among the turns of a session.
#[derive(Clone, Copy)]
struct CurrentTurn<'d> {
    /// Number of the answer, starting at 1.
    turn: u64,
    site: TurnSite,
    digest: &'d Digest,
    reply: &'d ReplyDigest,
    /// The configured profile if any, otherwise the inferred profile.
    profile: Option<Profile>,
}

impl CurrentTurn<'_> {
    fn found(&self, finding: Finding, pointer: impl Into<String>) -> TranscriptFinding {
        self.digest.found(self.site, finding, pointer)
    }
}

/// Maximum number of remembered names per kind: memory keys, phases, tasks and atoms that hold.
pub const MAX_TRACKED: usize = 100_000;

/// Map with at most [`MAX_TRACKED`] keys.
#[derive(Debug)]
pub(super) struct BoundedMap<K, V> {
    known: FxHashMap<K, V>,
    /// True if a key was dropped.
    is_full: bool,
}

impl<K, V> Default for BoundedMap<K, V> {
    fn default() -> Self {
        Self { known: FxHashMap::default(), is_full: false }
    }
}

impl<K: Hash + Eq, V> BoundedMap<K, V> {
    fn get(&self, key: &K) -> Option<&V> {
        self.known.get(key)
    }

    fn insert(&mut self, key: K, value: V) -> Option<V> {
        if self.known.len() >= MAX_TRACKED && !self.known.contains_key(&key) {
            self.is_full = true;
            return None;
        }
        self.known.insert(key, value)
    }

    fn remove(&mut self, key: &K) {
        self.known.remove(key);
    }

    /// True if a key is not in the map and no key was dropped.
    fn lacks(&self, key: &K) -> bool {
        !self.is_full && !self.known.contains_key(key)
    }
}
