//! On-type formatting: indents new lines, formats a statement when its full stop is typed, and
//! aligns a closing bracket at the start of a line. Strings and comments are never changed.
//!
//! An unfinished statement is scanned by characters, because its syntax tree is unreliable.

use super::range;
use mangle_settings::FormatSettings;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::syntax::format::{PART_INDENT, PIPE};
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

/// State at the end of a text, relative to the start of its last statement.
#[derive(Debug, Default)]
pub(super) struct Outline {
    /// Open lists, outermost first.
    lists: Vec<List>,
    part: Part,
    in_string: bool,
    /// True after a comma, `:-` or `|>`.
    expects_more: bool,
    /// Indentation of the current line.
    indent: u32,
    column: u32,
    is_blank: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Part {
    /// Between statements.
    #[default]
    Outside,
    Head,
    Declaration,
    Body,
    Transform,
}

/// An open list.
#[derive(Debug)]
struct List {
    /// Indentation of the line that opens the list.
    indent: u32,
    /// Column of the first element, if it is on the opening line.
    first: Option<u32>,
    /// Indentation of the last line that starts inside the list.
    last: Option<u32>,
}

impl Outline {
    /// Scans a text that starts with a statement at the start of a line.
    pub(super) fn parse(text: &str) -> Self {
        let mut outline = Self { is_blank: true, ..Self::default() };
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let len = outline.token(first, rest);
            let (token, behind) = rest.split_at_checked(len).unwrap_or((rest, ""));
            outline.go_over(token);
            rest = behind;
        }
        outline
    }

    /// Returns the indentation of a following line that starts with `next`. `None` if the line must
    /// keep its indentation.
    pub(super) fn indent(&self, settings: FormatSettings, next: &str) -> Option<u32> {
        let closes = next.starts_with([')', ']', '}']);
        if let Some(list) = self.lists.last() {
            let unit = if self.part == Part::Declaration { PART_INDENT } else { settings.indent };
            let inside = list.last.or(list.first).unwrap_or(list.indent + unit);
            return Some(if closes { list.indent } else { inside });
        }
        match self.part {
            Part::Outside => Some(0),
            Part::Head => None,
            Part::Declaration => Some(PART_INDENT),
            _ if next.starts_with('.') => Some(0),
            Part::Transform if self.expects_more => Some(settings.indent + PIPE),
            Part::Body | Part::Transform => Some(settings.indent),
        }
    }

    /// Returns the indentation of a line that starts with the closing bracket of the innermost
    /// list.
    fn closing(&self) -> Option<u32> {
        self.lists.last().map(|list| list.indent)
    }

    /// Processes the token at the start of `rest`, and returns its length.
    fn token(&mut self, first: char, rest: &str) -> usize {
        if first.is_whitespace() {
            return first.len_utf8();
        }
        if first == '#' {
            return rest.find('\n').unwrap_or(rest.len());
        }
        let len = self.length(first, rest);
        self.starts_line();
        let token = rest.get(..len).unwrap_or_default();
        let is_inner = !self.lists.is_empty();
        self.expects_more = matches!(token, "," | ":-" | "⟸" | "|>");
        match token {
            "(" | "[" | "{" => {
                let behind = rest.get(len..).unwrap_or_default();
                let element = behind.trim_start_matches([' ', '\t']);
                let blank = u32::try_from(behind.len() - element.len()).unwrap_or(0);
                let has_first = !element.is_empty() && !element.starts_with(['\n', '\r', '#']);
                let first = has_first.then(|| self.column + 1 + blank);
                self.lists.push(List { indent: self.indent, first, last: None });
            }
            ")" | "]" | "}" => drop(self.lists.pop()),
            "." | "!" if !is_inner && self.ends(token) => self.part = Part::Outside,
            ":-" | "⟸" if !is_inner => self.part = Part::Body,
            "|>" if !is_inner => self.part = Part::Transform,
            "Decl" if self.part == Part::Outside => self.part = Part::Declaration,
            _ if self.part == Part::Outside => self.part = Part::Head,
            _ => {}
        }
        len
    }

    /// True if a full stop, or the `!` after a package, ends the statement.
    fn ends(&self, token: &str) -> bool {
        token == "." || self.part == Part::Head
    }

    /// Records the first token of a line.
    fn starts_line(&mut self) {
        if self.is_blank {
            self.is_blank = false;
            self.indent = self.column;
            if let Some(list) = self.lists.last_mut() {
                list.last = Some(self.column);
            }
        }
    }

    fn go_over(&mut self, token: &str) {
        for char in token.chars() {
            if char == '\n' {
                (self.column, self.is_blank) = (0, true);
            } else {
                self.column += 1;
            }
        }
    }

    fn length(&mut self, first: char, rest: &str) -> usize {
        let run = |is_inside: &dyn Fn(char) -> bool| {
            rest.char_indices().skip(1).find(|(_, char)| !is_inside(*char)).map_or(rest.len(), |(at, _)| at)
        };
        match first {
            '"' | '\'' | '`' => {
                let end = string_end(rest, first);
                self.in_string = end.is_none();
                end.unwrap_or(rest.len())
            }
            // A name may contain dots.
            '/' => run(&|char| char.is_ascii_alphanumeric() || "._~%-/".contains(char)),
            ':' if rest.starts_with(":-") => 2,
            '|' if rest.starts_with("|>") => 2,
            _ if first.is_ascii_alphanumeric() || first == '_' => word_end(rest),
            _ => first.len_utf8(),
        }
    }
}

/// Returns the length of a string. `None` if it is unterminated.
fn string_end(text: &str, quote: char) -> Option<usize> {
    let mut chars = text.char_indices().skip(1);
    while let Some((at, char)) = chars.next() {
        match char {
            '\\' => drop(chars.next()),
            _ if char == quote => return Some(at + char.len_utf8()),
            _ => {}
        }
    }
    None
}

/// Returns the length of a word or number. Inner dots and colons belong to it.
fn word_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_inside =
        |at: usize| bytes.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let mut end = 1;
    while is_inside(end) || (matches!(bytes.get(end), Some(b'.' | b':')) && is_inside(end + 1)) {
        end += 1;
    }
    end
}
