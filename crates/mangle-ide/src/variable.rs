//! Identity of a variable.

use mangle_syntax::text::{FileId, Symbol};

/// A variable of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Variable {
    pub symbol: Symbol,
    pub file: FileId,
    /// Index of the statement in [`FileSummary::items`]. Indexes past the end refer to comments
    /// with Mangle code ([`directives::of_variable`]).
    pub item: u32,
    /// True for a type variable in `bound […]`, which is unrelated to parameters.
    pub of_types: bool,
}
