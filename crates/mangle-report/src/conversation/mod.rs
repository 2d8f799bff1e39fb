//! Conversation for output: lines of pieces, each with its source range in the transcript.
//!
//! `ide::conversation` creates the lines of a record. All formats (text with a map, colored text,
//! Markdown, JSON) are written from these lines, and the map needs no other input.

mod json;
mod markdown;
mod styled;
mod text;

pub use json::{RecordPlace, json_record};
pub use markdown::markdown;
pub use styled::styled;
pub use text::{ConversationLink, ConversationText, plain};

use mangle_syntax::lint::Severity;
use mangle_syntax::text::TextRange;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConversationLine {
    pub pieces: Vec<ConversationPiece>,
    /// The source of the line end: a line break of the transcript, or the blank at a line wrap.
    pub end: Option<PieceSource>,
    /// True for the continuation of a wrapped line.
    pub is_continuation: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationPiece {
    pub text: String,
    pub kind: PieceKind,
    /// True if the runtime does not keep the text. Such text is struck out.
    pub is_lost: bool,
    /// The source range; `None` for text that is not in the transcript.
    pub source: Option<PieceSource>,
}

/// The source range of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PieceSource {
    /// The range from the start of the record.
    pub range: TextRange,
    /// True if the piece is a copy of these bytes. Otherwise, the piece represents the whole range:
    /// an escape, a sign, a mask, a finding.
    pub is_copied: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PieceKind {
    /// The line before a turn.
    Turn,
    /// A remark of mangle-ls.
    Note,
    /// An input of the model, or an output that is not read as a reply.
    Text,
    /// Text that the user reads.
    Surface,
    /// The envelope, and the text around it in the reply.
    Envelope,
    /// An update, as Mangle.
    Update,
    /// A verdict that permits a request.
    Permit,
    /// A verdict that denies a request.
    Deny,
    Finding(Severity),
}

impl PieceKind {
    /// The name in JSON and in the protocol.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Turn => "turn",
            Self::Note => "note",
            Self::Text => "text",
            Self::Surface => "surface",
            Self::Envelope => "envelope",
            Self::Update => "update",
            Self::Permit | Self::Deny => "verdict",
            Self::Finding(_) => "finding",
        }
    }

    /// True for text of the transcript, false for remarks.
    #[must_use]
    pub fn is_transcript(self) -> bool {
        matches!(self, Self::Text | Self::Surface | Self::Envelope | Self::Update)
    }
}

/// The lines without the leading empty line, for output without preceding lines.
#[must_use]
pub fn first_lines(lines: &[ConversationLine]) -> &[ConversationLine] {
    match lines {
        [first, rest @ ..] if *first == ConversationLine::default() => rest,
        all => all,
    }
}

impl ConversationLine {
    #[must_use]
    pub fn new(kind: PieceKind, text: String, source: Option<PieceSource>) -> Self {
        let pieces = vec![ConversationPiece { text, kind, is_lost: false, source }];
        Self { pieces, ..Self::default() }
    }
}
