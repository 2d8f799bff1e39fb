//! Lexical state inside an unfinished statement. Scans characters, because the syntax tree of an
//! unfinished statement is unreliable.

use mangle_settings::FormatSettings;
use mangle_syntax::syntax::format::{PART_INDENT, PIPE};

/// State at the end of a text, relative to the start of its last statement.
#[derive(Debug, Default)]
pub(super) struct Outline {
    /// Open lists, outermost first.
    lists: Vec<List>,
    part: Part,
    pub(super) in_string: bool,
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
    pub(super) fn closing(&self) -> Option<u32> {
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
