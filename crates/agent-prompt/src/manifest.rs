//! Manifest of a compiled prompt: included atoms, and excluded atoms with reasons.

use mangle_syntax::text::{FileId, TextRange};

/// The decisions of the compiler about the candidate atoms.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Manifest {
    /// The included atoms, in the order of the prompt.
    pub selected: Vec<IncludedAtom>,
    /// The excluded atoms.
    pub dropped: Vec<ExcludedAtom>,
}

/// An included atom.
#[derive(Debug, Clone, PartialEq)]
pub struct IncludedAtom {
    /// The id of the atom.
    pub id: String,
    /// The category of the atom, which determines its share of the budget.
    pub category: String,
    /// The source of the atom: `embedded`, `shard`, `evolved`, `directive`, `kernel`.
    pub source: String,
    /// The priority of the atom.
    pub priority: i64,
    /// The score of the rules.
    pub logic: f64,
    /// The score of the search.
    pub vector: f64,
    /// The variant that the budget chose: `standard`, `concise`, `min`. The runtime always prints
    /// the standard text.
    pub variant: String,
    /// The tokens of that variant, and the tokens of the printed text.
    pub tokens: (usize, usize),
}

/// An excluded atom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExcludedAtom {
    /// The id of the atom.
    pub id: String,
    /// The reason as text.
    pub reason: String,
    /// The file and the range of the id; `None` for an atom without a file.
    pub place: Option<(FileId, TextRange)>,
}
