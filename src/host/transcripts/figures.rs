//! The figures of a transcript, counted as its records come: what `stats` says of a file, and of a session in memory.

use super::{Accounts, TranscriptFile};
use crate::ide::transcripts::{Judge, TranscriptCheck};
use piggyback::transcript::labels::{Models, profile};
use piggyback::transcript::statistics::{ReplyAccount, Statistics, StatisticsCounter};
use piggyback::transcript::{ReadSummary, Record, TranscriptFinding};

/// Counts what became of the replies of a transcript.
#[derive(Debug)]
pub struct TranscriptFigures<'a> {
    found: &'a TranscriptFile,
    judge: Judge<'a>,
    counter: StatisticsCounter<'a>,
    check: TranscriptCheck<'a>,
}

impl<'a> TranscriptFigures<'a> {
    /// Begins a count.
    #[must_use]
    pub fn new(found: &'a TranscriptFile, judge: Judge<'a>) -> Self {
        let counter = StatisticsCounter::new(&found.settings, judge.context.declarations);
        Self { found, judge, counter, check: TranscriptCheck::new(judge) }
    }

    /// Counts the next record. `accounts` are those of the transcript.
    pub fn record(&mut self, record: &Record<'_>, accounts: &mut Accounts<'_>) {
        let mut findings = self.check.record(record).found;
        accounts.record(self.found, record);
        self.counter.record(record);
        let models = Models::of(record);
        for (at, turn) in record.turns.iter().enumerate() {
            let reply = turn.is_reply().then(|| turn.reply(record.bytes, &self.found.settings));
            let account = reply.as_ref().map(|reply| accounts.of(at, reply)).unwrap_or_default();
            let answered = reply.as_ref().map(|reply| ReplyAccount {
                reply,
                account: &account,
                profile: profile(turn, reply, &self.judge.context),
            });
            self.counter.turn(record, &models, turn, answered);
        }
        if let Some(shown) = accounts.replayed() {
            self.counter.replay();
            self.counter.blocked(&shown.blocks);
            findings.extend(shown.found);
        }
        self.counter.found(&counted(self.judge, findings));
    }

    /// The figures, once the last record was counted.
    #[must_use]
    pub fn finish(self, summary: &ReadSummary) -> Statistics {
        let Self { judge, mut counter, check, .. } = self;
        let rounds = check.repair_rounds();
        counter.found(&counted(judge, check.finish(summary)));
        counter.finish(rounds)
    }
}

/// The findings whose rules are not off.
fn counted(judge: Judge<'_>, mut findings: Vec<TranscriptFinding>) -> Vec<TranscriptFinding> {
    findings.retain(|one| judge.rules.severity_of(&one.finding).is_some());
    findings
}
