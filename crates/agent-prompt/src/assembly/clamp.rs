//! Truncation of long texts, with a mark that states the number of dropped bytes.
//!
//! The limit of the session section includes the labels of the runtime. Each line therefore has the
//! label length that the runtime uses.

use crate::origin::LineOrigin;
use crate::sections::PromptLine;
use crate::texts::Block;
use mangle_syntax::text::{TextRange, size};

/// The beginning of a truncation mark.
pub(super) const MARK: &str = "[codenerd: truncated";

/// Divisor: the end of a text gets this fraction of the limit.
const TAIL_DIVISOR: usize = 3;

/// Divisor: a cut moves to a line end within this fraction of head or tail.
const SNAP_DIVISOR: usize = 8;

/// A line of the session section.
pub(super) struct SessionLine {
    pub(super) line: PromptLine,
    /// The number of bytes around the value in the line of the runtime. `None` if the runtime has
    /// no such line.
    pub(super) label: Option<usize>,
}

/// The beginning of a text, with a mark if the text exceeds the limit.
pub(super) fn head(text: &str, limit: Option<usize>, label: &str) -> String {
    let Some(limit) = limit.filter(|limit| text.len() > *limit) else { return text.to_owned() };
    let kept = text.get(..boundary_before(text, limit)).unwrap_or_default();
    format!("{kept}\n{MARK} {} of {} chars from {label}] …\n", text.len() - limit, text.len())
}

fn boundary_before(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default()
}

/// The number of bytes around the value in the line of the runtime. Lists have the same bullets and
/// indents in both; headings and some labels differ in length.
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
    /// The byte length of the line of the runtime, without its line end.
    fn len(&self) -> Option<usize> {
        let is_content = self.line.tag.is_some();
        self.label.map(|label| if is_content { label + usize::from(self.line.value.len()) } else { label })
    }

    /// Maps a byte offset in the line of the runtime to an offset in this line.
    fn place(&self, at: usize) -> usize {
        let text = &self.line.text;
        let start = usize::from(self.line.value.start());
        let ours = (start + at).saturating_sub(self.label.unwrap_or_default());
        ours.max(at.min(start)).min(text.len())
    }

    /// Appends the line of the runtime with its line end. Blanks stand for the label.
    fn push(&self, out: &mut String) {
        let Some(label) = self.label else { return };
        out.extend(std::iter::repeat_n(' ', label));
        if self.line.tag.is_some() {
            out.push_str(self.line.value());
        }
        out.push('\n');
    }
}

/// The lines of the session; if they exceed the limit, a mark replaces the middle.
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
            kept.push(truncate_end(&line, end - range.start, len));
        }
        if at <= start {
            continue;
        }
        kept.extend(rest.take().into_iter().flatten());
        // Without a heading, the block of the rest of a list is unknown.
        is_rest &= line.line.tag.is_some();
        let block = if is_rest { Some(Block::Rest) } else { line.line.block };
        kept.push(PromptLine { block, ..truncate_start(line, start.saturating_sub(range.start)) });
    }
    kept.extend(rest.into_iter().flatten());
    kept
}

/// The end of the head and the start of the tail of a text.
fn cuts(text: &str, limit: usize) -> (usize, usize) {
    let tail = limit / TAIL_DIVISOR;
    let head = limit - tail;
    let bytes = text.as_bytes();
    let mut end = head;
    if let Some(at) = bytes.get(..head).and_then(|head| head.iter().rposition(|byte| *byte == b'\n'))
        && head - at <= head / SNAP_DIVISOR
    {
        end = at;
    }
    let mut start = text.len() - tail;
    if let Some(at) = bytes.get(start..).and_then(|tail| tail.iter().position(|byte| *byte == b'\n'))
        && at < tail / SNAP_DIVISOR
    {
        start += at + 1;
    }
    let end = boundary_before(text, end);
    (end, (start..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len()))
}

/// The lines of the truncation mark.
fn mark(dropped: usize, of: usize) -> [PromptLine; 3] {
    let text = format!("{MARK} {dropped} of {of} chars from session context] …");
    let line = PromptLine { tag: Some("cut"), ..PromptLine::plain(text, LineOrigin::builtin("session.cut")) };
    [PromptLine::layout(""), line, PromptLine::layout("")]
        .map(|line| PromptLine { block: Some(Block::Cut), ..line })
}

/// The beginning of a line, up to a byte offset in the line of the runtime.
fn truncate_end(line: &SessionLine, end: usize, len: usize) -> PromptLine {
    if end >= len {
        return line.line.clone();
    }
    let at = boundary_before(&line.line.text, line.place(end));
    let text = line.line.text.get(..at).unwrap_or_default().to_owned();
    let value = line.line.value.intersect(TextRange::up_to(size(at))).unwrap_or_default();
    PromptLine { text, value, ..line.line.clone() }
}

/// The end of a line, from a byte offset in the line of the runtime.
fn truncate_start(line: SessionLine, start: usize) -> PromptLine {
    if start == 0 {
        return line.line;
    }
    let at = line.place(start);
    let at = (at..=line.line.text.len()).find(|at| line.line.text.is_char_boundary(*at)).unwrap_or(at);
    let text = line.line.text.get(at..).unwrap_or_default().to_owned();
    let value = TextRange::up_to(size(text.len()));
    PromptLine { text, value, ..line.line }
}
