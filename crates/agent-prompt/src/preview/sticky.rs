//! Prompts that are compiled one after the other in one kernel, which nobody cleans: each sees the situations, the atoms
//! and the hits of those before it.

use std::sync::Arc;

use super::{Common, PreviewedPrompt};
use crate::answers::KernelAnswers;
use crate::jit::Residue;
use crate::sections::Mode;

/// What the prompts before a prompt changed in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StickyChanges {
    /// The previews before it.
    pub after: Vec<String>,
    /// The atoms that are in it because of them.
    pub gained: Vec<String>,
    /// The atoms that are not in it because of them.
    pub lost: Vec<String>,
}

/// Assembles prompts once more, each with what those before it left.
pub(super) fn stick(common: &Common, all: &mut [PreviewedPrompt]) {
    if !common.settings.sticky {
        return;
    }
    let (mut left, mut after) = (Residue::default(), Vec::new());
    for shown in all.iter_mut() {
        let Some(compiler) = common.compiler(&shown.wanted) else { continue };
        if shown.prompt.mode != Mode::Jit {
            continue;
        }
        if !after.is_empty() {
            let alone = atoms(shown);
            shown.left = left.clone();
            let mut querier = KernelAnswers::new(
                &common.evaluated,
                &common.compiled,
                shown.kernel.model(),
                &shown.marks,
                common.settings.order,
            );
            shown.prompt = common.assembled(shown, &mut querier);
            let together = atoms(shown);
            let without = |one: &[String], other: &[String]| {
                one.iter().filter(|id| !other.contains(id)).cloned().collect()
            };
            let (gained, lost) = (without(&together, &alone), without(&alone, &together));
            shown.stuck = Some(StickyChanges { after: Vec::clone(&after), gained, lost });
        }
        let model = shown.kernel.model();
        let mut querier = KernelAnswers::new(
            &common.evaluated,
            &common.compiled,
            model,
            &shown.marks,
            common.settings.order,
        );
        compiler.leave(&shown.wanted.context, &shown.derived, &mut querier, &mut left);
        after.push(shown.wanted.name.clone());
    }
}

/// The atoms of a compiled prompt.
fn atoms(shown: &PreviewedPrompt) -> Vec<String> {
    let Some(made) = shown.prompt.compilation.as_ref() else { return Vec::new() };
    let atoms = made.included.iter().filter_map(|at| made.atoms.get(*at).map(Arc::as_ref));
    atoms.map(|atom| atom.id.text.clone()).collect()
}
