//! The base of a prompt without the compiler: the mandatory atoms that are wanted, in order, as far as they fit.

use std::sync::Arc;

use super::super::derived::Derived;
use super::super::sections::{From, Section, SectionKind};
use super::atom::{Atom, Kind, Variant};
use super::budget::{self, Fitted};
use super::order::order;
use super::placeholders::Placeholders;
use super::select::Chosen;
use super::situation::Situation;
use super::{assemble, compile};

/// The base, or `None` where no atom is wanted or they need each other in a circle.
#[allow(clippy::cast_precision_loss)] // Priorities are small.
pub(super) fn baseline(corpus: &[Arc<Atom>], derived: &Derived) -> Option<Section> {
    let situation = Situation::of(derived);
    let is_wanted = |atom: &&Atom| {
        atom.kind == Kind::Corpus
            && atom.is_mandatory
            && !compile::is_left_out(atom, derived)
            && situation.unmatched(atom).is_none()
    };
    let mut atoms: Vec<&Atom> = corpus.iter().map(|atom| &**atom).filter(is_wanted).collect();
    atoms.sort_by_key(|atom| std::cmp::Reverse(atom.priority));
    let chosen: Vec<Chosen> = (0..)
        .zip(&atoms)
        .map(|(at, atom)| Chosen { atom: at, logic: 1.0, vector: 0.0, score: atom.priority as f64 / 100.0 })
        .collect();
    let ordered = order(&atoms, &chosen).ok()?;
    let available = compile::available(derived).unwrap_or(budget::DEFAULT);
    let fitted = match budget::fit(&atoms, &ordered, available) {
        Ok(fit) => fit.fitted,
        Err(_) => unfitted(&atoms, &ordered),
    };
    let sections = assemble::assemble(&atoms, &fitted, &Placeholders::of(derived), &|_, _| None);
    let mut base = Section::new(SectionKind::Base, From::Atoms, "baseline");
    base.lines = sections.into_iter().flat_map(|section| section.lines).collect();
    (!base.lines.is_empty()).then_some(base)
}

/// All atoms, where there is no budget to fit them into.
fn unfitted(atoms: &[&Atom], ordered: &[Chosen]) -> Vec<Fitted> {
    let tokens = |chosen: &Chosen| atoms.get(chosen.atom).map_or(0, |atom| atom.tokens);
    let fitted = |(order, chosen): (usize, &Chosen)| Fitted {
        chosen: *chosen,
        order,
        variant: Variant::Standard,
        tokens: tokens(chosen),
    };
    ordered.iter().enumerate().map(fitted).collect()
}
