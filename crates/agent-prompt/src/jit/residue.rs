//! Residue of earlier compilations in a kernel.
//!
//! The reference runtime retracts neither the situation nor the atoms of a prompt. In a long
//! session, shards are therefore compiled with the facts of earlier shards.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::atom::PromptAtom;

/// The residue of earlier compilations; empty in a new kernel.
#[derive(Debug, Clone, Default)]
pub struct Residue {
    /// The situation values, by dimension, as names.
    pub(super) names: [FxHashSet<String>; 11],
    /// The collected atoms.
    pub(super) atoms: Vec<Arc<PromptAtom>>,
    /// The search hits.
    pub(super) vectors: Vec<(String, f64)>,
}

impl Residue {
    /// True before the first compilation.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.atoms.is_empty() && self.names.iter().all(FxHashSet::is_empty)
    }
}
