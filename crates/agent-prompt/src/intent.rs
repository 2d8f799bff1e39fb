//! The user's intent as classified by perception.

use crate::sourced_text::SourcedText;

/// The user's intent as classified by perception.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Intent {
    /// The id in facts about the intent.
    pub id: SourcedText,
    /// `/query`, `/mutation` or `/instruction`.
    pub category: SourcedText,
    /// The requested action, for example `/fix`.
    pub verb: SourcedText,
    /// The target of the verb: a file, a symbol or a topic.
    pub target: SourcedText,
    /// The constraint; empty for none.
    pub constraint: SourcedText,
}
