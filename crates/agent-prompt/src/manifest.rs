//! Which atoms a compiled prompt is made of, and why others are not in it.

use mangle_syntax::text::{FileId, TextRange};

/// What a compiler did with the atoms that there were.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Manifest {
    /// The atoms that are in the prompt, in its order.
    pub selected: Vec<IncludedAtom>,
    /// The atoms that are not in the prompt.
    pub dropped: Vec<ExcludedAtom>,
}

/// An atom that is in the prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct IncludedAtom {
    /// The id of the atom.
    pub id: String,
    /// The category of the atom, which decides its part of the budget.
    pub category: String,
    /// Where it was collected: `embedded`, `shard`, `evolved`, `directive`, `kernel`.
    pub source: String,
    /// The priority that its file gives to the atom.
    pub priority: i64,
    /// What the rules gave it.
    pub logic: f64,
    /// What the search gave it.
    pub vector: f64,
    /// The variant that the budget chose: `standard`, `concise`, `min`. The runtime prints the standard one all the same.
    pub variant: String,
    /// Tokens of that variant, and of what is printed.
    pub tokens: (usize, usize),
}

/// An atom that is not in the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExcludedAtom {
    /// The id of the atom.
    pub id: String,
    /// Why, in words.
    pub reason: String,
    /// Where it stands: its file, and the bytes of its id there; `None` for what stands in no file.
    pub place: Option<(FileId, TextRange)>,
}
