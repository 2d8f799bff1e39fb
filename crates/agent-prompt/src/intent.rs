//! What the person wants, as perception understood it.

use crate::sourced_text::SourcedText;

/// What the person wants, as perception understood it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Intent {
    /// The id by which other facts refer to the intent.
    pub id: SourcedText,
    /// `/query`, `/mutation` or `/instruction`.
    pub category: SourcedText,
    /// What is to be done: `/fix`.
    pub verb: SourcedText,
    /// What the verb applies to: a file, a symbol, a topic.
    pub target: SourcedText,
    /// Under which condition; empty for none.
    pub constraint: SourcedText,
}
