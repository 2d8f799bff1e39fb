//! What compilations leave behind in a kernel that is never cleaned: the reference runtime takes back neither the
//! situation nor the atoms of a prompt, so the shards of a long session compile in each other's.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::atom::PromptAtom;

/// What is left of earlier compilations. Nothing, in a kernel that is new.
#[derive(Debug, Clone, Default)]
pub struct Residue {
    /// The values of their situations, by dimension, as names.
    pub(super) names: [FxHashSet<String>; 11],
    /// Their atoms.
    pub(super) atoms: Vec<Arc<PromptAtom>>,
    /// What their searches found.
    pub(super) vectors: Vec<(String, f64)>,
}

impl Residue {
    /// Whether nothing was compiled yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.atoms.is_empty() && self.names.iter().all(FxHashSet::is_empty)
    }
}
