//! Source ranges of `[[program]]` tables in a configuration file.

use mangle_syntax::text::TextRange;

/// Source ranges of a `[[program]]`, relative to the start of the file.
#[derive(Debug, Clone, Default)]
pub struct ProgramRanges {
    /// The `include` key, or the first line of the table.
    pub start: TextRange,
    /// Each pattern of [`super::ProgramSettings::include`]. Empty for the default.
    pub include: Vec<TextRange>,
    /// Each pattern of [`super::ProgramSettings::hybrid`].
    pub hybrid: Vec<TextRange>,
}
