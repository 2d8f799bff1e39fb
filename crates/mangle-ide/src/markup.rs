//! Pop-up content, rendered as Markdown or plain text depending on the editor.

use mangle_report::sink::{code_span, longest_run};

/// Sequence of blocks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Markup {
    blocks: Vec<Block>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Block {
    /// Mangle code.
    Code(String),
    /// Lines of a text that is not Mangle code.
    Excerpt(String),
    /// Trusted text with code spans.
    Words(String),
    /// Untrusted text. All markup is escaped.
    Foreign(String),
    List(Vec<Line>),
}

/// A list item.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    /// Nesting depth.
    pub depth: usize,
    /// Untrusted text on one line.
    pub text: String,
    /// Trusted plain text after it.
    pub note: String,
    pub link: Option<Link>,
}

/// A link to a location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Label, for example `policy.mg:12`.
    pub label: String,
    pub target: String,
}

impl Markup {
    #[must_use]
    pub fn code(mut self, code: impl Into<String>) -> Self {
        self.blocks.push(Block::Code(code.into()));
        self
    }

    /// Adds lines in another language, verbatim.
    #[must_use]
    pub fn excerpt(mut self, lines: impl Into<String>) -> Self {
        self.blocks.push(Block::Excerpt(lines.into()));
        self
    }

    /// Adds a paragraph of trusted text. Code spans are the only markup; quoted text must be
    /// formatted with [`code_span`].
    #[must_use]
    pub fn text(mut self, words: impl Into<String>) -> Self {
        self.blocks.push(Block::Words(words.into()));
        self
    }

    /// Adds text from a file, verbatim.
    #[must_use]
    pub fn untrusted(mut self, words: impl Into<String>) -> Self {
        self.blocks.push(Block::Foreign(words.into()));
        self
    }

    #[must_use]
    pub fn list(mut self, lines: Vec<Line>) -> Self {
        self.blocks.extend((!lines.is_empty()).then_some(Block::List(lines)));
        self
    }

    /// Appends the blocks of another markup.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.blocks.extend(other.blocks);
        self
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    #[must_use]
    pub fn to_markdown(&self) -> String {
        self.join(|block| match block {
            Block::Code(code) => format!("{fence}mangle\n{code}\n{fence}", fence = fence(code)),
            Block::Excerpt(lines) => format!("{fence}text\n{lines}\n{fence}", fence = fence(lines)),
            Block::Words(words) => words_in_markdown(words),
            Block::Foreign(words) => escaped(words),
            Block::List(lines) => joined(lines, Line::to_markdown),
        })
    }

    #[must_use]
    pub fn to_plain(&self) -> String {
        self.join(|block| match block {
            Block::Code(text) | Block::Excerpt(text) | Block::Foreign(text) => text.clone(),
            Block::Words(words) => words_in_plain(words),
            Block::List(lines) => joined(lines, Line::to_plain),
        })
    }

    fn join(&self, show: impl Fn(&Block) -> String) -> String {
        self.blocks.iter().map(show).collect::<Vec<_>>().join("\n\n")
    }
}

fn joined(lines: &[Line], show: impl Fn(&Line) -> String) -> String {
    lines.iter().map(show).collect::<Vec<_>>().join("\n")
}

impl Line {
    fn to_markdown(&self) -> String {
        let mut out = format!("{}- {}", "  ".repeat(self.depth), span(&self.text));
        if !self.note.is_empty() {
            out.push_str(&format!(" {}", escaped(&self.note)));
        }
        if let Some(Link { label, target }) = &self.link {
            // Parentheses would end the link.
            let target = target.replace('(', "%28").replace(')', "%29");
            out.push_str(&format!(" [{}]({target})", escaped(label)));
        }
        out
    }

    fn to_plain(&self) -> String {
        let mut out = format!("{}{}", "  ".repeat(self.depth), self.text);
        if !self.note.is_empty() {
            out.push_str(&format!(" {}", self.note));
        }
        if let Some(link) = &self.link {
            out.push_str(&format!(" ({})", link.label));
        }
        out
    }
}

/// Formats a text as a code span on one line. Backticks in the text cannot close the span.
fn span(text: &str) -> String {
    code_span(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Returns a fence that is longer than any run of backticks in the code.
fn fence(code: &str) -> String {
    "`".repeat(longest_run(code).max(2) + 1)
}

/// Part of a text with code spans.
enum Piece<'w> {
    Code(&'w str),
    Words(&'w str),
}

/// Splits a text into code spans like Markdown: a run of backticks ends at the next run of the same
/// length. Unmatched runs are text.
fn pieces(words: &str) -> Vec<Piece<'_>> {
    let (mut found, mut rest) = (Vec::new(), words);
    while let Some(start) = rest.find('`') {
        let (before, ticks) = rest.split_at(start);
        let (row, behind) = ticks.split_at(ticks.len() - ticks.trim_start_matches('`').len());
        found.push(Piece::Words(before));
        rest = match end_of(behind, row.len()) {
            Some(end) => {
                found.push(Piece::Code(behind.get(..end).unwrap_or_default()));
                behind.get(end + row.len()..).unwrap_or_default()
            }
            None => {
                found.push(Piece::Words(row));
                behind
            }
        };
    }
    found.push(Piece::Words(rest));
    found
}

/// Returns the offset of the first run of exactly `len` backticks.
fn end_of(text: &str, len: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = text.get(at..)?.find('`') {
        let start = at + found;
        let row = text.get(start..)?;
        let row = row.len() - row.trim_start_matches('`').len();
        if row == len {
            return Some(start);
        }
        at = start + row;
    }
    None
}

/// Returns the content of a code span. One space on each side is not part of it.
fn inside(code: &str) -> &str {
    let is_padded = !code.trim().is_empty();
    code.strip_prefix(' ').and_then(|code| code.strip_suffix(' ')).filter(|_| is_padded).unwrap_or(code)
}

/// Renders trusted text as Markdown. Quoted text may have closed its code span, so links, images,
/// HTML and headings are escaped outside of code.
fn words_in_markdown(words: &str) -> String {
    let piece = |piece: &Piece<'_>| match piece {
        Piece::Code("") => String::new(),
        Piece::Code(code) => code_span(inside(code)),
        Piece::Words(words) => escape_inline(words),
    };
    let all: String = pieces(words).iter().map(piece).collect();
    all.split('\n').map(without_block).collect::<Vec<_>>().join("\n")
}

fn words_in_plain(words: &str) -> String {
    let piece = |piece: &Piece<'_>| match piece {
        Piece::Code(code) => inside(code).to_owned(),
        Piece::Words(words) => (*words).to_owned(),
    };
    pieces(words).iter().map(piece).collect()
}

/// Escapes inline markup.
fn escape_inline(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    for char in words.chars() {
        if matches!(char, '\\' | '`' | '*' | '[' | ']' | '<' | '|' | '~' | '&') {
            out.push('\\');
        }
        out.push(char);
    }
    // Prevents automatic links.
    out.replace("://", ":\\//")
        .replace("www.", "www\\.")
        .replace("WWW.", "WWW\\.")
        .replace('@', "\\@")
        .replace("__", "\\_\\_")
}

/// Escapes markup at the start of a line.
fn without_block(line: &str) -> String {
    let inner = line.trim_start();
    let begins = inner.starts_with(['#', '>', '+', '-', '=']) || inner.starts_with("\\~");
    if begins { format!("\\{inner}") } else { inner.to_owned() }
}

/// Escapes a text completely. Line breaks are kept; links, images and HTML are not rendered.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (index, line) in text.lines().enumerate() {
        if index > 0 {
            // Two trailing spaces create a line break.
            out.push_str("  \n");
        }
        let line = line.trim_start();
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        let mut before = ' ';
        for (at, char) in line.char_indices() {
            let after = line.get(at + char.len_utf8()..).and_then(|rest| rest.chars().next());
            // An underscore inside a word is never markup, and some renderers show the backslash.
            let in_word = char == '_' && before.is_alphanumeric() && after.is_some_and(char::is_alphanumeric);
            before = char;
            let starts_item =
                (at == 0 && matches!(char, '-' | '+' | '=')) || (at == digits && char == '.' && at > 0);
            let is_markup = matches!(
                char,
                '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '!' | '|' | '~' | '&' | ':' | '@'
            );
            // Renderers turn addresses that start with `www.` into links.
            let is_address =
                char == '.' && line.get(..at).is_some_and(|before| before.to_lowercase().ends_with("www"));
            if (is_markup && !in_word) || starts_item || is_address {
                out.push('\\');
            }
            out.push(char);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_words_are_shown_not_obeyed() {
        let markup = Markup::default().untrusted("- ![x](http://e.org) <b>\n1. `a` & https://e.org");
        assert_eq!(
            markup.to_markdown(),
            "\\- \\!\\[x\\](http\\://e.org) \\<b\\>  \n1\\. \\`a\\` \\& https\\://e.org"
        );
        assert_eq!(markup.to_plain(), "- ![x](http://e.org) <b>\n1. `a` & https://e.org");
        let names = Markup::default().untrusted("a_b_1 of _x_, y_ and __z");
        assert_eq!(names.to_markdown(), "a_b_1 of \\_x\\_, y\\_ and \\_\\_z");
    }

    #[test]
    fn lists_lead_to_places() {
        let line = Line {
            depth: 1,
            text: "p(`a`\n](http://e.org)".into(),
            note: "said by <b>".into(),
            link: Some(Link { label: "a_b.mg:3".into(), target: "file:///a(b).mg#L3".into() }),
        };
        let bare = Line { text: "q()".into(), ..Line::default() };
        let markup = Markup::default().list(vec![bare, line]).list(Vec::new());
        assert_eq!(
            markup.to_markdown(),
            "- `q()`\n  - ``p(`a` ](http://e.org)`` said by \\<b\\> [a_b.mg\\:3](file:///a%28b%29.mg#L3)"
        );
        assert_eq!(markup.to_plain(), "q()\n  p(`a`\n](http://e.org) said by <b> (a_b.mg:3)");
    }

    #[test]
    fn words_have_no_markup_but_code() {
        let markdown = |words: &str| Markup::default().text(words).to_markdown();
        assert_eq!(markdown("A `p` of `` a`b ``, a_b."), "A `p` of ``a`b``, a_b.");
        let hostile = format!("Bound by `{}`.", "a``![i](http://e/x)<img src=x>");
        assert_eq!(markdown(&hostile), "Bound by ```a``![i](http://e/x)<img src=x>```.");
        assert_eq!(markdown("`a` ![i](x) `\n# b <c>"), "`a` !\\[i\\](x) \\`\n\\# b \\<c>");
        assert_eq!(Markup::default().text("A `` a`b `` and `c`.").to_plain(), "A a`b and c.");
    }

    #[test]
    fn code_cannot_leave_its_fence() {
        let markup = Markup::default().code("p(`a```b`).").text("A `p`.");
        assert_eq!(markup.to_markdown(), "````mangle\np(`a```b`).\n````\n\nA `p`.");
        assert_eq!(markup.to_plain(), "p(`a```b`).\n\nA p.");
    }
}
