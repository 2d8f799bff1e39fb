//! Conversation of a transcript for output: lines of pieces, each with its source range. Formats: plain
//! text with a map to the transcript, terminal colors, Markdown and JSON.
//!
//! `ide::conversation` creates the lines of a record. All formats are written from these lines, and the
//! map needs no other input.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use serde::Serialize;
use serde_json::Value;

use super::{LoadErrors, sink};
use mangle_syntax::lint::Severity;
use mangle_syntax::text::{TextRange, TextSize, text_len};

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

/// The delimiter of lost text.
const STRUCK: &str = "~~";

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

const HEAD: Style = Style::new().bold();
const QUIET: Style = Style::new().dimmed();
const PLAIN: Style = Style::new();
const UPDATE: Style = AnsiColor::Cyan.on_default();
const GOOD: Style = AnsiColor::Green.on_default().bold();
const BAD: Style = AnsiColor::BrightRed.on_default().bold();
const WARN: Style = AnsiColor::Yellow.on_default().bold();
const INFO: Style = AnsiColor::Cyan.on_default();

/// The conversation with terminal colors. Lost text is struck out.
#[must_use]
pub fn styled(lines: &[ConversationLine]) -> String {
    let mut out = String::new();
    for line in lines {
        for piece in &line.pieces {
            let style = style(piece.kind);
            let style = if piece.is_lost { style.strikethrough() } else { style };
            let _ = write!(out, "{style}{}{style:#}", piece.text);
        }
        out.push('\n');
    }
    out
}

fn style(kind: PieceKind) -> Style {
    match kind {
        PieceKind::Turn => HEAD,
        PieceKind::Note | PieceKind::Envelope => QUIET,
        PieceKind::Text | PieceKind::Surface => PLAIN,
        PieceKind::Update => UPDATE,
        PieceKind::Permit => GOOD,
        PieceKind::Deny | PieceKind::Finding(Severity::Error) => BAD,
        PieceKind::Finding(Severity::Warning) => WARN,
        PieceKind::Finding(_) => INFO,
    }
}

/// The conversation with headings for turns, quotes for texts, code blocks for envelopes, and
/// strikethrough for lost text.
#[must_use]
pub fn markdown(lines: &[ConversationLine]) -> String {
    let (mut out, mut code) = (String::new(), String::new());
    for line in joined(lines) {
        let kind = kind_of(&line);
        let is_lost = line.iter().any(|piece| piece.is_lost);
        if matches!(kind, PieceKind::Envelope | PieceKind::Update) && !is_lost {
            code.push_str(&text_of(line.iter()));
            code.push('\n');
            continue;
        }
        if !code.is_empty() {
            out.push_str(&format!("\n{}\n", sink::markdown_fence(&code)));
            code.clear();
        }
        out.push_str(&one_line(kind, &line));
    }
    if !code.is_empty() {
        out.push_str(&format!("\n{}\n", sink::markdown_fence(&code)));
    }
    out
}

/// The pieces of each line, joined with its continuation lines: Markdown wraps text itself.
fn joined(lines: &[ConversationLine]) -> Vec<Vec<ConversationPiece>> {
    let mut all: Vec<Vec<ConversationPiece>> = Vec::new();
    for line in lines {
        let Some(last) = all.last_mut().filter(|_| line.is_continuation) else {
            all.push(line.pieces.clone());
            continue;
        };
        // A blank replaces the indentation.
        for (at, piece) in line.pieces.iter().enumerate() {
            let text = if at == 0 { format!(" {}", piece.text.trim_start()) } else { piece.text.clone() };
            last.push(ConversationPiece { text, ..piece.clone() });
        }
    }
    all
}

fn text_of<'p>(pieces: impl Iterator<Item = &'p ConversationPiece>) -> String {
    pieces.map(|piece| piece.text.as_str()).collect()
}

/// A line outside of code, with its line end.
fn one_line(kind: PieceKind, line: &[ConversationPiece]) -> String {
    let text = text_of(line.iter());
    if text.trim().is_empty() {
        return "\n".to_owned();
    }
    let words = sink::markdown(text.trim().trim_start_matches("↳ "));
    match kind {
        PieceKind::Turn => format!("### {}\n\n", sink::markdown(text.trim_matches(['─', '━', ' ']))),
        PieceKind::Note => format!("  *{words}*\n"),
        PieceKind::Permit | PieceKind::Deny | PieceKind::Finding(_) => {
            format!("- {words}\n")
        }
        _ => {
            let lost = text_of(line.iter().filter(|piece| piece.is_lost));
            let rest = text_of(line.iter().filter(|piece| !piece.is_lost));
            let (lost, rest) = (sink::markdown(lost.trim()), rest.trim().trim_start_matches("- ").trim());
            match (lost.is_empty(), kind == PieceKind::Update) {
                (true, _) => format!("> {words}  \n"),
                (false, true) => format!("- ~~{lost}~~ {}\n", sink::markdown(rest)),
                (false, false) => format!("> ~~{lost}~~ {}  \n", sink::markdown(rest)),
            }
        }
    }
}

/// The kind of the first transcript text of a line. Fallback: the kind of the first piece that is
/// not blank.
fn kind_of(line: &[ConversationPiece]) -> PieceKind {
    let mut said = line.iter().filter(|piece| !piece.text.trim().is_empty());
    let transcript = said.clone().find(|piece| piece.kind.is_transcript());
    transcript.or_else(|| said.next()).map_or(PieceKind::Note, |piece| piece.kind)
}

/// The identification of a record.
#[derive(Debug, Clone, Serialize)]
pub struct RecordPlace<'a> {
    /// The display name of the transcript.
    pub file: &'a str,
    /// The number of the record, from 1.
    pub record: u64,
    /// The byte offset of the record in the file.
    pub start: u64,
    /// The numbers of the replies in the record.
    pub turns: Vec<u64>,
}

#[derive(Serialize)]
struct RecordObject<'a> {
    #[serde(flatten)]
    place: &'a RecordPlace<'a>,
    lines: Vec<LineObject<'a>>,
    findings: &'a [Value],
}

#[derive(Serialize)]
struct LineObject<'a> {
    pieces: Vec<PieceObject<'a>>,
}

#[derive(Serialize)]
struct PieceObject<'a> {
    text: &'a str,
    kind: &'static str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    lost: bool,
    /// The byte range of the file that the piece shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<[u64; 2]>,
}

/// A record as one line of JSON with a line end. `findings` have the format of `check --format
/// json`.
#[must_use]
pub fn json_record(
    place: &RecordPlace<'_>,
    lines: &[ConversationLine],
    findings: &[Value],
    mark: &LoadErrors,
) -> String {
    let piece = |piece: &ConversationPiece| -> Option<[u64; 2]> {
        let range = piece.source?.range;
        Some([range.start(), range.end()].map(|offset| place.start + u64::from(u32::from(offset))))
    };
    let lines = lines.iter().map(|line| LineObject {
        pieces: line
            .pieces
            .iter()
            .map(|one| PieceObject {
                text: &one.text,
                kind: one.kind.word(),
                lost: one.is_lost,
                source: piece(one),
            })
            .collect(),
    });
    let object = RecordObject { place, lines: lines.collect(), findings };
    if mark.is_empty() {
        return serde_json::to_string(&object).unwrap_or_default() + "\n";
    }
    let mut value = serde_json::to_value(&object).unwrap_or_default();
    mark.mark_json(&mut value);
    format!("{value}\n")
}
