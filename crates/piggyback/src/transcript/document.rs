//! A whole transcript in memory, for editors: lookup by offset and incremental updates after edits.

use std::sync::Arc;

use super::batch::{self, LOOK_AHEAD, majority};
use super::check::{RecordCheck, add_file_findings, check};
use super::detect::{self, HEAD, Plan};
use super::digest::TurnSite;
use super::placement::TranscriptFinding;
use super::reader::TranscriptReader;
use super::record::ReadContext;
use super::record_splitter::Frame;
use super::session::{Limits, TranscriptSession};
use super::shapes::CustomShapes;
use super::turn::{Record, RecordShape, Turn};
use super::{ReadSummary, TranscriptOptions, sketch};
use crate::envelope::ReplyContext;
use mangle_settings::{Container, Profile};
use mangle_syntax::lint::Finding;
use mangle_syntax::memo::Memo;
use mangle_syntax::text::{TextEdit, TextSize, size};

/// A transcript. Cheap to clone; versions share the parts that an edit does not touch.
#[derive(Debug, Clone)]
pub struct Transcript {
    options: TranscriptOptions,
    plan: Option<Plan>,
    entries: Vec<DocumentRecord>,
    summary: ReadSummary,
    /// Protocol version of the majority of replies.
    session: Option<Profile>,
}

/// A record and its position in the file.
#[derive(Debug, Clone)]
pub struct DocumentRecord {
    /// Number, starting at 1. If the container has one record per line, this is the line number.
    pub number: u64,
    /// Offset in the file, in bytes.
    pub start: u64,
    /// Content. Shared between versions while the bytes of the record are unchanged.
    pub body: Arc<RecordContent>,
}

/// Content of a record. Ranges are relative to its start.
#[derive(Debug)]
pub struct RecordContent {
    /// Length in bytes.
    pub len: usize,
    /// Turns in the order of the record.
    pub turns: Vec<Turn>,
    /// Findings about the record itself.
    pub findings: Vec<Finding>,
    shape: Option<RecordShape>,
    /// Cached findings and the inputs they depend on.
    checked: Memo<CheckInputs, Arc<RecordCheck>>,
}

impl DocumentRecord {
    /// Returns the record with its bytes. `text` is the file that the record was read from.
    #[must_use]
    pub fn record<'t>(&self, text: &'t [u8]) -> Record<'t> {
        let start = usize::try_from(self.start).unwrap_or(usize::MAX);
        let bytes = text.get(start..start.saturating_add(self.body.len)).unwrap_or(&[]);
        let RecordContent { turns, findings, shape, .. } = &*self.body;
        let mut record = Record::new(self.number, self.start, bytes);
        (record.turns, record.findings, record.shape) = (turns.clone(), findings.clone(), *shape);
        record
    }

    fn end(&self) -> u64 {
        self.start + self.body.len as u64
    }
}

/// Turn and text offset at an offset of the file.
#[derive(Debug, Clone, Copy)]
pub struct TurnPosition<'t> {
    /// The record.
    pub entry: &'t DocumentRecord,
    /// The turn whose text contains the offset.
    pub turn: &'t Turn,
    /// Offset in the text of the turn.
    pub offset: TextSize,
}

impl Transcript {
    /// Reads a whole file.
    #[must_use]
    pub fn parse(options: TranscriptOptions, text: &[u8]) -> Self {
        let mut entries = Vec::new();
        let mut reader = TranscriptReader::new(options.clone());
        let mut each = |record: &Record<'_>| entries.push(entry(record));
        reader.feed(text, &mut each);
        let summary = reader.finish(&mut each);
        let plan = summary.container.map(|_| plan(&options, text));
        let session = session(&options, plan, text);
        Self { options, plan, entries, summary, session }
    }

    /// Returns the transcript after `edits`, in order, that resulted in `text`.
    #[must_use]
    pub fn update(&self, text: &[u8], edits: &[TextEdit]) -> Self {
        let (same_start, same_end) = unchanged(self.summary.bytes, edits);
        let is_sound = same_start + same_end <= text.len() as u64;
        let is_same_session = || {
            same_start > (LOOK_AHEAD + 3) as u64 || session(&self.options, self.plan, text) == self.session
        };
        let is_same = |plan: &Plan| is_sound && is_same(*plan, plan_after_edit(self, text, same_start));
        let next = self.plan.filter(|plan| is_same(plan) && is_same_session());
        let updated = match next {
            Some(plan) if matches!(plan.frame, Frame::Lines) => {
                self.update_lines(plan, text, same_start, same_end)
            }
            Some(plan) if matches!(plan.frame, Frame::Groups(_) | Frame::Entries(_)) => {
                self.update_end(plan, text, same_start)
            }
            _ => return Self::parse(self.options.clone(), text),
        };
        // Copies are marked relative to earlier texts, so they depend on the whole file.
        match self.has_copies() || updated.has_copies() {
            true => Self::parse(self.options.clone(), text),
            false => updated,
        }
    }

    /// True if the transcript may contain the same text in several places.
    fn has_copies(&self) -> bool {
        let is_read_so = matches!(
            self.summary.container,
            Some(Container::Array | Container::ChatLines | Container::Response)
        );
        is_read_so && self.entries.iter().any(|entry| batch::depend_on_others(&entry.body.turns))
    }

    /// Rereads the changed lines.
    fn update_lines(&self, plan: Plan, text: &[u8], same_start: u64, same_end: u64) -> Self {
        let from = line_start(text, to_usize(same_start));
        let tail = text.len() - to_usize(same_end);
        let to = text
            .get(tail..)
            .and_then(|rest| memchr::memchr(b'\n', rest))
            .map_or(text.len(), |end| tail + end + 1);
        let grown = text.len() as i128 - i128::from(self.summary.bytes);
        let before = self.entries.partition_point(|entry| entry.start < from as u64);
        let mut entries = self.entries.get(..before).unwrap_or(&[]).to_vec();
        let line = match entries.last() {
            Some(last) => last.number + lines(text, to_usize(last.start), from),
            None => lines(text, 0, from) + 1,
        };
        entries.extend(self.read(plan, text, from, to.max(from), line));
        let old_to = u64::try_from(to as i128 - grown).unwrap_or(u64::MAX);
        let behind = self.entries.partition_point(|entry| entry.start < old_to).max(before);
        let rest = self.entries.get(behind..).unwrap_or(&[]);
        // The shift of the first record applies to all following records.
        if let Some(first) = rest.first() {
            let shift = |start: u64| u64::try_from(i128::from(start) + grown).unwrap_or(0);
            let number = line + lines(text, from, to_usize(shift(first.start)));
            let added = i128::from(number) - i128::from(first.number);
            entries.extend(rest.iter().map(|old| DocumentRecord {
                number: u64::try_from(i128::from(old.number) + added).unwrap_or(0),
                start: shift(old.start),
                body: Arc::clone(&old.body),
            }));
        }
        self.with(plan, entries, text)
    }

    /// Rereads everything from the first record that the change may affect.
    fn update_end(&self, plan: Plan, text: &[u8], same_start: u64) -> Self {
        let before = self.entries.partition_point(|entry| entry.end() < same_start).saturating_sub(1);
        let mut entries = self.entries.get(..before).unwrap_or(&[]).to_vec();
        let (from, number) = match self.entries.get(before) {
            Some(first) if before > 0 => (to_usize(first.start), first.number),
            _ => return Self::parse(self.options.clone(), text),
        };
        entries.extend(self.read(plan, text, from, text.len(), number));
        self.with(plan, entries, text)
    }

    fn read(&self, plan: Plan, text: &[u8], from: usize, to: usize, number: u64) -> Vec<DocumentRecord> {
        let mut entries = Vec::new();
        let mut reader =
            TranscriptReader::new(self.options.clone()).resuming(plan, from as u64, number, self.session);
        let mut each = |record: &Record<'_>| entries.push(entry(record));
        reader.feed(text.get(from..to).unwrap_or(&[]), &mut each);
        reader.finish(&mut each);
        entries
    }

    fn with(&self, plan: Plan, entries: Vec<DocumentRecord>, text: &[u8]) -> Self {
        let mut summary = ReadSummary {
            container: self.summary.container,
            bytes: text.len() as u64,
            is_named: self.summary.is_named,
            declared: self.summary.declared.clone(),
            ..ReadSummary::default()
        };
        for body in entries.iter().map(|entry| &entry.body) {
            summary.add(body.shape, &body.turns, &body.findings);
        }
        summary.set_sketch(text.get(..sketch::LOOKED_AT.min(text.len())).unwrap_or(&[]));
        Self { options: self.options.clone(), plan: Some(plan), entries, summary, session: self.session }
    }

    /// The container format; `None` for an empty file.
    #[must_use]
    pub fn container(&self) -> Option<Container> {
        self.summary.container
    }

    /// The records in file order.
    #[must_use]
    pub fn entries(&self) -> &[DocumentRecord] {
        &self.entries
    }

    /// Properties of the file as a whole.
    #[must_use]
    pub fn summary(&self) -> &ReadSummary {
        &self.summary
    }

    /// Returns the record at an offset. The end of a record is inclusive.
    #[must_use]
    pub fn entry_at(&self, offset: u64) -> Option<&DocumentRecord> {
        let behind = self.entries.partition_point(|entry| entry.start <= offset);
        let entry = self.entries.get(behind.checked_sub(1)?)?;
        (offset <= entry.end()).then_some(entry)
    }

    /// Returns the turn at an offset and the offset in its text.
    #[must_use]
    pub fn turn_at(&self, offset: u64) -> Option<TurnPosition<'_>> {
        let entry = self.entry_at(offset)?;
        let inner = size(to_usize(offset - entry.start));
        entry.body.turns.iter().find_map(|turn| {
            let at = turn.map.to_derived(inner).filter(|at| usize::from(*at) <= turn.len())?;
            Some(TurnPosition { entry, turn, offset: at })
        })
    }

    /// Returns all findings. `key` must change if the context changes: records that were checked
    /// with the same key are not checked again.
    #[must_use]
    pub fn check(
        &self,
        text: &[u8],
        context: &ReplyContext<'_>,
        limits: &Limits,
        key: u64,
    ) -> Vec<TranscriptFinding> {
        self.check_each(text, context, limits, key, &mut |_| {})
    }

    /// Like [`Transcript::check`]. Calls `each` once per record, in order, with the new findings.
    /// Findings that `each` removes are not returned.
    #[must_use]
    pub fn check_each(
        &self,
        text: &[u8],
        context: &ReplyContext<'_>,
        limits: &Limits,
        key: u64,
        each: &mut dyn FnMut(&mut Vec<TranscriptFinding>),
    ) -> Vec<TranscriptFinding> {
        let mut session = TranscriptSession::new(context, limits.clone());
        let (mut out, mut here) = (Vec::new(), Vec::new());
        for entry in &self.entries {
            let checked = entry.checked(text, context, key);
            let site = TurnSite { record: entry.number, start: entry.start };
            let news = checked.found.iter().filter(|found| session.is_news(&found.finding));
            here.extend(news.map(|found| TranscriptFinding {
                record: site.record,
                start: site.start,
                ..found.clone()
            }));
            let start = to_usize(entry.start);
            let bytes = text.get(start..start.saturating_add(entry.body.len)).unwrap_or(&[]);
            session.record(bytes, &entry.body.findings);
            for digest in &checked.digests {
                session.turn(site, digest, &mut here);
            }
            each(&mut here);
            out.append(&mut here);
        }
        session.finish(&mut out);
        add_file_findings(&self.summary, &mut out);
        out
    }
}

impl DocumentRecord {
    /// Returns the findings of this record on its own.
    #[must_use]
    pub fn checked(&self, text: &[u8], context: &ReplyContext<'_>, key: u64) -> Arc<RecordCheck> {
        let compute = |_| Arc::new(check(&self.record(text), context));
        self.body.checked.get_always(CheckInputs(key), compute)
    }
}

/// Cache key for all inputs of a check except the bytes of the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CheckInputs(u64);

fn entry(record: &Record<'_>) -> DocumentRecord {
    let body = RecordContent {
        len: record.bytes.len(),
        turns: record.turns.clone(),
        findings: record.findings.clone(),
        shape: record.shape,
        checked: Memo::default(),
    };
    DocumentRecord { number: record.number, start: record.start, body: Arc::new(body) }
}

fn plan(options: &TranscriptOptions, text: &[u8]) -> Plan {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let head = text.get(..HEAD.min(text.len())).unwrap_or(text);
    let own = CustomShapes::new(Arc::clone(&options.shapes));
    detect::plan(options, head, head.len() == text.len(), &own)
}

/// Returns the protocol version of the majority of replies of a file.
fn session(options: &TranscriptOptions, plan: Option<Plan>, text: &[u8]) -> Option<Profile> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    majority(&ReadContext::new(options, plan?, None), text, text.len() <= LOOK_AHEAD).0
}

/// Returns the container after an edit. Edits after the examined first bytes do not change it.
fn plan_after_edit(old: &Transcript, text: &[u8], same_start: u64) -> Option<Plan> {
    match to_usize(same_start) > HEAD + 3 {
        true => old.plan,
        false => (!text.is_empty() && sketch::binary_kind(text).is_none()).then(|| plan(&old.options, text)),
    }
}

fn is_same(one: Plan, other: Option<Plan>) -> bool {
    other.is_some_and(|other| {
        one.container == other.container
            && match (one.frame, other.frame) {
                (Frame::Entries(one), Frame::Entries(other)) => one == other,
                (one, other) => std::mem::discriminant(&one) == std::mem::discriminant(&other),
            }
    })
}

/// Returns the number of unchanged bytes at the start and at the end.
fn unchanged(old_len: u64, edits: &[TextEdit]) -> (u64, u64) {
    let (mut start, mut end, mut len) = (old_len, old_len, old_len);
    for edit in edits {
        let (from, to) = (u64::from(u32::from(edit.range.start())), u64::from(u32::from(edit.range.end())));
        start = start.min(from);
        end = end.min(len.saturating_sub(to));
        len = (len + u64::from(u32::from(edit.new_len))).saturating_sub(to - from);
    }
    (start, end.min(old_len - start.min(old_len)))
}

/// Returns the start of the line that contains an offset.
fn line_start(text: &[u8], offset: usize) -> usize {
    let before = text.get(..offset.min(text.len())).unwrap_or(text);
    memchr::memrchr(b'\n', before).map_or(0, |end| end + 1)
}

/// Returns the number of line ends between two offsets.
fn lines(text: &[u8], from: usize, to: usize) -> u64 {
    memchr::memchr_iter(b'\n', text.get(from..to.max(from)).unwrap_or(&[])).count() as u64
}

fn to_usize(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;
    use mangle_settings::TranscriptSettings;
    use mangle_syntax::text::character_start;

    const E: &str = r#"{"control_packet":{},"surface_response":"ok"}"#;

    fn options(name: &str) -> TranscriptOptions {
        TranscriptOptions { name: name.into(), ..TranscriptOptions::default() }
    }

    /// Formats the records, positions and turns of a transcript.
    fn shown(transcript: &Transcript, text: &[u8]) -> Vec<String> {
        let record = |entry: &DocumentRecord| {
            let record = entry.record(text);
            let turns: Vec<_> = record
                .turns
                .iter()
                .map(|turn| {
                    (turn.role, turn.kind, String::from_utf8_lossy(turn.text(record.bytes)).into_owned())
                })
                .collect();
            format!(
                "{} {} {:?} {:?} {:?}",
                entry.number,
                entry.start,
                record.bytes,
                turns,
                record.findings.len()
            )
        };
        let mut all: Vec<_> = transcript.entries().iter().map(record).collect();
        all.push(format!("{:?}", transcript.summary()));
        all
    }

    #[test]
    fn only_lines_that_changed_are_read_again() {
        let old = format!("{E}\n\n{E}\n{E}\n{E}\n");
        let transcript = Transcript::parse(options("a.jsonl"), old.as_bytes());
        let at = old.find("ok").unwrap() + E.len() + 2;
        let mut new = old.clone();
        new.insert_str(at, "\n!");
        let edit = TextEdit::between(&old, &new);
        let updated = transcript.update(new.as_bytes(), &[edit]);
        assert_eq!(
            shown(&updated, new.as_bytes()),
            shown(&Transcript::parse(options("a.jsonl"), new.as_bytes()), new.as_bytes())
        );
        let kept = |entry: &DocumentRecord| {
            transcript.entries().iter().any(|old| Arc::ptr_eq(&old.body, &entry.body))
        };
        let kept: Vec<_> = updated.entries().iter().map(kept).collect();
        assert_eq!(kept, [true, false, false, true, true]);
    }

    #[test]
    fn what_is_added_to_a_log_is_read_alone() {
        let entry = |second: u32, text: &str| {
            format!("2026/03/01 12:00:{second:02}.000000 [DEBUG] Raw LLM Response: {text}\n")
        };
        let old = [entry(1, E), entry(2, E), entry(3, E)].concat();
        let new = format!("{old}more\n{}", entry(4, "x"));
        let transcript = Transcript::parse(options("a.log"), old.as_bytes());
        let updated = transcript.update(new.as_bytes(), &[TextEdit::between(&old, &new)]);
        assert_eq!(
            shown(&updated, new.as_bytes()),
            shown(&Transcript::parse(options("a.log"), new.as_bytes()), new.as_bytes())
        );
        assert!(Arc::ptr_eq(&updated.entries()[0].body, &transcript.entries()[0].body));
    }

    #[test]
    fn damage_behind_a_byte_order_mark_stays_where_it_is() {
        let damaged = "\u{feff}{\"role\":\"assistant\",\"content\":\"he";
        let old = format!("{damaged}l");
        let transcript = Transcript::parse(options("a.jsonl"), old.as_bytes());
        let updated = transcript.update(damaged.as_bytes(), &[TextEdit::between(&old, damaged)]);
        let starts = |transcript: &Transcript| -> Vec<_> {
            transcript.entries().iter().map(|entry| entry.start).collect()
        };
        assert_eq!((starts(&transcript), starts(&updated)), (vec![3], vec![3]));
    }

    #[test]
    fn offsets_lead_to_turns() {
        let text = r#"{"role":"user","content":"a"}
{"role":"assistant","content":"x\"y"}"#;
        let transcript = Transcript::parse(options("a.jsonl"), text.as_bytes());
        let spot = transcript.turn_at(text.find('y').unwrap() as u64).unwrap();
        assert_eq!((spot.entry.number, u32::from(spot.offset), spot.turn.is_reply()), (2, 2, true));
        assert!(transcript.turn_at(3).is_none());
    }

    #[test]
    fn records_are_judged_once() {
        let settings = TranscriptSettings::default();
        let context = ReplyContext::new(&settings);
        let text = format!("{E}\n{E}\n");
        let transcript = Transcript::parse(options("a.jsonl"), text.as_bytes());
        let first = transcript.entries()[1].checked(text.as_bytes(), &context, 1);
        let found = transcript.check(text.as_bytes(), &context, &Limits::default(), 1);
        assert!(found.iter().any(|found| found.record == 2 && found.start == E.len() as u64 + 1));
        assert!(Arc::ptr_eq(&first, &transcript.entries()[1].checked(text.as_bytes(), &context, 1)));
        assert!(!Arc::ptr_eq(&first, &transcript.entries()[1].checked(text.as_bytes(), &context, 2)));
    }

    fn file() -> impl Strategy<Value = String> {
        let line = prop::sample::select(vec![
            E.to_owned(),
            String::new(),
            r#"{"role":"user","content":"a\n"}"#.to_owned(),
            r#"{"role":"assistant","content":"{\"surface_response\":1}"}"#.to_owned(),
            "2026/03/01 12:00:00.000000 [INFO] Raw LLM Response: {}".to_owned(),
            "data: {\"delta\":{\"text\":\"a\"}}".to_owned(),
            "data: [DONE]".to_owned(),
            "[".to_owned(),
        ]);
        prop::collection::vec(line, 0..8).prop_map(|lines| lines.join("\n"))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

        #[test]
        fn an_update_is_what_reading_again_is(
            old in file(), bom in any::<bool>(), cut in 0usize..200, len in 0usize..80, new in file(),
            name in prop::sample::select(vec!["a.jsonl", "a.json", "a.log", "a.txt", "a.md"]),
        ) {
            let old = if bom { format!("\u{feff}{old}") } else { old };
            let from = character_start(old.as_bytes(), cut);
            let to = character_start(old.as_bytes(), from + len);
            let changed = format!("{}{new}{}", &old[..from], &old[to..]);
            let transcript = Transcript::parse(options(name), old.as_bytes());
            let range = mangle_syntax::text::TextRange::new(size(from), size(to));
            let updated = transcript.update(changed.as_bytes(), &[TextEdit { range, new_len: size(new.len()) }]);
            let again = Transcript::parse(options(name), changed.as_bytes());
            prop_assert_eq!(shown(&updated, changed.as_bytes()), shown(&again, changed.as_bytes()));
        }
    }
}
