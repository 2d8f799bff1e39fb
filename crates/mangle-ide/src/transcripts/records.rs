//! Records of an in-memory transcript with cached analysis results. After an edit, only records
//! with changed bytes are analyzed again.

use std::sync::{Arc, OnceLock};

use super::atom::{self, MangleText};
use super::members::{self, SuppressionMember};
use super::outline::{self, ReplyOutline};
use mangle_settings::{Container, TranscriptSettings};
use mangle_syntax::text::{TextEdit, TextRange, TextSize, size};
use piggyback::transcript::{RecordContent, Transcript, TranscriptOptions};

/// Records of a transcript, in order.
#[derive(Debug)]
pub struct Records {
    text: Arc<str>,
    transcript: Transcript,
    list: Vec<Entry>,
    /// True for a Markdown document that is not a transcript. Only its fences are analyzed.
    is_document: bool,
    fences: OnceLock<Vec<MangleText>>,
}

/// A record with its position.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Number of the record, starting at 1. Equals the line number in line-based containers.
    pub number: u64,
    /// Start offset in the file.
    pub start: TextSize,
    /// Content, independent of its position.
    pub body: Arc<RecordContent>,
    seen: Arc<RecordCache>,
}

/// Cached analysis results of a record.
#[derive(Debug, Default)]
struct RecordCache {
    outlines: OnceLock<Vec<ReplyOutline>>,
    covers: OnceLock<Vec<SuppressionMember>>,
}

impl Entry {
    /// Byte range in the file.
    #[must_use]
    pub fn range(&self) -> TextRange {
        TextRange::at(self.start, size(self.body.len))
    }

    /// Converts a range of the record to a range of the file.
    #[must_use]
    pub fn place(&self, range: TextRange) -> TextRange {
        range + self.start
    }
}

impl Records {
    /// Parses a transcript.
    #[must_use]
    pub fn read(text: Arc<str>, name: &str, settings: &TranscriptSettings) -> Self {
        Self::new(Transcript::parse(TranscriptOptions::new(settings, name), text.as_bytes()), text, &[])
    }

    /// Parses a Markdown document that is not a transcript. Such a document has fences and no
    /// records.
    #[must_use]
    pub fn document(text: Arc<str>) -> Self {
        let transcript = Transcript::parse(TranscriptOptions::default(), &[]);
        Self { text, transcript, list: Vec::new(), is_document: true, fences: OnceLock::new() }
    }

    /// Returns the records after an edit of the same transcript.
    #[must_use]
    pub fn with_text(&self, text: Arc<str>) -> Self {
        if self.is_document {
            return Self::document(text);
        }
        let edit = edit_between(self.text.as_bytes(), text.as_bytes());
        Self::new(self.transcript.update(text.as_bytes(), &[edit]), text, &self.list)
    }

    /// Reuses the analysis results of `old` for unchanged records.
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

    /// True for a Markdown document that is not a transcript.
    #[must_use]
    pub fn is_document(&self) -> bool {
        self.is_document
    }

    #[must_use]
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    #[must_use]
    pub fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    /// Records in source order.
    #[must_use]
    pub fn list(&self) -> &[Entry] {
        &self.list
    }

    /// Returns the records that overlap or touch a range.
    pub fn touching(&self, range: TextRange) -> impl Iterator<Item = &Entry> {
        let first = self.list.partition_point(|entry| entry.range().end() < range.start());
        let rest = self.list.get(first..).unwrap_or(&[]);
        rest.iter().take_while(move |entry| entry.start <= range.end())
    }

    #[must_use]
    pub fn bytes(&self, entry: &Entry) -> &[u8] {
        let range = entry.range();
        self.text.as_bytes().get(range.start().into()..range.end().into()).unwrap_or(&[])
    }

    /// Returns the cached outlines of the replies in a record.
    pub fn outlines<'r>(&self, entry: &'r Entry, settings: &TranscriptSettings) -> &'r [ReplyOutline] {
        let read = || outline::of_record(&entry.body.turns, self.bytes(entry), settings);
        entry.seen.outlines.get_or_init(read)
    }

    /// Returns the cached suppressions in a record.
    pub(super) fn covers<'r>(
        &self,
        entry: &'r Entry,
        settings: &TranscriptSettings,
    ) -> &'r [SuppressionMember] {
        entry.seen.covers.get_or_init(|| members::of_turns(&entry.body.turns, self.bytes(entry), settings))
    }

    /// Returns the Mangle texts in a record.
    pub fn mangle<'r>(
        &'r self,
        entry: &'r Entry,
        settings: &TranscriptSettings,
    ) -> impl Iterator<Item = &'r MangleText> + use<'r> {
        let envelopes = self.outlines(entry, settings).iter().flat_map(|reply| &reply.envelopes);
        envelopes.flat_map(|envelope| envelope.atoms.iter().map(|atom| &atom.text).chain(&envelope.others))
    }

    /// Returns the Mangle fences of a Markdown file, with ranges relative to the start of the file.
    pub fn fences(&self) -> &[MangleText] {
        self.fences.get_or_init(|| match self.transcript.container() {
            Some(Container::Markdown) => atom::fences(&self.text),
            None if self.is_document => atom::fences(&self.text),
            _ => Vec::new(),
        })
    }
}

/// Returns the edit between two texts.
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

/// Number of bytes compared at once.
const BLOCK: usize = 4096;

/// Returns the length of the common prefix of two sequences.
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
        before.with_text(text.into())
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
            // Reverts the edit.
            prop_assert_eq!(seen(&after(&now, &text)), seen(&read(&text)));
        }
    }
}
