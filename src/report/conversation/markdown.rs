//! A conversation as Markdown: turns are headings, what is said is quoted, envelopes are blocks of code.

use super::{ConversationLine, PieceKind};
use crate::report::sink;

/// Lines as Markdown.
#[must_use]
pub fn markdown(lines: &[ConversationLine]) -> String {
    let (mut out, mut code) = (String::new(), String::new());
    for line in lines {
        let text: String = line.pieces.iter().map(|piece| piece.text.as_str()).collect();
        let is_lost = line.pieces.iter().any(|piece| piece.is_lost);
        match kind_of(line) {
            PieceKind::Envelope | PieceKind::Update if !is_lost => {
                code.push_str(&text);
                code.push('\n');
            }
            kind => {
                close(&mut code, &mut out);
                out.push_str(&one_line(kind, line, &text, is_lost));
            }
        }
    }
    close(&mut code, &mut out);
    out
}

/// Ends a block of code.
fn close(code: &mut String, out: &mut String) {
    if !code.is_empty() {
        out.push_str(&format!("\n{}\n", sink::markdown_fence(code)));
        code.clear();
    }
}

/// A line that is no code, with its line end.
fn one_line(kind: PieceKind, line: &ConversationLine, text: &str, is_lost: bool) -> String {
    if text.trim().is_empty() {
        return "\n".to_owned();
    }
    let words = sink::markdown(text.trim());
    match kind {
        PieceKind::Turn => format!("### {}\n\n", sink::markdown(text.trim_matches(['─', ' ']))),
        PieceKind::Note => format!("*{words}*\n\n"),
        PieceKind::Permit | PieceKind::Deny | PieceKind::Finding(_) => format!("- {words}\n"),
        _ if is_lost => {
            let piece = |lost: bool| {
                let pieces = line.pieces.iter().filter(move |piece| piece.is_lost == lost);
                pieces.map(|piece| piece.text.as_str()).collect::<String>()
            };
            let (lost, rest) = (piece(true), piece(false));
            format!("> ~~{}~~ {}  \n", sink::markdown(lost.trim()), sink::markdown(rest.trim()))
        }
        _ => format!("> {words}  \n"),
    }
}

/// What a line is: what its first text of the transcript is, else its first piece that is not blank.
fn kind_of(line: &ConversationLine) -> PieceKind {
    let said = line.pieces.iter().filter(|piece| !piece.text.trim().is_empty());
    let transcript = said.clone().find(|piece| piece.kind.is_transcript());
    transcript.or_else(|| said.clone().next()).map_or(PieceKind::Note, |piece| piece.kind)
}
