//! Conversation as Markdown: headings for turns, quotes for texts, code blocks for envelopes,
//! strikethrough for lost text.

use super::{ConversationLine, ConversationPiece, PieceKind};
use crate::sink;

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
