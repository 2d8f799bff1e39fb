//! One silencing comment, and what it covers.

use super::directive::Directive;
use mangle_syntax::text::TextRange;

/// One silencing comment.
#[derive(Debug)]
pub(super) struct Suppression {
    /// From `#` to the end of its line.
    pub(super) comment: TextRange,
    /// The bytes in which findings are silenced; `None` silences the whole file.
    pub(super) covers: Option<TextRange>,
    /// What stands in it, with ranges from the start of the file.
    pub(super) directive: Directive,
}
