//! Detection of the container format from the file name and the first bytes.

use super::entry::EntryForm;
use super::record_splitter::Frame;
use super::shapes::{self, CustomShapes};
use super::turn::{self, RecordShape};
use super::words::member;
use super::{TranscriptOptions, channels, log, stream};
use crate::envelope::json::{self, Json, JsonKind, JsonProblemKind, NodeId};
use mangle_settings::Container;

/// Number of leading bytes that are examined.
pub(super) const HEAD: usize = 64 * 1024;

/// Number of leading lines that are searched for a known record.
const LINES: usize = 64;

/// Maximum number of lines before the first entry of a log.
const BANNER: usize = 8;

/// Container format and the way its records are delimited.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    pub(super) container: Container,
    pub(super) frame: Frame,
}

/// Determines the format of a file. `is_all` is true if `head` is the whole file.
pub(super) fn plan(options: &TranscriptOptions, head: &[u8], is_all: bool, own: &CustomShapes) -> Plan {
    let container = options.container.unwrap_or_else(|| match detect(&options.name, head, is_all, own) {
        // A separator applies to plain text, not to logs of the runtime.
        Container::Log if options.separator.is_some() && !is_of_runtime(head) => Container::Raw,
        found => found,
    });
    Plan { container, frame: frame(container, head, is_all) }
}

/// True if a text begins like a log of the runtime.
fn is_of_runtime(head: &[u8]) -> bool {
    first(head) == Some(b'{') || head.split(|byte| *byte == b'\n').take(BANNER).any(log::is_stamped)
}

fn frame(container: Container, head: &[u8], is_all: bool) -> Frame {
    match container {
        Container::Envelope | Container::Response | Container::Session => Frame::Whole,
        Container::Markdown | Container::Raw => Frame::Whole,
        Container::Array => Frame::Elements,
        Container::EnvelopeLines | Container::ChatLines if spans_lines(head) => Frame::Values,
        Container::EnvelopeLines => Frame::Lines,
        Container::ChatLines if events_of_turns(head) => Frame::Groups(shapes::border),
        Container::ChatLines => EntryForm::of_wrapped(head).map_or(Frame::Lines, Frame::Entries),
        Container::Stream if first(head) == Some(b'[') => Frame::Whole,
        Container::Stream => Frame::Groups(stream::border),
        Container::Harness => Frame::Groups(channels::harness_border),
        Container::Channels => Frame::Groups(channels::border),
        Container::Traces => match first(head) {
            Some(b'[') => Frame::Elements,
            _ if is_lines(head, is_all) => Frame::Lines,
            _ => Frame::Whole,
        },
        Container::Log if first(head) == Some(b'{') => Frame::Lines,
        Container::Log => Frame::Entries(EntryForm::of_log(head)),
    }
}

/// True if the first JSON value of a text spans several lines.
fn spans_lines(head: &[u8]) -> bool {
    let text = head.trim_ascii_start();
    let line = text.split(|byte| *byte == b'\n').next().unwrap_or(&[]).trim_ascii();
    if json::whole(line).is_ok() {
        return false;
    }
    match json::value_end(text) {
        Ok(end) => text.get(..end).is_some_and(|value| value.contains(&b'\n')),
        // The value does not end within `head`.
        Err(_) => matches!(line, b"{" | b"["),
    }
}

/// Returns the first byte that is not white space.
fn first(text: &[u8]) -> Option<u8> {
    text.trim_ascii_start().first().copied()
}

/// Returns the extension of a file name in lower case, without `.gz` or `.zst`.
fn extension(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
    name.rsplit_once('.').map(|(_, end)| end.to_owned()).unwrap_or_default()
}

fn detect(name: &str, head: &[u8], is_all: bool, own: &CustomShapes) -> Container {
    let by_text = |head: &[u8]| {
        if channels::is_harness(head) {
            Some(Container::Harness)
        } else if channels::is_channels(head) {
            Some(Container::Channels)
        } else if head.split(|byte| *byte == b'\n').take(BANNER).any(log::is_stamped) {
            Some(Container::Log)
        } else if stream::is_events(head) {
            Some(Container::Stream)
        } else {
            EntryForm::of_console(head).map(|_| Container::Log)
        }
    };
    let extension = extension(name);
    let found = match extension.as_str() {
        "md" | "markdown" => return Container::Markdown,
        _ if own.matches(head) => return Container::Raw,
        "txt" | "out" => by_text(head)
            .or_else(|| by_json(head, is_all, own, false).filter(|found| is_conversation(found, head))),
        "jsonl" | "ndjson" => by_text(head).or_else(|| match first(head) {
            Some(b'[') if !is_lines(head, is_all) => by_json(head, is_all, own, true),
            _ => of_known_lines(head, is_all, own).or(Some(Container::ChatLines)),
        }),
        "json" | "traj" | "trajectory" | "eval" => by_json(head, is_all, own, true).or_else(|| by_text(head)),
        _ => by_json(head, is_all, own, false).or_else(|| by_text(head)),
    };
    found.unwrap_or(Container::Raw)
}

/// True if a container in a plain text file is a record of several turns.
///
/// An API response or a list of envelopes may be the text of one reply, and the runtime would read
/// it as one reply.
fn is_conversation(container: &Container, head: &[u8]) -> bool {
    match container {
        Container::ChatLines | Container::Stream | Container::Traces => true,
        Container::Array => {
            let json = Json::parse(head);
            json.elements(json.root()).next().is_some_and(|first| member(&json, first, "role").is_some())
        }
        _ => false,
    }
}

/// Returns the container of a JSON text. `is_expected` is true if the file name indicates JSON
/// records; an unknown record is then not read as a reply.
fn by_json(head: &[u8], is_all: bool, own: &CustomShapes, is_expected: bool) -> Option<Container> {
    match first(head) {
        Some(b'{') if is_lines(head, is_all) => of_known_lines(head, is_all, own)
            .or_else(|| (is_expected || has_answers(head, is_all)).then_some(Container::ChatLines)),
        Some(b'{') => of_document(head, is_all, own, is_expected),
        Some(b'[') => of_array(head, own, is_expected),
        _ => None,
    }
}

/// True if a text that begins with an object has one value per line: more text follows the first
/// value.
fn is_lines(head: &[u8], is_all: bool) -> bool {
    let text = head.trim_ascii_start();
    match json::value_end(text) {
        Ok(end) => {
            let rest = text.get(end..).unwrap_or(&[]);
            let line = memchr::memchr(b'\n', rest).map(|line| rest.get(..line).unwrap_or(&[]));
            let is_line = line.is_some_and(|line| line.trim_ascii().is_empty());
            is_line && (!rest.trim_ascii().is_empty() || (!is_all && !rest.is_empty()))
        }
        // The first line is damaged, but a later line is valid.
        Err(_) => {
            let lines = text.split(|byte| *byte == b'\n').skip(1).map(<[u8]>::trim_ascii);
            let line = lines.take(LINES).find(|line| line.starts_with(b"{\""));
            line.is_some_and(|line| json::whole(line).is_ok())
        }
    }
}

/// Returns the container of lines with this shape.
fn of_shape(shape: RecordShape) -> Container {
    match shape {
        RecordShape::Envelope => Container::EnvelopeLines,
        RecordShape::Chat
        | RecordShape::Provider
        | RecordShape::Session
        | RecordShape::Declared
        | RecordShape::Unknown => Container::ChatLines,
        RecordShape::Delta => Container::Stream,
        RecordShape::Trace => Container::Traces,
        RecordShape::Audit | RecordShape::Log => Container::Log,
    }
}

/// Returns the container from the first line with a known shape.
fn of_known_lines(head: &[u8], is_all: bool, own: &CustomShapes) -> Option<Container> {
    if EntryForm::of_wrapped(head).is_some() {
        return Some(Container::ChatLines);
    }
    if own.shapes.is_empty() && stream::is_split_lines(head, is_all) {
        return Some(Container::Stream);
    }
    let lines = head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let found = lines.take(LINES).find_map(|line| {
        let json = Json::parse(line);
        let is_entry = || log::is_entry(&json, json.root()).then_some(RecordShape::Log);
        shape(&json, json.root(), own).or_else(is_entry)
    });
    found.map(of_shape)
}

/// True if a line with an unknown format holds a nested envelope. A single reply has no such line.
fn has_answers(head: &[u8], is_all: bool) -> bool {
    let end = if is_all { head.len() } else { memchr::memrchr(b'\n', head).unwrap_or(0) };
    let lines = head.get(..end).unwrap_or(head).split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    lines.filter(|line| line.starts_with(b"{")).any(|line| {
        let json = Json::parse(line);
        json.is_valid_to_the_end()
            && !super::words::is_envelope(&json, json.root())
            && shapes::by_envelope(&json, json.root(), "").is_some()
    })
}

fn shape(json: &Json<'_>, node: NodeId, own: &CustomShapes) -> Option<RecordShape> {
    shapes::read_with(&own.shapes, json, node, "", true).map(|shaped| shaped.shape)
}

fn of_document(head: &[u8], is_all: bool, own: &CustomShapes, is_expected: bool) -> Option<Container> {
    let json = Json::parse(head);
    let root = json.root();
    if !is_all && !matches!(json.kind(root), JsonKind::Object) {
        return None;
    }
    if super::words::is_envelope(&json, root) {
        return Some(Container::Envelope);
    }
    if own.shapes.is_empty() && shapes::session_messages(&json, root).is_some() {
        return Some(Container::Session);
    }
    match shape(&json, root, own) {
        Some(RecordShape::Envelope) => Some(Container::Envelope),
        Some(RecordShape::Trace) => Some(Container::Traces),
        Some(RecordShape::Audit | RecordShape::Log) => Some(Container::Log),
        Some(_) => Some(Container::Response),
        None => is_record(&json, is_all, is_expected).then_some(Container::Response),
    }
}

/// True if a document of an unknown format is a record, and not a damaged reply.
fn is_record(json: &Json<'_>, is_all: bool, is_expected: bool) -> bool {
    let root = json.root();
    let is_sound = match is_all {
        true => json.is_valid_to_the_end(),
        false => json.problems.iter().all(|problem| problem.kind == JsonProblemKind::Unclosed),
    };
    let is_reply = json.members(root).any(|member| json.string(member.key).is_some_and(|key| is_meant(&key)));
    let is_unknown = || shapes::by_envelope(json, root, "").is_some();
    is_sound && !is_reply && (is_expected || !is_all || is_unknown())
}

/// True if a key is probably a misspelled envelope key.
fn is_meant(key: &str) -> bool {
    let letters: String = key.chars().filter(char::is_ascii_alphabetic).collect();
    ["control", "controlpacket", "surface", "surfaceresponse", "mangleupdates", "intentclassification"]
        .contains(&letters.to_ascii_lowercase().as_str())
}

fn of_array(head: &[u8], own: &CustomShapes, is_expected: bool) -> Option<Container> {
    let json = Json::parse(head);
    let mut shapes = json.elements(json.root()).filter_map(|element| shape(&json, element, own));
    match shapes.next() {
        Some(RecordShape::Trace) => Some(Container::Traces),
        Some(RecordShape::Delta) => Some(Container::Stream),
        _ if own.shapes.is_empty() && stream::is_split_array(&json) => Some(Container::Stream),
        Some(_) => Some(Container::Array),
        None => {
            (is_expected || shapes::by_envelope(&json, json.root(), "").is_some()).then_some(Container::Array)
        }
    }
}

/// True if lines are events of a coding agent. Several events make up a turn.
fn events_of_turns(head: &[u8]) -> bool {
    let mut lines = head.split(|byte| *byte == b'\n').take(LINES);
    lines.any(|line| shapes::border(line) != turn::Border::Within)
}
