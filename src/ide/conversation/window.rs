//! A stretch of the records of a transcript in memory as a conversation, for documents that editors show.

use super::{
    JudgeUpdates, RecordConversation, RecordInput, TurnSummary, USUAL_WIDTH, conversation, is_answer,
    loose_finding, loose_note, turn_accounts,
};
use crate::ide::transcripts::{Entry, Opened};
use crate::report::conversation::{ConversationLink, ConversationText, PieceKind, first_lines, plain};
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::{TextRange, TextSize, size, text_len};
use piggyback::envelope::Reply;
use piggyback::envelope::account::{AccountEntry, Filters, UpdateFate};
use piggyback::transcript::{Record, Turn};

/// A stretch of records, as a text whose links count in the bytes of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConversationWindow {
    pub text: ConversationText,
    /// The records that have lines: in the text, and in the file, with their numbers.
    pub records: Vec<(TextRange, TextRange, u64)>,
    /// The turns that are shown, in their order.
    pub turns: Vec<WindowTurn>,
    /// The index of the first record that is shown, and how many there are.
    pub first: usize,
    pub count: usize,
    /// How many records the transcript has.
    pub total: usize,
}

/// A turn that is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WindowTurn {
    /// The line above it, in the text.
    pub head: TextRange,
    /// What is said of it; its place is in bytes of the file.
    pub summary: TurnSummary,
    /// The first line of what is said in it.
    pub excerpt: String,
}

/// What is before the first record of a transcript, where that is the rest of one.
#[derive(Debug, Clone, Copy)]
pub struct WindowStart {
    /// The number of the record.
    pub number: u64,
    /// The number of the answer before it.
    pub answers: u64,
    /// What is said above it.
    pub note: Option<&'static str>,
}

/// Shows `count` records from the one at the index `first` on. `found` is what `check` finds in the whole file, sorted by start.
#[must_use]
pub fn window(opened: Opened<'_>, found: &[Diagnostic], stretch: (usize, usize)) -> ConversationWindow {
    window_from(opened, found, stretch, WindowStart { number: 1, answers: 0, note: None })
}

/// [`window`] of a transcript that is the rest of one.
#[must_use]
pub fn window_from(
    opened: Opened<'_>,
    found: &[Diagnostic],
    (first, count): (usize, usize),
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
        // What stands before the first record belongs to it, what stands behind another to that.
        let start = if at == 0 { TextSize::new(0) } else { entry.start };
        let here = within(found, start, list.get(at + 1).map(|next| next.start));
        let (own, loose): (Vec<Diagnostic>, Vec<Diagnostic>) =
            here.iter().cloned().partition(|one| entry.range().contains_range(one.range));
        let own: Vec<Diagnostic> = own.into_iter().filter_map(|one| relative(one, entry.start)).collect();
        let made = record(opened, at, &own, (answers, numbers_before));
        answers = made.answers;
        let lines = if window.text.text.is_empty() { first_lines(&made.lines) } else { &made.lines };
        window.record(&plain(lines), &made, (entry.start, entry.range(), numbers_before + entry.number));
        window.loose(&loose);
    }
    window
}

/// The lines of the record at an index.
fn record(
    opened: Opened<'_>,
    at: usize,
    findings: &[Diagnostic],
    (answers, numbers_before): (u64, u64),
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
    /// Adds the text of a record, which has a place in the file and a number; links and turns of it count from `start`.
    fn record(
        &mut self,
        text: &ConversationText,
        made: &RecordConversation,
        (start, place, number): (TextSize, TextRange, u64),
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

    /// The part of the text that shows bytes of the file, from the first that is shown to the last; of bytes that no line
    /// shows, the line of the finding about them, else the line above their turn.
    #[must_use]
    pub fn shown(&self, range: TextRange) -> Option<TextRange> {
        let range = if range.is_empty() { TextRange::at(range.start(), TextSize::new(1)) } else { range };
        let links = self.links_of(range);
        let parts = links.iter().filter(|link| link.kind.is_transcript());
        let parts = parts.filter_map(|link| part_of(link, range));
        parts.reduce(TextRange::cover).or_else(|| self.beside(range))
    }

    /// What is said about bytes that no line shows.
    fn beside(&self, range: TextRange) -> Option<TextRange> {
        let is_said = |link: &&ConversationLink| !link.kind.is_transcript() && link.source.range == range;
        let said = self.text.links.iter().find(is_said).map(|link| link.range);
        let around = |turn: &&WindowTurn| turn.summary.place.contains_range(range);
        said.or_else(|| self.turns.iter().find(around).map(|turn| turn.head))
    }

    /// The links of the records that have bytes in a range.
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

    /// The link at an offset of the text, else the first one behind it that is before `end`.
    #[must_use]
    pub fn link_at(&self, offset: TextSize, end: TextSize) -> Option<&ConversationLink> {
        let at = self.text.links.partition_point(|link| link.range.end() <= offset);
        self.text.links.get(at).filter(|link| link.range.start() < end.max(offset + TextSize::new(1)))
    }

    /// The bytes of the file that a part of the text shows or is about, from the first to the last.
    #[must_use]
    pub fn source(&self, range: TextRange) -> Option<TextRange> {
        let at = self.text.links.partition_point(|link| link.range.end() <= range.start());
        let links = self.text.links.get(at..).unwrap_or(&[]).iter();
        let links = links.take_while(|link| link.range.start() < range.end());
        links.map(|link| source_of(link, range)).reduce(TextRange::cover)
    }

    /// Adds findings that are in no record.
    fn loose(&mut self, found: &[Diagnostic]) {
        for one in found {
            self.text.append(&plain(&loose_finding(one, None, USUAL_WIDTH)), TextSize::new(0));
        }
    }
}

/// The rest of a line.
fn first_line(text: &str, start: TextSize) -> String {
    let rest = text.get(start.into()..).unwrap_or_default();
    rest.lines().next().unwrap_or_default().trim().trim_matches('~').to_owned()
}

/// What of a link shows bytes of a range.
fn part_of(link: &ConversationLink, range: TextRange) -> Option<TextRange> {
    let shown = link.source.range.intersect(range).filter(|shown| !shown.is_empty())?;
    Some(match link.source.is_copied {
        true => TextRange::at(link.range.start() + (shown.start() - link.source.range.start()), shown.len()),
        false => link.range,
    })
}

/// What a part of the text shows of the bytes of a link.
fn source_of(link: &ConversationLink, range: TextRange) -> TextRange {
    let shown = link.range.intersect(range).filter(|_| link.source.is_copied);
    shown.map_or(link.source.range, |shown| {
        TextRange::at(link.source.range.start() + (shown.start() - link.range.start()), shown.len())
    })
}

/// The findings that begin in a stretch of the file.
fn within(found: &[Diagnostic], start: TextSize, end: Option<TextSize>) -> &[Diagnostic] {
    let first = found.partition_point(|one| one.range.start() < start);
    let last = end.map_or(found.len(), |end| found.partition_point(|one| one.range.start() < end));
    found.get(first..last.max(first)).unwrap_or(&[])
}

/// A finding with a range from the start of its record.
fn relative(found: Diagnostic, start: TextSize) -> Option<Diagnostic> {
    let range =
        TextRange::new(found.range.start().checked_sub(start)?, found.range.end().checked_sub(start)?);
    Some(Diagnostic { range, ..found })
}

/// Filters, and a replay in the background where there is one.
struct WindowJudge<'a> {
    opened: Opened<'a>,
    entry: &'a Entry,
    filters: Filters<'a>,
}

impl JudgeUpdates for WindowJudge<'_> {
    fn reply(&mut self, _: usize, turn: &Turn, reply: &Reply<'_>) -> Vec<AccountEntry> {
        let Opened { verdicts, records, .. } = self.opened;
        let whole = turn.place(TextRange::up_to(size(turn.len())));
        let denial = verdicts.and_then(|verdicts| verdicts.denial(records, self.entry, whole));
        let judged = self.filters.account(reply).into_iter().map(|one| match denial {
            Some(is_replaced) => AccountEntry { fate: one.fate.clone().denied(is_replaced), ..one },
            None => one,
        });
        judged.collect()
    }

    fn lone(&mut self, text: &str, before: usize) -> Option<UpdateFate> {
        Some(self.filters.lone(text, before))
    }
}

/// What becomes of the updates of a record's turns.
fn accounts(opened: Opened<'_>, entry: &Entry, record: &Record<'_>) -> Vec<Vec<AccountEntry>> {
    let filters = Filters::new(opened.settings, opened.declarations);
    turn_accounts(record, opened.settings, &mut 0, &mut WindowJudge { opened, entry, filters })
}
