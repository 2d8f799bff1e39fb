//! Detection of the member of JSON records that holds log lines, and of records that continue a
//! line.

use super::begins_envelope;
use super::nesting::Nesting;
use crate::envelope::json::{Json, JsonKind as Node, NodeId};
use crate::transcript::words::{is_string, member, member_equals};

/// Maximum number of records of a file that are examined.
const MAX_RECORDS: usize = 64;

/// Maximum length of the member name, in bytes.
const MAX_NAME: usize = 24;

/// Number of lines of an open envelope that suffice for detection.
const MIN_LINES: usize = 8;

/// Name of the member that holds the lines of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::transcript) struct Wrapper {
    name: [u8; MAX_NAME],
    len: usize,
}

/// A line in a record.
pub(super) struct WrappedLine {
    pub(super) text: String,
    /// True if the next record continues this line.
    pub(super) is_partial: bool,
}

/// A member that may hold the lines of an envelope.
struct Candidate {
    name: String,
    nesting: Nesting,
    lines: usize,
}

impl Candidate {
    /// Reads the next text. Returns true if it continues the envelope.
    fn continues(&mut self, text: &[u8]) -> bool {
        let is_next = !text.trim_ascii().is_empty() && self.nesting.can_continue(text, 0);
        self.nesting.read(text);
        self.lines += 1;
        is_next
    }
}

impl Wrapper {
    fn new(name: &str) -> Option<Self> {
        let mut bytes = [0; MAX_NAME];
        bytes.get_mut(..name.len())?.copy_from_slice(name.as_bytes());
        Some(Self { name: bytes, len: name.len() })
    }

    pub(super) fn name(&self) -> &str {
        self.name.get(..self.len).and_then(|name| std::str::from_utf8(name).ok()).unwrap_or_default()
    }

    /// Detects the member from the first records: `log` next to `stream` or `time`, or a text that
    /// opens an envelope that the next records continue.
    pub(super) fn find(head: &[u8]) -> Option<Self> {
        let lines = head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
        let mut open: Vec<Candidate> = Vec::new();
        for line in lines.take(MAX_RECORDS) {
            if !line.starts_with(b"{") {
                open.clear();
                continue;
            }
            let names = |key: &[u8]| memchr::memmem::find(line, key).is_some();
            let is_whole = names(b"control_packet") && names(b"surface_response");
            // Fast path: most files have a complete envelope in their first records.
            if is_whole && !names(b"\"log\"") {
                return None;
            }
            let json = Json::parse(line);
            let root = json.root();
            let has = |name: &str| member(&json, root, name).is_some_and(|it| is_string(&json, it));
            if has("log") && (has("stream") || has("time")) {
                return Self::new("log");
            }
            if crate::transcript::stream::is_delta(&json, root) {
                return None;
            }
            let texts = json.members(root).filter(|one| is_string(&json, one.value));
            let texts: Vec<_> =
                texts.filter_map(|one| Some((json.string(one.key)?, json.string(one.value)?))).collect();
            open.retain_mut(|one| {
                let next = texts.iter().find(|(key, _)| *key == one.name);
                next.is_some_and(|(_, text)| one.continues(text.as_bytes()))
            });
            if let Some(found) = open.iter().find(|one| !one.nesting.is_open() || one.lines >= MIN_LINES) {
                return Self::new(&found.name);
            }
            for (name, text) in texts {
                let text = text.trim();
                let mut nesting = Nesting::default();
                nesting.read(text.as_bytes());
                let is_line = text.ends_with(['{', '[', ',']) && nesting.is_open();
                if is_line && (text == "{" || begins_envelope(text.as_bytes())) {
                    open.push(Candidate { name: name.into_owned(), nesting, lines: 1 });
                }
            }
        }
        None
    }

    /// Returns the line in a record, if any.
    pub(super) fn line(&self, record: &[u8]) -> Option<WrappedLine> {
        let record = record.trim_ascii();
        if !record.starts_with(b"{") {
            return None;
        }
        let json = Json::parse(record);
        let text = self.member(&json)?;
        let text = json.string(text)?.into_owned();
        let is_piece = !text.ends_with('\n') && self.name() == "log" && is_of_runtime(&json);
        let is_partial = is_piece && !is_last(&json) || is_marked(&json);
        Some(WrappedLine { text, is_partial })
    }

    pub(super) fn member(&self, json: &Json<'_>) -> Option<NodeId> {
        member(json, json.root(), self.name()).filter(|text| is_string(json, *text))
    }
}

/// True for a record of a container runtime. A container runtime ends each complete line with a
/// line end.
fn is_of_runtime(json: &Json<'_>) -> bool {
    ["stream", "time"].iter().any(|name| member(json, json.root(), name).is_some())
}

/// True if a collector marks a record as a partial line.
fn is_marked(json: &Json<'_>) -> bool {
    let root = json.root();
    let is_set = |name: &str| {
        member_equals(json, root, name, "true")
            || member(json, root, name).is_some_and(|flag| json.kind(flag) == Node::Bool(true))
    };
    let is_partial = ["partial_message", "CONTAINER_PARTIAL_MESSAGE", "partial", "_partial"]
        .iter()
        .any(|name| is_set(name));
    let is_mark = ["logtag", "_p", "flag"].iter().any(|name| member_equals(json, root, name, "P"));
    (is_partial || is_mark) && !is_last(json)
}

/// True if a collector marks a record as the last piece of a line.
fn is_last(json: &Json<'_>) -> bool {
    let root = json.root();
    ["partial_last", "CONTAINER_PARTIAL_LAST"].iter().any(|name| {
        member_equals(json, root, name, "true")
            || member(json, root, name).is_some_and(|flag| json.kind(flag) == Node::Bool(true))
    }) || ["logtag", "_p"].iter().any(|name| member_equals(json, root, name, "F"))
}
