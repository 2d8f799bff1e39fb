//! Statistics of a transcript, updated record by record, for `stats` and for sessions in memory.

use super::accounts::Accounts;
use crate::transcripts::{Beginning, TranscriptFile};
use mangle_ide::transcripts::{TranscriptChecker, TranscriptContext, of_fences};
use mangle_report::fleet::{FleetEvent, Origin, OriginTime};
use mangle_settings::Container;
use mangle_syntax::text::{FileId, TextRange, size};
use piggyback::transcript::labels::{Labels, RecordNames, profile};
use piggyback::transcript::statistics::{ReplyAccount, Statistics, StatisticsCounter};
use piggyback::transcript::{ReadSummary, Record, TranscriptFinding, Turn};

/// Callback that receives each counted event.
pub type SeeEvent<'f> = dyn FnMut(Origin, FleetEvent) + 'f;

#[derive(Debug)]
pub struct TranscriptFigures<'a> {
    found: &'a TranscriptFile,
    judge: TranscriptContext<'a>,
    counter: StatisticsCounter<'a>,
    check: TranscriptChecker<'a>,
    beginning: Beginning,
    /// Count only the newest fact of each predicate and first argument as state.
    latest: bool,
    /// The number of tokens in the current facts.
    state: u64,
}

impl<'a> TranscriptFigures<'a> {
    #[must_use]
    pub fn new(found: &'a TranscriptFile, judge: TranscriptContext<'a>) -> Self {
        let counter = StatisticsCounter::new(&found.settings, judge.context.declarations);
        let check = TranscriptChecker::new(judge);
        Self { found, judge, counter, check, beginning: Beginning::default(), latest: false, state: 0 }
    }

    /// Applies the comments of the file that silence findings, and checks the code fences at the
    /// end of the file. If `latest` is true, only the newest facts are counted as state.
    #[must_use]
    pub fn of_file(self, beginning: Beginning, latest: bool) -> Self {
        Self { beginning, latest, ..self }
    }

    /// True if these statistics belong to `found`.
    #[must_use]
    pub fn is_of(&self, found: &TranscriptFile) -> bool {
        self.found.file == found.file
    }

    /// Counts the next record. `accounts` must be the outcomes of the same transcript.
    pub fn record(&mut self, record: &Record<'_>, accounts: &mut Accounts<'_>) {
        self.record_with(record, accounts, &mut |_, _| ());
    }

    /// [`TranscriptFigures::record`] that also passes each counted event to `see`.
    pub fn record_with(&mut self, record: &Record<'_>, accounts: &mut Accounts<'_>, see: &mut SeeEvent<'_>) {
        let mut findings = if self.found.is_document { Vec::new() } else { self.check.record(record).found };
        findings.retain(|one| !self.beginning.comments.silence(one.finding.rule, start(one)));
        let origins = RecordOrigins::from_record(record);
        accounts.record(self.found, record);
        self.counter.record(record);
        self.turns(record, &origins, accounts, see);
        if let Some(shown) = accounts.replayed() {
            self.counter.replay();
            for block in &shown.blocks {
                let labels = self.counter.count_block(block);
                see(origins.at(block.place, labels), FleetEvent::Blocked);
            }
            findings.extend(shown.found);
        }
        for one in &findings {
            let is_here = one.start == record.start;
            self.found(one, see, &|labels| match is_here {
                true => origins.at(one.finding.range, labels),
                // The finding is about an earlier record but was detected in this record.
                false => Origin { record: number(one.record), ..origins.whole(labels) },
            });
        }
    }

    fn turns(
        &mut self,
        record: &Record<'_>,
        origins: &RecordOrigins,
        accounts: &mut Accounts<'_>,
        see: &mut SeeEvent<'_>,
    ) {
        let names = RecordNames::from_record(record);
        for (at, turn) in record.turns.iter().enumerate() {
            let reply = turn.is_reply().then(|| turn.reply(record.bytes, &self.found.settings));
            let account = reply.as_ref().map(|reply| accounts.account(at, reply)).unwrap_or_default();
            let answered = reply.as_ref().map(|reply| ReplyAccount {
                reply,
                account: &account,
                profile: profile(turn, reply, &self.judge.context),
            });
            if let Some(size) = self.counter.turn(record, &names, turn, answered) {
                let origin = origins.of_turn(at, self.counter.labels());
                see(origin, FleetEvent::Answer { said: size.original });
            }
        }
        let before = std::mem::replace(&mut self.state, self.counter.state(self.latest));
        let change = i64::try_from(self.state).unwrap_or(i64::MAX).saturating_sub_unsigned(before);
        if change != 0 {
            see(origins.whole(self.counter.labels()), FleetEvent::State { change });
        }
    }

    /// Counts a finding unless its rule is off.
    fn found(&mut self, one: &TranscriptFinding, see: &mut SeeEvent<'_>, origin: &dyn Fn(Labels) -> Origin) {
        if let Some(severity) = self.judge.rules.severity_of(&one.finding) {
            let labels = self.counter.count_finding(one);
            see(origin(labels), FleetEvent::Found { rule: one.finding.rule, severity });
        }
    }

    /// Returns the statistics after the last record.
    #[must_use]
    pub fn finish(self, summary: &ReadSummary) -> Statistics {
        self.finish_with(summary, &mut |_, _| ())
    }

    /// [`TranscriptFigures::finish`] that also passes the events at the end of the file to `see`.
    #[must_use]
    pub fn finish_with(mut self, summary: &ReadSummary, see: &mut SeeEvent<'_>) -> Statistics {
        let rounds = self.check.repair_rounds();
        let check = std::mem::replace(&mut self.check, TranscriptChecker::new(self.judge));
        let mut findings = if self.found.is_document { Vec::new() } else { check.finish(summary) };
        findings.retain(|one| !self.beginning.comments.silence(one.finding.rule, start(one)));
        for one in &findings {
            let origin = |labels| Origin { labels, record: number(one.record), ..Origin::default() };
            self.found(one, see, &origin);
        }
        let in_fences = match summary.container {
            Some(Container::Markdown) => {
                let text = String::from_utf8_lossy(&self.beginning.markdown);
                of_fences(FileId::from_path(&self.found.path), &text, self.judge, !self.found.is_document)
            }
            _ => Vec::new(),
        };
        let mut figures = self.counter.finish(rounds);
        for one in in_fences {
            *figures.diagnostics.entry(one.rule.code).or_default() += 1;
            see(Origin::default(), FleetEvent::Found { rule: one.rule, severity: one.severity });
        }
        figures
    }
}

/// Returns the offset of a finding in its file.
fn start(found: &TranscriptFinding) -> u64 {
    found.start + u64::from(u32::from(found.finding.range.start()))
}

#[derive(Debug)]
struct RecordOrigins {
    record: Option<i64>,
    turns: Vec<TurnOrigin>,
}

#[derive(Debug)]
struct TurnOrigin {
    /// Range in the bytes of the record.
    place: TextRange,
    is_reply: bool,
    time: OriginTime,
    session: Option<String>,
}

impl RecordOrigins {
    fn from_record(record: &Record<'_>) -> Self {
        Self {
            record: number(record.number),
            turns: record.turns.iter().map(TurnOrigin::from_turn).collect(),
        }
    }

    /// Returns the origin of the turn at an index of the record.
    fn of_turn(&self, at: usize, labels: Labels) -> Origin {
        self.origin(self.turns.get(at), labels)
    }

    /// Returns the origin of the turn that contains a range of the record. Outside all turns,
    /// returns the common origin of the record.
    fn at(&self, place: TextRange, labels: Labels) -> Origin {
        let is_around = |turn: &&TurnOrigin| turn.place.contains_inclusive(place.start());
        let around = || self.turns.iter().filter(is_around);
        let turn = around().find(|turn| turn.is_reply).or_else(|| around().next());
        self.origin(turn.or_else(|| self.any()), labels)
    }

    /// The record as a whole.
    fn whole(&self, labels: Labels) -> Origin {
        self.origin(self.any(), labels)
    }

    fn any(&self) -> Option<&TurnOrigin> {
        let replies = || self.turns.iter().filter(|turn| turn.is_reply);
        replies().find(|turn| turn.time != OriginTime::Absent).or_else(|| self.turns.last())
    }

    fn origin(&self, turn: Option<&TurnOrigin>, labels: Labels) -> Origin {
        let time = turn.map_or(OriginTime::Absent, |turn| turn.time);
        let session = turn.and_then(|turn| turn.session.clone());
        Origin { time, labels, session, version: None, record: self.record }
    }
}

/// Returns the number of a record, or `None` for the whole file.
fn number(record: u64) -> Option<i64> {
    i64::try_from(record).ok().filter(|record| *record > 0)
}

impl TurnOrigin {
    fn from_turn(turn: &Turn) -> Self {
        let details = turn.details.as_ref();
        let written = details.and_then(|details| details.timestamp.as_deref());
        Self {
            place: turn.place(TextRange::up_to(size(turn.len()))),
            is_reply: turn.is_reply(),
            time: written.map_or(OriginTime::Absent, OriginTime::of_text),
            session: details.and_then(|details| details.session.clone()),
        }
    }
}
