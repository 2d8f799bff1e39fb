//! Conversation view of consecutive records of an in-memory transcript, for virtual documents in
//! editors.

use super::{
    JudgeUpdates, RecordConversation, RecordInput, TurnSummary, USUAL_WIDTH, conversation, is_answer,
    loose_finding, loose_note, turn_accounts,
};
use crate::transcripts::{Entry, TranscriptView};
use mangle_report::conversation::{ConversationLink, ConversationText, PieceKind, first_lines, plain};
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::{TextRange, TextSize, size, text_len};
use piggyback::envelope::Reply;
use piggyback::envelope::account::{AccountEntry, Filters, UpdateFate};
use piggyback::transcript::{Record, Turn};

/// Text of consecutive records. Its links are byte ranges of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConversationWindow {
    pub text: ConversationText,
    /// Range in the text, range in the file, and number of each record with lines.
    pub records: Vec<(TextRange, TextRange, u64)>,
    /// Shown turns in order.
    pub turns: Vec<WindowTurn>,
    /// Index of the first shown record.
    pub first: usize,
    pub count: usize,
    /// Number of records in the transcript.
    pub total: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WindowTurn {
    /// Range of the heading line in the text.
    pub head: TextRange,
    /// Summary whose `place` is a byte range of the file.
    pub summary: TurnSummary,
    /// First line of the spoken text.
    pub excerpt: String,
}

/// Context before the first record, if the file is the rest of a longer transcript.
#[derive(Debug, Clone, Copy)]
pub struct WindowStart {
    /// Number of the first record.
    pub number: u64,
    /// Number of the last answer before the file.
    pub answers: u64,
    /// Note shown above the text.
    pub note: Option<&'static str>,
}

/// Shows `count` records, starting at index `first`. `found` contains the findings of the whole
/// file, sorted by start.
#[must_use]
pub fn window(
    opened: TranscriptView<'_>,
    found: &[Diagnostic],
    first: usize,
    count: usize,
) -> ConversationWindow {
    window_from(opened, found, first, count, WindowStart { number: 1, answers: 0, note: None })
}

/// Like [`window`], for the rest of a longer transcript.
#[must_use]
pub fn window_from(
    opened: TranscriptView<'_>,
    found: &[Diagnostic],
    first: usize,
    count: usize,
    start: WindowStart,
) -> ConversationWindow {
    let list = opened.records.list();
    let first = first.min(list.len().saturating_sub(1));
    let shown = list.get(first..).unwrap_or(&[]).iter().take(count);
    let mut window =
        ConversationWindow { first, count: shown.len(), total: list.len(), ..ConversationWindow::default() };
    let before = list.get(..first).unwrap_or(&[]).iter().flat_map(|entry| &entry.body.turns);
    let mut answers = start.answers + before.filter(|turn| is_answer(turn.kind)).count() as u64;
    if let Some(note) = start.note {
        let lines = loose_note(note, USUAL_WIDTH);
        window.text.append(&plain(&lines), TextSize::new(0));
    }
    if list.is_empty() {
        window.loose(found);
    }
    let numbers_before = start.number.saturating_sub(1);
    for (at, entry) in (first..).zip(shown) {
        // Findings before the first record belong to it; findings after a record belong to that
        // record.
        let start = if at == 0 { TextSize::new(0) } else { entry.start };
        let here = within(found, start, list.get(at + 1).map(|next| next.start));
        let (own, loose): (Vec<Diagnostic>, Vec<Diagnostic>) =
            here.iter().cloned().partition(|one| entry.range().contains_range(one.range));
        let own: Vec<Diagnostic> = own.into_iter().filter_map(|one| relative(one, entry.start)).collect();
        let made = record(opened, at, &own, answers, numbers_before);
        answers = made.answers;
        let lines = if window.text.text.is_empty() { first_lines(&made.lines) } else { &made.lines };
        window.record(&plain(lines), &made, entry.start, entry.range(), numbers_before + entry.number);
        window.loose(&loose);
    }
    window
}

/// Returns the conversation of the record at an index.
fn record(
    opened: TranscriptView<'_>,
    at: usize,
    findings: &[Diagnostic],
    answers: u64,
    numbers_before: u64,
) -> RecordConversation {
    let (list, entries) = (opened.records.list(), opened.records.transcript().entries());
    let (Some(entry), Some(record)) = (list.get(at), entries.get(at)) else {
        return RecordConversation { answers, ..RecordConversation::default() };
    };
    let mut record = record.record(opened.records.text().as_bytes());
    record.number += numbers_before;
    let verdicts = opened.verdicts.and_then(|known| known.within(at..at + 1).next());
    conversation(RecordInput {
        record: &record,
        settings: opened.settings,
        accounts: &accounts(opened, entry, &record),
        verdicts: verdicts.map_or(&[], |(_, said)| said.turns.as_slice()),
        findings,
        answers,
        turns: None,
        width: USUAL_WIDTH,
    })
}

impl ConversationWindow {
    /// Appends the text of a record with its range in the file and its number. Links and turns are
    /// relative to `start`.
    fn record(
        &mut self,
        text: &ConversationText,
        made: &RecordConversation,
        start: TextSize,
        place: TextRange,
        number: u64,
    ) {
        let (before, links) = (text_len(&self.text.text), self.text.links.len());
        self.text.append(text, start);
        let shown = TextRange::new(before, text_len(&self.text.text));
        if !shown.is_empty() {
            self.records.push((shown, place, number));
        }
        if let Some(last) = self.turns.last_mut() {
            last.summary.lost += made.lost_before;
        }
        let mut rest = self.text.links.get(links..).unwrap_or(&[]);
        for summary in &made.summaries {
            let summary = TurnSummary { place: summary.place + start, ..summary.clone() };
            let is_head =
                |link: &ConversationLink| link.kind == PieceKind::Turn && link.source.range == summary.place;
            let Some(at) = rest.iter().position(is_head) else { continue };
            let head = rest.get(at).map(|link| link.range).unwrap_or_default();
            rest = rest.get(at + 1..).unwrap_or(&[]);
            let said = rest.iter().take_while(|link| link.kind != PieceKind::Turn);
            let mut said = said.filter(|link| matches!(link.kind, PieceKind::Surface | PieceKind::Text));
            let excerpt = said.next().map(|link| first_line(&self.text.text, link.range.start()));
            self.turns.push(WindowTurn { head, summary, excerpt: excerpt.unwrap_or_default() });
        }
    }

    /// Returns the range of the text that shows a byte range of the file. For hidden bytes, returns
    /// the finding about them, or the heading line of their turn.
    #[must_use]
    pub fn shown(&self, range: TextRange) -> Option<TextRange> {
        let range = if range.is_empty() { TextRange::at(range.start(), TextSize::new(1)) } else { range };
        let links = self.links_of(range);
        let parts = links.iter().filter(|link| link.kind.is_transcript());
        let parts = parts.filter_map(|link| part_of(link, range));
        parts.reduce(TextRange::cover).or_else(|| self.annotation_for(range))
    }

    /// Returns the annotation or heading for bytes that no line shows.
    fn annotation_for(&self, range: TextRange) -> Option<TextRange> {
        let is_said = |link: &&ConversationLink| !link.kind.is_transcript() && link.source.range == range;
        let said = self.text.links.iter().find(is_said).map(|link| link.range);
        let around = |turn: &&WindowTurn| turn.summary.place.contains_range(range);
        said.or_else(|| self.turns.iter().find(around).map(|turn| turn.head))
    }

    /// Returns the links of the records that overlap a range of the file.
    fn links_of(&self, range: TextRange) -> &[ConversationLink] {
        let first = self.records.partition_point(|(_, place, _)| place.end() <= range.start());
        let last = self.records.partition_point(|(_, place, _)| place.start() < range.end());
        let records = self.records.get(first..last).unwrap_or(&[]);
        let (Some((first, ..)), Some((last, ..))) = (records.first(), records.last()) else { return &[] };
        let links = &self.text.links;
        let start = links.partition_point(|link| link.range.end() <= first.start());
        let end = links.partition_point(|link| link.range.start() < last.end());
        links.get(start..end).unwrap_or(&[])
    }

    /// Returns the link at an offset of the text, or the next link that starts before `end`.
    #[must_use]
    pub fn link_at(&self, offset: TextSize, end: TextSize) -> Option<&ConversationLink> {
        let at = self.text.links.partition_point(|link| link.range.end() <= offset);
        self.text.links.get(at).filter(|link| link.range.start() < end.max(offset + TextSize::new(1)))
    }

    /// Returns the byte range of the file that a range of the text shows or refers to.
    #[must_use]
    pub fn source(&self, range: TextRange) -> Option<TextRange> {
        let at = self.text.links.partition_point(|link| link.range.end() <= range.start());
        let links = self.text.links.get(at..).unwrap_or(&[]).iter();
        let links = links.take_while(|link| link.range.start() < range.end());
        links.map(|link| source_of(link, range)).reduce(TextRange::cover)
    }

    /// Appends findings outside of all records.
    fn loose(&mut self, found: &[Diagnostic]) {
        for one in found {
            self.text.append(&plain(&loose_finding(one, None, USUAL_WIDTH)), TextSize::new(0));
        }
    }
}

/// Returns the rest of a line, without surrounding white space and `~`.
fn first_line(text: &str, start: TextSize) -> String {
    let rest = text.get(start.into()..).unwrap_or_default();
    rest.lines().next().unwrap_or_default().trim().trim_matches('~').to_owned()
}

/// Returns the part of a link that shows bytes of a range of the file.
fn part_of(link: &ConversationLink, range: TextRange) -> Option<TextRange> {
    let shown = link.source.range.intersect(range).filter(|shown| !shown.is_empty())?;
    Some(match link.source.is_copied {
        true => TextRange::at(link.range.start() + (shown.start() - link.source.range.start()), shown.len()),
        false => link.range,
    })
}

/// Returns the byte range of the file that a range of the text shows within a link.
fn source_of(link: &ConversationLink, range: TextRange) -> TextRange {
    let shown = link.range.intersect(range).filter(|_| link.source.is_copied);
    shown.map_or(link.source.range, |shown| {
        TextRange::at(link.source.range.start() + (shown.start() - link.range.start()), shown.len())
    })
}

/// Returns the findings that start within a range of the file.
fn within(found: &[Diagnostic], start: TextSize, end: Option<TextSize>) -> &[Diagnostic] {
    let first = found.partition_point(|one| one.range.start() < start);
    let last = end.map_or(found.len(), |end| found.partition_point(|one| one.range.start() < end));
    found.get(first..last.max(first)).unwrap_or(&[])
}

/// Shifts a finding to be relative to the start of its record.
fn relative(found: Diagnostic, start: TextSize) -> Option<Diagnostic> {
    let range =
        TextRange::new(found.range.start().checked_sub(start)?, found.range.end().checked_sub(start)?);
    Some(Diagnostic { range, ..found })
}

/// Outcomes from the filters, combined with the verdicts of a background replay if available.
struct WindowJudge<'a> {
    opened: TranscriptView<'a>,
    entry: &'a Entry,
    filters: Filters<'a>,
}

impl JudgeUpdates for WindowJudge<'_> {
    fn reply(&mut self, _: usize, turn: &Turn, reply: &Reply<'_>) -> Vec<AccountEntry> {
        let TranscriptView { verdicts, records, .. } = self.opened;
        let whole = turn.place(TextRange::up_to(size(turn.len())));
        let denial = verdicts.and_then(|verdicts| verdicts.denial(records, self.entry, whole));
        let judged = self.filters.account(reply).into_iter().map(|one| match denial {
            Some(is_replaced) => AccountEntry { fate: one.fate.clone().denied(is_replaced), ..one },
            None => one,
        });
        judged.collect()
    }

    fn standalone_update(&mut self, text: &str, before: usize) -> Option<UpdateFate> {
        Some(self.filters.standalone_fate(text, before))
    }
}

/// Returns the outcomes of the updates of a record.
fn accounts(opened: TranscriptView<'_>, entry: &Entry, record: &Record<'_>) -> Vec<Vec<AccountEntry>> {
    let filters = Filters::new(opened.settings, opened.declarations);
    turn_accounts(record, opened.settings, &mut 0, &mut WindowJudge { opened, entry, filters })
}
