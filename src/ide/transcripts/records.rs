//! The records of a transcript in memory, with what can be seen of each. After an edit only those are read again whose
//! bytes are others: what was found out about the rest stays.

use std::sync::{Arc, OnceLock};

use super::atom::MangleText;
use super::fences;
use super::members::{self, Cover};
use super::outline::{self, ReplyOutline};
use mangle_settings::{Container, TranscriptSettings};
use mangle_syntax::text::{TextEdit, TextRange, TextSize, size};
use piggyback::transcript::{Body, Transcript, TranscriptOptions};

/// All records of a transcript, in their order.
#[derive(Debug)]
pub struct Records {
    text: Arc<str>,
    transcript: Transcript,
    list: Vec<Entry>,
    /// Whether it is a Markdown document that is no transcript: nothing but its fences counts.
    is_document: bool,
    fences: OnceLock<Vec<MangleText>>,
}

/// A record and where it is.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its number from 1 on: that of its line where each is a line.
    pub number: u64,
    /// Where it starts in the file.
    pub start: TextSize,
    /// What is in it, whatever stands around it.
    pub body: Arc<Body>,
    seen: Arc<Seen>,
}

/// What was found out about a record, once.
#[derive(Debug, Default)]
struct Seen {
    outlines: OnceLock<Vec<ReplyOutline>>,
    covers: OnceLock<Vec<Cover>>,
}

impl Entry {
    /// Its bytes in the file.
    #[must_use]
    pub fn range(&self) -> TextRange {
        TextRange::at(self.start, size(self.body.len))
    }

    /// A range of the record as one of the file.
    #[must_use]
    pub fn place(&self, range: TextRange) -> TextRange {
        range + self.start
    }
}

impl Records {
    /// Reads a transcript.
    #[must_use]
    pub fn read(text: Arc<str>, name: &str, settings: &TranscriptSettings) -> Self {
        Self::new(Transcript::parse(TranscriptOptions::new(settings, name), text.as_bytes()), text, &[])
    }

    /// Reads a Markdown document that is no transcript: it has fences and no records.
    #[must_use]
    pub fn document(text: Arc<str>) -> Self {
        let transcript = Transcript::parse(TranscriptOptions::default(), &[]);
        Self { text, transcript, list: Vec::new(), is_document: true, fences: OnceLock::new() }
    }

    /// The records of the same transcript after an edit.
    #[must_use]
    pub fn after(&self, text: Arc<str>) -> Self {
        if self.is_document {
            return Self::document(text);
        }
        let edit = edit_between(self.text.as_bytes(), text.as_bytes());
        Self::new(self.transcript.update(text.as_bytes(), &[edit]), text, &self.list)
    }

    /// With what is known of the records of `old`, where these are the same.
    fn new(transcript: Transcript, text: Arc<str>, old: &[Entry]) -> Self {
        let entries = transcript.entries();
        let is_same =
            |(old, new): &(&Entry, &piggyback::transcript::DocumentRecord)| Arc::ptr_eq(&old.body, &new.body);
        let before = old.iter().zip(entries).take_while(is_same).count();
        let rests = old.iter().skip(before).rev().zip(entries.iter().skip(before).rev());
        let behind = rests.take_while(is_same).count();
        let known = |at: usize| {
            let from_end = entries.len() - at;
            let at = if at < before { Some(at) } else { old.len().checked_sub(from_end) };
            at.and_then(|at| old.get(at)).map(|old| Arc::clone(&old.seen))
        };
        let entry = |(at, found): (usize, &piggyback::transcript::DocumentRecord)| {
            let is_known = at < before || entries.len() - at <= behind;
            let seen = known(at).filter(|_| is_known).unwrap_or_default();
            let start = size(usize::try_from(found.start).unwrap_or(usize::MAX));
            Entry { number: found.number, start, body: Arc::clone(&found.body), seen }
        };
        let list = entries.iter().enumerate().map(entry).collect();
        Self { text, transcript, list, is_document: false, fences: OnceLock::new() }
    }

    /// Whether it is a Markdown document that is no transcript.
    #[must_use]
    pub fn is_document(&self) -> bool {
        self.is_document
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// The transcript itself.
    #[must_use]
    pub fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    /// The records, in the order of the text.
    #[must_use]
    pub fn list(&self) -> &[Entry] {
        &self.list
    }

    /// The records that have bytes in a range, or touch it.
    pub fn touching(&self, range: TextRange) -> impl Iterator<Item = &Entry> {
        let first = self.list.partition_point(|entry| entry.range().end() < range.start());
        let rest = self.list.get(first..).unwrap_or(&[]);
        rest.iter().take_while(move |entry| entry.start <= range.end())
    }

    /// The bytes of a record.
    #[must_use]
    pub fn bytes(&self, entry: &Entry) -> &[u8] {
        let range = entry.range();
        self.text.as_bytes().get(range.start().into()..range.end().into()).unwrap_or(&[])
    }

    /// What can be seen of the replies in a record.
    pub fn outlines<'r>(&self, entry: &'r Entry, settings: &TranscriptSettings) -> &'r [ReplyOutline] {
        let read = || outline::of_record(&entry.body.turns, self.bytes(entry), settings);
        entry.seen.outlines.get_or_init(read)
    }

    /// What is silenced in a record.
    pub(super) fn covers<'r>(&self, entry: &'r Entry, settings: &TranscriptSettings) -> &'r [Cover] {
        entry.seen.covers.get_or_init(|| members::of_turns(&entry.body.turns, self.bytes(entry), settings))
    }

    /// The Mangle in a record.
    pub fn mangle<'r>(
        &'r self,
        entry: &'r Entry,
        settings: &TranscriptSettings,
    ) -> impl Iterator<Item = &'r MangleText> + use<'r> {
        let envelopes = self.outlines(entry, settings).iter().flat_map(|reply| &reply.envelopes);
        envelopes.flat_map(|envelope| envelope.atoms.iter().map(|atom| &atom.text).chain(&envelope.others))
    }

    /// The fences with Mangle of a Markdown file, whose ranges count from the start of the file.
    pub fn fences(&self) -> &[MangleText] {
        self.fences.get_or_init(|| match self.transcript.container() {
            Some(Container::Markdown) => fences::fences(&self.text),
            None if self.is_document => fences::fences(&self.text),
            _ => Vec::new(),
        })
    }
}

/// The edit of what differs between two texts.
fn edit_between(old: &[u8], new: &[u8]) -> TextEdit {
    let shorter = old.len().min(new.len());
    let blocks = (common(old.chunks(BLOCK), new.chunks(BLOCK)) * BLOCK).min(shorter);
    let same = blocks + common(old.iter().skip(blocks), new.iter().skip(blocks));
    let (old, new) = (old.get(same..).unwrap_or(&[]), new.get(same..).unwrap_or(&[]));
    let shorter = old.len().min(new.len());
    let blocks = (common(old.rchunks(BLOCK), new.rchunks(BLOCK)) * BLOCK).min(shorter);
    let behind = blocks + common(old.iter().rev().skip(blocks), new.iter().rev().skip(blocks));
    let range = TextRange::at(size(same), size(old.len() - behind));
    TextEdit { range, new_len: size(new.len() - behind) }
}

/// How many bytes are compared at once.
const BLOCK: usize = 4096;

/// How many items two sequences have in common at their start.
fn common<T: PartialEq>(a: impl Iterator<Item = T>, b: impl Iterator<Item = T>) -> usize {
    a.zip(b).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;

    const NAME: &str = "a.piggyback.jsonl";

    fn line(word: &str) -> String {
        format!(r#"{{"control_packet":{{"mangle_updates":["p({word})."]}},"surface_response":"{word}"}}"#)
    }

    fn read(text: &str) -> Records {
        Records::read(text.into(), NAME, &TranscriptSettings::default())
    }

    fn after(before: &Records, text: &str) -> Records {
        before.after(text.into())
    }

    fn seen(records: &Records) -> Vec<(u64, TextRange)> {
        records.list().iter().map(|entry| (entry.number, entry.range())).collect()
    }

    #[test]
    fn what_is_added_at_the_end_is_read_alone() {
        let text: String = (0..100).map(|at| line(&at.to_string()) + "\n").collect();
        let before = read(&text);
        let grown = format!("{text}{}\n{}", line("new"), line("half"));
        let now = after(&before, &grown);
        assert_eq!(seen(&now), seen(&read(&grown)));
        let same = before.list().iter().zip(now.list()).filter(|(a, b)| Arc::ptr_eq(&a.seen, &b.seen));
        assert_eq!(same.count(), 100);
    }

    #[test]
    fn an_edit_in_the_middle_moves_what_is_behind_it() {
        let text: String = (0..100).map(|at| line(&at.to_string()) + "\n").collect();
        let before = read(&text);
        let edited = text.replace("\"50\"", "\"fifty\"").replace("\"60\"}\n", "\"60\"}\n\n\n");
        let now = after(&before, &edited);
        assert_eq!(seen(&now), seen(&read(&edited)));
        let same = before.list().iter().zip(now.list()).filter(|(a, b)| Arc::ptr_eq(&a.seen, &b.seen));
        assert_eq!(same.count(), 100 - 11);
    }

    proptest! {
        #[test]
        fn after_any_edit_the_records_are_those_of_the_text(
            at in 0usize..400, len in 0usize..200, new in r#"[ab"{}\n\r é]{0,12}"#
        ) {
            let text: String = (0..5).map(|at| line(&at.to_string()) + "\n").collect();
            let end = (at + len).min(text.len());
            let mut edited = text.clone();
            edited.replace_range(at.min(end)..end, &new);
            let now = after(&read(&text), &edited);
            prop_assert_eq!(seen(&now), seen(&read(&edited)));
            // And back.
            prop_assert_eq!(seen(&after(&now, &text)), seen(&read(&text)));
        }
    }
}
