//! Text with its source, to trace lines of a prompt.

use mangle_syntax::text::TextRange;

/// The source of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum TextSource {
    /// The `# @preview` comments of a sample kernel.
    Header,
    /// A session file.
    Session,
    /// The caller: an option of a command, or a member of a request.
    #[default]
    Caller,
}

/// A text with its source.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourcedText {
    /// The text.
    pub text: String,
    /// The range in [`SourcedText::source`]; empty for a text of the caller.
    pub range: TextRange,
    /// The JSON pointer in a session file, for example `/failing_tests/0`. Empty for other sources.
    pub pointer: String,
    /// The source of the text.
    pub source: TextSource,
}

impl SourcedText {
    /// A text of the caller.
    #[must_use]
    pub fn by_caller(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// A text in the header of a sample kernel.
    #[must_use]
    pub fn in_header(text: impl Into<String>, range: TextRange) -> Self {
        Self { text: text.into(), range, pointer: String::new(), source: TextSource::Header }
    }

    /// True if the text is empty.
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
