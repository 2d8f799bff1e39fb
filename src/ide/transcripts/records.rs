//! The records of a transcript in memory. After an edit only those are read again whose bytes are others: what was
//! found out about the rest stays.

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use super::atom::MangleText;
use super::outline::{self, ReplyOutline};
use crate::config::{Container, TranscriptSettings};
use crate::lint::Finding;
use crate::text::{TextRange, TextSize, size};
use crate::transcript::{Options, Reader, Turn};

/// All records of a transcript, in their order.
#[derive(Debug, Default)]
pub struct Records {
    text: Arc<str>,
    container: Option<Container>,
    /// Whether each record is a line.
    by_line: bool,
    list: Vec<Entry>,
    /// What is to be said of the file as a whole; ranges count from its start.
    findings: Vec<Finding>,
}

/// A record and where it is.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its number from 1 on: that of its line where each is a line.
    pub number: u64,
    /// Where it starts in the file.
    pub start: TextSize,
    /// What is known of it, whatever stands around it.
    pub kept: Arc<Kept>,
}

/// What is known of the bytes of a record. Ranges count from their start.
#[derive(Debug)]
pub struct Kept {
    len: TextSize,
    /// What is in it.
    pub turns: Vec<Turn>,
    /// What is wrong with the record itself.
    pub findings: Vec<Finding>,
    outlines: OnceLock<Vec<ReplyOutline>>,
    checked: Mutex<Option<(u64, Arc<[Finding]>)>>,
}

impl Entry {
    /// Its bytes in the file.
    #[must_use]
    pub fn range(&self) -> TextRange {
        TextRange::at(self.start, self.kept.len)
    }

    /// A range of the record as one of the file.
    #[must_use]
    pub fn place(&self, range: TextRange) -> TextRange {
        range + self.start
    }
}

impl Kept {
    /// What is found in it: what `check` gives, unless that was asked for under the same `key`.
    pub fn checked(&self, key: u64, check: impl FnOnce() -> Vec<Finding>) -> Arc<[Finding]> {
        if let Some((_, found)) = self.checked.lock().as_ref().filter(|(known, _)| *known == key) {
            return Arc::clone(found);
        }
        let found: Arc<[Finding]> = check().into();
        *self.checked.lock() = Some((key, Arc::clone(&found)));
        found
    }
}

impl Records {
    /// Reads a transcript.
    #[must_use]
    pub fn read(text: Arc<str>, name: &str, settings: &TranscriptSettings) -> Self {
        let mut list = Vec::new();
        let (container, findings) = read_part(&text, options(settings.container, name, settings), &mut list);
        let is_line = |entry: &Entry| !bytes(&text, entry.range()).contains(&b'\n');
        let is_of_lines = matches!(container, Some(Container::EnvelopeLines | Container::ChatLines));
        let by_line = is_of_lines && list.iter().all(is_line);
        Self { text, container, by_line, list, findings }
    }

    /// The records of the same transcript after an edit.
    #[must_use]
    pub fn after(&self, text: Arc<str>, name: &str, settings: &TranscriptSettings) -> Self {
        let changed = self.by_line.then(|| Changed::between(&self.text, &text));
        let changed = changed.filter(|changed| self.keeps_its_shape(changed));
        let Some(changed) = changed else { return Self::read(text, name, settings) };
        let before = self.list.partition_point(|entry| entry.start < size(changed.start));
        let behind = self.list.partition_point(|entry| entry.start < size(changed.old_end));
        let mut list: Vec<Entry> = self.list.get(..before).unwrap_or(&[]).to_vec();
        let lines_before = list.last().map_or_else(
            || lines(text.as_bytes().get(..changed.start)),
            |last| last.number - 1 + lines(text.as_bytes().get(last.start.into()..changed.start)),
        );
        let mut middle = Vec::new();
        let part = text.get(changed.start..changed.new_end).unwrap_or("");
        let (_, findings) = read_part(part, options(self.container, name, settings), &mut middle);
        let is_line = |entry: &Entry| !bytes(part, entry.range()).contains(&b'\n');
        if !findings.is_empty() || !middle.iter().all(is_line) {
            return Self::read(text, name, settings);
        }
        let start = size(changed.start);
        list.extend(middle.into_iter().map(|entry| Entry {
            number: entry.number + lines_before,
            start: entry.start + start,
            kept: entry.kept,
        }));
        let old_lines = lines(self.text.as_bytes().get(changed.start..changed.old_end));
        let new_lines = lines(text.as_bytes().get(changed.start..changed.new_end));
        let moved = |entry: &Entry| Entry {
            number: entry.number + new_lines - old_lines,
            start: size(usize::from(entry.start) + changed.new_end - changed.old_end),
            kept: Arc::clone(&entry.kept),
        };
        list.extend(self.list.get(behind..).unwrap_or(&[]).iter().map(moved));
        Self { text, list, container: self.container, by_line: true, findings: self.findings.clone() }
    }

    /// Whether an edit can be told from what it touches: the first record says what the file is.
    fn keeps_its_shape(&self, changed: &Changed) -> bool {
        let first = self.list.first().is_some_and(|first| usize::from(first.range().end()) < changed.start);
        first && self.findings.is_empty()
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// What keeps the replies.
    #[must_use]
    pub fn container(&self) -> Option<Container> {
        self.container
    }

    /// The records, in the order of the text.
    #[must_use]
    pub fn list(&self) -> &[Entry] {
        &self.list
    }

    /// What is to be said of the file as a whole; ranges count from its start.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
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
        bytes(&self.text, entry.range())
    }

    /// What can be seen of the replies in a record.
    pub fn outlines<'r>(&self, entry: &'r Entry, settings: &TranscriptSettings) -> &'r [ReplyOutline] {
        let kept = &entry.kept;
        kept.outlines.get_or_init(|| outline::of_record(&kept.turns, self.bytes(entry), settings))
    }
}

impl Records {
    /// The Mangle in a record.
    pub fn mangle<'r>(
        &'r self,
        entry: &'r Entry,
        settings: &TranscriptSettings,
    ) -> impl Iterator<Item = &'r MangleText> + use<'r> {
        let envelopes = self.outlines(entry, settings).iter().flat_map(|reply| &reply.envelopes);
        envelopes.flat_map(|envelope| &envelope.atoms).map(|atom| &atom.text)
    }
}

fn options(container: Option<Container>, name: &str, settings: &TranscriptSettings) -> Options {
    Options { container, name: name.to_owned(), separator: settings.turn_separator.clone() }
}

/// Adds the records of a text; gives its container and what is to be said of it as a whole.
fn read_part(text: &str, options: Options, list: &mut Vec<Entry>) -> (Option<Container>, Vec<Finding>) {
    let mut reader = Reader::new(options);
    let mut add = |record: &crate::transcript::Record<'_>| {
        let start = size(usize::try_from(record.start).unwrap_or(usize::MAX));
        let kept = Kept {
            len: size(record.bytes.len()),
            turns: record.turns.clone(),
            findings: record.findings.clone(),
            outlines: OnceLock::new(),
            checked: Mutex::new(None),
        };
        list.push(Entry { number: record.number, start, kept: Arc::new(kept) });
    };
    reader.feed(text.as_bytes(), &mut add);
    let summary = reader.finish(&mut add);
    (summary.container, summary.findings())
}

fn bytes(text: &str, range: TextRange) -> &[u8] {
    text.as_bytes().get(range.start().into()..range.end().into()).unwrap_or(&[])
}

/// How many lines end in a part of a text.
fn lines(part: Option<&[u8]>) -> u64 {
    memchr::memchr_iter(b'\n', part.unwrap_or(&[])).count() as u64
}

/// The whole lines in which two texts differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Changed {
    start: usize,
    old_end: usize,
    new_end: usize,
}

impl Changed {
    fn between(old: &str, new: &str) -> Self {
        let (old, new) = (old.as_bytes(), new.as_bytes());
        let shorter = old.len().min(new.len());
        let blocks = (common(old.chunks(BLOCK), new.chunks(BLOCK)) * BLOCK).min(shorter);
        let same = blocks + common(old.iter().skip(blocks), new.iter().skip(blocks));
        let (old_rest, new_rest) = (old.get(same..).unwrap_or(&[]), new.get(same..).unwrap_or(&[]));
        let shorter = old_rest.len().min(new_rest.len());
        let blocks = (common(old_rest.rchunks(BLOCK), new_rest.rchunks(BLOCK)) * BLOCK).min(shorter);
        let behind = blocks + common(old_rest.iter().rev().skip(blocks), new_rest.iter().rev().skip(blocks));
        let start = old.get(..same).and_then(|part| memchr::memrchr(b'\n', part)).map_or(0, |at| at + 1);
        let tail = new.get(new.len() - behind..).unwrap_or(&[]);
        let kept = memchr::memchr(b'\n', tail).map_or(0, |at| behind - at - 1);
        Self { start, old_end: old.len() - kept, new_end: new.len() - kept }
    }
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
        before.after(text.into(), NAME, &TranscriptSettings::default())
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
        let same = before.list().iter().zip(now.list()).filter(|(a, b)| Arc::ptr_eq(&a.kept, &b.kept));
        assert_eq!(same.count(), 100);
    }

    #[test]
    fn an_edit_in_the_middle_moves_what_is_behind_it() {
        let text: String = (0..100).map(|at| line(&at.to_string()) + "\n").collect();
        let before = read(&text);
        let edited = text.replace("\"50\"", "\"fifty\"").replace("\"60\"}\n", "\"60\"}\n\n\n");
        let now = after(&before, &edited);
        assert_eq!(seen(&now), seen(&read(&edited)));
        let same = before.list().iter().zip(now.list()).filter(|(a, b)| Arc::ptr_eq(&a.kept, &b.kept));
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
