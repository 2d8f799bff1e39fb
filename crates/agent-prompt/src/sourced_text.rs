//! A text that somebody gave, and where: what a line of a prompt can be led back to.

use mangle_syntax::text::TextRange;

/// In which text something was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum TextSource {
    /// In the `# @preview` comments of a sample kernel.
    Header,
    /// In a session file.
    Session,
    /// By the caller: an option of a command, a member of a request.
    #[default]
    Caller,
}

/// A text, and where it was said.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourcedText {
    /// The text itself.
    pub text: String,
    /// Its bytes in [`SourcedText::source`]; empty for what the caller said.
    pub range: TextRange,
    /// In a session file, the JSON pointer of the value: `/failing_tests/0`. Empty elsewhere.
    pub pointer: String,
    /// In which text it was said.
    pub source: TextSource,
}

impl SourcedText {
    /// What the caller said.
    #[must_use]
    pub fn by_caller(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// What stands in the header of a sample kernel.
    #[must_use]
    pub fn in_header(text: impl Into<String>, range: TextRange) -> Self {
        Self { text: text.into(), range, pointer: String::new(), source: TextSource::Header }
    }

    /// Whether nothing was said.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}
