//! What is shown to a reader in a pop-up, as Markdown or as plain text, whichever the editor can.

use crate::report::sink::{code_span, longest_run};

/// Paragraphs and pieces of code.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Markup {
    blocks: Vec<Block>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Block {
    /// Mangle.
    Code(String),
    /// Lines of a text that is no Mangle.
    Excerpt(String),
    /// Our own words, in Markdown.
    Words(String),
    /// Somebody else's words. Whatever is in them is shown, not obeyed.
    Foreign(String),
    List(Vec<Line>),
}

/// A line of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    /// How many lines it stands below.
    pub depth: usize,
    /// Somebody else's words, on one line.
    pub text: String,
    /// Our own words about it: text alone.
    pub note: String,
    /// A place that belongs to it.
    pub link: Option<Link>,
}

/// A way to a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// What the place is called: `policy.mg:12`.
    pub label: String,
    pub target: String,
}

impl Markup {
    /// Adds Mangle code.
    #[must_use]
    pub fn code(mut self, code: impl Into<String>) -> Self {
        self.blocks.push(Block::Code(code.into()));
        self
    }

    /// Adds lines of a text that is no Mangle, as they are.
    #[must_use]
    pub fn excerpt(mut self, lines: impl Into<String>) -> Self {
        self.blocks.push(Block::Excerpt(lines.into()));
        self
    }

    /// Adds a paragraph in our own words, with `code` as its only markup: what they quote goes through [`code_span`].
    #[must_use]
    pub fn words(mut self, words: impl Into<String>) -> Self {
        self.blocks.push(Block::Words(words.into()));
        self
    }

    /// Adds words from a file: shown as they are.
    #[must_use]
    pub fn foreign(mut self, words: impl Into<String>) -> Self {
        self.blocks.push(Block::Foreign(words.into()));
        self
    }

    /// Adds a list.
    #[must_use]
    pub fn list(mut self, lines: Vec<Line>) -> Self {
        self.blocks.extend((!lines.is_empty()).then_some(Block::List(lines)));
        self
    }

    /// Adds the blocks of another.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.blocks.extend(other.blocks);
        self
    }

    /// Whether there is nothing to show.
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

    /// As plain text.
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
            // What would end the link early.
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

/// A text on one line as a piece of code that it cannot close.
fn span(text: &str) -> String {
    code_span(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// A fence that the code cannot close.
fn fence(code: &str) -> String {
    "`".repeat(longest_run(code).max(2) + 1)
}

/// A part of words with pieces of code in them.
enum Piece<'w> {
    Code(&'w str),
    Words(&'w str),
}

/// Words taken apart as Markdown does it: a row of backticks ends at the next row of the same length, or is text.
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

/// Where the first row of so many backticks begins.
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

/// What a piece of code says: one blank on either side is not part of it.
fn inside(code: &str) -> &str {
    let is_padded = !code.trim().is_empty();
    code.strip_prefix(' ').and_then(|code| code.strip_suffix(' ')).filter(|_| is_padded).unwrap_or(code)
}

/// Words of ours as Markdown. What they quote may have ended the code that it stands in: outside of code, nothing is a
/// link, an image, HTML or a heading.
fn words_in_markdown(words: &str) -> String {
    let piece = |piece: &Piece<'_>| match piece {
        Piece::Code("") => String::new(),
        Piece::Code(code) => code_span(inside(code)),
        Piece::Words(words) => inert(words),
    };
    let all: String = pieces(words).iter().map(piece).collect();
    all.split('\n').map(without_block).collect::<Vec<_>>().join("\n")
}

/// Words of ours as plain text.
fn words_in_plain(words: &str) -> String {
    let piece = |piece: &Piece<'_>| match piece {
        Piece::Code(code) => inside(code).to_owned(),
        Piece::Words(words) => (*words).to_owned(),
    };
    pieces(words).iter().map(piece).collect()
}

/// Text in the middle of a line in which nothing is markup.
fn inert(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    for char in words.chars() {
        if matches!(char, '\\' | '`' | '*' | '[' | ']' | '<' | '|' | '~' | '&') {
            out.push('\\');
        }
        out.push(char);
    }
    // Addresses become links by themselves.
    out.replace("://", ":\\//")
        .replace("www.", "www\\.")
        .replace("WWW.", "WWW\\.")
        .replace('@', "\\@")
        .replace("__", "\\_\\_")
}

/// A line that begins no block but a paragraph.
fn without_block(line: &str) -> String {
    let inner = line.trim_start();
    let begins = inner.starts_with(['#', '>', '+', '-', '=']) || inner.starts_with("\\~");
    if begins { format!("\\{inner}") } else { inner.to_owned() }
}

/// Text as Markdown that shows exactly it: lines stay lines, no link, image or HTML comes of it.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (index, line) in text.lines().enumerate() {
        if index > 0 {
            // Two blanks at the end of a line keep the line break.
            out.push_str("  \n");
        }
        let line = line.trim_start();
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        let mut before = ' ';
        for (at, char) in line.char_indices() {
            let after = line.get(at + char.len_utf8()..).and_then(|rest| rest.chars().next());
            // Between letters it is never markup; there are readers that show each backslash.
            let in_word = char == '_' && before.is_alphanumeric() && after.is_some_and(char::is_alphanumeric);
            before = char;
            let starts_item =
                (at == 0 && matches!(char, '-' | '+' | '=')) || (at == digits && char == '.' && at > 0);
            let is_markup = matches!(
                char,
                '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '!' | '|' | '~' | '&' | ':' | '@'
            );
            // Before it, an address is a link without brackets.
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
        let markup = Markup::default().foreign("- ![x](http://e.org) <b>\n1. `a` & https://e.org");
        assert_eq!(
            markup.to_markdown(),
            "\\- \\!\\[x\\](http\\://e.org) \\<b\\>  \n1\\. \\`a\\` \\& https\\://e.org"
        );
        assert_eq!(markup.to_plain(), "- ![x](http://e.org) <b>\n1. `a` & https://e.org");
        let names = Markup::default().foreign("a_b_1 of _x_, y_ and __z");
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
        let markdown = |words: &str| Markup::default().words(words).to_markdown();
        assert_eq!(markdown("A `p` of `` a`b ``, a_b."), "A `p` of ``a`b``, a_b.");
        let hostile = format!("Bound by `{}`.", "a``![i](http://e/x)<img src=x>");
        assert_eq!(markdown(&hostile), "Bound by ```a``![i](http://e/x)<img src=x>```.");
        assert_eq!(markdown("`a` ![i](x) `\n# b <c>"), "`a` !\\[i\\](x) \\`\n\\# b \\<c>");
        assert_eq!(Markup::default().words("A `` a`b `` and `c`.").to_plain(), "A a`b and c.");
    }

    #[test]
    fn code_cannot_leave_its_fence() {
        let markup = Markup::default().code("p(`a```b`).").words("A `p`.");
        assert_eq!(markup.to_markdown(), "````mangle\np(`a```b`).\n````\n\nA `p`.");
        assert_eq!(markup.to_plain(), "p(`a```b`).\n\nA p.");
    }
}
