//! A suppression comment and its scope.

use super::directive::Directive;
use mangle_syntax::text::TextRange;

#[derive(Debug)]
pub(super) struct Suppression {
    /// From `#` to the end of its line.
    pub(super) comment: TextRange,
    /// The range of suppressed findings. `None` for the whole file.
    pub(super) covers: Option<TextRange>,
    /// The parsed content, with ranges relative to the start of the file.
    pub(super) directive: Directive,
}
