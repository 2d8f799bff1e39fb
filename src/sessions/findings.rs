//! Findings about sessions, their statistics, and an HTML report about many sessions. Statistics have one
//! row per session, so that rows of any number of sessions can be summed.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde_json::Value;

use super::replies::each_record;
use super::{Checker, Session, SessionLines, SessionTurn, TurnTime};
use mangle_host::{Accounts, CheckedTranscripts, Overlay, TranscriptFigures, TranscriptRequest};
use mangle_report::fleet::{Fleet, FleetEvent, FleetFile, FleetPage, Origin, page};
use mangle_report::replies::figures_json;
use mangle_report::{ReportEntry, Sources, redacted};
use mangle_syntax::text::{Cancel, FileId, TextSize};
use piggyback::transcript::statistics::Statistics;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SessionFinding {
    /// The index of the session in the input.
    pub session: usize,
    /// The turn number of the caller. `None` for findings about the whole session.
    pub turn: Option<i64>,
    /// The start byte offset in the text of the turn. `None` for findings about the whole session.
    pub start: Option<u64>,
    /// The end byte offset, exclusive.
    pub end: Option<u64>,
    pub code: String,
    pub headline: String,
    pub rule: String,
    /// The severity: `error`, `warning`, `information` or `hint`.
    pub severity: String,
    pub notes: Vec<String>,
    /// JSON pointers to the location, one for each level of nested texts.
    pub path: Vec<String>,
    /// The title of the fix, or the help.
    pub suggestion: Option<String>,
}

impl Checker {
    /// Checks sessions in parallel and returns the findings, sorted.
    #[must_use]
    pub fn check(&self, sessions: &[Session<'_>]) -> Vec<SessionFinding> {
        let mut overlay = Overlay::default();
        let mut transcripts = Vec::with_capacity(sessions.len());
        let mut places: FxHashMap<FileId, SessionPlaces<'_>> = FxHashMap::default();
        for (number, session) in sessions.iter().enumerate() {
            let (found, lines) = (self.transcript(number), self.lines(session));
            overlay.insert_transcript(found.path.clone(), Arc::clone(&lines.bytes));
            places.insert(found.file, SessionPlaces { number, session, lines });
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
        let CheckedTranscripts { entries, sources: parts, .. } =
            mangle_host::check_transcripts(request, &|_| ());
        let mut sources = self.sources();
        parts.into_iter().for_each(|(file, text)| sources.insert_source(file, text));
        let of = |entry: &ReportEntry| Some(places.get(&sources.owner(entry.file))?.finding(entry, &sources));
        let mut found: Vec<SessionFinding> = entries.par_iter().filter_map(of).collect();
        found.sort();
        found
    }
}

/// A session with the map from its lines to its texts.
struct SessionPlaces<'s> {
    number: usize,
    session: &'s Session<'s>,
    lines: SessionLines,
}

impl SessionPlaces<'_> {
    /// Converts a finding, with secrets redacted and offsets in the text of the turn.
    fn finding(&self, entry: &ReportEntry, sources: &Sources) -> SessionFinding {
        let entry = redacted(entry, sources);
        let diagnostic = &entry.diagnostic;
        let offset = |at: TextSize| sources.offset(entry.file, at);
        let (first, last) = (offset(diagnostic.range.start()), offset(diagnostic.range.end()));
        let is_of_all = (first, last) == (0, 0);
        let place = |at: u64| self.lines.place(usize::try_from(at).ok()?).filter(|_| !is_of_all);
        let (start, end) = (place(first), place(last));
        let turn = start.and_then(|start| self.session.turns.get(start.turn));
        let len = turn.map_or(0, |turn| turn.text.len());
        let within = |at: usize| u64::try_from(at.min(len)).unwrap_or(u64::MAX);
        let fix = diagnostic.fix.as_ref().map(|fix| &*fix.title).or(diagnostic.help.as_deref());
        SessionFinding {
            session: self.number,
            turn: turn.map(|turn| turn.turn),
            start: start.map(|start| within(start.offset)),
            end: end.zip(start).map(|(end, start)| match end.turn == start.turn {
                true => within(end.offset),
                // The range extends past the line.
                false => within(len),
            }),
            code: diagnostic.rule.code.to_owned(),
            headline: diagnostic.message.to_string(),
            rule: diagnostic.rule.name.to_owned(),
            severity: diagnostic.severity.as_str().to_owned(),
            notes: diagnostic.notes.iter().map(ToString::to_string).collect(),
            path: diagnostic.path.clone(),
            suggestion: fix.map(str::to_owned),
        }
    }
}

/// The columns of the statistics, with JSON pointers into the output of `stats`. An object at a
/// pointer is the sum of its members.
pub const COLUMNS: [(&str, &str); 15] = [
    ("answers", "/answers"),
    ("prompts", "/prompts"),
    ("parse_errors", "/parse_errors"),
    ("updates_kept", "/atoms/kept"),
    ("updates_dropped", "/atoms/dropped"),
    ("updates_blocked", "/atoms/blocked"),
    ("updates_withdrawn", "/atoms/withdrawn"),
    ("syntax_errors", "/mangle_syntax_errors"),
    ("blocks", "/constitutional_blocks/total"),
    ("memory_operations", "/memory_operations"),
    ("self_corrections", "/self_corrections"),
    ("control_leaks", "/control_leaks"),
    ("repair_rounds", "/repair_rounds"),
    ("original_tokens", "/compression/original_tokens"),
    ("state_tokens", "/compression/state/tokens"),
];

#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The index of the session in the input.
    pub session: usize,
    /// One number per column of [`COLUMNS`]. `None` if it is unknown.
    pub values: Vec<Option<f64>>,
}

impl Checker {
    /// Counts the outcomes of the replies of each session.
    #[must_use]
    pub fn stats(&self, sessions: &[Session<'_>]) -> Vec<Figure> {
        let of = |(number, session): (usize, &Session<'_>)| {
            let value = figures_json(&session.id, &self.statistics(session), false);
            Figure {
                session: number,
                values: COLUMNS.map(|(_, pointer)| number_at(&value, pointer)).to_vec(),
            }
        };
        sessions.par_iter().enumerate().map(of).collect()
    }

    fn statistics(&self, session: &Session<'_>) -> Statistics {
        let lines = self.lines(session);
        let mut figures = TranscriptFigures::new(&self.template, self.knowledges.judge(&self.template));
        let mut accounts = Accounts::new(self.programs(), &self.policies);
        let summary =
            each_record(&self.template, &lines, &mut |record| figures.record(record, &mut accounts));
        figures.finish(&summary)
    }
}

fn number_at(value: &Value, pointer: &str) -> Option<f64> {
    match value.pointer(pointer)? {
        Value::Object(members) => Some(members.values().filter_map(Value::as_f64).sum()),
        other => other.as_f64(),
    }
}

/// The number of sessions that are processed before their counts are added. Limits the memory use.
const AT_ONCE: usize = 256;

/// The events and statistics of a session, in order.
struct SessionCounts {
    events: Vec<(Origin, FleetEvent)>,
    figures: Statistics,
}

impl Checker {
    /// Renders a self-contained HTML report about sessions, with the counts of [`Checker::check`],
    /// [`Checker::replay`] and [`Checker::stats`].
    #[must_use]
    pub fn report(&self, sessions: &[Session<'_>], title: Option<&str>) -> String {
        let mut fleet = Fleet::default();
        for some in sessions.chunks(AT_ONCE) {
            let counts: Vec<_> = some.par_iter().map(|session| self.counts(session)).collect();
            for (session, SessionCounts { events, figures }) in some.iter().zip(counts) {
                fleet.begin(FleetFile { name: session.id.clone(), link: None, unit: "turn" });
                for (origin, event) in events {
                    fleet.add(&origin, event, None);
                }
                fleet.end(&figures, false);
            }
        }
        page(FleetPage { fleet: &fleet, title, date: None, unread: 0, mark: None })
    }

    fn counts(&self, session: &Session<'_>) -> SessionCounts {
        let lines = self.lines(session);
        let mut events = Vec::new();
        let mut see = |origin: Origin, event| events.push((with_labels(origin, session, &lines), event));
        let mut figures = TranscriptFigures::new(&self.template, self.knowledges.judge(&self.template));
        let mut accounts = Accounts::new(self.programs(), &self.policies);
        let summary = each_record(&self.template, &lines, &mut |record| {
            figures.record_with(record, &mut accounts, &mut see);
        });
        let figures = figures.finish_with(&summary, &mut see);
        SessionCounts { events, figures }
    }
}

/// Adds the labels of a turn to the origin of an event.
fn with_labels(origin: Origin, session: &Session<'_>, lines: &SessionLines) -> Origin {
    let line = origin.record.and_then(|record| u64::try_from(record).ok());
    let turn = line.and_then(|line| session.turns.get(lines.turn_of_line(line)?));
    let Some(SessionTurn { turn, labels, .. }) = turn else {
        return Origin { record: None, ..origin };
    };
    let mut origin = Origin { record: Some(*turn), ..origin };
    if labels.time != TurnTime::Absent {
        origin.time = labels.time;
    }
    let text = |word: Option<&str>, own: Option<String>| word.map(str::to_owned).or(own);
    origin.labels.model = text(labels.model, origin.labels.model);
    origin.labels.shard = text(labels.shard, origin.labels.shard);
    origin.version = text(labels.version, origin.version);
    origin
}
