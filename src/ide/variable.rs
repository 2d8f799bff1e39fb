//! A variable of a statement.

use mangle_syntax::text::{FileId, Symbol};

/// A variable and the statement that it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Variable {
    pub symbol: Symbol,
    pub file: FileId,
    /// The statement: an index into [`FileSummary::items`]. Indices past its end are those of the comments that mention
    /// something ([`directives::of_variable`]).
    pub item: u32,
    /// Whether it stands for a type, in `bound […]`: those have nothing to do with the parameters.
    pub of_types: bool,
}
