//! An excerpt of consecutive records of a transcript on disk, as a separate text. Earlier records
//! are skipped and counted, and later records are not read.

use std::io;
use std::io::Read;
use std::path::Path;

use super::read_ahead::Pieces;
use super::{Input, plain_name};
use crate::disk::Content;
use crate::{Overlay, disk};
use mangle_ide::conversation::is_answer;
use mangle_settings::{Container, TranscriptSettings};
use mangle_syntax::text::Cancel;
use piggyback::transcript::{Batch, Record, TranscriptOptions, TranscriptReader};

/// The chunk size in bytes.
const PIECE: usize = 256 << 10;

/// In bytes: no records are added to a stretch of this size.
const MAX_BYTES: usize = 4 << 20;

/// The number of bytes before a position that identify the position in a changed file.
const FINGERPRINT_LEN: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordStart {
    /// In bytes, relative to the start of the file.
    pub offset: u64,
    /// The number of the record, from 1.
    pub number: u64,
    /// The number of model replies before the record.
    pub answers: u64,
    /// The number of line ends before the record.
    pub lines: u32,
    /// The last bytes before the record.
    before: Vec<u8>,
    /// The container format from this position on. `None` if the format depends on earlier data.
    container: Option<Container>,
}

impl Default for RecordStart {
    /// The start of a file.
    fn default() -> Self {
        Self { offset: 0, number: 1, answers: 0, lines: 0, before: Vec::new(), container: None }
    }
}

/// The first record of a stretch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StretchTarget {
    /// The record with this number, or the last record.
    Number(u64),
    /// The record that contains this line (zero-based), or the last record.
    Line(u32),
}

impl StretchTarget {
    /// True if the target record starts at `start` or later.
    fn is_after(self, start: &RecordStart) -> bool {
        match self {
            Self::Number(number) => start.number <= number,
            Self::Line(line) => start.lines <= line,
        }
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Stretch {
    /// The text of all records.
    pub(crate) text: String,
    pub(crate) start: RecordStart,
    /// The start of the next record, or `None` at the end of the file.
    pub(crate) after: Option<RecordStart>,
    pub(crate) container: Option<Container>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct StretchRequest<'a> {
    pub(crate) path: &'a Path,
    pub(crate) settings: &'a TranscriptSettings,
    pub(crate) target: StretchTarget,
    /// The maximum number of records.
    pub(crate) count: usize,
    /// Known starts of records, in order. Reading begins at the last valid start before the
    /// target.
    pub(crate) known: &'a [RecordStart],
    pub(crate) cancel: &'a Cancel,
}

/// Reads a stretch.
///
/// # Errors
///
/// If the file cannot be opened or read.
pub(crate) fn read_stretch(request: StretchRequest<'_>) -> io::Result<Stretch> {
    let usable = |start: &&RecordStart| request.target.is_after(start) && start.container.is_some();
    let known = request.known.iter().rev().find(usable);
    if let Some(known) = known
        && let Some((file, start)) = reopened(request.path, known)?
    {
        let container = start.container;
        return Reading::new(request, start, container).run(file);
    }
    let input = Input::open(request.path, &Overlay::default())?;
    Reading::new(request, RecordStart::default(), request.settings.container).run(input)
}

/// Opens the file at a known position. Returns `None` if the file has changed before that
/// position.
fn reopened(path: &Path, start: &RecordStart) -> io::Result<Option<(impl Read + use<>, RecordStart)>> {
    let mut file = disk::open(path, Content::Transcript)?;
    let mut before = vec![0; start.before.len()];
    file.seek(start.offset.saturating_sub(start.before.len() as u64))?;
    let is_same = match file.read_exact(&mut before) {
        Ok(()) => before == start.before,
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => false,
        Err(error) => return Err(error),
    };
    Ok(is_same.then(|| (file, start.clone())))
}

/// State of reading a stretch.
struct Reading<'a> {
    request: StretchRequest<'a>,
    reader: TranscriptReader,
    /// The start of the read.
    origin: RecordStart,
    /// The number of replies before the next record.
    answers: u64,
    /// The number of line ends in previous batches.
    lines: u32,
    /// The last bytes of previous batches.
    tail: Vec<u8>,
    /// The bytes from the first record of the stretch on.
    bytes: Vec<u8>,
    start: Option<RecordStart>,
    /// The number of bytes in `bytes` that belong to the stretch, and the number of records.
    len: usize,
    count: usize,
    after: Option<RecordStart>,
    /// The last record before the target, used if no record is the target.
    last: Option<(RecordStart, Vec<u8>)>,
}

impl<'a> Reading<'a> {
    fn new(request: StretchRequest<'a>, origin: RecordStart, container: Option<Container>) -> Self {
        let name = plain_name(&request.path.to_string_lossy()).to_owned();
        let options = TranscriptOptions { container, ..TranscriptOptions::new(request.settings, name) };
        Self {
            request,
            reader: TranscriptReader::new(options),
            answers: origin.answers,
            lines: origin.lines,
            tail: origin.before.clone(),
            origin,
            bytes: Vec::new(),
            start: None,
            len: 0,
            count: 0,
            after: None,
            last: None,
        }
    }

    fn run(mut self, input: impl Read) -> io::Result<Stretch> {
        let mut pieces = Pieces { input, piece: vec![0; PIECE], stop: self.request.cancel };
        while self.after.is_none() {
            let Some(piece) = pieces.next()? else { break };
            let batch = self.reader.cut(piece);
            self.batch(batch);
        }
        if self.after.is_none() {
            let batch = self.reader.cut_rest();
            self.batch(batch);
        }
        Ok(self.finish())
    }

    fn batch(&mut self, mut batch: Batch) {
        let bytes = batch.bytes().to_vec();
        let all = bytes.as_slice();
        let mut records: Vec<(usize, usize, RecordStart)> = Vec::new();
        let (origin, tail, mut answers) = (&self.origin, &self.tail, self.answers);
        let (mut lines, mut counted) = (self.lines, 0);
        let own_lines = [Container::EnvelopeLines, Container::ChatLines];
        let container = self.reader.container().filter(|container| own_lines.contains(container));
        self.reader.read(&mut batch, &mut |record, before| {
            let at = before.len();
            lines += line_ends(all.get(counted..at).unwrap_or(&[]));
            counted = counted.max(at);
            let start = RecordStart {
                offset: origin.offset + record.start,
                number: origin.number + record.number - 1,
                answers,
                lines,
                before: last_bytes(tail, all.get(..at).unwrap_or(all)),
                container,
            };
            records.push((at, at + record.bytes.len(), start));
            answers += answers_of(record);
        });
        self.answers = answers;
        self.lines = lines + line_ends(all.get(counted..).unwrap_or(&[]));
        self.tail = last_bytes(&self.tail, all);
        self.take(all, &records);
    }

    /// Adds the records of a batch that belong to the stretch.
    fn take(&mut self, all: &[u8], records: &[(usize, usize, RecordStart)]) {
        let base = self.bytes.len();
        let mut from = if self.start.is_some() { Some(0) } else { None };
        for (at, (start, end, place)) in records.iter().enumerate() {
            if self.start.is_none() {
                if !self.is_target(place, records.get(at + 1).map(|(.., next)| next)) {
                    if at + 1 == records.len() {
                        let bytes = all.get(*start..*end).unwrap_or(&[]).to_vec();
                        self.last = Some((place.clone(), bytes));
                    }
                    continue;
                }
                self.start = Some(place.clone());
                from = Some(*start);
            }
            if self.count >= self.request.count || self.len >= MAX_BYTES {
                self.after = Some(place.clone());
                break;
            }
            self.count += 1;
            self.len = base + end - from.unwrap_or(0);
        }
        if let Some(from) = from {
            self.bytes.extend_from_slice(all.get(from..).unwrap_or(&[]));
        }
    }

    /// True if the stretch begins with the record at `place`. `next` is the start of the next
    /// record, if known.
    fn is_target(&self, place: &RecordStart, next: Option<&RecordStart>) -> bool {
        match self.request.target {
            StretchTarget::Number(number) => place.number >= number,
            // The next record of a line begins on a later line.
            StretchTarget::Line(line) => place.lines >= line || next.is_some_and(|next| next.lines > line),
        }
    }

    fn finish(self) -> Stretch {
        let container = self.reader.container();
        let Some(start) = self.start else {
            let Some((start, bytes)) = self.last else { return Stretch { container, ..Stretch::default() } };
            let text = String::from_utf8_lossy(&bytes).into_owned();
            return Stretch { text, start, after: None, container };
        };
        let bytes = self.bytes.get(..self.len).unwrap_or(&self.bytes);
        let text = String::from_utf8_lossy(bytes).into_owned();
        Stretch { text, start, after: self.after, container }
    }
}

/// Returns the last bytes of two consecutive texts.
fn last_bytes(one: &[u8], other: &[u8]) -> Vec<u8> {
    let other = other.get(other.len().saturating_sub(FINGERPRINT_LEN)..).unwrap_or(other);
    let rest = FINGERPRINT_LEN - other.len();
    let one = one.get(one.len().saturating_sub(rest)..).unwrap_or(one);
    [one, other].concat()
}

fn answers_of(record: &Record<'_>) -> u64 {
    record.turns.iter().filter(|turn| is_answer(turn.kind)).count() as u64
}

fn line_ends(bytes: &[u8]) -> u32 {
    u32::try_from(memchr::memchr_iter(b'\n', bytes).count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Chat records. Every third one has a blank line before it.
    fn transcript(count: usize) -> String {
        let record = |at: usize| {
            let role = if at.is_multiple_of(2) { "user" } else { "assistant" };
            let blank = if at.is_multiple_of(3) { "\n" } else { "" };
            format!("{blank}{{\"role\":\"{role}\",\"content\":\"record {at} \u{e9}\"}}\n")
        };
        (1..=count).map(record).collect()
    }

    #[test]
    fn stretches_are_parts_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let text = transcript(60);
        std::fs::write(&path, &text).unwrap();
        let settings = TranscriptSettings::default();
        let cancel = Cancel::new();
        let read = |target, known: &[RecordStart]| {
            let (path, settings, cancel) = (&*path, &settings, &cancel);
            read_stretch(StretchRequest { path, settings, target, count: 7, known, cancel }).unwrap()
        };
        let (mut known, mut all, mut number) = (Vec::new(), String::new(), 1);
        loop {
            let fresh = read(StretchTarget::Number(number), &[]);
            let stretch = read(StretchTarget::Number(number), &known);
            assert_eq!(
                (&fresh.text, &fresh.start, &fresh.after),
                (&stretch.text, &stretch.start, &stretch.after)
            );
            let start = &stretch.start;
            let before = text.get(..usize::try_from(start.offset).unwrap()).unwrap();
            assert_eq!(start.number, number);
            assert_eq!(start.lines as usize, before.matches('\n').count());
            assert_eq!(start.answers as usize, before.matches("assistant").count());
            assert!(text.get(before.len()..).unwrap().starts_with(&stretch.text));
            let by_line = read(StretchTarget::Line(start.lines), &known);
            assert_eq!(by_line.text, stretch.text);
            all.push_str(&stretch.text);
            all.push('\n');
            let Some(after) = stretch.after else { break };
            number = after.number;
            known.push(after);
        }
        assert_eq!(all.matches("record ").count(), 60);
        // A number after the end selects the last record.
        let last = read(StretchTarget::Number(1_000), &known);
        // Blank lines are also numbered.
        assert_eq!((last.start.number, last.text.trim_end()), (80, text.lines().last().unwrap()));
        // A changed file is read from its start.
        std::fs::write(&path, transcript(60).replace("record", "entry")).unwrap();
        let stretch = read(StretchTarget::Number(29), &known);
        assert_eq!(stretch.start.number, 29);
        assert!(stretch.text.starts_with("{\"role\":\"user\",\"content\":\"entry 22 "), "{}", stretch.text);
    }
}
