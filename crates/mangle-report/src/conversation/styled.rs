//! Conversation with terminal colors; lost text is struck out.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};

use super::{ConversationLine, PieceKind};
use mangle_syntax::lint::Severity;

const HEAD: Style = Style::new().bold();
const QUIET: Style = Style::new().dimmed();
const PLAIN: Style = Style::new();
const UPDATE: Style = AnsiColor::Cyan.on_default();
const GOOD: Style = AnsiColor::Green.on_default().bold();
const BAD: Style = AnsiColor::BrightRed.on_default().bold();
const WARN: Style = AnsiColor::Yellow.on_default().bold();
const INFO: Style = AnsiColor::Cyan.on_default();

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
