//! A transcript replayed as outputs show it: the one answer of `mangle/replay`, and the kernel after a turn.
//!
//! Takes the records of a transcript and a [`Constitution`]; gives [`TurnReport`]s and facts.

use serde_json::{Value, json};

use super::replay::silence;
use super::transcripts::{Judge, Records};
use crate::config::{RuleSettings, TranscriptSettings};
use crate::kernel::RuleId;
use crate::lint::Diagnostic;
use crate::replay::{Constitution, Event, Options, Replay, policy_findings};
use crate::report::replay::{Places, ReplaySummary, TurnReport, turn};
use crate::report::{Entry, Sources, json_line};
use crate::text::{FileId, TextRange, size};
use crate::transcript::Found;

/// A transcript that is to be replayed.
pub struct Replayed<'a> {
    /// The policies.
    pub constitution: &'a Constitution,
    /// The transcript.
    pub file: FileId,
    /// Its records.
    pub records: &'a Records,
    /// What its findings are judged by.
    pub judge: Judge<'a>,
    /// Its settings.
    pub settings: &'a TranscriptSettings,
    /// How it is replayed.
    pub options: Options<'a>,
    /// The texts of the transcript and of the policies.
    pub sources: &'a Sources,
}

impl std::fmt::Debug for Replayed<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Replayed").field("file", &self.file).finish_non_exhaustive()
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
}

impl Replayed<'_> {
    /// What `mangle-ls replay --format json` writes: its lines as `turns`, and the last one.
    #[must_use]
    pub fn json(&self, only: Option<u64>) -> Value {
        let turns = self.turns();
        let mut summary = ReplaySummary { files: 1, ..ReplaySummary::default() };
        let shown: Vec<_> =
            turns.into_iter().filter(|turn| only.is_none_or(|only| only == turn.turn)).collect();
        shown.iter().for_each(|turn| summary.add(turn));
        let of_policy = self.of_policy(self.judge.rules);
        of_policy.iter().for_each(|finding| summary.finding(finding));
        json!({ "turns": shown, "summary": summary, "policy": { "findings": of_policy } })
    }

    /// The turns, each with what was found in it.
    fn turns(&self) -> Vec<TurnReport> {
        let mut replay = Replay::new(self.constitution, self.options);
        let mut turns: Vec<TurnReport> = Vec::new();
        let mut early: Vec<(u64, Value)> = Vec::new();
        let text = self.records.text().as_bytes();
        let rule = |rule| self.place(rule);
        for entry in self.records.transcript().entries() {
            if replay.is_done() || self.options.cancel.is_cancelled() {
                break;
            }
            let record = entry.record(text);
            let open = turns.len().saturating_sub(1);
            let start = size(usize::try_from(record.start).unwrap_or(usize::MAX));
            let line = self.sources.place(self.file, start).line;
            let mut found: Vec<(u64, Found)> = Vec::new();
            replay.record(&record, &mut |replay, event| match event {
                Event::Turn(of) => {
                    let origin = |fact: &str| replay.origin(fact);
                    let file = self.sources.name(self.file);
                    turns.push(turn(&of, &Places { file, line, rule: &rule, origin: &origin }));
                }
                Event::Found { turn, found: one } => found.push((turn, one)),
            });
            silence(&record, self.settings, self.judge.rules, &mut found);
            for (of, one) in found {
                let Some(one) = self.judge.diagnostic(one, self.file, start) else { continue };
                early.push((of, self.line(self.file, one)));
            }
            let next = turns.last().map_or(0, |turn| turn.turn);
            for (of, line) in std::mem::take(&mut early) {
                let live = turns.get_mut(open..).unwrap_or_default();
                match live.iter_mut().find(|turn| turn.turn == of) {
                    Some(turn) => turn.findings.push(line),
                    None if of > next => early.push((of, line)),
                    None => live.last_mut().into_iter().for_each(|turn| turn.findings.push(line.clone())),
                }
            }
        }
        for turn in &mut turns {
            turn.findings.sort_by_key(|finding| (finding["start"].as_u64(), finding["end"].as_u64()));
        }
        turns
    }

    /// `policy.mg:12`
    fn place(&self, rule: RuleId) -> Option<String> {
        let (file, start) = self.constitution.place(rule)?;
        Some(format!("{}:{}", self.sources.name(file), self.sources.place(file, start).line))
    }

    /// A finding as a line of `check --format json`.
    fn line(&self, file: FileId, diagnostic: Diagnostic) -> Value {
        let entry = Entry { file, diagnostic, fails: false };
        serde_json::from_str(&json_line(&entry, self.sources)).unwrap_or_default()
    }

    /// What is found in the policies, whatever the session does.
    fn of_policy(&self, rules: &RuleSettings) -> Vec<Value> {
        let of = |found: crate::replay::PolicyFinding| {
            let severity = rules.severity_of(&found.finding)?;
            let file = self.constitution.program.file(found.file)?;
            let start = file.items.iter().find(|item| item.statement.id == found.statement)?.start;
            let diagnostic = Diagnostic {
                rule: found.finding.rule,
                severity,
                range: found.finding.range + start,
                message: found.finding.message,
                related: Vec::new(),
                fix: None,
                path: Vec::new(),
            };
            Some(self.line(found.file, diagnostic))
        };
        policy_findings(self.constitution).into_iter().filter_map(of).collect()
    }

    /// What the kernel holds after the turn that ends the replay ([`Options::until`]).
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
        let facts = kernel.model().dump(kernel.compiled());
        let said = |fact: String| {
            let origin = replay.origin(&fact).map(|origin| origin.to_string());
            (fact, origin)
        };
        after.facts = facts.into_iter().map(said).collect();
        after
    }
}
