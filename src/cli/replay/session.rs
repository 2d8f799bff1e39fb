//! A transcript while it is replayed: turns wait until the next one begins, since results of tools come later.

use serde_json::Value;

use super::super::transcripts::{RECORD, Transcripts, line_of};
use super::policy::Policy;
use crate::config::FailOn;
use crate::host::TranscriptFile;
use crate::ide::replay::silence;
use crate::ide::transcripts::Judge;
use crate::kernel::Clock;
use crate::replay::{Event, Options, Prefill, Replay, Turn};
use crate::report::replay::{Compared, Covered, Places, TurnReport, turn};
use crate::report::{Part, SourceText, Spot};
use crate::text::{Cancel, TextSize};
use crate::transcript::{Found, Record};

/// What is wanted of all sessions.
pub(super) struct Wish<'a> {
    pub(super) prefill: &'a Prefill,
    pub(super) abduce: bool,
    pub(super) show_permits: bool,
    pub(super) coverage: bool,
    pub(super) until: Option<u64>,
    pub(super) now: Option<i64>,
    pub(super) redact: bool,
    pub(super) fail_on: Option<FailOn>,
}

/// A session.
pub(super) struct Session<'a> {
    name: String,
    policy: &'a Policy,
    judge: Judge<'a>,
    settings: &'a crate::config::TranscriptSettings,
    replay: Replay<'a>,
    other: Option<Replay<'a>>,
    fail_on: FailOn,
    redact: bool,
    fails: bool,
    /// The last turn.
    open: Option<TurnReport>,
    /// What was found in front of the turn that it belongs to.
    early: Vec<(u64, Value)>,
}

impl<'a> Session<'a> {
    pub(super) fn new(
        transcripts: &'a Transcripts,
        found: &'a TranscriptFile,
        policy: &'a Policy,
        other: Option<&'a Policy>,
        wish: &Wish<'a>,
    ) -> Self {
        let judge = transcripts.knowledges.judge(found);
        let judge = Judge { programs: std::slice::from_ref(&policy.constitution.program), ..judge };
        let options = |policy: &Policy| Options {
            transcript: &found.settings,
            runtime: judge.limits,
            clock: wish.now.map_or_else(|| Clock::of(&policy.settings.kernel), |now_ns| Clock { now_ns }),
            abduce: wish.abduce,
            show_permits: wish.show_permits,
            coverage: wish.coverage,
            until: wish.until,
            prefill: wish.prefill,
            cancel: never(),
        };
        Self {
            name: transcripts.name(found),
            policy,
            judge,
            settings: &found.settings,
            replay: Replay::new(&policy.constitution, options(policy)),
            other: other.map(|other| Replay::new(&other.constitution, options(other))),
            fail_on: wish.fail_on.unwrap_or(policy.settings.fail_on),
            redact: wish.redact,
            fails: false,
            open: None,
            early: Vec::new(),
        }
    }

    /// Replays a record. Gives the turns to which nothing is added any more.
    pub(super) fn record(&mut self, record: &Record<'_>, spot: &mut dyn FnMut() -> Spot) -> Vec<TurnReport> {
        if self.replay.is_done() {
            return Vec::new();
        }
        let here = spot();
        let (policy, name) = (self.policy, &self.name);
        let mut turns: Vec<(Turn, TurnReport)> = Vec::new();
        let mut found: Vec<(u64, Found)> = Vec::new();
        self.replay.record(record, &mut |replay, event| match event {
            Event::Turn(turn) => {
                let rule = |rule| policy.place(rule);
                let origin = |fact: &str| replay.origin(fact);
                let places = Places { file: name, line: here.line + 1, rule: &rule, origin: &origin };
                let report = self::turn(&turn, &places);
                turns.push((*turn, report));
            }
            Event::Found { turn, found: one } => found.push((turn, one)),
        });
        silence(record, self.settings, self.judge.rules, &mut found);
        let lines = self.placed(record, here, found);
        let theirs = self.theirs(record);
        let mut ended = Vec::new();
        for (turn, mut report) in turns {
            ended.extend(self.open.take());
            let there = theirs.iter().find(|other| other.number == turn.number);
            report.compared = there.map_or_else(Vec::new, |there| Compared::of(&turn, there));
            self.early.retain(|(of, line)| {
                let is_own = *of == report.turn;
                report.findings.extend(is_own.then(|| line.clone()));
                !is_own
            });
            self.open = Some(report);
        }
        let next = self.open.as_ref().map_or(0, |open| open.turn);
        for (of, line) in lines {
            let mut turns = self.open.iter_mut().chain(&mut ended);
            match turns.find(|turn| turn.turn == of) {
                Some(turn) => turn.findings.push(line),
                None if of > next => self.early.push((of, line)),
                None => {
                    // A result that comes after the next answer belongs to the last turn that is still here.
                    self.open.iter_mut().for_each(|turn| turn.findings.push(line.clone()));
                }
            }
        }
        ended.into_iter().map(|turn| self.shown(turn)).collect()
    }

    fn theirs(&mut self, record: &Record<'_>) -> Vec<Turn> {
        let mut theirs = Vec::new();
        if let Some(other) = &mut self.other {
            other.record(record, &mut |_, event| {
                if let Event::Turn(turn) = event {
                    theirs.push(*turn);
                }
            });
        }
        theirs
    }

    /// Findings as lines of `check --format json`.
    fn placed(&mut self, record: &Record<'_>, spot: Spot, found: Vec<(u64, Found)>) -> Vec<(u64, Value)> {
        let judge = self.judge;
        let placed: Vec<_> = found
            .into_iter()
            .filter_map(|(turn, found)| Some((turn, judge.diagnostic(found, RECORD, TextSize::new(0))?)))
            .collect();
        if placed.is_empty() {
            return Vec::new();
        }
        self.fails |= placed.iter().any(|(_, one)| self.fail_on.fails(one.severity));
        let diagnostics: Vec<_> = placed.iter().map(|(_, one)| one.clone()).collect();
        let part = Part::new(RECORD, (record.start, spot), record.bytes, RECORD, &diagnostics);
        let mut sources = self.policy.sources.borrow_mut();
        sources.insert_source(RECORD, SourceText::of_part(self.name.clone(), part));
        placed.iter().map(|(turn, one)| (*turn, line_of(one, &sources))).collect()
    }

    fn shown(&self, mut turn: TurnReport) -> TurnReport {
        turn.findings.sort_by_key(|finding| (finding["start"].as_u64(), finding["end"].as_u64()));
        if self.redact { turn.redacted() } else { turn }
    }

    /// The last turn, whether something was found that makes the command fail, and which rules held.
    pub(super) fn finish(mut self) -> (Option<TurnReport>, bool, Vec<Covered>) {
        let last = self.open.take().map(|turn| self.shown(turn));
        let constitution = &self.policy.constitution;
        let coverage = self.replay.coverage().rules(constitution).map(|(rule, held)| Covered {
            rule: self.policy.place(rule).unwrap_or_else(|| "?".to_owned()),
            predicate: constitution
                .compiled
                .rule(rule)
                .map_or_else(String::new, |rule| constitution.program.get(rule.predicate).key.to_string()),
            held,
        });
        let coverage = if self.replay.is_covering() { coverage.collect() } else { Vec::new() };
        (last, self.fails, coverage)
    }
}

/// Nobody cancels a command but the one who ends the process.
fn never() -> &'static Cancel {
    static NEVER: std::sync::LazyLock<Cancel> = std::sync::LazyLock::new(Cancel::new);
    &NEVER
}
