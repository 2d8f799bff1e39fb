//! The outline of a file ([`document_symbols`]) and the search for names in the workspace ([`workspace_symbols`]).

mod document;
mod search;

pub use document::{DocumentSymbol, document_symbols};
pub use search::{WorkspaceSymbol, workspace_symbols};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SymbolType {
    /// What stands below a banner.
    Section,
    /// `Package …!`
    Package,
    /// `Use …!`
    Use,
    /// A `Decl`.
    Declaration,
    Rule,
    /// A fact, or several of one predicate in a row.
    Facts,
    /// Something that was said.
    Turn,
    Envelope,
    /// A member of an envelope.
    Member,
}

#[cfg(test)]
mod tests;
