//! Where the tables of programs stand in a configuration file.

use mangle_syntax::text::TextRange;

/// Where a `[[program]]` stands. Ranges count from the start of the file.
#[derive(Debug, Clone, Default)]
pub struct ProgramPlaces {
    /// Its start: its `include`, else its first line.
    pub start: TextRange,
    /// Each pattern of [`super::ProgramSettings::include`]; none where it is at its default.
    pub include: Vec<TextRange>,
    /// Each pattern of [`super::ProgramSettings::hybrid`].
    pub hybrid: Vec<TextRange>,
}
