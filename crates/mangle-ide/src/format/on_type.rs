//! On-type formatting: indents new lines, formats a statement when its full stop is typed, and
//! aligns a closing bracket at the start of a line. Strings and comments are never changed.

use super::outline::Outline;
use super::range;
use mangle_settings::FormatSettings;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{TextRange, TextSize, size};

/// Trigger characters of the request.
pub const TRIGGERS: [&str; 5] = ["\n", ".", "]", "}", ")"];

/// Maximum distance in bytes to the start of an unfinished statement.
const REACH: usize = 64 << 10;

/// Returns the sorted edits after `typed` was typed. `offset` is the cursor position.
#[must_use]
pub fn on_type(
    source: &SourceFile,
    settings: FormatSettings,
    offset: TextSize,
    typed: &str,
) -> Vec<(TextRange, String)> {
    let text = source.text().as_ref();
    let at = usize::from(offset);
    if !text.is_char_boundary(at) {
        return Vec::new();
    }
    match typed {
        "\n" => new_line(source, settings, at),
        "." => finished(source, settings, offset),
        "]" | "}" | ")" => closed(source, at),
        _ => Vec::new(),
    }
}

/// Indents the line of the cursor, and removes trailing spaces if the previous line is blank.
fn new_line(source: &SourceFile, settings: FormatSettings, at: usize) -> Vec<(TextRange, String)> {
    let text = source.text().as_ref();
    let start = line_start(text, at);
    let (Some(line), Some(above)) =
        (line(text, start), start.checked_sub(1).map(|end| line_start(text, end)))
    else {
        return Vec::new();
    };
    let Some(outline) = outline(source, start) else { return Vec::new() };
    let next = line.trim_start();
    let Some(indent) = outline.indent(settings, next) else { return Vec::new() };
    let mut edits = Vec::new();
    let before = text.get(above..start).unwrap_or_default().trim_end_matches(['\n', '\r']);
    if before.trim().is_empty() {
        replace(&mut edits, text, above, above + before.len(), 0);
    }
    replace(&mut edits, text, start, start + (line.len() - next.len()), indent);
    edits
}

/// Formats the statement that ends at the cursor.
fn finished(source: &SourceFile, settings: FormatSettings, offset: TextSize) -> Vec<(TextRange, String)> {
    let items = source.items();
    let at = items.partition_point(|item| item.start < offset);
    let item = at.checked_sub(1).and_then(|at| items.get(at));
    let Some(item) = item.filter(|item| item.start + item.statement.len == offset && !item.statement.damaged)
    else {
        return Vec::new();
    };
    let formatting = range(
        source,
        settings,
        TextRange::new(item.start + TextSize::new(1), offset - TextSize::new(1)),
        false,
    );
    formatting.edits.iter().map(|edit| (edit.range, edit.text())).collect()
}

/// Aligns a closing bracket at the start of a line with the line that opens its list.
fn closed(source: &SourceFile, at: usize) -> Vec<(TextRange, String)> {
    let text = source.text().as_ref();
    let start = line_start(text, at);
    let before = text.get(start..at).unwrap_or_default();
    let bracket = before.trim_start();
    let mut edits = Vec::new();
    if bracket.len() == 1
        && let Some(indent) = outline(source, start).and_then(|outline| outline.closing())
    {
        replace(&mut edits, text, start, start + (before.len() - bracket.len()), indent);
    }
    edits
}

/// Returns the lexical state at `at`, the start of a line. `None` inside a string.
fn outline(source: &SourceFile, at: usize) -> Option<Outline> {
    let text = source.text().as_ref();
    let outline = Outline::parse(text.get(statement_start(source, at)..at)?);
    (!outline.in_string).then_some(outline)
}

/// Returns the start of the statement that continues at `at`. If the statement has syntax errors,
/// returns the last unindented line that starts with a letter.
fn statement_start(source: &SourceFile, at: usize) -> usize {
    let items = source.items();
    let next = items.partition_point(|item| usize::from(item.start) < at);
    let last = next.checked_sub(1).and_then(|last| items.get(last));
    if let Some(item) = last.filter(|item| !item.statement.damaged) {
        return line_start(source.text(), item.start.into());
    }
    let text = source.text().as_ref();
    let mut start = at;
    while let Some(end) = start.checked_sub(1).filter(|end| at - end < REACH) {
        start = line_start(text, end);
        let starts =
            text.as_bytes().get(start).is_some_and(|first| first.is_ascii_alphabetic() || *first == b':');
        if starts && !text.get(start..).is_some_and(|line| line.starts_with(":-")) {
            break;
        }
    }
    start
}

fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1)
}

fn line(text: &str, start: usize) -> Option<&str> {
    text.get(start..)?.split('\n').next().map(|line| line.trim_end_matches('\r'))
}

/// Replaces the white space in a range by `blanks` spaces.
fn replace(edits: &mut Vec<(TextRange, String)>, text: &str, start: usize, end: usize, blanks: u32) {
    let blanks = " ".repeat(blanks as usize);
    if text.get(start..end).is_some_and(|old| old != blanks) {
        edits.push((TextRange::new(size(start), size(end)), blanks));
    }
}
