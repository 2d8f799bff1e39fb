//! Records of a transcript, their formats and boundaries, and their turns.

use std::fmt;
use std::sync::Arc;

use crate::envelope::Reply;
use mangle_settings::{Caps, Profile, TranscriptSettings};
use mangle_syntax::lint::Finding;
use mangle_syntax::text::{SegmentMap, SegmentMapBuilder, TextRange, TextSize, size};

/// Speaker of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TurnRole {
    /// The model.
    Assistant,
    /// The user.
    User,
    /// The author of the system prompt.
    System,
    /// A tool.
    Tool,
    /// Another participant, for example a classifier.
    Other,
}

impl TurnRole {
    /// Returns the role with this name in a container; [`Self::Other`] if unknown.
    #[must_use]
    pub fn parse(word: &str) -> Self {
        match word.to_ascii_lowercase().as_str() {
            "assistant" | "model" | "agent" | "ai" => Self::Assistant,
            "user" | "human" => Self::User,
            "system" | "developer" => Self::System,
            "tool" | "function" => Self::Tool,
            _ => Self::Other,
        }
    }

    /// Returns the role with this name in an export of a service or library. Exports use additional
    /// names.
    pub(super) fn of_export(word: &str) -> Self {
        let word = word.to_ascii_lowercase();
        match &*word {
            "gpt"
            | "chatgpt"
            | "bot"
            | "bing"
            | "bard"
            | "chatbot"
            | "llm"
            | "aimessage"
            | "aimessagechunk"
            | "assistantmessage"
            | "agentmessage"
            | "agent_message"
            | "assistant_message"
            | "modelresponse"
            | "gen_ai.assistant.message" => Self::Assistant,
            "humanmessage" | "usermessage" | "user_message" | "input" | "prompter" | "person" => Self::User,
            "systemmessage" | "instructions" | "developermessage" => Self::System,
            "toolmessage" | "functionmessage" | "observation" | "tool_response" | "tool_result"
            | "ipython" | "environment" | "function_response" => Self::Tool,
            _ => Self::parse(&word),
        }
    }

    /// The name of the role in output.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Assistant => "assistant",
            Self::User => "user",
            Self::System => "system",
            Self::Tool => "tool",
            Self::Other => "other",
        }
    }
}

/// Meaning of the text of a turn in the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TextKind {
    /// Text of the model, to be parsed as the runtime parses replies.
    Reply,
    /// An envelope that the container stores as an object. The runtime's search for an object in a
    /// text does not apply.
    Object,
    /// Text that the user was shown, without its control packet.
    Surface,
    /// A single update without an envelope.
    Atom,
    /// Input of the model.
    Prompt,
    /// A text that is not read, with the reason.
    Skipped(Skip),
}

/// Reason for not reading a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Skip {
    /// Truncated beginning of a longer text.
    Preview,
    /// Message of the model before its final answer.
    Intermediate,
    /// Excluded by the file.
    Ignored,
    /// Speaker is neither the model nor a participant that talks to the model.
    OtherRole,
    /// Empty answer of the model.
    Empty,
    /// Duplicate of another text in the file: a history, or a copy of an answer.
    Repeated,
    /// Envelope that is not a reply.
    NotReply(NonReplyPlace),
}

/// Place in a record whose texts are not replies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NonReplyPlace {
    /// Reasoning of the model.
    Reasoning,
    /// Result of a tool.
    ToolResult,
    /// Argument of a tool call among other arguments, for example the content of a file.
    Argument,
    /// A file or a document.
    Attachment,
    /// A quotation or a summary.
    Quotation,
}

impl NonReplyPlace {
    /// Description of the place, to follow "in".
    #[must_use]
    pub fn place(self) -> &'static str {
        match self {
            Self::Reasoning => "the reasoning of the model",
            Self::ToolResult => "the result of a tool",
            Self::Argument => "an argument of a tool",
            Self::Attachment => "an attached file",
            Self::Quotation => "a quotation or summary",
        }
    }
}

/// Metadata of a turn in its container.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Details {
    /// Timestamp, unparsed.
    pub timestamp: Option<String>,
    /// Session identifier in the container.
    pub session: Option<String>,
    /// Shard that answered.
    pub shard: Option<String>,
    /// Number of tokens used, with its range.
    pub tokens: Option<(f64, TextRange)>,
    /// Duration in milliseconds, with its range.
    pub milliseconds: Option<(f64, TextRange)>,
    /// Identifier of the tool request that the text is the result of.
    pub call: Option<String>,
    /// Protocol version that the container names.
    pub profile: Option<Profile>,
}

/// A text of a transcript and its position.
#[derive(Debug, Clone)]
pub struct Turn {
    /// Speaker.
    pub role: TurnRole,
    /// Kind of text.
    pub kind: TextKind,
    /// True if the text is part of a documentation, so that it need not consist of a reply only.
    pub is_documentation: bool,
    /// True if the user was shown the text unchanged.
    pub is_shown: bool,
    /// True if exports repeat texts of other places in the place of this text.
    pub(super) may_repeat: bool,
    /// True if the record has native tool calls next to the text, in the format of a model API.
    pub has_native_calls: bool,
    /// True if an edited text can be written back, because its escapes are JSON escapes.
    pub(super) takes_edits: bool,
    text: Text,
    /// Maps offsets of the text to offsets of the record, through all escapes.
    pub map: SegmentMap,
    /// Offsets in the text where a new piece begins. The pieces of a text come from different
    /// places of the record.
    pub seams: Vec<TextSize>,
    /// Number of nested JSON strings around the text.
    pub levels: u8,
    /// JSON pointer of the text on each level, outermost first. Empty if the text is the record
    /// itself. For a text in pieces, the pointer of the first piece.
    pub path: Vec<String>,
    /// Additional metadata from the container.
    pub details: Option<Box<Details>>,
    /// Protocol version of the majority of replies in the file; `None` if undetermined.
    pub session: Option<Profile>,
}

/// Storage of a text.
#[derive(Debug, Clone)]
enum Text {
    /// Range of the record, unchanged.
    Part(TextRange),
    /// Decoded or concatenated text.
    Owned(Arc<Vec<u8>>),
}

impl Turn {
    /// Creates a turn from an unchanged range of its record.
    #[must_use]
    pub(super) fn part(role: TurnRole, kind: TextKind, range: TextRange) -> Self {
        let map = match range.start() == TextSize::new(0) {
            true => SegmentMap::identity(),
            false => {
                let mut map = SegmentMapBuilder::default();
                map.copy(range);
                map.finish()
            }
        };
        Self::new(role, kind, Text::Part(range), map)
    }

    /// Creates a turn from a decoded or concatenated text.
    pub(super) fn from_decoded(role: TurnRole, kind: TextKind, text: Vec<u8>, map: SegmentMap) -> Self {
        Self::new(role, kind, Text::Owned(Arc::new(text)), map)
    }

    fn new(role: TurnRole, kind: TextKind, text: Text, map: SegmentMap) -> Self {
        let (seams, path) = (Vec::new(), Vec::new());
        Self {
            role,
            kind,
            is_documentation: false,
            is_shown: false,
            may_repeat: false,
            has_native_calls: false,
            takes_edits: true,
            text,
            map,
            seams,
            levels: 0,
            path,
            details: None,
            session: None,
        }
    }

    /// Parses the text as the runtime does.
    #[must_use]
    pub fn reply<'t>(&'t self, record: &'t [u8], settings: &TranscriptSettings) -> Reply<'t> {
        Reply::new(self.text(record), &self.caps(settings))
    }

    /// Returns the runtime limits for this turn.
    #[must_use]
    pub fn caps(&self, settings: &TranscriptSettings) -> Caps {
        settings.limits_for(self.details.as_ref().and_then(|details| details.profile), self.session)
    }

    /// Concatenates this turn and `next`.
    pub(super) fn followed_by(&self, next: &Self, record: &[u8]) -> Self {
        let mut map = SegmentMapBuilder::default();
        for turn in [self, next] {
            match turn.text {
                Text::Part(range) => map.copy(range),
                Text::Owned(_) => map.append(&turn.map),
            }
        }
        let text = [self.text(record), next.text(record)].concat();
        let mut joined = Self { text: Text::Owned(Arc::new(text)), map: map.finish(), ..next.clone() };
        let end = size(self.len());
        joined.seams = self.seams.clone();
        joined.seams.push(end);
        joined.seams.extend(next.seams.iter().map(|seam| *seam + end));
        joined.has_native_calls |= self.has_native_calls;
        joined.takes_edits = self.takes_edits && next.takes_edits && self.levels == next.levels;
        joined
    }

    /// Adds one string level with the pointer of that string.
    pub(super) fn in_string(mut self, pointer: String) -> Self {
        self.levels += 1;
        self.path.push(pointer);
        self
    }

    /// Converts a turn of a string value to a turn of the record that contains the string.
    ///
    /// `value` is the string value, `map` leads from it to the record, and `pointer` to the string.
    pub(super) fn inside_string(mut self, value: &[u8], map: &SegmentMap, pointer: &str) -> Self {
        if let Text::Part(range) = self.text {
            let text = value.get(range.start().into()..range.end().into()).unwrap_or(&[]);
            self.text = Text::Owned(Arc::new(text.to_vec()));
        }
        self.map = self.map.within(map);
        self.levels += 1;
        self.path.insert(0, pointer.to_owned());
        if let Some(details) = &mut self.details {
            for (_, range) in details.tokens.iter_mut().chain(&mut details.milliseconds) {
                *range = map.to_source(*range);
            }
        }
        self
    }

    /// True if the text is to be read as an envelope.
    #[must_use]
    pub fn is_reply(&self) -> bool {
        matches!(self.kind, TextKind::Reply | TextKind::Object)
    }

    /// True if the text comes from the model, including empty, truncated and repeated texts.
    pub(super) fn is_answer(&self) -> bool {
        self.is_reply()
            || matches!(self.kind, TextKind::Surface | TextKind::Atom)
            || matches!(self.kind, TextKind::Skipped(why) if !matches!(why, Skip::OtherRole | Skip::NotReply(_)))
    }

    /// True if the text is an unchanged range of the record.
    pub(super) fn is_verbatim(&self) -> bool {
        matches!(self.text, Text::Part(_))
    }

    /// Length of the text in bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.text {
            Text::Part(range) => range.len().into(),
            Text::Owned(text) => text.len(),
        }
    }

    /// True if the text is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the text. `record` holds the bytes of its record.
    #[must_use]
    pub fn text<'t>(&'t self, record: &'t [u8]) -> &'t [u8] {
        match &self.text {
            Text::Part(range) => record.get(range.start().into()..range.end().into()).unwrap_or(&[]),
            Text::Owned(text) => text,
        }
    }

    /// Returns the ranges of the record that a range of the text comes from, one per piece.
    #[must_use]
    pub fn places(&self, range: TextRange) -> Vec<TextRange> {
        let mut places = Vec::new();
        let mut start = range.start();
        for end in self.seams_in(range).chain([range.end()]) {
            places.push(self.map.to_source(TextRange::new(start, end)));
            start = end;
        }
        places
    }

    /// Offset of the text in its record.
    pub(super) fn start(&self) -> TextSize {
        self.place(TextRange::empty(TextSize::new(0))).start()
    }

    /// Returns the first of [`Turn::places`].
    #[must_use]
    pub fn place(&self, range: TextRange) -> TextRange {
        let end = self.seams_in(range).next().unwrap_or(range.end());
        self.map.to_source(TextRange::new(range.start(), end))
    }

    /// Returns the seams strictly inside a range of the text.
    pub(super) fn seams_in(&self, range: TextRange) -> impl Iterator<Item = TextSize> + use<'_> {
        let first = self.seams.partition_point(|seam| *seam <= range.start());
        let rest = self.seams.get(first..).unwrap_or(&[]).iter().copied();
        rest.take_while(move |seam| *seam < range.end())
    }
}

/// Part of a transcript that is read on its own: a line, an array element, or a log entry.
#[derive(Debug)]
pub struct Record<'r> {
    /// Number, starting at 1. If the container has one record per line, this is the line number.
    pub number: u64,
    /// Offset in the file, in bytes.
    pub start: u64,
    /// Bytes of the record. All ranges are relative to their start.
    pub bytes: &'r [u8],
    /// Turns in the order of the record.
    pub turns: Vec<Turn>,
    /// Findings about the record itself.
    pub findings: Vec<Finding>,
    /// Format of the record, if the container does not determine it.
    pub shape: Option<RecordShape>,
}

impl<'r> Record<'r> {
    pub(super) fn new(number: u64, start: u64, bytes: &'r [u8]) -> Self {
        Self { number, start, bytes, turns: Vec::new(), findings: Vec::new(), shape: None }
    }

    /// Range of all bytes of the record.
    #[must_use]
    pub fn range(&self) -> TextRange {
        TextRange::up_to(size(self.bytes.len()))
    }
}

/// True if a text of this kind is a reply or a surface.
pub(super) fn is_answer(kind: TextKind) -> bool {
    matches!(kind, TextKind::Reply | TextKind::Object | TextKind::Surface)
}

/// Recognized formats of single records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecordShape {
    /// A bare envelope.
    Envelope,
    /// One or more chat messages.
    Chat,
    /// A response of a model API.
    Provider,
    /// A streamed chunk of a response.
    Delta,
    /// A stored session.
    Session,
    /// A row of traces.
    Trace,
    /// An entry of the audit log.
    Audit,
    /// An entry of another log.
    Log,
    /// A record of a shape from the settings.
    Declared,
    /// A record of an unknown format with a reply that was found by its keys.
    Unknown,
}

impl RecordShape {
    /// The plural noun for messages. Messages, responses and chunks share one noun.
    #[must_use]
    pub fn plural(self) -> &'static str {
        match self {
            Self::Envelope => "envelopes",
            Self::Chat | Self::Provider | Self::Delta => "chat records",
            Self::Session => "sessions",
            Self::Trace => "traces",
            Self::Audit => "audit entries",
            Self::Log => "log entries",
            Self::Declared => "records of a declared shape",
            Self::Unknown => "records of an unknown format",
        }
    }
}

impl fmt::Display for RecordShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.plural())
    }
}

/// Role of a line as a boundary between records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Border {
    /// Not a boundary.
    Within,
    /// First line of a record.
    Begin,
    /// Last line of a record.
    End,
}

/// Returns a line without its line end (`\n` or `\r\n`).
pub(super) fn without_line_end(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    bytes.strip_suffix(b"\r").unwrap_or(bytes)
}

/// Returns the range of all bytes of a record or of a prefix of it.
pub(super) fn up_to(bytes: &[u8]) -> TextRange {
    TextRange::up_to(size(bytes.len()))
}
