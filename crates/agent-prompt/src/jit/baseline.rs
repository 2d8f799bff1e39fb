//! Base section without the prompt compiler: the mandatory atoms that match, in order, if they fit.

use std::sync::Arc;

use super::super::derived_context::DerivedContext;
use super::super::sections::{Section, SectionKind, SectionSource};
use super::assemble;
use super::atom::{AtomKind, PromptAtom, Variant};
use super::budget::{self, FittedAtom};
use super::order::order;
use super::placeholders::Placeholders;
use super::select::ScoredAtom;
use super::situation::Situation;

/// The base. `None` if no atom matches or the dependencies have a cycle.
#[allow(clippy::cast_precision_loss)] // Priorities are small.
pub(super) fn baseline(corpus: &[Arc<PromptAtom>], derived: &DerivedContext) -> Option<Section> {
    let situation = Situation::new(derived);
    let is_wanted = |atom: &&PromptAtom| {
        atom.kind == AtomKind::Corpus
            && atom.is_mandatory
            && !super::limits::is_left_out(atom, derived)
            && situation.unmatched(atom).is_none()
    };
    let mut atoms: Vec<&PromptAtom> = corpus.iter().map(|atom| &**atom).filter(is_wanted).collect();
    atoms.sort_by_key(|atom| std::cmp::Reverse(atom.priority));
    let chosen: Vec<ScoredAtom> = (0..)
        .zip(&atoms)
        .map(|(at, atom)| ScoredAtom {
            atom: at,
            logic: 1.0,
            vector: 0.0,
            score: atom.priority as f64 / 100.0,
        })
        .collect();
    let ordered = order(&atoms, &chosen).ok()?;
    let available = super::limits::available(derived).unwrap_or(budget::DEFAULT);
    let fitted = match budget::fit(&atoms, &ordered, available) {
        Ok(fit) => fit.fitted,
        Err(_) => unfitted(&atoms, &ordered),
    };
    let sections = assemble::assemble(&atoms, &fitted, &Placeholders::new(derived), &|_, _| None);
    let mut base = Section::new(SectionKind::Base, SectionSource::Atoms, "baseline");
    base.lines = sections.into_iter().flat_map(|section| section.lines).collect();
    (!base.lines.is_empty()).then_some(base)
}

/// All atoms, for a prompt without a budget.
fn unfitted(atoms: &[&PromptAtom], ordered: &[ScoredAtom]) -> Vec<FittedAtom> {
    let tokens = |chosen: &ScoredAtom| atoms.get(chosen.atom).map_or(0, |atom| atom.tokens);
    let fitted = |(order, chosen): (usize, &ScoredAtom)| FittedAtom {
        selection: *chosen,
        order,
        variant: Variant::Standard,
        tokens: tokens(chosen),
    };
    ordered.iter().enumerate().map(fitted).collect()
}
