//! Boundaries of log entries: lines that begin an entry, and JSON records that hold the lines of a
//! log.

use std::ops::Range;

use super::envelope::{Nesting, begins_envelope};
use super::prefix::{Piece, Prefix};
use super::prefix_parts::Mask;
use crate::envelope::json::{Json, JsonKind as Node, NodeId};
use crate::transcript::turn::Border;
use crate::transcript::words::{has_control_key, is_string, member, member_equals};

/// Number of leading lines of a file that are examined.
const LINES: usize = 64;

/// Maximum number of lines before the first entry.
const BANNER: usize = 8;

/// Maximum number of timestamp formats in one log.
const MASKS: usize = 6;

/// Format of the lines that begin entries in a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::transcript) struct EntryForm {
    /// Timestamp formats. If there are none, log levels begin entries.
    masks: [Option<Mask>; MASKS],
    has_levels: bool,
    /// True if lines without a timestamp can begin with a speaker.
    has_speakers: bool,
    /// True if each line begins with the name of a container (for example of Docker).
    has_sources: bool,
    /// Member of JSON records that holds the lines of the log.
    wrapper: Option<Wrapper>,
}

impl EntryForm {
    /// Detects JSON records that hold the lines of a log. Several records can be one entry.
    pub(in crate::transcript) fn of_wrapped(head: &[u8]) -> Option<Self> {
        Some(Self { wrapper: Some(Wrapper::find(head)?), ..Self::default() })
    }

    pub(in crate::transcript) fn wrapper(&self) -> Option<&Wrapper> {
        self.wrapper.as_ref()
    }

    /// Detects the format of a log; `None` if the text does not look like a log.
    pub(in crate::transcript) fn of_console(head: &[u8]) -> Option<Self> {
        let (form, counts) = Self::count(head);
        let Counts { times, levels, sources, labelled, is_near_top } = counts;
        let is_log = match form {
            _ if !is_near_top => false,
            _ if times > 0 => times > 1 || labelled > 0,
            _ if levels > 0 => levels > 1 || labelled > 0,
            _ => sources > 0 && labelled > 0,
        };
        is_log.then_some(form)
    }

    /// Detects the format of a file that is known to be a log.
    pub(in crate::transcript) fn of_log(head: &[u8]) -> Self {
        Self::count(head).0
    }

    fn count(head: &[u8]) -> (Self, Counts) {
        let (mut form, mut counts) = (Self::default(), Counts::default());
        let lines = head.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
        for (index, line) in lines.take(LINES).enumerate() {
            let Some(prefix) = Prefix::parse(line) else { continue };
            let text = line.get(prefix.end..).unwrap_or(&[]);
            let is_text = text.starts_with(b"{") || text.starts_with(b"```") || has_control_key(text);
            let is_labelled = is_text || prefix.role.is_some() || prefix.time.is_some() && prefix.has_level;
            form.take(&prefix);
            counts.times += usize::from(prefix.time.is_some());
            counts.levels += usize::from(prefix.has_level);
            counts.sources += usize::from(prefix.source.is_some());
            let is_entry = prefix.time.is_some() || prefix.has_level || prefix.source.is_some();
            counts.labelled += usize::from(is_labelled && is_entry);
            counts.is_near_top |= is_entry && index < BANNER;
        }
        (form, counts)
    }

    fn take(&mut self, prefix: &Prefix) {
        if let Some(mask) = prefix.time {
            let free = self.masks.iter_mut().find(|place| place.is_none_or(|known| known == mask));
            if let Some(place) = free {
                *place = Some(mask);
            }
        }
        self.has_levels |= prefix.has_level;
        self.has_sources |= prefix.source.is_some();
        let is_bare = prefix.time.is_none() && !prefix.has_level && prefix.source.is_none();
        self.has_speakers |= is_bare && prefix.role.is_some() && prefix.is_certain;
    }

    fn has_times(&self) -> bool {
        self.masks.iter().any(Option::is_some)
    }

    /// Returns the prefix of a line if the line begins an entry in this format.
    pub(super) fn prefix(&self, line: &[u8]) -> Option<Prefix> {
        let prefix = Prefix::parse(line)?;
        let is_border = match prefix.time {
            Some(mask) => !self.has_times() || self.masks.contains(&Some(mask)),
            None if prefix.has_level => !self.has_times() && self.has_levels,
            None if prefix.role.is_some() => self.has_speakers || self.has_sources && prefix.source.is_some(),
            None => false,
        };
        (is_border || self.has_sources && prefix.source.is_some()).then_some(prefix)
    }

    /// True if lines have no other prefix than a container name.
    fn has_only_sources(&self) -> bool {
        self.has_sources && !self.has_times() && !self.has_levels
    }
}

#[derive(Debug, Default)]
struct Counts {
    times: usize,
    levels: usize,
    sources: usize,
    labelled: usize,
    is_near_top: bool,
}

/// Relation of a line to the entry before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Line {
    /// The line begins an entry.
    Begins(Option<Prefix>),
    /// The line continues the entry. Its text begins at this offset.
    Continues(usize),
}

/// Finds the lines that begin entries, line by line.
#[derive(Debug, Default, Clone)]
pub(in crate::transcript) struct Borders {
    /// Open JSON of the current entry.
    json: Nesting,
    /// Length of the white space before the text of the entry's first line.
    gap: usize,
    /// Mark of the last line.
    piece: Option<Piece>,
    /// True if the last JSON record holds a partial line that the next record continues.
    is_partial: bool,
}

impl Borders {
    /// Classifies the next line as a boundary.
    pub(in crate::transcript) fn border(&mut self, line: &[u8], form: &EntryForm) -> Border {
        if let Some(wrapper) = form.wrapper() {
            return self.wrapped(line, wrapper);
        }
        match self.line(line, form) {
            Line::Begins(_) => Border::Begin,
            Line::Continues(_) => Border::Within,
        }
    }

    /// Classifies the next JSON record, which holds a line of a log.
    fn wrapped(&mut self, record: &[u8], wrapper: &Wrapper) -> Border {
        let Some(line) = wrapper.line(record) else {
            *self = Self::default();
            return Border::Begin;
        };
        let text = line.text.as_bytes();
        let is_open = self.json.is_open();
        let goes_on = match self.is_partial {
            true => is_open && !is_restart(text),
            false => {
                is_open
                    && !self.json.is_in_string()
                    && !text.trim_ascii().is_empty()
                    && self.json.can_continue(text, 0)
            }
        };
        if !goes_on {
            *self = Self::default();
        }
        self.is_partial = line.is_partial;
        self.json.read(text);
        if goes_on { Border::Within } else { Border::Begin }
    }

    /// True if the next line continues the last one without a line end between them.
    pub(super) fn is_partial(&self) -> bool {
        self.piece.is_some_and(|piece| piece.is_partial)
    }

    /// Classifies the next line.
    pub(super) fn line(&mut self, line: &[u8], form: &EntryForm) -> Line {
        let prefix = form.prefix(line);
        let piece = prefix.and_then(|prefix| prefix.piece);
        if let Some(piece) = piece.filter(|piece| self.piece.is_some_and(|before| piece.continues(before))) {
            self.piece = Some(piece);
            self.json.read(line.get(piece.end..).unwrap_or(&[]));
            return Line::Continues(piece.end);
        }
        let found = self.find(line, prefix, form);
        let from = match found {
            Line::Begins(prefix) => {
                let gap = prefix.map_or(0, |prefix| prefix.end - prefix.gap);
                *self = Self { gap, ..Self::default() };
                prefix.map_or(0, |prefix| prefix.end)
            }
            Line::Continues(from) => from,
        };
        self.piece = piece;
        self.json.read(line.get(from..).unwrap_or(&[]));
        found
    }

    fn find(&self, line: &[u8], prefix: Option<Prefix>, form: &EntryForm) -> Line {
        let is_open = self.json.is_open();
        let Some(prefix) = prefix else {
            return if is_open && is_restart(line) { Line::Begins(None) } else { Line::Continues(0) };
        };
        if is_open
            && !self.json.is_in_string()
            && !prefix.is_speaker()
            && self.json.can_continue(line.get(prefix.gap..).unwrap_or(&[]), self.gap)
        {
            return Line::Continues(prefix.gap);
        }
        let is_of_source = prefix.source.is_some() && !prefix.has_more_than_source();
        match prefix.source.filter(|_| is_of_source && !form.has_only_sources()) {
            Some(source) => {
                let text = line.get(source..).unwrap_or(&[]);
                if is_open && is_restart(text) { Line::Begins(Some(prefix)) } else { Line::Continues(source) }
            }
            None if is_of_source && is_open && !is_restart(line.get(prefix.end..).unwrap_or(&[])) => {
                Line::Continues(prefix.gap)
            }
            None => Line::Begins(Some(prefix)),
        }
    }
}

/// True if a line begins an envelope, or possibly one, although another is open.
fn is_restart(line: &[u8]) -> bool {
    line.starts_with(b"{") && (line.trim_ascii() == b"{" || begins_envelope(line))
}

/// Splits a text at lines that begin an envelope while a damaged envelope is still open.
pub(in crate::transcript) fn parts(text: &[u8]) -> Vec<Range<usize>> {
    let (mut json, mut starts, mut at) = (Nesting::default(), vec![0], 0);
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        if json.is_open() && is_restart(line) {
            starts.push(at);
            json = Nesting::default();
        }
        json.read(line);
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
}

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
struct WrappedLine {
    text: String,
    /// True if the next record continues this line.
    is_partial: bool,
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
    fn find(head: &[u8]) -> Option<Self> {
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
            let has = |name: &str| member(&json, root, name).is_some_and(|value| is_string(&json, value));
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
    fn line(&self, record: &[u8]) -> Option<WrappedLine> {
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
