//! What the person wants, as perception understood it.

use crate::sourced_text::SourcedText;

/// What the person wants, as perception understood it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Intent {
    /// Its id.
    pub id: SourcedText,
    /// `/query`, `/mutation` or `/instruction`.
    pub category: SourcedText,
    /// What is to be done: `/fix`.
    pub verb: SourcedText,
    /// To what.
    pub target: SourcedText,
    /// Under which condition; empty for none.
    pub constraint: SourcedText,
}
