//! Replies that were sent back because they could not be used: `PB018`, `PB019`.

use super::count;
use super::current_turn::CurrentTurn;
use crate::transcript::digest::Digest;
use crate::transcript::finding::TranscriptFinding;
use mangle_syntax::lint::{Finding, Rule, rule};

pub(super) const RULES: &[&Rule] = &[&REPAIR_STUCK, &REPAIR_SUMMARY];

/// The same mistakes again.
static REPAIR_STUCK: Rule = rule!("repair-stuck.md");

/// How a round of repair ended.
static REPAIR_SUMMARY: Rule = rule!("repair-summary.md");

/// The attempts at one answer.
#[derive(Debug, Default)]
pub(super) struct Retries {
    attempts: usize,
    /// The errors of the last one.
    errors: Option<u64>,
    /// The summary, as it is if no more attempts follow.
    summary: Option<TranscriptFinding>,
    /// Whether the last attempt was sent back.
    is_sent_back: bool,
    /// The rounds of all answers.
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
