//! A transcript in memory, replayed: the answers of `mangle/replay`, and the kernel after a turn.

use std::cell::RefCell;

use serde_json::{Value, json};

use super::policies::of_policies;
use super::session::{ReplaySession, ReplaySetup};
use crate::ide::transcripts::{Comments, Judge, Records};
use crate::report::replay::{CheckReport, MOST_TURNS, Page, ReplaySummary, TurnReport, TurnStart, html};
use crate::report::{LinePosition, Sources, json_value};
use agent_replay::{Constitution, Event, Replay, ReplayOptions};
use mangle_engine::kernel::TextBudget;
use mangle_syntax::text::TextRange;

/// A transcript that is to be replayed.
#[derive(Debug)]
pub struct ReplayInput<'a> {
    /// What output calls it.
    pub name: &'a str,
    pub constitution: &'a Constitution,
    pub records: &'a Records,
    /// What its findings are judged by.
    pub judge: Judge<'a>,
    /// How it is replayed.
    pub options: ReplayOptions<'a>,
    /// The texts of the policies.
    pub sources: &'a RefCell<Sources>,
}

/// Which turns are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TurnFilter {
    /// This one alone.
    pub turn: Option<u64>,
    /// None before this one.
    pub from: Option<u64>,
}

impl TurnFilter {
    /// Whether a turn is.
    #[must_use]
    pub fn has(self, turn: u64) -> bool {
        self.turn.is_none_or(|only| only == turn) && self.from.is_none_or(|from| from <= turn)
    }
}

/// The kernel after a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StateAfter {
    /// The last turn that there is up to the one that was asked for.
    pub turn: u64,
    /// The bytes of its record.
    pub range: TextRange,
    /// All facts as the engine prints them, each with what said it, where that is the session.
    pub facts: Vec<(String, Option<String>)>,
    /// How many facts there are besides, for which there is no room.
    pub omitted: usize,
}

impl ReplayInput<'_> {
    /// What `mangle-ls replay --format json` writes: its lines as `turns`, and the last one.
    #[must_use]
    pub fn json(&self, shown: TurnFilter) -> Value {
        let turns = self.turns().into_iter().map(|(turn, _)| turn).collect();
        let (turns, summary, of_policy) = self.summed(turns, shown);
        json!({ "turns": turns, "summary": summary, "policy": { "findings": of_policy } })
    }

    /// What `mangle-ls replay --report` writes: a page for a browser. `program` is what the policies are called, `checked`
    /// what `mangle-ls check` finds in the transcript.
    #[must_use]
    pub fn html(&self, shown: TurnFilter, program: &str, checked: Vec<Value>) -> String {
        let all: Vec<TurnReport> = self.turns().into_iter().map(|(turn, _)| turn).collect();
        let start =
            |turn: &TurnReport| TurnStart { file: turn.file.clone(), turn: turn.turn, start: turn.start };
        let starts: Vec<_> = all.iter().map(start).collect();
        let (mut turns, summary, of_policy) = self.summed(all, shown);
        let checked = CheckReport::of(checked, &starts, &mut turns);
        let omitted = turns.len().saturating_sub(MOST_TURNS);
        turns.truncate(MOST_TURNS);
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

    /// The turns that are wanted, all in numbers, and what is found in the policies.
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

    /// The turns, each with what was found in it, and the bytes of its record.
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

    /// What is found in the policies, whatever the session does.
    fn of_policy(&self) -> Vec<Value> {
        let sources = self.sources.borrow();
        let found = of_policies(self.constitution, self.judge.rules).into_iter();
        found.map(|(file, one)| json_value(file, &one, &sources)).collect()
    }

    /// What the kernel holds after the turn that ends the replay ([`ReplayOptions::until`]).
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
