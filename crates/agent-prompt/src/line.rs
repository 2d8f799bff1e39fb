//! A line of a prompt, and what it is to its section.

use std::fmt::Write as _;

use crate::origin::LineOrigin;
use crate::texts::Block;
use mangle_syntax::text::{TextRange, size, text_len};

/// What a line is to its section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineRole {
    /// What the section is about.
    Text,
    /// The heading of a part.
    Heading,
    /// Part of a banner, or nothing at all.
    Layout,
}

/// A line, or a list entry of several lines.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptLine {
    /// The line as it is in the prompt, without its line end. It may hold line ends where its origin does.
    pub text: String,
    /// What it is to its section.
    pub role: LineRole,
    /// The part of the session that it belongs to.
    pub block: Option<Block>,
    /// What the value is called, for a line with a value of its own.
    pub tag: Option<&'static str>,
    /// The bytes of [`PromptLine::text`] that the origin gave, without label and indent.
    pub value: TextRange,
    /// Where it comes from.
    pub origin: LineOrigin,
}

impl PromptLine {
    /// A line that its origin gave as it is.
    #[must_use]
    pub fn plain(text: impl Into<String>, origin: LineOrigin) -> Self {
        let text = text.into();
        let value = TextRange::up_to(text_len(&text));
        Self { text, role: LineRole::Text, block: None, tag: None, value, origin }
    }

    /// A line with something in front of the value.
    #[must_use]
    pub fn labelled(label: &str, value: &str, tag: Option<&'static str>, origin: LineOrigin) -> Self {
        let mut text = String::with_capacity(label.len() + value.len());
        let _ = write!(text, "{label}{value}");
        let value = TextRange::at(size(label.len()), text_len(value));
        Self { text, role: LineRole::Text, block: None, tag, value, origin }
    }

    /// A line of ours that is no content: of a banner, or empty.
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
