//! What is shown to a reader in a pop-up, as Markdown or as plain text, whichever the editor can.

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
    /// A list.
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
    /// The URI.
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

    /// Adds a paragraph in our own words: Markdown, with `code` as its only markup.
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

    /// As Markdown.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        self.join(|block| match block {
            Block::Code(code) => format!("{fence}mangle\n{code}\n{fence}", fence = fence(code)),
            Block::Excerpt(lines) => format!("{fence}text\n{lines}\n{fence}", fence = fence(lines)),
            Block::Words(words) => words.clone(),
            Block::Foreign(words) => escaped(words),
            Block::List(lines) => joined(lines, Line::to_markdown),
        })
    }

    /// As plain text.
    #[must_use]
    pub fn to_plain(&self) -> String {
        self.join(|block| match block {
            Block::Code(text) | Block::Excerpt(text) | Block::Foreign(text) => text.clone(),
            Block::Words(words) => words.replace('`', ""),
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

/// A text as a piece of code that it cannot close.
fn span(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let ticks = "`".repeat(longest + 1);
    match longest {
        0 => format!("{ticks}{text}{ticks}"),
        _ => format!("{ticks} {text} {ticks}"),
    }
}

/// A fence that the code cannot close.
fn fence(code: &str) -> String {
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
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
                (at == 0 && matches!(char, '-' | '+')) || (at == digits && char == '.' && at > 0);
            let is_markup = matches!(
                char,
                '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '!' | '|' | '~' | '&' | ':' | '@'
            );
            if (is_markup && !in_word) || starts_item {
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
            "- `q()`\n  - `` p(`a` ](http://e.org) `` said by \\<b\\> [a_b.mg\\:3](file:///a%28b%29.mg#L3)"
        );
        assert_eq!(markup.to_plain(), "q()\n  p(`a`\n](http://e.org) said by <b> (a_b.mg:3)");
    }

    #[test]
    fn code_cannot_leave_its_fence() {
        let markup = Markup::default().code("p(`a```b`).").words("A `p`.");
        assert_eq!(markup.to_markdown(), "````mangle\np(`a```b`).\n````\n\nA `p`.");
        assert_eq!(markup.to_plain(), "p(`a```b`).\n\nA p.");
    }
}
