//! Outline of a file ([`document_symbols`]) and workspace symbol search ([`workspace_symbols`]).

mod document;
mod search;

pub use document::{DocumentSymbol, document_symbols};
pub use search::{WorkspaceSymbol, workspace_symbols};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SymbolType {
    /// A section below a banner comment.
    Section,
    /// `Package …!`
    Package,
    /// `Use …!`
    Use,
    /// A `Decl`.
    Declaration,
    Rule,
    /// One fact, or consecutive facts of one predicate.
    Facts,
    /// A turn of a transcript.
    Turn,
    Envelope,
    /// A member of an envelope.
    Member,
}

#[cfg(test)]
mod tests;
