//! Texts that a runtime shortens, with a mark that tells by how much.
//!
//! The limit of the session counts the runtime's own labels, so each line knows how long its label is there.

use crate::line::PromptLine;
use crate::origin::LineOrigin;
use crate::texts::Block;
use mangle_syntax::text::{TextRange, size};

/// The beginning of a mark.
pub(super) const MARK: &str = "[codenerd: truncated";

/// The part of a limit that the end of a text gets.
const TAIL: usize = 3;

/// The part of head and tail within which a cut moves to a line end.
const SNAP: usize = 8;

/// A line of the session.
pub(super) struct SessionLine {
    pub(super) line: PromptLine,
    /// The bytes around the value in the runtime's own line; `None` if it has no such line.
    pub(super) label: Option<usize>,
}

/// The beginning of a text, with a mark if the text exceeds a limit.
pub(super) fn head(text: &str, limit: Option<usize>, label: &str) -> String {
    let Some(limit) = limit.filter(|limit| text.len() > *limit) else { return text.to_owned() };
    let kept = text.get(..boundary_before(text, limit)).unwrap_or_default();
    format!("{kept}\n{MARK} {} of {} chars from {label}] …\n", text.len() - limit, text.len())
}

fn boundary_before(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default()
}

/// The bytes of a runtime's line around its value. Lists have our bullets and indents there; headings and some labels
/// are longer or shorter.
pub(super) fn label_len(phrase: &str, line: &PromptLine) -> Option<usize> {
    let ours = || line.text.len() - usize::from(line.value.len());
    Some(match phrase {
        "none" => return None,
        "session.git" | "session.binary" => 12,
        "session.blocked_by" => 14,
        "session.impacted" => 15,
        "session.findings" | "session.reflection" | "session.tools" => 16,
        "session.campaign" | "session.knowledge" => 17,
        "session.modified" => 18,
        "session.safety" | "session.tests" => 19,
        "session.prior" | "session.unstaged" => 20,
        "session.actions" => 23,
        "session.history" => 29,
        "session.dependencies" => 31,
        "session.diagnostics" => 41,
        "session.retry" => 44,
        "session.dream" => 46,
        "session.commits" => 47,
        "session.dream_text" => 96,
        _ => ours(),
    })
}

impl SessionLine {
    /// The bytes of the runtime's line, without its line end.
    fn len(&self) -> Option<usize> {
        let is_content = self.line.tag.is_some();
        self.label.map(|label| if is_content { label + usize::from(self.line.value.len()) } else { label })
    }

    /// The byte of our line that corresponds to a byte of the runtime's.
    fn place(&self, at: usize) -> usize {
        let text = &self.line.text;
        let start = usize::from(self.line.value.start());
        let ours = (start + at).saturating_sub(self.label.unwrap_or_default());
        ours.max(at.min(start)).min(text.len())
    }

    /// The line as the runtime has it, with blanks for a label, and its line end.
    fn push(&self, out: &mut String) {
        let Some(label) = self.label else { return };
        out.extend(std::iter::repeat_n(' ', label));
        if self.line.tag.is_some() {
            out.push_str(self.line.value());
        }
        out.push('\n');
    }
}

/// The lines of the session, without the middle of what exceeds a limit.
pub(super) fn session(lines: Vec<SessionLine>, limit: Option<usize>) -> Vec<PromptLine> {
    let bytes: usize = lines.iter().filter_map(|line| Some(line.len()? + 1)).sum();
    let Some(limit) = limit.filter(|limit| bytes > *limit) else {
        return lines.into_iter().map(|line| line.line).collect();
    };
    let mut text = String::with_capacity(bytes);
    lines.iter().for_each(|line| line.push(&mut text));
    let (end, start) = cuts(&text, limit);
    let (mut kept, mut at) = (Vec::new(), 0);
    let (mut rest, mut is_rest) = (Some(mark(bytes - limit, bytes)), true);
    for line in lines {
        let Some(len) = line.len() else { continue };
        let range = at..at + len;
        at = range.end + 1;
        if range.start < end || range.is_empty() && range.start <= end {
            kept.push(before(&line, end - range.start, len));
        }
        if at <= start {
            continue;
        }
        kept.extend(rest.take().into_iter().flatten());
        // Up to the next heading the text does not tell which block a line is of.
        is_rest &= line.line.tag.is_some();
        let block = if is_rest { Some(Block::Rest) } else { line.line.block };
        kept.push(PromptLine { block, ..behind(line, start.saturating_sub(range.start)) });
    }
    kept.extend(rest.into_iter().flatten());
    kept
}

/// Where the head of a text ends and its tail begins.
fn cuts(text: &str, limit: usize) -> (usize, usize) {
    let tail = limit / TAIL;
    let head = limit - tail;
    let bytes = text.as_bytes();
    let mut end = head;
    if let Some(at) = bytes.get(..head).and_then(|head| head.iter().rposition(|byte| *byte == b'\n'))
        && head - at <= head / SNAP
    {
        end = at;
    }
    let mut start = text.len() - tail;
    if let Some(at) = bytes.get(start..).and_then(|tail| tail.iter().position(|byte| *byte == b'\n'))
        && at < tail / SNAP
    {
        start += at + 1;
    }
    let end = boundary_before(text, end);
    (end, (start..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len()))
}

/// The lines of the mark: how much was dropped, and of how much.
fn mark(dropped: usize, of: usize) -> [PromptLine; 3] {
    let text = format!("{MARK} {dropped} of {of} chars from session context] …");
    let line = PromptLine { tag: Some("cut"), ..PromptLine::plain(text, LineOrigin::builtin("session.cut")) };
    [PromptLine::layout(""), line, PromptLine::layout("")]
        .map(|line| PromptLine { block: Some(Block::Cut), ..line })
}

/// The beginning of a line up to a byte of the runtime's.
fn before(line: &SessionLine, end: usize, len: usize) -> PromptLine {
    if end >= len {
        return line.line.clone();
    }
    let at = boundary_before(&line.line.text, line.place(end));
    let text = line.line.text.get(..at).unwrap_or_default().to_owned();
    let value = line.line.value.intersect(TextRange::up_to(size(at))).unwrap_or_default();
    PromptLine { text, value, ..line.line.clone() }
}

/// The end of a line from a byte of the runtime's on.
fn behind(line: SessionLine, start: usize) -> PromptLine {
    if start == 0 {
        return line.line;
    }
    let at = line.place(start);
    let at = (at..=line.line.text.len()).find(|at| line.line.text.is_char_boundary(*at)).unwrap_or(at);
    let text = line.line.text.get(at..).unwrap_or_default().to_owned();
    let value = TextRange::up_to(size(text.len()));
    PromptLine { text, value, ..line.line }
}
