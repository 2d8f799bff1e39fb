//! Rules about replies that do not fit earlier turns: repeated repairs (`PB018`, `PB019`), another
//! protocol version (`PB107`), unpaired memory operations (`PB310`), repeated corrections
//! (`PB407`), and ratings of predicates that no prompt contains (`PB445`).

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::{BoundedMap, CurrentTurn, MAX_PENDING_FINDINGS, count};
use crate::envelope::may_be_predicate;
use crate::transcript::digest::{Digest, MemoryDigest, PredicateRating};
use crate::transcript::placement::TranscriptFinding;
use crate::transcript::turn::TurnRole;
use crate::transcript::words::{hash, quoted};
use mangle_syntax::lint::{Finding, Rule, rule};

pub(super) const RULES: &[&Rule] =
    &[&REPAIR_STUCK, &REPAIR_SUMMARY, &PROFILE_OUTLIER, &UNPAIRED_OP, &CORRECTION_LOOP, &FEEDBACK_UNSEEN];

/// Rule: a repair repeats the same errors.
static REPAIR_STUCK: Rule = rule!("repair-stuck.md");

/// Rule: summary of the attempts at a reply.
static REPAIR_SUMMARY: Rule = rule!("repair-summary.md");

/// Rule: an envelope has a different version than the rest of the file.
static PROFILE_OUTLIER: Rule = rule!("profile-outlier.md");

/// Rule: a memory operation has no counterpart.
static UNPAIRED_OP: Rule = rule!("unpaired-op.md");

/// Rule: the same hypothesis occurs in consecutive turns.
static CORRECTION_LOOP: Rule = rule!("correction-loop.md");

/// Rule: a rated predicate was in no prompt.
static FEEDBACK_UNSEEN: Rule = rule!("feedback-unseen.md");

/// Attempts at one answer.
#[derive(Debug, Default)]
pub(super) struct Retries {
    attempts: usize,
    /// Hash of the errors of the last attempt.
    errors: Option<u64>,
    /// Summary of the attempts so far. Reported if no more attempts follow.
    summary: Option<TranscriptFinding>,
    /// True if the last attempt was sent back.
    is_sent_back: bool,
    /// Repair rounds of all answers.
    pub(super) rounds: u64,
}

impl Retries {
    pub(super) fn prompt(&mut self, digest: &Digest, out: &mut Vec<TranscriptFinding>) {
        if self.attempts == 0 || self.is_sent_back {
            return;
        }
        match digest.is_error_report {
            true => self.is_sent_back = true,
            false => self.close(out),
        }
    }

    pub(super) fn reply(&mut self, now: &CurrentTurn<'_>, out: &mut Vec<TranscriptFinding>) {
        if !std::mem::take(&mut self.is_sent_back) {
            self.close(out);
        }
        self.attempts += 1;
        let attempts = self.attempts;
        if attempts > 1 {
            self.rounds += 1;
            if self.errors.is_some() && self.errors == now.reply.errors {
                let message = format!("repair {} repeats the errors of the previous reply", attempts - 1);
                let finding = Finding::new(&REPAIR_STUCK, now.digest.place, message)
                    .note("another repair with this prompt is unlikely to help");
                out.push(now.found(finding, ""));
            }
            let message = format!("reply took {}", count(attempts, "attempt"));
            let finding = Finding::new(&REPAIR_SUMMARY, now.digest.place, message)
                .note(format!("the runtime read the last one as `{}`", now.reply.method));
            self.summary = Some(now.found(finding, ""));
        }
        self.errors = now.reply.errors;
    }

    fn close(&mut self, out: &mut Vec<TranscriptFinding>) {
        out.extend(self.summary.take());
        *self = Self { rounds: self.rounds, ..Self::default() };
    }

    pub(super) fn finish(mut self, out: &mut Vec<TranscriptFinding>) {
        self.close(out);
    }
}

/// The first envelopes with a different version than the majority of the file.
#[derive(Debug)]
pub(super) struct Profiles {
    is_given: bool,
    outliers: Vec<TranscriptFinding>,
}

impl Profiles {
    pub(super) fn new(is_given: bool) -> Self {
        Self { is_given, outliers: Vec::new() }
    }

    pub(super) fn reply(&mut self, now: &CurrentTurn<'_>) {
        let (Some(own), Some(usual)) = (now.reply.profile, now.digest.session) else { return };
        if self.is_given
            || !now.reply.has_accepted_envelope
            || own == usual
            || self.outliers.len() >= MAX_PENDING_FINDINGS
        {
            return;
        }
        let message = format!("envelope looks like `{own}`, most of the file like `{usual}`");
        let finding = Finding::new(&PROFILE_OUTLIER, now.reply.brace, message)
            .note("the runtime ignores fields of other versions");
        self.outliers.push(now.found(finding, ""));
    }

    pub(super) fn finish(self, out: &mut Vec<TranscriptFinding>) {
        out.extend(self.outliers);
    }
}

/// Stored and archived keys.
#[derive(Debug, Default)]
pub(super) struct MemoryKeys {
    stored: BoundedMap<u64, ()>,
    archived: BoundedMap<u64, ()>,
}

impl MemoryKeys {
    pub(super) fn reply(&mut self, now: &CurrentTurn<'_>, out: &mut Vec<TranscriptFinding>) {
        for atom in &now.reply.atoms {
            self.stored.insert(atom.predicate, ());
        }
        for operation in &now.reply.memory {
            // The first turn has no earlier turns.
            let unpaired = self.operation(operation).filter(|_| now.turn > 1);
            if let Some((message, note)) = unpaired {
                let pointer = format!("/control_packet/memory_operations/{}", operation.index);
                let finding = Finding::new(&UNPAIRED_OP, operation.place, message).note(note);
                out.push(now.found(finding, pointer));
            }
        }
    }

    /// Returns a message about a missing counterpart, and its consequence.
    fn operation(&mut self, operation: &MemoryDigest) -> Option<(String, &'static str)> {
        let MemoryDigest { op, key, .. } = operation;
        let shown = || quoted(key);
        let id = hash(key.as_str());
        match op.as_str() {
            "promote_to_long_term" | "store_vector" | "note" => {
                self.stored.insert(id, ());
                let is_away = self.archived.get(&id).is_some();
                is_away.then(|| {
                    let message = format!("archived key {} is used without `rehydrate`", shown());
                    (message, "what was archived stays out of the context")
                })
            }
            "archive" => {
                self.archived.insert(id, ());
                None
            }
            "rehydrate" => {
                let is_lacking = self.archived.lacks(&id);
                self.archived.remove(&id);
                self.stored.insert(id, ());
                is_lacking
                    .then(|| (format!("no earlier turn archives {}", shown()), "the operation has no effect"))
            }
            "forget" => {
                // A key that retracts nothing at all is reported for the reply itself.
                let is_lacking = may_be_predicate(key) && self.stored.lacks(&id) && self.archived.lacks(&id);
                is_lacking.then(|| {
                    let message = format!("no earlier turn stores or asserts {}", shown());
                    (message, "the operation has no effect")
                })
            }
            _ => None,
        }
    }
}

/// Number of consecutive turns that are a loop.
const LOOP: usize = 3;

/// Hash of the last hypothesis and the number of consecutive turns with it.
#[derive(Debug, Default)]
pub(super) struct Corrections {
    last: Option<(u64, usize)>,
}

impl Corrections {
    pub(super) fn reply(&mut self, now: &CurrentTurn<'_>, out: &mut Vec<TranscriptFinding>) {
        let Some((hypothesis, place)) = now.reply.correction else {
            self.last = None;
            return;
        };
        let times = match self.last {
            Some((last, times)) if last == hypothesis => times + 1,
            _ => 1,
        };
        self.last = Some((hypothesis, times));
        if times >= LOOP {
            let message = format!("same hypothesis in {times} consecutive turns");
            let finding = Finding::new(&CORRECTION_LOOP, place, message)
                .note("the runtime counts self-corrections and does nothing about them");
            out.push(now.found(finding, "/control_packet/self_correction"));
        }
    }
}

/// Maximum number of remembered prompts.
const PROMPTS: usize = 64;

/// Words of the prompts of the model.
#[derive(Debug, Default)]
pub(super) struct Prompts {
    words: Vec<Arc<FxHashSet<u64>>>,
    /// True if the system prompt is included and no prompt was omitted.
    is_known: bool,
}

impl Prompts {
    pub(super) fn prompt(&mut self, digest: &Digest) {
        if digest.role == TurnRole::System {
            self.words.clear();
            self.is_known = true;
        }
        match &digest.words {
            Some(words) if self.words.len() < PROMPTS => self.words.push(Arc::clone(words)),
            _ => self.is_known = false,
        }
    }

    pub(super) fn reply(&mut self, now: &CurrentTurn<'_>, out: &mut Vec<TranscriptFinding>) {
        if !self.is_known {
            return;
        }
        for PredicateRating { name, list, index, place } in &now.reply.feedback {
            let bare = name.split('(').next().unwrap_or(name).trim();
            let word = hash(bare.as_bytes());
            if bare.len() > 1 && !self.words.iter().any(|words| words.contains(&word)) {
                let message = format!("{} is rated but was in no prompt", quoted(bare));
                let finding = Finding::new(&FEEDBACK_UNSEEN, *place, message)
                    .note("the rating is a guess, and changes which facts later prompts contain");
                let pointer = format!("/control_packet/context_feedback/{list}/{index}");
                out.push(now.found(finding, pointer));
            }
        }
    }
}
