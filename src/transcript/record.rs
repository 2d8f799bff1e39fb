//! What is in the bytes of one record.

use super::cut::Frame;
use super::plain::Part;
use super::reader::{up_to, without_line_end};
use super::shapes::{self, Shape};
use super::turn::{Kind, Record, Role, Skip, Turn};
use super::words::is_envelope;
use super::{findings, harness, log, stream};
use crate::config::{Container, TranscriptShape};
use crate::envelope::json::{Json, Kind as Node};
use crate::text::{TextRange, size};

/// Where a record stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Site {
    pub(super) container: Container,
    pub(super) frame: Frame,
    /// Its number from 1 on.
    pub(super) number: u64,
}

/// Reads a record; `None` where there is none: a blank line, the text before the first entry of a log.
pub(super) fn read<'b>(
    site: Site,
    bytes: &'b [u8],
    start: u64,
    own: &[TranscriptShape],
) -> Option<(Record<'b>, Option<Shape>)> {
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
            Some(Shape::Delta)
        }
        (Container::Harness, _) => {
            harness::read(&mut record);
            None
        }
        (Container::Log, Frame::Entries(form)) => log::read(&mut record, Some(&form)),
        (Container::Log, _) => log_line(site, &mut record, own),
        (_, Frame::Groups(_)) => events(&mut record),
        _ => value(site, &mut record, own),
    };
    let is_empty = record.turns.is_empty() && record.findings.is_empty();
    let is_group = matches!(site.frame, Frame::Groups(_) | Frame::Entries(_));
    (!is_empty || !is_group).then_some((record, shape))
}

/// Reads a line of a log whose lines are JSON.
fn log_line(site: Site, record: &mut Record<'_>, own: &[TranscriptShape]) -> Option<Shape> {
    match begins_as_envelope(record.bytes) {
        true => value(site, record, own),
        false => log::read(record, None),
    }
}

/// Reads a record that is one JSON value.
fn value(site: Site, record: &mut Record<'_>, own: &[TranscriptShape]) -> Option<Shape> {
    let is_envelopes = matches!(site.container, Container::EnvelopeLines | Container::Envelope);
    // The usual case needs no look at what is inside.
    if is_envelopes && !matches!(site.frame, Frame::Elements) && begins_as_envelope(record.bytes) {
        record.turns.push(Turn::part(Role::Assistant, Kind::Reply, record.range()));
        return Some(Shape::Envelope);
    }
    let json = Json::parse(record.bytes);
    let root = json.root();
    let pointer = match site.frame {
        Frame::Elements => shapes_step(site.number - 1),
        _ => String::new(),
    };
    if is_envelope(&json, root) || (is_envelopes && json.kind(root) == Node::Object) {
        let mut turn = Turn::part(Role::Assistant, Kind::Reply, record.range());
        turn.path.extend((!pointer.is_empty()).then_some(pointer));
        record.turns.push(turn);
        return Some(Shape::Envelope);
    }
    if !json.is_valid_to_the_end() {
        record.findings.push(findings::bad_record(&json, record.range(), "the record"));
        if matches!(site.frame, Frame::Lines) {
            return None;
        }
    }
    if site.container == Container::Stream {
        stream::read_value(&json, &pointer, record);
        return Some(Shape::Delta);
    }
    if log::is_entry(&json, root) && site.container == Container::Log {
        return log::read(record, None);
    }
    let is_element = matches!(site.frame, Frame::Elements);
    let shaped = shapes::read_with(own, &json, root, &pointer, is_element)
        .filter(|shaped| !shaped.turns.is_empty() || shaped.shape == Shape::Delta)
        .or_else(|| shapes::by_envelope(&json, root, &pointer));
    if let Some(shaped) = shaped {
        match shaped.shape {
            Shape::Delta => stream::read_value(&json, &pointer, record),
            _ => record.turns = shaped.turns,
        }
        return Some(shaped.shape);
    }
    if json.kind(root) != Node::Object && record.findings.is_empty() {
        record.findings.push(findings::no_object(record.range()));
    }
    None
}

fn shapes_step(index: u64) -> String {
    super::words::step("", index)
}

/// Whether a line begins with a key of an envelope.
fn begins_as_envelope(bytes: &[u8]) -> bool {
    let inner = bytes.trim_ascii_start().strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    inner.is_some_and(|inner| {
        inner.starts_with(b"\"control_packet\"") || inner.starts_with(b"\"surface_response\"")
    })
}

/// Reads the events of one turn of a coding agent: the last message is its answer.
fn events(record: &mut Record<'_>) -> Option<Shape> {
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
            record.findings.push(findings::bad_record(&json, range, "the line"));
        } else if let Some(shaped) = shapes::read(&json, json.root(), "") {
            shape = shape.or(Some(shaped.shape));
            record.turns.extend(shaped.turns);
        }
    }
    let last = record.turns.iter().rposition(|turn| turn.kind == Kind::Reply);
    for (index, turn) in record.turns.iter_mut().enumerate() {
        if turn.kind == Kind::Reply && Some(index) != last {
            turn.kind = Kind::Skipped(Skip::Intermediate);
        }
    }
    shape
}

/// The records of a session: its messages.
pub(super) fn of_session(bytes: &[u8], start: u64, each: &mut dyn FnMut(Record<'_>)) {
    let json = Json::parse(bytes);
    let messages = shapes::messages(&json, json.root()).unwrap_or_default();
    if !json.is_valid_to_the_end() || messages.is_empty() {
        let mut record = Record::new(0, start, bytes);
        if !json.is_valid_to_the_end() {
            let mut finding = findings::bad_record(&json, up_to(bytes), "what is damaged of the session");
            finding.range = json.problems.first().map_or(finding.range, |problem| problem.range);
            record.findings.push(finding);
        }
        // The bytes of the messages are judged with them.
        record.bytes = bytes.get(..0).unwrap_or(&[]);
        each(record);
    }
    for (index, message) in messages.into_iter().enumerate() {
        let range = json.range(message);
        let from: usize = range.start().into();
        let part = bytes.get(from..range.end().into()).unwrap_or(&[]);
        let mut record = Record::new(index as u64 + 1, start + from as u64, part);
        record.turns = shapes::shown(&Json::parse(part), index).unwrap_or_default();
        each(record);
    }
}

/// A turn of a text as a record.
pub(super) fn of_text(bytes: &[u8], start: u64, index: usize, part: Part) -> Record<'_> {
    let inner = bytes.get(part.range.clone()).unwrap_or(&[]);
    let mut record = Record::new(index as u64 + 1, start + part.range.start as u64, inner);
    record.turns.push(Turn::part(part.role, part.kind, up_to(inner)));
    record
}
