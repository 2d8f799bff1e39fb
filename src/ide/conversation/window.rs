//! A stretch of the records of a transcript in memory as a conversation, for documents that editors show.

use super::{
    JudgeUpdates, RecordConversation, RecordInput, USUAL_WIDTH, conversation, is_answer, loose_finding,
    turn_accounts,
};
use crate::ide::transcripts::{Entry, Opened};
use crate::report::conversation::{ConversationText, first_lines, plain};
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
    /// The index of the first record that is shown, and how many there are.
    pub first: usize,
    pub count: usize,
    /// How many records the transcript has.
    pub total: usize,
}

/// Shows `count` records from the one at the index `first` on. `found` is what `check` finds in the whole file, sorted by start.
#[must_use]
pub fn window(
    opened: Opened<'_>,
    found: &[Diagnostic],
    (first, count): (usize, usize),
) -> ConversationWindow {
    let list = opened.records.list();
    let first = first.min(list.len().saturating_sub(1));
    let shown = list.get(first..).unwrap_or(&[]).iter().take(count);
    let mut window =
        ConversationWindow { first, count: shown.len(), total: list.len(), ..ConversationWindow::default() };
    let before = list.get(..first).unwrap_or(&[]).iter().flat_map(|entry| &entry.body.turns);
    let mut answers = before.filter(|turn| is_answer(turn.kind)).count() as u64;
    if list.is_empty() {
        window.loose(found);
    }
    for (at, entry) in (first..).zip(shown) {
        // What stands before the first record belongs to it, what stands behind another to that.
        let start = if at == 0 { TextSize::new(0) } else { entry.start };
        let here = within(found, start, list.get(at + 1).map(|next| next.start));
        let (own, loose): (Vec<Diagnostic>, Vec<Diagnostic>) =
            here.iter().cloned().partition(|one| entry.range().contains_range(one.range));
        let own: Vec<Diagnostic> = own.into_iter().filter_map(|one| relative(one, entry.start)).collect();
        let made = record(opened, at, &own, answers);
        answers = made.answers;
        let lines = if window.text.text.is_empty() { first_lines(&made.lines) } else { &made.lines };
        window.record(&plain(lines), entry);
        window.loose(&loose);
    }
    window
}

/// The lines of the record at an index.
fn record(opened: Opened<'_>, at: usize, findings: &[Diagnostic], answers: u64) -> RecordConversation {
    let (list, entries) = (opened.records.list(), opened.records.transcript().entries());
    let (Some(entry), Some(record)) = (list.get(at), entries.get(at)) else {
        return RecordConversation { answers, ..RecordConversation::default() };
    };
    let record = record.record(opened.records.text().as_bytes());
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
    fn record(&mut self, text: &ConversationText, entry: &Entry) {
        let start = text_len(&self.text.text);
        self.text.append(text, entry.start);
        let shown = TextRange::new(start, text_len(&self.text.text));
        if !shown.is_empty() {
            self.records.push((shown, entry.range(), entry.number));
        }
    }

    /// Adds findings that are in no record.
    fn loose(&mut self, found: &[Diagnostic]) {
        for one in found {
            self.text.append(&plain(&loose_finding(one, None, USUAL_WIDTH)), TextSize::new(0));
        }
    }
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
