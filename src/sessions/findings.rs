//! Findings about sessions.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::lines::SessionLines;
use super::{Checker, Session};
use mangle_host::{CheckedTranscripts, Overlay, TranscriptRequest};
use mangle_report::{ReportEntry, Sources, redacted};
use mangle_syntax::text::{Cancel, FileId, TextSize};

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
