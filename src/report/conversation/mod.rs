//! A conversation as output: lines of pieces, each with the bytes of the transcript that it shows, as text with a map, with
//! colours, and as JSON.
//!
//! Takes the lines that `ide::conversation` makes of a record. A piece knows its bytes and what it is, so that every format is
//! a way to write the same lines, and the map of a text needs nothing but them.

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

/// A line of a conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConversationLine {
    /// What is on it, from left to right.
    pub pieces: Vec<ConversationPiece>,
    /// The bytes that the line end shows: a line break of the transcript, or the blank at which a line was wrapped.
    pub end: Option<PieceSource>,
    /// Whether it goes on with the line before it, which was too long.
    pub is_continuation: bool,
}

/// A part of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationPiece {
    pub text: String,
    pub kind: PieceKind,
    /// Whether the runtime does not keep what it shows: it is struck out.
    pub is_lost: bool,
    /// The bytes that it shows; `None` for what the transcript does not say.
    pub source: Option<PieceSource>,
}

/// The bytes that a piece shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PieceSource {
    /// Counted from the start of the record.
    pub range: TextRange,
    /// Whether the piece is these bytes. Otherwise it stands for all of them: an escape, a sign, a mask, a finding.
    pub is_copied: bool,
}

/// What a piece is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PieceKind {
    /// The line above a turn.
    Turn,
    /// What mangle-ls says beside the text.
    Note,
    /// What the model was given, or said without being read as a reply.
    Text,
    /// What a person is shown.
    Surface,
    /// The envelope, and what stands around it in the reply.
    Envelope,
    /// An update, as Mangle.
    Update,
    /// A verdict that permits.
    Permit,
    /// A verdict that denies.
    Deny,
    /// A finding.
    Finding(Severity),
}

impl PieceKind {
    /// The word for it in JSON and in the protocol.
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

    /// Whether it is a text of the transcript, rather than something that is said about one.
    #[must_use]
    pub fn is_transcript(self) -> bool {
        matches!(self, Self::Text | Self::Surface | Self::Envelope | Self::Update)
    }
}

/// Lines without the empty line above the first turn, for where no lines come before them.
#[must_use]
pub fn first_lines(lines: &[ConversationLine]) -> &[ConversationLine] {
    match lines {
        [first, rest @ ..] if *first == ConversationLine::default() => rest,
        all => all,
    }
}

impl ConversationLine {
    /// A line of one piece.
    #[must_use]
    pub fn of(kind: PieceKind, text: String, source: Option<PieceSource>) -> Self {
        let pieces = vec![ConversationPiece { text, kind, is_lost: false, source }];
        Self { pieces, ..Self::default() }
    }
}
