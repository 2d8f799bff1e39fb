//! Streaming replay of a transcript, record by record. A turn is reported when the next one starts,
//! because tool results arrive later. Suppressed findings are removed: `x_mangle_ls_ignore`
//! members, and comments in Markdown.

use std::cell::RefCell;

use serde_json::Value;

use crate::transcripts::{Comments, TranscriptContext, members};
use agent_replay::{Constitution, Coverage, Event, Replay, ReplayOptions, Turn};
use mangle_check::suppression::{UNKNOWN_SUPPRESSION, UNUSED_SUPPRESSION};
use mangle_engine::kernel::RuleId;
use mangle_report::replay::{TurnPlaces, TurnReport, VerdictComparison, turn};
use mangle_report::{FilePart, LinePosition, RECORD, SourceText, Sources, json_value};
use mangle_settings::{RuleSettings, TranscriptSettings};
use mangle_syntax::lint::Severity;
use mangle_syntax::text::TextSize;
use piggyback::transcript::{Record, TranscriptFinding, TurnSite};

/// Input of a replay.
#[derive(Debug)]
pub struct ReplaySetup<'a> {
    /// Display name of the transcript.
    pub name: String,
    pub constitution: &'a Constitution,
    pub options: ReplayOptions<'a>,
    /// Judge of the findings.
    pub judge: TranscriptContext<'a>,
    /// Ignore comments of the transcript.
    pub comments: Comments,
    /// Texts of the policies. A record is added while its findings are formatted.
    pub sources: &'a RefCell<Sources>,
}

#[derive(Debug)]
pub struct ReplaySession<'a> {
    setting: ReplaySetup<'a>,
    replay: Replay<'a>,
    other: Option<Replay<'a>>,
    /// Highest severity so far.
    gravest: Option<Severity>,
    open: Option<TurnReport>,
    /// Findings that precede their turn.
    early: Vec<(u64, Value)>,
}

impl<'a> ReplaySession<'a> {
    /// Starts a session. `other` is a second policy with options, for comparison.
    #[must_use]
    pub fn new(setting: ReplaySetup<'a>, other: Option<(&'a Constitution, ReplayOptions<'a>)>) -> Self {
        Self {
            replay: Replay::new(setting.constitution, setting.options),
            setting,
            other: other.map(|(other, options)| Replay::new(other, options)),
            gravest: None,
            open: None,
            early: Vec::new(),
        }
    }

    /// True if no further record is needed.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.replay.is_done()
    }

    /// Returns the highest severity so far.
    #[must_use]
    pub fn gravest(&self) -> Option<Severity> {
        self.gravest
    }

    /// Returns the rule coverage so far, if recorded.
    #[must_use]
    pub fn coverage(&self) -> Option<&Coverage> {
        self.replay.is_covering().then(|| self.replay.coverage())
    }

    /// Replays a record that starts at `spot`. Returns the completed turns.
    pub fn record(&mut self, record: &Record<'_>, spot: LinePosition) -> Vec<TurnReport> {
        if self.is_done() {
            return Vec::new();
        }
        let ReplaySetup { name, constitution, sources, options, judge, comments } = &self.setting;
        let mut turns: Vec<(Turn, TurnReport)> = Vec::new();
        let mut found: Vec<(u64, TranscriptFinding)> = Vec::new();
        self.replay.record(record, &mut |replay, event| match event {
            Event::Turn(turn) => {
                let sources = sources.borrow();
                let rule = |rule| rule_place(constitution, &sources, rule);
                let origin = |fact: &str| replay.origin(fact);
                let places = TurnPlaces {
                    file: name,
                    line: spot.line + 1,
                    start: record.start,
                    rule: &rule,
                    origin: &origin,
                };
                let report = self::turn(&turn, &places);
                turns.push((*turn, report));
            }
            Event::Found { turn, found: one } => found.push((turn, *one)),
        });
        silence(record, options.transcript, judge.rules, comments, &mut found);
        let lines = self.placed(record, spot, found);
        let theirs = self.theirs(record);
        let mut ended = Vec::new();
        for (turn, mut report) in turns {
            ended.extend(self.open.take());
            let there = theirs.iter().find(|other| other.number == turn.number);
            report.compared = there.map_or_else(Vec::new, |there| VerdictComparison::compare(&turn, there));
            self.early.retain(|(of, line)| {
                let is_own = *of == report.turn;
                report.findings.extend(is_own.then(|| line.clone()));
                !is_own
            });
            self.open = Some(report);
        }
        self.assign(lines, &mut ended);
        ended.into_iter().map(in_order).collect()
    }

    /// Assigns findings to their turns.
    fn assign(&mut self, lines: Vec<(u64, Value)>, ended: &mut [TurnReport]) {
        let next = self.open.as_ref().map_or(0, |open| open.turn);
        for (of, line) in lines {
            let mut turns = self.open.iter_mut().chain(ended.iter_mut());
            match turns.find(|turn| turn.turn == of) {
                Some(turn) => turn.findings.push(line),
                None if of > next => self.early.push((of, line)),
                None => {
                    // A result after the next answer is added to the last open turn.
                    self.open.iter_mut().for_each(|turn| turn.findings.push(line.clone()));
                }
            }
        }
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

    /// Formats findings like lines of `check --format json`.
    fn placed(
        &mut self,
        record: &Record<'_>,
        spot: LinePosition,
        found: Vec<(u64, TranscriptFinding)>,
    ) -> Vec<(u64, Value)> {
        let ReplaySetup { name, judge, sources, .. } = &self.setting;
        let placed: Vec<_> = found
            .into_iter()
            .filter_map(|(turn, found)| Some((turn, judge.diagnostic(found, RECORD, TextSize::new(0))?)))
            .collect();
        if placed.is_empty() {
            return Vec::new();
        }
        self.gravest = self.gravest.max(placed.iter().map(|(_, one)| one.severity).max());
        let diagnostics: Vec<_> = placed.iter().map(|(_, one)| one.clone()).collect();
        let part = FilePart::new(RECORD, record.start, spot, record.bytes, RECORD, &diagnostics);
        let mut sources = sources.borrow_mut();
        sources.insert_source(RECORD, SourceText::of_part(name.clone(), part));
        placed.iter().map(|(turn, one)| (*turn, json_value(RECORD, one, &sources))).collect()
    }

    pub fn finish(&mut self) -> Option<TurnReport> {
        self.open.take().map(in_order)
    }
}

fn in_order(mut turn: TurnReport) -> TurnReport {
    turn.findings.sort_by_key(|finding| (finding["start"].as_u64(), finding["end"].as_u64()));
    turn
}

/// Formats the location of a clause, for example `policy.mg:12`.
#[must_use]
pub fn rule_place(constitution: &Constitution, sources: &Sources, rule: RuleId) -> Option<String> {
    let (file, start) = constitution.place(rule)?;
    Some(format!("{}:{}", sources.name(file), sources.place(file, start).line))
}

/// Removes the findings that members of a record and comments of its file silence. `check` reports
/// mistakes in these members and comments.
pub fn silence(
    record: &Record<'_>,
    settings: &TranscriptSettings,
    rules: &RuleSettings,
    comments: &Comments,
    found: &mut Vec<(u64, TranscriptFinding)>,
) {
    let place = |found: &TranscriptFinding| found.start + u64::from(u32::from(found.finding.range.start()));
    found.retain(|(_, one)| !comments.silence(one.finding.rule, place(one)));
    if found.is_empty() || !members::is_marked(record.bytes) {
        return;
    }
    let covers = members::of_turns(&record.turns, record.bytes, settings);
    let site = TurnSite { record: record.number, start: record.start };
    found.retain(|(_, one)| {
        let mut alone = vec![one.clone()];
        members::apply(&covers, site, rules, &mut alone);
        let is_about_members = |found: &TranscriptFinding| {
            found.finding.rule == &UNKNOWN_SUPPRESSION || found.finding.rule == &UNUSED_SUPPRESSION
        };
        alone.iter().any(|found| !is_about_members(found))
    });
}
