//! Situation of a compilation: selector matching by two rules of the reference runtime that differ,
//! and the residue of earlier compilations.
//!
//! The reference runtime retracts neither the situation nor the atoms of a prompt. In a long
//! session, shards are therefore compiled with the facts of earlier shards.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::atom::{Dimension, PromptAtom};
use crate::context::DerivedContext;

/// The values of a situation, by dimension.
#[derive(Debug, Clone)]
pub(super) struct Situation {
    /// The values as given.
    raw: [Vec<String>; 11],
    /// The values as name constants of the compiler.
    names: [FxHashSet<String>; 11],
}

impl Situation {
    pub(super) fn new(derived: &DerivedContext) -> Self {
        let one = |value: &str| if value.is_empty() { Vec::new() } else { vec![value.to_owned()] };
        let raw = Dimension::ALL.map(|dimension| match dimension {
            Dimension::OperationalModes => one(derived.operational_mode),
            Dimension::CampaignPhases => one(&derived.campaign_phase),
            Dimension::BuildLayers => one(&derived.build_layer),
            Dimension::InitPhases => one(&derived.init_phase),
            Dimension::NorthstarPhases => one(&derived.northstar_phase),
            Dimension::OuroborosStages => one(&derived.ouroboros_stage),
            Dimension::IntentVerbs => one(&derived.intent_verb),
            Dimension::ShardTypes => one(&derived.shard_type),
            Dimension::Languages => one(&derived.language),
            Dimension::Frameworks => derived.frameworks.clone(),
            Dimension::WorldStates => derived.world_states.iter().map(|&state| state.to_owned()).collect(),
        });
        let names =
            raw.each_ref().map(|values| values.iter().filter_map(|value| normal_name(value)).collect());
        Self { raw, names }
    }

    /// The situation in a kernel with the residue of other situations.
    pub(super) fn with_residue(mut self, left: &Residue) -> Self {
        for (names, more) in self.names.iter_mut().zip(&left.names) {
            names.extend(more.iter().cloned());
        }
        self
    }

    /// Adds the values to a residue.
    pub(super) fn leave(self, left: &mut Residue) {
        for (all, names) in left.names.iter_mut().zip(self.names) {
            all.extend(names);
        }
    }

    fn values(&self, dimension: Dimension) -> &[String] {
        &self.raw[dimension as usize]
    }

    /// The rule of the compiler. Returns the first dimension with no common value between the
    /// selectors of atoms with one id and the situation.
    ///
    /// A dimension without values in the situation does not block.
    pub(super) fn blocked(&self, atoms: &[&PromptAtom]) -> Option<Dimension> {
        Dimension::ALL.into_iter().find(|&dimension| {
            let here = &self.names[dimension as usize];
            let mut wanted = atoms
                .iter()
                .flat_map(|atom| atom.selector(dimension))
                .filter_map(|word| normal_name(&word.text))
                .peekable();
            !here.is_empty() && wanted.peek().is_some() && !wanted.any(|name| here.contains(&name))
        })
    }

    /// The rule of baselines and evolved atoms. Returns the first dimension with selector values
    /// that the situation lacks.
    ///
    /// An empty list of frameworks in the situation matches every selector.
    pub(super) fn unmatched(&self, atom: &PromptAtom) -> Option<Dimension> {
        Dimension::ALL.into_iter().find(|&dimension| {
            let (wanted, here) = (atom.selector(dimension), self.values(dimension));
            let is_open = dimension == Dimension::Frameworks && here.is_empty();
            let is_same = |word: &str, value: &str| match dimension {
                Dimension::Frameworks | Dimension::WorldStates => word == value,
                _ => word == value || bare(word) == bare(value),
            };
            let fits = || wanted.iter().any(|word| here.iter().any(|value| is_same(&word.text, value)));
            !wanted.is_empty() && !is_open && !fits()
        })
    }
}

/// True if a situation has a value in a dimension. `name` has no leading `/`.
pub(crate) fn has_value(derived: &DerivedContext, dimension: Dimension, name: &str) -> bool {
    Situation::new(derived).names[dimension as usize].contains(name)
}

/// The values of a situation in a dimension, as given.
pub(crate) fn situation_values(derived: &DerivedContext, dimension: Dimension) -> Vec<String> {
    Situation::new(derived).values(dimension).to_vec()
}

fn bare(word: &str) -> &str {
    word.strip_prefix('/').unwrap_or(word)
}

/// The residue of earlier compilations; empty in a new kernel.
#[derive(Debug, Clone, Default)]
pub struct Residue {
    /// The situation values, by dimension, as names.
    names: [FxHashSet<String>; 11],
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

/// The name constant of a word, without its first `/`; `None` if nothing remains.
///
/// The word is trimmed and in lower case. `_` replaces each byte that is invalid in a name, and
/// empty parts between slashes are removed.
pub(super) fn normal_name(word: &str) -> Option<String> {
    let word = word.trim().to_lowercase();
    let parts: Vec<String> = word.split('/').filter_map(name_part).collect();
    (!parts.is_empty()).then(|| parts.join("/"))
}

fn name_part(part: &str) -> Option<String> {
    let is_legal = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'_' | b'~' | b'%')
    };
    let cleaned: String =
        part.bytes().map(|byte| if is_legal(byte) { char::from(byte) } else { '_' }).collect();
    let trimmed = cleaned.trim_matches('_');
    (!trimmed.is_empty()).then(|| trimmed.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_names() {
        let names = ["/Coder", " go ", "//a//b/", "c++", "é", "a b", "_x_", "/", ""].map(normal_name);
        let names: Vec<_> = names.iter().map(Option::as_deref).collect();
        let expected =
            [Some("coder"), Some("go"), Some("a/b"), Some("c"), None, Some("a_b"), Some("x"), None, None];
        assert_eq!(names, expected);
    }
}
