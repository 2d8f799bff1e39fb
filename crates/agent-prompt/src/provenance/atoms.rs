//! What became of prompt atoms in a prompt.

use crate::jit::{Dimension, Word, situation_values};
use crate::preview::PreviewedPrompt;
use mangle_syntax::text::{FileId, TextRange};

/// A prompt atom of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct AtomProvenance {
    /// The file that the atom stands in.
    pub file: FileId,
    /// All of its bytes there.
    pub range: TextRange,
    /// The id of the atom, and where it is written.
    pub id: Word,
    /// When it is wanted.
    pub selectors: Vec<SelectorProvenance>,
    /// What became of it.
    pub fate: AtomOutcome,
}

/// A value that an atom is wanted for.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectorProvenance {
    /// The key that it stands under.
    pub key: &'static str,
    /// A value that the atom is wanted for, and where it is written.
    pub word: Word,
    /// What the situation has there.
    pub here: Vec<String>,
}

/// What became of an atom.
#[derive(Debug, Clone, PartialEq)]
pub enum AtomOutcome {
    /// It is in the prompt: at which place, counted from 1, and with how many tokens.
    In(usize, usize),
    /// It is not: why, in words.
    Out(String),
}

/// What became of the atoms of a compiled prompt.
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
                here: here.clone(),
            })
        });
        let selectors = selectors.collect();
        let (id, range) = (atom.id.clone(), atom.range);
        Some(AtomProvenance { file: atom.file?, range, fate: fate(&id.text), id, selectors })
    };
    compilation.atoms.iter().filter_map(of).collect()
}
