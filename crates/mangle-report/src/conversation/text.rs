//! Conversation as plain text, with a map between its bytes and the transcript.

use super::{ConversationLine, PieceKind, PieceSource};
use mangle_syntax::text::{TextRange, TextSize, text_len};

/// The delimiter of lost text.
pub(super) const STRUCK: &str = "~~";

/// The text of lines, with its map.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConversationText {
    pub text: String,
    /// The parts with a source range, in text order.
    pub links: Vec<ConversationLink>,
}

/// A part of the text with its source range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConversationLink {
    /// The range in the text.
    pub range: TextRange,
    /// The range in the record, or relative to the base of [`ConversationText::append`].
    pub source: PieceSource,
    pub kind: PieceKind,
}

#[must_use]
pub fn plain(lines: &[ConversationLine]) -> ConversationText {
    let mut out = ConversationText::default();
    for line in lines {
        let mut is_struck = false;
        for piece in &line.pieces {
            if piece.is_lost != is_struck {
                out.text.push_str(STRUCK);
                is_struck = piece.is_lost;
            }
            out.push(&piece.text, piece.source, piece.kind);
        }
        if is_struck {
            out.text.push_str(STRUCK);
        }
        let kind = line.pieces.last().map_or(PieceKind::Text, |last| last.kind);
        out.push("\n", line.end, kind);
    }
    out
}

impl ConversationText {
    fn push(&mut self, text: &str, source: Option<PieceSource>, kind: PieceKind) {
        let range = TextRange::at(text_len(&self.text), text_len(text));
        self.text.push_str(text);
        self.links.extend(source.map(|source| ConversationLink { range, source, kind }));
    }

    /// Appends the text of a record that starts at `start`, relative to the base of the links.
    pub fn append(&mut self, other: &Self, start: TextSize) {
        let base = text_len(&self.text);
        self.text.push_str(&other.text);
        self.links.extend(other.links.iter().map(|link| ConversationLink {
            range: link.range + base,
            source: PieceSource { range: link.source.range + start, ..link.source },
            kind: link.kind,
        }));
    }

    /// The part of the text that shows a byte of the transcript, if any.
    #[must_use]
    pub fn to_text(&self, byte: TextSize) -> Option<TextRange> {
        let shows = |link: &&ConversationLink| link.kind.is_transcript() && link.source.range.contains(byte);
        let link = self.links.iter().find(shows)?;
        Some(match link.source.is_copied {
            true => TextRange::at(link.range.start() + (byte - link.source.range.start()), TextSize::new(1)),
            false => link.range,
        })
    }

    /// The bytes of the transcript that a byte of the text shows, if any.
    #[must_use]
    pub fn to_source(&self, byte: TextSize) -> Option<TextRange> {
        let at = self.links.partition_point(|link| link.range.end() <= byte);
        let link = self.links.get(at).filter(|link| link.range.contains(byte))?;
        Some(match link.source.is_copied {
            true => TextRange::at(link.source.range.start() + (byte - link.range.start()), TextSize::new(1)),
            false => link.source.range,
        })
    }
}
