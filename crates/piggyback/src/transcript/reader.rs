//! Reads a transcript as its bytes come, one record at a time.

use std::collections::BTreeMap;

use regex::bytes::Regex;

use super::detect::{self, HEAD, Plan};
use super::lines::CustomShapes;
use super::record::{self, RecordSite};
use super::record_shape::RecordShape;
use super::record_splitter::{Frame, RecordBounds, RecordSplitter};
use super::repetitions::Repetitions;
use super::shapes::{self};
use super::turn::{Record, Skip, TextKind, Turn, TurnRole};
use super::{TranscriptOptions, binary, findings, markdown, plain, sketch};
use mangle_settings::{Container, Profile};
use mangle_syntax::lint::Finding;
use mangle_syntax::text::TextRange;

/// How long a record may be, in bytes, where a file has many. What is longer is a finding, and not read.
pub const LONGEST_RECORD: usize = 16 << 20;

/// How long a file may be, in bytes, that is one record, or tells its records only as a whole.
pub const LONGEST_DOCUMENT: usize = 64 << 20;

/// How much of a record that is too long is kept, to show where it is.
const SHOWN: usize = 256;

/// How many bytes of a file tell which version most of its replies are written in.
pub(super) const LOOK_AHEAD: usize = 1 << 20;

/// Reads records from bytes that come in chunks of any size. Holds one record and one chunk at a time.
#[derive(Debug)]
pub struct TranscriptReader {
    options: TranscriptOptions,
    separator: Option<Regex>,
    own: CustomShapes,
    repeated: Repetitions,
    /// Whether the file is not text, so that nothing of it is read.
    is_refused: bool,
    /// The first bytes of the file, to say what it looks like.
    head: Vec<u8>,
    state: Option<(Plan, RecordSplitter)>,
    /// What came and belongs to no record that is complete.
    buffer: Vec<u8>,
    /// Where in the file it begins.
    start: u64,
    /// Whether the record at its start was too long.
    is_skipping: bool,
    has_begun: bool,
    number: u64,
    summary: ReadSummary,
    limit: usize,
    /// The version of most replies of the file.
    session: Option<Profile>,
    /// Whether the replies are only read to find that out.
    is_voting: bool,
}

/// What a reader saw.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadSummary {
    /// The container; `None` of an empty file.
    pub container: Option<Container>,
    /// How many records there were.
    pub records: u64,
    /// How many bytes there were.
    pub bytes: u64,
    /// How many records there were of each shape.
    pub shapes: BTreeMap<RecordShape, u64>,
    /// How many texts there were of the model, be they empty, cut off or copies of others.
    pub answers: u64,
    /// How many texts there were that the model was given.
    pub prompts: u64,
    /// How many records have a finding about the record itself.
    pub damaged: u64,
    /// The path of the first reply in a record of an unknown format.
    pub unknown: Option<String>,
    /// Whether the file is named, and not a document among others.
    pub is_named: bool,
    /// The names of the shapes that the settings declare.
    pub declared: Vec<String>,
    /// What the file looks like, where nothing in it is a reply.
    pub sketch: Option<String>,
}

impl ReadSummary {
    /// What is to be said of the file as a whole; ranges count from its start.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        let mut words: Vec<_> = self.shapes.keys().map(|shape| shape.plural()).collect();
        words.dedup();
        let mixed = (words.len() > 1).then(|| {
            let message = match &words[..] {
                [one, other] => format!("file mixes {one} and {other}"),
                _ => format!("file mixes records of {} formats", words.len()),
            };
            let finding = Finding::new(&findings::MIXED_CONTAINER, TextRange::default(), message);
            let finding = match words.len() {
                2 => finding,
                _ => finding.note(format!("it has {}", words.join(", "))),
            };
            finding.note("each record is read by its own format")
        });
        mixed.into_iter().chain(self.unknown()).chain(self.silent()).collect()
    }

    /// What is to be said where the format is unknown.
    fn unknown(&self) -> Option<Finding> {
        let records = self.shapes.get(&RecordShape::Unknown)?;
        Some(findings::unknown_format(*records, self.unknown.as_deref().unwrap_or_default()))
    }

    /// What is to be said where there is no reply. A document in Markdown is one among others, unless it is named; what is
    /// damaged has a finding of its own.
    fn silent(&self) -> Option<Finding> {
        if self.container.is_none() && self.damaged == 0 {
            return Some(findings::empty_file());
        }
        let is_document = self.container == Some(Container::Markdown) && !self.is_named;
        let is_silent = self.answers == 0 && self.damaged == 0 && !is_document;
        let first = self.sketch.as_deref().unwrap_or("blank");
        let declared = self.declared.iter().map(String::as_str);
        let tried = || declared.chain(shapes::names()).collect::<Vec<_>>().join(", ");
        is_silent.then(|| findings::no_reply((self.prompts, self.is_named), first, &tried()))
    }

    /// Counts what is in a record.
    pub(super) fn add(&mut self, shape: Option<RecordShape>, turns: &[Turn], findings: &[Finding]) {
        self.records += 1;
        if let Some(shape) = shape {
            *self.shapes.entry(shape).or_default() += 1;
        }
        self.answers += turns.iter().filter(|turn| turn.is_answer()).count() as u64;
        self.prompts += turns.iter().filter(|turn| turn.kind == TextKind::Prompt).count() as u64;
        self.damaged += u64::from(!findings.is_empty());
        if shape == Some(RecordShape::Unknown) && self.unknown.is_none() {
            self.unknown = turns.first().map(|turn| turn.path.join(" ▸ "));
        }
    }

    /// Notes what the file looks like, if no reply was found in it.
    pub(super) fn look(&mut self, head: &[u8]) {
        self.sketch = (self.answers == 0).then(|| sketch::sketch(head));
    }
}

impl TranscriptReader {
    /// A reader of one file.
    #[must_use]
    pub fn new(options: TranscriptOptions) -> Self {
        let separator = options.separator.as_deref().and_then(|separator| Regex::new(separator).ok());
        let names = options.shapes.iter().map(|shape| shape.name.clone()).filter(|name| !name.is_empty());
        let declared = names.collect();
        let summary = ReadSummary { is_named: options.is_named, declared, ..ReadSummary::default() };
        Self {
            own: CustomShapes::new(std::sync::Arc::clone(&options.shapes)),
            options,
            separator,
            repeated: Repetitions::default(),
            is_refused: false,
            head: Vec::new(),
            state: None,
            buffer: Vec::new(),
            start: 0,
            is_skipping: false,
            has_begun: false,
            number: 0,
            summary,
            limit: LONGEST_RECORD,
            session: None,
            is_voting: false,
        }
    }

    /// A reader that finds out what version most replies are written in.
    pub(super) fn voting(mut self, plan: Plan) -> Self {
        self.state = Some((plan, RecordSplitter::new(plan.frame)));
        (self.has_begun, self.is_voting) = (true, true);
        self
    }

    /// A reader that goes on in the middle of a file, where the record with this number begins, most of whose replies
    /// are of version `session`.
    pub(super) fn resuming(mut self, plan: Plan, start: u64, number: u64, session: Option<Profile>) -> Self {
        self.session = session;
        self.state = Some((plan, RecordSplitter::new(plan.frame)));
        // At the start of the file there may be a byte order mark.
        (self.has_begun, self.start, self.number) = (start > 0, start, number.saturating_sub(1));
        self.summary.container = Some(plan.container);
        self
    }

    /// A reader that knows the first bytes of its file, behind the mark of their encoding.
    #[cfg(test)]
    pub(super) fn knowing(mut self, head: &[u8], is_all: bool) -> Self {
        self.state = Some(self.decide(head, is_all));
        self
    }

    /// With another limit than [`LONGEST_RECORD`].
    #[cfg(test)]
    pub(super) fn with_limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// How many bytes are waiting.
    #[cfg(test)]
    pub(super) fn waiting(&self) -> usize {
        self.buffer.len()
    }

    /// Takes the next bytes of the file, and gives the records that they complete.
    pub fn feed(&mut self, chunk: &[u8], each: &mut dyn FnMut(&Record<'_>)) {
        self.summary.bytes += chunk.len() as u64;
        let wanted = sketch::LOOKED_AT.saturating_sub(self.head.len()).min(chunk.len());
        self.head.extend_from_slice(chunk.get(..wanted).unwrap_or(&[]));
        if self.is_refused {
            self.start += chunk.len() as u64;
            return;
        }
        self.buffer.extend_from_slice(chunk);
        if self.buffer.len() >= LOOK_AHEAD
            || (self.state.is_some() && (self.has_begun || self.buffer.len() >= 3))
        {
            self.emit(false, each);
        }
    }

    /// Gives the records that end with the file, and what was seen.
    pub fn finish(mut self, each: &mut dyn FnMut(&Record<'_>)) -> ReadSummary {
        if !self.is_refused {
            self.emit(true, each);
        }
        self.summary.look(&self.head);
        self.summary
    }

    /// Where in the file those bytes begin that belong to no record that was given.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.start
    }

    /// The version of the protocol that most replies of the file are written in, once that is known.
    #[must_use]
    pub fn session(&self) -> Option<Profile> {
        self.session
    }

    /// The container, once it is known.
    #[must_use]
    pub fn container(&self) -> Option<Container> {
        self.summary.container
    }

    fn emit(&mut self, is_end: bool, each: &mut dyn FnMut(&Record<'_>)) {
        let mut buffer = std::mem::take(&mut self.buffer);
        let mut at = 0;
        if !self.has_begun && (buffer.len() >= 3 || is_end) {
            self.has_begun = true;
            at = if buffer.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        }
        if self.state.is_none() && self.refuse(&buffer, each) {
            return;
        }
        let (plan, mut cutter) = match self.state.take() {
            Some(state) => state,
            None => self.decide(buffer.get(at..).unwrap_or(&[]), is_end),
        };
        let limit = match plan.frame {
            Frame::Whole => self.limit * (LONGEST_DOCUMENT / LONGEST_RECORD),
            _ => self.limit,
        };
        while let Some(cut) = cutter.next(buffer.get(at..).unwrap_or(&[]), is_end) {
            let RecordBounds { start, end, next } = cut;
            let bytes = buffer.get(at + start..at + end).unwrap_or(&[]);
            self.number += 1;
            if !std::mem::take(&mut self.is_skipping) {
                self.cut_out(plan, bytes, self.start + (at + start) as u64, limit, each);
            }
            at += next;
        }
        buffer.drain(..at.min(buffer.len()));
        self.start += at as u64;
        if buffer.len() > limit && !self.is_skipping {
            self.is_skipping = true;
            self.too_long(&buffer, self.start, limit, each);
        }
        if self.is_skipping {
            cutter.forget(buffer.len());
            self.start += buffer.len() as u64;
            buffer.clear();
        }
        self.buffer = buffer;
        self.state = Some((plan, cutter));
    }

    fn decide(&mut self, head: &[u8], is_all: bool) -> (Plan, RecordSplitter) {
        let start = head.get(..HEAD).unwrap_or(head);
        let plan = detect::plan(&self.options, start, is_all && start.len() == head.len(), &self.own);
        self.session = match plan.frame {
            // What is there need not be all of the only record.
            Frame::Whole => None,
            _ => Self::majority(&self.options, plan, head, is_all),
        };
        self.summary.container = (!head.is_empty()).then_some(plan.container);
        (plan, RecordSplitter::new(plan.frame))
    }

    /// Refuses a file that is not text, with a finding. Where it is named as one reply it is read, byte by byte.
    fn refuse(&mut self, head: &[u8], each: &mut dyn FnMut(&Record<'_>)) -> bool {
        let is_one = self.options.container == Some(Container::Raw);
        let Some(kind) = binary::kind(head).filter(|_| !is_one) else { return false };
        self.is_refused = true;
        self.start += head.len() as u64;
        let mut record = Record::new(1, 0, &[]);
        record.findings.push(findings::binary(kind));
        self.summary.add(None, &[], &record.findings);
        each(&record);
        true
    }

    fn too_long(&mut self, bytes: &[u8], start: u64, limit: usize, each: &mut dyn FnMut(&Record<'_>)) {
        let shown = bytes.get(..SHOWN.min(bytes.len())).unwrap_or(&[]);
        let mut record = Record::new(self.number + 1, start, shown);
        record.findings.push(findings::too_long(record.range(), limit));
        self.summary.add(None, &[], &record.findings);
        each(&record);
    }

    /// Gives the record, or the records, that some bytes are.
    fn cut_out(
        &mut self,
        plan: Plan,
        bytes: &[u8],
        start: u64,
        limit: usize,
        each: &mut dyn FnMut(&Record<'_>),
    ) {
        if bytes.len() > limit {
            self.number -= 1;
            self.too_long(bytes, start, limit, each);
            self.number += 1;
            return;
        }
        if matches!(plan.frame, Frame::Whole) && !self.is_voting {
            self.session = Self::majority(&self.options, plan, bytes, true);
        }
        let session = self.session;
        let (summary, repeated, own) = (&mut self.summary, &mut self.repeated, &self.own);
        let may_repeat =
            matches!(plan.container, Container::Array | Container::ChatLines | Container::Response);
        let mut give = |mut record: Record<'_>, shape: Option<RecordShape>| {
            record.turns.iter_mut().for_each(|turn| turn.session = session);
            record.findings.extend(findings::invalid_utf8(record.bytes));
            if may_repeat {
                repeated.mark(&mut record);
            }
            let shape = shape
                .filter(|shape| *shape != RecordShape::Unknown || record.turns.iter().any(Turn::is_reply));
            record.shape = shape;
            summary.add(shape, &record.turns, &record.findings);
            each(&record);
        };
        let is_one = self.options.container == Some(Container::Raw);
        match plan.container {
            Container::Markdown => markdown::read(bytes, start, &mut |record| give(record, None)),
            Container::Raw if !is_one && bytes.trim_ascii().is_empty() => {
                let mut record = Record::new(1, start, bytes);
                let turn = Turn::part(TurnRole::Assistant, TextKind::Skipped(Skip::Empty), record.range());
                record.turns.push(turn);
                give(record, None);
            }
            Container::Raw => {
                if !is_one && own.read(bytes, start, &mut |record| give(record, Some(RecordShape::Declared)))
                {
                    return;
                }
                let parts = plain::parts(bytes, self.separator.as_ref(), is_one);
                for (index, part) in parts.into_iter().enumerate() {
                    give(record::of_text(bytes, start, index, part), None);
                }
            }
            Container::Session => record::of_session(bytes, start, &mut |record| give(record, None)),
            _ => {
                let site = RecordSite { container: plan.container, frame: plan.frame, number: self.number };
                if let Some((record, shape)) = record::read(site, bytes, start, &own.shapes) {
                    give(record, shape);
                }
            }
        }
    }
}
