//! Reading of a record by its container. All records of a file share a [`ReadContext`], so threads
//! can read records in any order.

use std::sync::Arc;

use regex::bytes::Regex;

use super::detect::Plan;
use super::entry::{self, EntryForm};
use super::plain::{self, PlainTurn};
use super::record_splitter::Frame;
use super::shapes::{self, CustomShapes, native_calls};
use super::turn::{Record, RecordShape, Skip, TextKind, Turn, TurnRole, up_to, without_line_end};
use super::words::is_envelope;
use super::{TranscriptOptions, channels, findings, log, stream};
use crate::envelope::json::{Json, JsonKind as Node};
use mangle_settings::{Container, Profile, TranscriptShape};
use mangle_syntax::lint::Finding;
use mangle_syntax::text::{TextRange, TextSize, size};

/// Inputs for reading a record, apart from its bytes.
#[derive(Debug)]
pub(super) struct ReadContext {
    pub(super) plan: Plan,
    /// Protocol version of the majority of replies, if the first bytes of the file determine it.
    pub(super) session: Option<Profile>,
    custom_shapes: CustomShapes,
    separator: Option<Regex>,
    /// True if the whole file is one reply.
    is_single_reply: bool,
}

impl ReadContext {
    /// Creates the inputs for a file with these options.
    pub(super) fn new(options: &TranscriptOptions, plan: Plan, session: Option<Profile>) -> Self {
        Self {
            plan,
            session,
            custom_shapes: CustomShapes::new(Arc::clone(&options.shapes)),
            separator: options.separator.as_deref().and_then(|separator| Regex::new(separator).ok()),
            is_single_reply: options.container == Some(Container::Raw),
        }
    }

    /// True if the whole file must be read to find its records.
    pub(super) fn is_whole(&self) -> bool {
        matches!(self.plan.frame, Frame::Whole)
    }

    /// True if texts of the file may be copies of other texts.
    pub(super) fn may_repeat(&self) -> bool {
        matches!(self.plan.container, Container::Array | Container::ChatLines | Container::Response)
    }

    /// Reads the record or records in some bytes and passes them to `each`. Sets the session
    /// version of their turns.
    pub(super) fn read(
        &self,
        number: u64,
        bytes: &[u8],
        start: u64,
        session: Option<Profile>,
        each: &mut dyn FnMut(Record<'_>),
    ) {
        let plan = self.plan;
        let mut give = |mut record: Record<'_>, shape: Option<RecordShape>| {
            record.turns.iter_mut().for_each(|turn| turn.session = session);
            record.findings.extend(findings::invalid_utf8(record.bytes));
            record.shape = shape;
            each(record);
        };
        match plan.container {
            Container::Markdown => plain::read_markdown(bytes, start, &mut |record| give(record, None)),
            Container::Raw if !self.is_single_reply && bytes.trim_ascii().is_empty() => {
                let mut record = Record::new(1, start, bytes);
                let turn = Turn::part(TurnRole::Assistant, TextKind::Skipped(Skip::Empty), record.range());
                record.turns.push(turn);
                give(record, None);
            }
            Container::Raw => {
                let declared = Some(RecordShape::Declared);
                if !self.is_single_reply
                    && self.custom_shapes.read(bytes, start, &mut |record| give(record, declared))
                {
                    return;
                }
                if !self.is_single_reply && self.separator.is_none() {
                    let turns = entry::unwrapped(bytes);
                    if !turns.is_empty() {
                        let mut record = Record::new(1, start, bytes);
                        record.turns = turns;
                        give(record, None);
                        return;
                    }
                }
                let parts = plain::parts(bytes, self.separator.as_ref(), self.is_single_reply);
                for (index, part) in parts.into_iter().enumerate() {
                    give(record_of_text(bytes, start, index, part), None);
                }
            }
            Container::Session => session_records(bytes, start, &mut |record| give(record, None)),
            _ => {
                let site = RecordSite { container: plan.container, frame: plan.frame, number };
                if let Some((record, shape)) = read_record(site, bytes, start, &self.custom_shapes.shapes) {
                    give(record, shape);
                }
            }
        }
    }
}

/// Context of a record.
#[derive(Debug, Clone, Copy)]
struct RecordSite {
    container: Container,
    frame: Frame,
    /// Record number, starting at 1.
    number: u64,
}

/// Reads a record. Returns `None` for a blank line or the text before the first entry of a log.
fn read_record<'b>(
    site: RecordSite,
    bytes: &'b [u8],
    start: u64,
    own: &[TranscriptShape],
) -> Option<(Record<'b>, Option<RecordShape>)> {
    let bytes = match site.frame {
        Frame::Lines => without_line_end(bytes),
        Frame::Elements | Frame::Values => bytes.trim_ascii_end(),
        Frame::Groups(_) | Frame::Entries(_) | Frame::Whole => bytes,
    };
    if bytes.trim_ascii().is_empty() {
        return None;
    }
    let mut record = Record::new(site.number, start, bytes);
    let shape = match (site.container, site.frame) {
        (Container::Stream, Frame::Groups(_)) => {
            stream::read(&mut record);
            Some(RecordShape::Delta)
        }
        (Container::Harness, _) => {
            channels::read_harness(&mut record);
            None
        }
        (Container::Channels, _) => {
            channels::read(&mut record);
            None
        }
        (Container::Log, Frame::Entries(form)) => log::read(&mut record, Some(&form)),
        (Container::Log, _) => log_line(site, &mut record, own),
        (_, Frame::Groups(_)) => events(&mut record),
        (_, Frame::Entries(form)) => wrapped(site, &mut record, &form, own),
        _ => value(site, &mut record, own),
    };
    let is_empty = record.turns.is_empty() && record.findings.is_empty();
    let is_wrapped = matches!(site.frame, Frame::Entries(form) if form.wrapper().is_some());
    let is_group = matches!(site.frame, Frame::Groups(_) | Frame::Entries(_)) && !is_wrapped;
    (!is_empty || !is_group).then_some((record, shape))
}

/// Reads a line of a log whose lines are JSON.
fn log_line(site: RecordSite, record: &mut Record<'_>, own: &[TranscriptShape]) -> Option<RecordShape> {
    match begins_as_envelope(record.bytes) {
        true => value(site, record, own),
        false => log::read(record, None),
    }
}

/// Reads a log entry that wraps the lines of a record.
fn wrapped(
    site: RecordSite,
    record: &mut Record<'_>,
    form: &EntryForm,
    own: &[TranscriptShape],
) -> Option<RecordShape> {
    if let Some(turns) = form.wrapper().and_then(|wrapper| entry::read_wrapped(record, wrapper)) {
        record.turns.extend(turns);
        return Some(RecordShape::Log);
    }
    record.bytes = without_line_end(record.bytes);
    let shape = value(RecordSite { frame: Frame::Lines, ..site }, record, own);
    if shape == Some(RecordShape::Unknown) {
        // In a log, two occurrences of an answer are two answers.
        record.turns.iter_mut().for_each(|turn| turn.may_repeat = false);
    }
    shape
}

/// Reads a record that is one JSON value.
fn value(site: RecordSite, record: &mut Record<'_>, own: &[TranscriptShape]) -> Option<RecordShape> {
    let is_envelopes = matches!(site.container, Container::EnvelopeLines | Container::Envelope);
    // Fast path: no need to parse the value.
    if is_envelopes && !matches!(site.frame, Frame::Elements) && begins_as_envelope(record.bytes) {
        record.turns.push(Turn::part(TurnRole::Assistant, TextKind::Reply, record.range()));
        return Some(RecordShape::Envelope);
    }
    let json = Json::parse(record.bytes);
    let root = json.root();
    let pointer = match site.frame {
        Frame::Elements => shapes_step(site.number - 1),
        _ => String::new(),
    };
    if is_envelope(&json, root) || (is_envelopes && json.kind(root) == Node::Object) {
        let mut turn = Turn::part(TurnRole::Assistant, TextKind::Reply, record.range());
        turn.path.extend((!pointer.is_empty()).then_some(pointer));
        record.turns.push(turn);
        return Some(RecordShape::Envelope);
    }
    if !json.is_valid_to_the_end() {
        record.findings.push(findings::bad_record(&json, record.range(), "record"));
        if matches!(site.frame, Frame::Lines) {
            return None;
        }
    }
    if site.container == Container::Stream {
        stream::read_value(&json, &pointer, record);
        return Some(RecordShape::Delta);
    }
    if log::is_entry(&json, root) && site.container == Container::Log {
        return log::read(record, None);
    }
    let is_element = matches!(site.frame, Frame::Elements);
    let shaped = shapes::read_with(own, &json, root, &pointer, is_element)
        .filter(|shaped| !shaped.turns.is_empty() || shaped.shape == RecordShape::Delta)
        .or_else(|| shapes::by_envelope(&json, root, &pointer));
    if let Some(mut shaped) = shaped {
        let shape = shaped.shape;
        match shaped.shape {
            RecordShape::Delta => stream::read_value(&json, &pointer, record),
            RecordShape::Unknown | RecordShape::Declared | RecordShape::Audit => add(shaped, record),
            _ => {
                shapes::complete(&json, root, &pointer, &mut shaped);
                add(shaped, record);
            }
        }
        native_calls::mark(&json, root, &mut record.turns);
        return Some(shape);
    }
    if json.kind(root) != Node::Object && record.findings.is_empty() {
        record.findings.push(findings::no_object(record.range()));
    }
    None
}

/// Adds the parsed turns and findings of a value to its record.
fn add(shaped: shapes::ShapedRecord, record: &mut Record<'_>) {
    record.turns.extend(shaped.turns);
    record.findings.extend(shaped.findings);
    record.findings.extend(shaped.unread.map(|(count, range)| findings::too_many(range, count)));
}

fn shapes_step(index: u64) -> String {
    super::words::step("", index)
}

/// True if a line begins with an envelope key.
fn begins_as_envelope(bytes: &[u8]) -> bool {
    let inner = bytes.trim_ascii_start().strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    inner.is_some_and(|inner| {
        inner.starts_with(b"\"control_packet\"") || inner.starts_with(b"\"surface_response\"")
    })
}

/// Reads the events of one turn of a coding agent. Its last message is the answer.
fn events(record: &mut Record<'_>) -> Option<RecordShape> {
    let mut at = 0;
    let mut shape = None;
    for line in record.bytes.split_inclusive(|byte| *byte == b'\n') {
        let start = at;
        at += line.len();
        let line = without_line_end(line);
        if line.trim_ascii().is_empty() {
            continue;
        }
        let json = Json::parse_part(record.bytes, start..start + line.len());
        if !json.is_valid_to_the_end() {
            let range = TextRange::at(size(start), size(line.len()));
            record.findings.push(findings::bad_record(&json, range, "line"));
        } else if let Some(mut shaped) = shapes::read(&json, json.root(), "") {
            shape = shape.or(Some(shaped.shape));
            shapes::complete(&json, json.root(), "", &mut shaped);
            add(shaped, record);
        }
    }
    let last = record.turns.iter().rposition(|turn| turn.kind == TextKind::Reply);
    for (index, turn) in record.turns.iter_mut().enumerate() {
        if turn.kind == TextKind::Reply && Some(index) != last {
            turn.kind = TextKind::Skipped(Skip::Intermediate);
        }
    }
    shape
}

/// Passes the messages of a session, and damaged parts between them, as records to `each`.
fn session_records(bytes: &[u8], start: u64, each: &mut dyn FnMut(Record<'_>)) {
    let json = Json::parse(bytes);
    let messages = shapes::session_messages(&json, json.root()).unwrap_or_default();
    let ranges: Vec<TextRange> = messages.into_iter().map(|message| json.range(message)).collect();
    let mut damage = (!json.is_valid_to_the_end()).then(|| damage(&json, bytes));
    if damage.is_none() && ranges.is_empty() {
        each(Record::new(0, start, &[]));
    }
    for (index, range) in ranges.iter().enumerate() {
        if let Some(before) = damage.take_if(|damage| damage.range.start() < range.start()) {
            each(of_damage(before, range.start(), bytes, start));
        }
        let mut record = of_part(index as u64 + 1, *range, bytes, start);
        record.turns = shapes::session_turns(&Json::parse(record.bytes), index).unwrap_or_default();
        if let Some(inside) = damage.take_if(|damage| damage.range.start() < range.end()) {
            record.findings.push(within(inside, *range));
        }
        each(record);
    }
    if let Some(behind) = damage {
        each(of_damage(behind, size(bytes.len()), bytes, start));
    }
}

/// Creates a finding at the first JSON problem of a session.
fn damage(json: &Json<'_>, bytes: &[u8]) -> Finding {
    let mut finding = findings::bad_record(json, up_to(bytes), "session");
    let behind = TextRange::new(json.end().min(finding.range.end()), finding.range.end());
    finding.range = json.problems.first().map_or(behind, |problem| json.problem_range(problem));
    finding
}

/// Creates a record for damage outside of messages. The record ends before `limit` and contains the
/// bytes of the finding.
fn of_damage(damage: Finding, limit: TextSize, bytes: &[u8], start: u64) -> Record<'_> {
    let range = damage.range;
    let range = TextRange::new(range.start(), range.end().min(limit).max(range.start()));
    let mut record = of_part(0, range, bytes, start);
    record.findings.push(within(damage, range));
    record
}

/// Creates a record from a part of a document.
fn of_part(number: u64, range: TextRange, bytes: &[u8], start: u64) -> Record<'_> {
    let part = bytes.get(range.start().into()..range.end().into()).unwrap_or(&[]);
    Record::new(number, start + u64::from(u32::from(range.start())), part)
}

/// Converts a finding about a document to a finding about a part of it.
fn within(mut finding: Finding, part: TextRange) -> Finding {
    let range = finding.range.intersect(part).unwrap_or(TextRange::empty(part.start()));
    finding.range = range - part.start();
    finding
}

/// Creates a record from one turn of a text.
fn record_of_text(bytes: &[u8], start: u64, index: usize, part: PlainTurn) -> Record<'_> {
    let inner = bytes.get(part.range.clone()).unwrap_or(&[]);
    let mut record = Record::new(index as u64 + 1, start + part.range.start as u64, inner);
    record.turns.push(Turn::part(part.role, part.kind, up_to(inner)));
    record
}
