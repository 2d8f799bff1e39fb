//! Rules about replies that were sent back because they could not be used: `PB018`, `PB019`.

use super::count;
use super::current_turn::CurrentTurn;
use crate::transcript::digest::Digest;
use crate::transcript::finding::TranscriptFinding;
use mangle_syntax::lint::{Finding, Rule, rule};

pub(super) const RULES: &[&Rule] = &[&REPAIR_STUCK, &REPAIR_SUMMARY];

/// Rule: a repair repeats the same errors.
static REPAIR_STUCK: Rule = rule!("repair-stuck.md");

/// Rule: summary of the attempts at a reply.
static REPAIR_SUMMARY: Rule = rule!("repair-summary.md");

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
