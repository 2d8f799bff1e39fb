//! What is found in sessions.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde_json::Value;

use super::lines::SessionLines;
use super::{Checker, Session};
use crate::host::{self, CheckedTranscripts, Overlay, TranscriptRequest};
use crate::report::{ReportEntry, Sources, json_value};
use mangle_syntax::text::Cancel;

/// Something that was found in a session.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SessionFinding {
    /// The index of the session among those that were given.
    pub session: usize,
    /// The turn, as its owner counts; `None` for what is said of the session as a whole.
    pub turn: Option<i64>,
    /// The bytes of the text of the turn; `None` for what is said of the session.
    pub start: Option<u64>,
    /// Where they end.
    pub end: Option<u64>,
    /// The code of the rule.
    pub code: String,
    /// The headline.
    pub headline: String,
    /// The name of the rule.
    pub rule: String,
    /// `error`, `warning`, `information` or `hint`.
    pub severity: String,
    /// Consequences and reasons.
    pub notes: Vec<String>,
    /// JSON pointers to the place, through texts in texts.
    pub path: Vec<String>,
    /// What to do.
    pub suggestion: Option<String>,
}

impl Checker {
    /// What is found in sessions, sorted. They are checked in parallel.
    #[must_use]
    pub fn check(&self, sessions: &[Session<'_>]) -> Vec<SessionFinding> {
        let mut overlay = Overlay::default();
        let mut transcripts = Vec::with_capacity(sessions.len());
        let mut numbers: FxHashMap<String, (usize, SessionLines)> = FxHashMap::default();
        for (number, session) in sessions.iter().enumerate() {
            let (found, lines) = (self.transcript(number), self.lines(session));
            overlay.insert_transcript(found.path.clone(), Arc::clone(&lines.bytes));
            numbers.insert(host::relative(&self.root, &found.path), (number, lines));
            transcripts.push(found);
        }
        let request = TranscriptRequest {
            resolution: &self.resolution,
            transcripts: &transcripts,
            knowledges: &self.knowledges,
            overlay: &overlay,
            table: self.memory.table(),
            working: &self.root,
            options: Self::options(),
            cancel: Cancel::new(),
        };
        let CheckedTranscripts { entries, sources: parts, .. } = host::check_transcripts(request, &|_| ());
        let mut sources = self.sources();
        parts.into_iter().for_each(|(file, text)| sources.insert_source(file, text));
        let of = |entry: &ReportEntry| finding(entry, &sources, sessions, &numbers);
        let mut found: Vec<SessionFinding> = entries.iter().filter_map(of).collect();
        found.sort();
        found
    }
}

fn finding(
    entry: &ReportEntry,
    sources: &Sources,
    sessions: &[Session<'_>],
    numbers: &FxHashMap<String, (usize, SessionLines)>,
) -> Option<SessionFinding> {
    let value = json_value(entry.file, &entry.diagnostic, sources);
    let (session, lines) = numbers.get(value["file"].as_str()?)?;
    let of_all = value["start"] == 0 && value["end"] == 0;
    let place = |member: &str| {
        let at = usize::try_from(value[member].as_u64()?).ok()?;
        lines.place(at).filter(|_| !of_all)
    };
    let (start, end) = (place("start"), place("end"));
    let turns = &sessions.get(*session)?.turns;
    let text = |member: &str| value[member].as_str().unwrap_or_default().to_owned();
    let list = |member: &str| -> Vec<String> {
        let all = value[member].as_array().into_iter().flatten();
        all.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let fix = value["fix"]["title"].as_str().or(value["help"].as_str());
    let turn = start.and_then(|start| turns.get(start.turn));
    let len = turn.map_or(0, |turn| turn.text.len());
    let offset = |at: usize| u64::try_from(at.min(len)).unwrap_or(u64::MAX);
    Some(SessionFinding {
        session: *session,
        turn: turn.map(|turn| turn.turn),
        start: start.map(|start| offset(start.offset)),
        end: end.zip(start).map(|(end, start)| match end.turn == start.turn {
            true => offset(end.offset),
            // It reaches beyond the line.
            false => offset(len),
        }),
        code: text("code"),
        headline: text("message"),
        rule: text("rule"),
        severity: text("severity"),
        notes: list("notes"),
        path: list("path"),
        suggestion: fix.map(str::to_owned),
    })
}
