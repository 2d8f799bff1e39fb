//! Sticky previews: prompts compiled one after the other in a kernel that is never cleaned.
//!
//! Each compilation sees the situations, atoms and search hits of earlier compilations.

use std::sync::Arc;

use super::{PreviewState, PreviewedPrompt};
use crate::answers::KernelAnswers;
use crate::jit::Residue;
use crate::sections::Mode;

/// The effects of earlier compilations on a prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StickyChanges {
    /// The names of the earlier previews.
    pub after: Vec<String>,
    /// The atoms that are included because of earlier compilations.
    pub gained: Vec<String>,
    /// The atoms that are excluded because of earlier compilations.
    pub lost: Vec<String>,
}

/// Assembles prompts again, each with the residue of earlier compilations.
pub(super) fn stick(common: &PreviewState, all: &mut [PreviewedPrompt]) {
    if !common.settings.sticky {
        return;
    }
    let (mut left, mut after) = (Residue::default(), Vec::new());
    for shown in all.iter_mut() {
        let Some(compiler) = common.compiler(&shown.request) else { continue };
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
            shown.sticky_changes = Some(StickyChanges { after: Vec::clone(&after), gained, lost });
        }
        let model = shown.kernel.model();
        let mut querier = KernelAnswers::new(
            &common.evaluated,
            &common.compiled,
            model,
            &shown.marks,
            common.settings.order,
        );
        compiler.add_residue(&shown.request.context, &shown.derived, &mut querier, &mut left);
        after.push(shown.request.name.clone());
    }
}

fn atoms(shown: &PreviewedPrompt) -> Vec<String> {
    let Some(made) = shown.prompt.compilation.as_ref() else { return Vec::new() };
    let atoms = made.included.iter().filter_map(|at| made.atoms.get(*at).map(Arc::as_ref));
    atoms.map(|atom| atom.id.text.clone()).collect()
}
