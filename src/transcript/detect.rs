//! Which container a file is, by its name and its first bytes.

use super::cut::Frame;
use super::shapes::{self, Shape};
use super::{harness, log, stream};
use crate::config::Container;
use crate::envelope::json::{self, Json, Kind};

/// How many bytes are looked at.
pub(super) const HEAD: usize = 64 * 1024;

/// How many lines are looked at until one is something that is known.
const LINES: usize = 64;

/// How many lines may stand before the first entry of a log.
const BANNER: usize = 8;

/// A container, and how its records lie behind one another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    pub(super) container: Container,
    pub(super) frame: Frame,
}

/// The container of a file, from its name and its first bytes; `is_all` where these are all.
pub(super) fn plan(named: Option<Container>, name: &str, head: &[u8], is_all: bool) -> Plan {
    let container = named.unwrap_or_else(|| detect(name, head, is_all));
    Plan { container, frame: frame(container, head, is_all) }
}

fn frame(container: Container, head: &[u8], is_all: bool) -> Frame {
    match container {
        Container::Envelope | Container::Response | Container::Session => Frame::Whole,
        Container::Markdown | Container::Raw => Frame::Whole,
        Container::Array => Frame::Elements,
        Container::EnvelopeLines => Frame::Lines,
        Container::ChatLines if events_of_turns(head) => Frame::Groups(shapes::border),
        Container::ChatLines => Frame::Lines,
        Container::Stream => Frame::Groups(stream::border),
        Container::Harness => Frame::Groups(harness::border),
        Container::Traces => match first(head) {
            Some(b'[') => Frame::Elements,
            _ if is_lines(head, is_all) => Frame::Lines,
            _ => Frame::Whole,
        },
        Container::Log if first(head) == Some(b'{') => Frame::Lines,
        Container::Log => Frame::Groups(log::border),
    }
}

/// The first byte that is not white space.
fn first(text: &[u8]) -> Option<u8> {
    text.trim_ascii_start().first().copied()
}

/// The end of a file's name, in lower case, that of a compressed one left out.
fn extension(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
    name.rsplit_once('.').map(|(_, end)| end.to_owned()).unwrap_or_default()
}

fn detect(name: &str, head: &[u8], is_all: bool) -> Container {
    let by_text = |head: &[u8]| {
        if harness::is_harness(head) {
            Some(Container::Harness)
        } else if head.split(|byte| *byte == b'\n').take(BANNER).any(log::is_stamped) {
            Some(Container::Log)
        } else {
            stream::is_events(head).then_some(Container::Stream)
        }
    };
    match extension(name).as_str() {
        "md" | "markdown" => Container::Markdown,
        "txt" | "out" => by_text(head).unwrap_or(Container::Raw),
        "jsonl" | "ndjson" => by_text(head).unwrap_or_else(|| of_lines(head)),
        _ => match first(head) {
            Some(b'{') if is_lines(head, is_all) => of_lines(head),
            Some(b'{') => of_document(head, is_all),
            Some(b'[') => of_array(head),
            _ => by_text(head).unwrap_or(Container::Raw),
        },
    }
}

/// Whether a text that begins with an object has a value a line: something stands behind the first.
fn is_lines(head: &[u8], is_all: bool) -> bool {
    let text = head.trim_ascii_start();
    match json::value_end(text) {
        Ok(end) => {
            let rest = text.get(end..).unwrap_or(&[]);
            let line = memchr::memchr(b'\n', rest).map(|line| rest.get(..line).unwrap_or(&[]));
            let is_line = line.is_some_and(|line| line.trim_ascii().is_empty());
            is_line && (!rest.trim_ascii().is_empty() || (!is_all && !rest.is_empty()))
        }
        // A damaged line among whole ones.
        Err(_) => {
            let lines = text.split(|byte| *byte == b'\n').skip(1).map(<[u8]>::trim_ascii);
            let line = lines.take(LINES).find(|line| line.starts_with(b"{\""));
            line.is_some_and(|line| json::whole(line).is_ok())
        }
    }
}

/// The container that a shape of lines makes.
fn of_shape(shape: Shape) -> Container {
    match shape {
        Shape::Envelope => Container::EnvelopeLines,
        Shape::Chat | Shape::Provider | Shape::Session => Container::ChatLines,
        Shape::Delta => Container::Stream,
        Shape::Trace => Container::Traces,
        Shape::Audit | Shape::Log => Container::Log,
    }
}

fn of_lines(head: &[u8]) -> Container {
    let lines = head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let shape = lines.take(LINES).find_map(|line| {
        let json = Json::parse(line);
        let is_entry = || log::is_entry(&json, json.root()).then_some(Shape::Log);
        shapes::read(&json, json.root(), "").map(|shaped| shaped.shape).or_else(is_entry)
    });
    shape.map_or(Container::ChatLines, of_shape)
}

fn of_document(head: &[u8], is_all: bool) -> Container {
    let json = Json::parse(head);
    let root = json.root();
    if !is_all && !matches!(json.kind(root), Kind::Object) {
        return Container::Raw;
    }
    if super::words::is_envelope(&json, root) {
        return Container::Envelope;
    }
    if shapes::messages(&json, root).is_some() {
        return Container::Session;
    }
    match shapes::read(&json, root, "").map(|shaped| shaped.shape) {
        Some(Shape::Envelope) => Container::Envelope,
        Some(Shape::Trace) => Container::Traces,
        Some(Shape::Audit | Shape::Log) => Container::Log,
        Some(_) => Container::Response,
        None => Container::Raw,
    }
}

fn of_array(head: &[u8]) -> Container {
    let json = Json::parse(head);
    let shapes = json.elements(json.root()).filter_map(|element| shapes::read(&json, element, ""));
    match shapes.map(|shaped| shaped.shape).next() {
        Some(Shape::Trace) => Container::Traces,
        Some(_) => Container::Array,
        None => Container::Raw,
    }
}

/// Whether lines are the events of a coding agent, of which several make a turn.
fn events_of_turns(head: &[u8]) -> bool {
    let mut lines = head.split(|byte| *byte == b'\n').take(LINES);
    lines.any(|line| shapes::border(line) != super::cut::Border::Within)
}
