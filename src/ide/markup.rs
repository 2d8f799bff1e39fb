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
    /// Our own words, in Markdown.
    Words(String),
    /// Somebody else's words. Whatever is in them is shown, not obeyed.
    Foreign(String),
}

impl Markup {
    /// Adds Mangle code.
    #[must_use]
    pub fn code(mut self, code: impl Into<String>) -> Self {
        self.blocks.push(Block::Code(code.into()));
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
            Block::Words(words) => words.clone(),
            Block::Foreign(words) => escaped(words),
        })
    }

    /// As plain text.
    #[must_use]
    pub fn to_plain(&self) -> String {
        self.join(|block| match block {
            Block::Code(text) | Block::Foreign(text) => text.clone(),
            Block::Words(words) => words.replace('`', ""),
        })
    }

    fn join(&self, show: impl Fn(&Block) -> String) -> String {
        self.blocks.iter().map(show).collect::<Vec<_>>().join("\n\n")
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
        for (at, char) in line.char_indices() {
            let starts_item =
                (at == 0 && matches!(char, '-' | '+')) || (at == digits && char == '.' && at > 0);
            if matches!(
                char,
                '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '!' | '|' | '~' | '&' | ':' | '@'
            ) || starts_item
            {
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
    }

    #[test]
    fn code_cannot_leave_its_fence() {
        let markup = Markup::default().code("p(`a```b`).").words("A `p`.");
        assert_eq!(markup.to_markdown(), "````mangle\np(`a```b`).\n````\n\nA `p`.");
        assert_eq!(markup.to_plain(), "p(`a```b`).\n\nA p.");
    }
}
