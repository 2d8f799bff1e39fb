//! A line of a prompt, with its role, value and origin.

use std::fmt::Write as _;

use crate::origin::LineOrigin;
use crate::texts::Block;
use mangle_syntax::text::{TextRange, size, text_len};

/// The role of a line in its section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineRole {
    /// Content.
    Text,
    /// The heading of a part.
    Heading,
    /// Part of a banner, or an empty line.
    Layout,
}

/// A line of a prompt, or a list entry with several lines.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptLine {
    /// The text in the prompt without the final line end. Contains line ends if its origin does.
    pub text: String,
    /// The role of the line in its section.
    pub role: LineRole,
    /// The block of the session section.
    pub block: Option<Block>,
    /// The name of the value; `None` for a line without a value of its own.
    pub tag: Option<&'static str>,
    /// The range of the value in [`PromptLine::text`], without label and indent.
    pub value: TextRange,
    /// The origin of the value.
    pub origin: LineOrigin,
}

impl PromptLine {
    /// A line that consists of its value.
    #[must_use]
    pub fn plain(text: impl Into<String>, origin: LineOrigin) -> Self {
        let text = text.into();
        let value = TextRange::up_to(text_len(&text));
        Self { text, role: LineRole::Text, block: None, tag: None, value, origin }
    }

    /// A line with a label before the value.
    #[must_use]
    pub fn labelled(label: &str, value: &str, tag: Option<&'static str>, origin: LineOrigin) -> Self {
        let mut text = String::with_capacity(label.len() + value.len());
        let _ = write!(text, "{label}{value}");
        let value = TextRange::at(size(label.len()), text_len(value));
        Self { text, role: LineRole::Text, block: None, tag, value, origin }
    }

    /// A built-in line without content: part of a banner, or empty.
    #[must_use]
    pub fn layout(text: &str) -> Self {
        Self { role: LineRole::Layout, ..Self::plain(text, LineOrigin::builtin("layout")) }
    }

    /// The value, without label and indent.
    #[must_use]
    pub fn value(&self) -> &str {
        mangle_syntax::text::slice(&self.text, self.value)
    }
}
