//! A record of a transcript and the turns in it.

use std::sync::Arc;

use super::record_shape::RecordShape;
use crate::envelope::Reply;
use mangle_settings::{Caps, Profile, TranscriptSettings};
use mangle_syntax::lint::Finding;
use mangle_syntax::text::{SegmentMap, SegmentMapBuilder, TextRange, TextSize, size};

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TurnRole {
    /// The model.
    Assistant,
    /// The person.
    User,
    /// Whoever set the model up.
    System,
    /// A tool that was run.
    Tool,
    /// Somebody else, such as a classifier.
    Other,
}

impl TurnRole {
    /// The role that a container calls so.
    #[must_use]
    pub fn of(word: &str) -> Self {
        match word.to_ascii_lowercase().as_str() {
            "assistant" | "model" | "agent" | "ai" => Self::Assistant,
            "user" | "human" => Self::User,
            "system" | "developer" => Self::System,
            "tool" | "function" => Self::Tool,
            _ => Self::Other,
        }
    }

    /// The role that an export of a service or a library calls so, which have words of their own.
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
            _ => Self::of(&word),
        }
    }

    /// The word used in output.
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

/// What the text of a turn is to the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TextKind {
    /// What the model wrote: to be read as the runtime reads replies.
    Reply,
    /// An envelope that the container holds as an object, not as a text: the runtime's search never ran on it.
    Object,
    /// What a person was shown, without the packet behind it.
    Surface,
    /// One update, without the envelope around it.
    Atom,
    /// What the model was given.
    Prompt,
    /// Nothing to be read, and why.
    Skipped(Skip),
}

/// Why a text is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Skip {
    /// It is the beginning of something longer.
    Preview,
    /// The model said it on the way to its answer.
    Intermediate,
    /// The file says that it is to be passed over.
    Ignored,
    /// It is of neither the model nor anybody who talks to it.
    OtherRole,
    /// The model answered with nothing.
    Empty,
    /// Another place of the file has the same text: a history, or a copy of an answer.
    Repeated,
    /// It is an envelope that nobody was answered with.
    NotReply(Unsaid),
}

/// A place of a record whose texts answer nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unsaid {
    /// The reasoning of the model.
    Reasoning,
    /// The result of a tool.
    ToolResult,
    /// An argument of a tool beside others, such as the content of a file.
    Argument,
    /// A file or a document.
    Attachment,
    /// A quotation or a summary.
    Quotation,
}

impl Unsaid {
    /// The place in words that follow "in".
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

/// What a container tells of a turn beside its text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Details {
    /// When it was, as it is written.
    pub timestamp: Option<String>,
    /// The session that it belongs to, as the container calls it.
    pub session: Option<String>,
    /// The shard that answered.
    pub shard: Option<String>,
    /// How many tokens it took, and where that is written.
    pub tokens: Option<(f64, TextRange)>,
    /// How many milliseconds it took, and where that is written.
    pub milliseconds: Option<(f64, TextRange)>,
    /// The tool request that the text is the result of.
    pub call: Option<String>,
    /// The version of the protocol that the container names.
    pub profile: Option<Profile>,
}

/// One text of a transcript, and where it is.
#[derive(Debug, Clone)]
pub struct Turn {
    /// Who speaks.
    pub role: TurnRole,
    /// Whether the text is a reply, a prompt, or something else.
    pub kind: TextKind,
    /// Whether the text is part of a documentation, where nobody expects a reply and nothing else.
    pub is_documentation: bool,
    /// Whether a person was shown the text as it is.
    pub is_shown: bool,
    /// Whether the text stands in a place where exports repeat what they also have elsewhere.
    pub(super) may_repeat: bool,
    /// True if the record has native tool calls beside the text, in the format of a model API.
    pub has_native_calls: bool,
    /// True if a text that is edited can be written back: its escapes are those of JSON.
    pub(super) takes_edits: bool,
    text: Text,
    /// From the bytes of the text to those of its record, through all escapes.
    pub map: SegmentMap,
    /// Where in the text bytes of another place of the record begin: a text in pieces has several sources.
    pub seams: Vec<TextSize>,
    /// How many JSON strings the text lies in, one inside the other.
    pub levels: u8,
    /// The JSON pointer of the text on each level, the outermost first; empty where the record is the text. Of a
    /// text in pieces it is that of the first one.
    pub path: Vec<String>,
    /// What else is told of it.
    pub details: Option<Box<Details>>,
    /// The version of the protocol that most replies of its file are written in; `None` where that is open.
    pub session: Option<Profile>,
}

/// Where the bytes of a text are.
#[derive(Debug, Clone)]
enum Text {
    /// As they are in the record.
    Part(TextRange),
    /// Put together.
    Made(Arc<Vec<u8>>),
}

impl Turn {
    /// A text that stands in its record as it is.
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

    /// A text that was put together.
    pub(super) fn made(role: TurnRole, kind: TextKind, text: Vec<u8>, map: SegmentMap) -> Self {
        Self::new(role, kind, Text::Made(Arc::new(text)), map)
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

    /// What the runtime makes of it.
    #[must_use]
    pub fn reply<'t>(&'t self, record: &'t [u8], settings: &TranscriptSettings) -> Reply<'t> {
        Reply::new(self.text(record), &self.caps(settings))
    }

    /// The limits of the runtime for it.
    #[must_use]
    pub fn caps(&self, settings: &TranscriptSettings) -> Caps {
        settings.caps_of(self.details.as_ref().and_then(|details| details.profile), self.session)
    }

    /// The turn of this text with that of `next` behind it.
    pub(super) fn followed_by(&self, next: &Self, record: &[u8]) -> Self {
        let mut map = SegmentMapBuilder::default();
        for turn in [self, next] {
            match turn.text {
                Text::Part(range) => map.copy(range),
                Text::Made(_) => map.append(&turn.map),
            }
        }
        let text = [self.text(record), next.text(record)].concat();
        let mut joined = Self { text: Text::Made(Arc::new(text)), map: map.finish(), ..next.clone() };
        let end = size(self.len());
        joined.seams = self.seams.clone();
        joined.seams.push(end);
        joined.seams.extend(next.seams.iter().map(|seam| *seam + end));
        joined.has_native_calls |= self.has_native_calls;
        joined.takes_edits = self.takes_edits && next.takes_edits && self.levels == next.levels;
        joined
    }

    /// With the pointer of the string that the text is.
    pub(super) fn in_string(mut self, pointer: String) -> Self {
        self.levels += 1;
        self.path.push(pointer);
        self
    }

    /// The turn of a text that was read from the value of a string, as a turn of the record that has the string:
    /// `value` is the text, `map` leads from it to the record, and `pointer` to the string.
    pub(super) fn inside_string(mut self, value: &[u8], map: &SegmentMap, pointer: &str) -> Self {
        if let Text::Part(range) = self.text {
            let text = value.get(range.start().into()..range.end().into()).unwrap_or(&[]);
            self.text = Text::Made(Arc::new(text.to_vec()));
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

    /// Whether it is to be read as an envelope.
    #[must_use]
    pub fn is_reply(&self) -> bool {
        matches!(self.kind, TextKind::Reply | TextKind::Object)
    }

    /// Whether it is something that the model said, be it nothing.
    pub(super) fn is_answer(&self) -> bool {
        self.is_reply()
            || matches!(self.kind, TextKind::Surface | TextKind::Atom)
            || matches!(self.kind, TextKind::Skipped(why) if !matches!(why, Skip::OtherRole | Skip::NotReply(_)))
    }

    /// Whether its text stands in the record byte for byte.
    pub(super) fn is_as_it_is(&self) -> bool {
        matches!(self.text, Text::Part(_))
    }

    /// Its length in bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.text {
            Text::Part(range) => range.len().into(),
            Text::Made(text) => text.len(),
        }
    }

    /// Whether it has no text.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The text, from the bytes of its record.
    #[must_use]
    pub fn text<'t>(&'t self, record: &'t [u8]) -> &'t [u8] {
        match &self.text {
            Text::Part(range) => record.get(range.start().into()..range.end().into()).unwrap_or(&[]),
            Text::Made(text) => text,
        }
    }

    /// The bytes of its record that a range of its text comes from, piece by piece.
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

    /// Where in its record the text begins.
    pub(super) fn start(&self) -> TextSize {
        self.place(TextRange::empty(TextSize::new(0))).start()
    }

    /// The first of [`Turn::places`].
    #[must_use]
    pub fn place(&self, range: TextRange) -> TextRange {
        let end = self.seams_in(range).next().unwrap_or(range.end());
        self.map.to_source(TextRange::new(range.start(), end))
    }

    /// The seams inside of a range of the text.
    pub(super) fn seams_in(&self, range: TextRange) -> impl Iterator<Item = TextSize> + use<'_> {
        let first = self.seams.partition_point(|seam| *seam <= range.start());
        let rest = self.seams.get(first..).unwrap_or(&[]).iter().copied();
        rest.take_while(move |seam| *seam < range.end())
    }
}

/// A piece of a transcript that is read by itself: a line, an element, an entry.
#[derive(Debug)]
pub struct Record<'r> {
    /// Its number from 1 on: that of its line where the container has a record a line.
    pub number: u64,
    /// Where in the file it starts, in bytes.
    pub start: u64,
    /// Its bytes. All ranges count from their start.
    pub bytes: &'r [u8],
    /// What is in it, in its order.
    pub turns: Vec<Turn>,
    /// What is wrong with the record itself.
    pub findings: Vec<Finding>,
    /// What it is, where the container leaves that open.
    pub shape: Option<RecordShape>,
}

impl<'r> Record<'r> {
    pub(super) fn new(number: u64, start: u64, bytes: &'r [u8]) -> Self {
        Self { number, start, bytes, turns: Vec::new(), findings: Vec::new(), shape: None }
    }

    /// All bytes of the record, counted from its start.
    #[must_use]
    pub fn range(&self) -> TextRange {
        TextRange::up_to(size(self.bytes.len()))
    }
}

/// Whether a turn counts as one of the model's.
pub(super) fn is_answer(kind: TextKind) -> bool {
    matches!(kind, TextKind::Reply | TextKind::Object | TextKind::Surface)
}
