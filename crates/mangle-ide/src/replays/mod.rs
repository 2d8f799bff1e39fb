//! Replays of transcripts, shared by the language server and the command line: turns, findings, and
//! the kernel state after a turn. Findings silenced in the transcript are removed.
//!
//! The input consists of the records of a transcript, a
//! [`Constitution`] and settings.
//! - [`ReplaySession`] streams [`TurnReport`]s record by record.
//! - [`ReplayInput`] replays an in-memory transcript as JSON or facts.
//! - [`Verdicts`] are the results cached for editors; [`hints`], [`hover`] and [`lenses`] render
//!   them.

mod display;
mod reasons;
mod session;
#[cfg(test)]
mod tests;
mod verdicts;

use std::cell::RefCell;

use serde_json::{Value, json};

use super::evaluation::{self, Readings};
use super::registry;
use super::transcripts::{Comments, Records, TranscriptContext};
use agent_replay::{Constitution, Event, Replay, ReplayOptions, findings_of_program, policy_findings};
use mangle_check::diagnostics::place;
use mangle_engine::kernel::TextBudget;
use mangle_engine::program::Program;
use mangle_report::replay::{CheckReport, MAX_TURNS, Page, ReplaySummary, TurnReport, TurnStart, html};
use mangle_report::{LinePosition, Sources, json_value};
use mangle_settings::{Reading, ReplaySettings, RuleSettings};
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::{FileId, TextRange};

pub use display::{ToClause, TurnLens, hints, hover, lenses, turn_at, turns};
pub use reasons::{ProofLine, ReasonSource, RuleObstacle};
pub use session::{ReplaySession, ReplaySetup, rule_place, silence};
pub use verdicts::{
    MAX_BYTES, RecordVerdicts, RequestVerdict, RewrittenSurface, TranscriptVerdicts, TurnVerdicts, Verdicts,
    judged_turn,
};

/// A transcript to replay.
#[derive(Debug)]
pub struct ReplayInput<'a> {
    /// Display name.
    pub name: &'a str,
    pub constitution: &'a Constitution,
    pub records: &'a Records,
    /// Judge of the findings.
    pub judge: TranscriptContext<'a>,
    pub options: ReplayOptions<'a>,
    /// Texts of the policies.
    pub sources: &'a RefCell<Sources>,
}

/// Selection of turns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TurnFilter {
    /// Only this turn.
    pub turn: Option<u64>,
    /// First turn.
    pub from: Option<u64>,
}

impl TurnFilter {
    /// True if a turn is selected.
    #[must_use]
    pub fn has(self, turn: u64) -> bool {
        self.turn.is_none_or(|only| only == turn) && self.from.is_none_or(|from| from <= turn)
    }
}

/// Kernel state after a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StateAfter {
    /// Last turn up to the requested one.
    pub turn: u64,
    /// Byte range of its record.
    pub range: TextRange,
    /// Facts as printed by the engine, with their origin if asserted by the session.
    pub facts: Vec<(String, Option<String>)>,
    /// Number of facts omitted for lack of space.
    pub omitted: usize,
}

impl ReplayInput<'_> {
    /// Returns the output of `mangle-ls replay --format json`: its lines as `turns`, and the last
    /// line as `summary`.
    #[must_use]
    pub fn json(&self, shown: TurnFilter) -> Value {
        let turns = self.turns().into_iter().map(|(turn, _)| turn).collect();
        let (turns, summary, of_policy) = self.summed(turns, shown);
        json!({ "turns": turns, "summary": summary, "policy": { "findings": of_policy } })
    }

    /// Returns the HTML page of `mangle-ls replay --report`. `program` is the display name of the
    /// policies; `checked` contains the findings of `mangle-ls check` in the transcript.
    #[must_use]
    pub fn html(&self, shown: TurnFilter, program: &str, checked: Vec<Value>) -> String {
        let all: Vec<TurnReport> = self.turns().into_iter().map(|(turn, _)| turn).collect();
        let start =
            |turn: &TurnReport| TurnStart { file: turn.file.clone(), turn: turn.turn, start: turn.start };
        let starts: Vec<_> = all.iter().map(start).collect();
        let (mut turns, summary, of_policy) = self.summed(all, shown);
        let checked = CheckReport::build(checked, &starts, &mut turns);
        let omitted = turns.len().saturating_sub(MAX_TURNS);
        turns.truncate(MAX_TURNS);
        html(Page {
            turns: &turns,
            omitted,
            policy: &of_policy,
            checked: Some(&checked),
            coverage: &[],
            summary: &summary,
            program,
            revision: None,
            date: None,
            mark: None,
        })
    }

    /// Returns the selected turns, the summary, and the findings in the policies.
    fn summed(
        &self,
        turns: Vec<TurnReport>,
        shown: TurnFilter,
    ) -> (Vec<TurnReport>, ReplaySummary, Vec<Value>) {
        let mut summary = ReplaySummary { files: 1, ..ReplaySummary::default() };
        let turns: Vec<_> = turns.into_iter().filter(|turn| shown.has(turn.turn)).collect();
        turns.iter().for_each(|turn| summary.add(turn));
        let of_policy = self.of_policy();
        of_policy.iter().for_each(|finding| summary.finding(finding));
        (turns, summary, of_policy)
    }

    /// Returns the turns with their findings and the byte ranges of their records.
    #[must_use]
    pub fn turns(&self) -> Vec<(TurnReport, TextRange)> {
        let Self { constitution, options, judge, sources, records, .. } = *self;
        let text = records.text().as_bytes();
        let comments = Comments::in_container(text, records.transcript().container());
        let setting =
            ReplaySetup { name: self.name.to_owned(), constitution, options, judge, comments, sources };
        let mut session = ReplaySession::new(setting, None);
        let (mut turns, mut spot, mut at) = (Vec::new(), LinePosition::default(), 0);
        for entry in records.transcript().entries() {
            if session.is_done() || options.cancel.is_cancelled() {
                break;
            }
            let record = entry.record(text);
            let start = usize::try_from(record.start).unwrap_or(usize::MAX);
            spot = spot.after(text.get(at..start).unwrap_or_default());
            at = start;
            turns.extend(session.record(&record, spot));
        }
        turns.extend(session.finish());
        let of = |turn: TurnReport| {
            let entry = records.list().iter().find(|entry| entry.number == turn.record);
            let range = entry.map_or_else(TextRange::default, |entry| entry.range());
            (turn, range)
        };
        turns.into_iter().map(of).collect()
    }

    /// Returns the findings in the policies that do not depend on the session.
    fn of_policy(&self) -> Vec<Value> {
        let sources = self.sources.borrow();
        let found = policy_diagnostics(self.constitution, self.judge.rules).into_iter();
        found.map(|(file, one)| json_value(file, &one, &sources)).collect()
    }

    /// Returns the facts of the kernel after the last replayed turn ([`ReplayOptions::until`]).
    #[must_use]
    pub fn state(&self) -> StateAfter {
        let mut replay = Replay::new(self.constitution, self.options);
        let mut after = StateAfter::default();
        let text = self.records.text().as_bytes();
        for (entry, seen) in self.records.transcript().entries().iter().zip(self.records.list()) {
            if replay.is_done() || self.options.cancel.is_cancelled() {
                break;
            }
            replay.record(&entry.record(text), &mut |_, event| {
                if let Event::Turn(turn) = event {
                    (after.turn, after.range) = (turn.number, seen.range());
                }
            });
        }
        let kernel = replay.kernel();
        let dump = kernel.model().dump_within(kernel.compiled(), TextBudget::DOCUMENT);
        let said = |fact: Box<str>| {
            let origin = replay.held(&fact).map(|origin| origin.to_string());
            (fact.into(), origin)
        };
        (after.facts, after.omitted) = (dump.facts.into_iter().map(said).collect(), dump.omitted);
        after
    }
}

/// Returns the findings in the policies, sorted by file and position. Silenced findings are
/// removed.
#[must_use]
pub fn policy_diagnostics(constitution: &Constitution, rules: &RuleSettings) -> Vec<(FileId, Diagnostic)> {
    let found = policy_findings(constitution).into_iter();
    let found: Vec<_> = found.map(|one| (one.file, one.statement, one.finding)).collect();
    let placed = place(&constitution.program, rules, registry::all(), &found).into_iter();
    let mut all: Vec<_> =
        placed.flat_map(|(file, found)| found.into_iter().map(move |one| (file, one))).collect();
    all.sort_by_key(|(file, one)| (*file, one.range.start()));
    all
}

/// Returns these findings for an evaluated program, at the current positions of its statements.
#[must_use]
pub fn evaluated_policy_findings(
    readings: &Readings,
    program: &Program,
    settings: &ReplaySettings,
) -> Vec<evaluation::ClauseFinding> {
    let evaluated = readings.get(Reading::Engine);
    let found = findings_of_program(evaluated.program(), evaluated.compiled(), settings).into_iter();
    let now = |one: agent_replay::PolicyFinding| {
        let (file, item) = evaluated.current(one.clause, program)?;
        Some((file.id, item.statement.id, one.finding))
    };
    found.filter_map(now).collect()
}
