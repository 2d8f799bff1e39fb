//! Outcome of prompt atoms in a compiled prompt.

use crate::jit::{Dimension, Word, situation_values};
use crate::preview::PreviewedPrompt;
use mangle_syntax::text::{FileId, TextRange};

/// A prompt atom of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct AtomProvenance {
    /// The file of the atom.
    pub file: FileId,
    /// The range of the atom in the file.
    pub range: TextRange,
    /// The id of the atom with its range.
    pub id: Word,
    /// The selector values of the atom.
    pub selectors: Vec<SelectorProvenance>,
    /// The outcome.
    pub outcome: AtomOutcome,
}

/// A selector value of an atom.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectorProvenance {
    /// The key of the selector.
    pub key: &'static str,
    /// The value with its range.
    pub word: Word,
    /// The values of the situation in this dimension.
    pub situation_values: Vec<String>,
}

/// The outcome of an atom.
#[derive(Debug, Clone, PartialEq)]
pub enum AtomOutcome {
    /// Included, at this position (from 1) and with this number of tokens.
    In(usize, usize),
    /// Excluded, for this reason.
    Out(String),
}

/// The outcomes of the atoms of a compiled prompt.
pub(super) fn atoms(shown: &PreviewedPrompt) -> Vec<AtomProvenance> {
    let Some(compilation) = &shown.prompt.compilation else { return Vec::new() };
    let manifest = &compilation.manifest;
    let fate = |id: &str| {
        let selected = manifest.selected.iter().position(|atom| atom.id == id);
        let tokens = |at: usize| manifest.selected.get(at).map_or(0, |atom| atom.tokens.1);
        match selected {
            Some(at) => AtomOutcome::In(at + 1, tokens(at)),
            None => {
                let dropped = manifest.dropped.iter().find(|atom| atom.id == id);
                AtomOutcome::Out(dropped.map_or_else(String::new, |atom| atom.reason.clone()))
            }
        }
    };
    let of = |atom: &std::sync::Arc<crate::jit::PromptAtom>| {
        let selectors = Dimension::ALL.into_iter().flat_map(|dimension| {
            let here = situation_values(&shown.derived, dimension);
            atom.selector(dimension).iter().map(move |word| SelectorProvenance {
                key: dimension.key(),
                word: word.clone(),
                situation_values: here.clone(),
            })
        });
        let selectors = selectors.collect();
        let (id, range) = (atom.id.clone(), atom.range);
        Some(AtomProvenance { file: atom.file?, range, outcome: fate(&id.text), id, selectors })
    };
    compilation.atoms.iter().filter_map(of).collect()
}
