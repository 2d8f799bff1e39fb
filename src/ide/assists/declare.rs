//! A `Decl` for a predicate that has none, or for all of them, with the parameter names that clauses use and the types
//! that they show.

use super::{Change, Context};
use crate::ide::mention::Entity;
use mangle_check::declaration_text::{before, edits, is_undeclared, undeclared};
use mangle_engine::program::{Predicate, PredicateKey};

pub(super) fn declare(context: &Context<'_>) -> Option<Change> {
    let (written, predicate) = undeclared_here(context)?;
    let place = context.place;
    let elsewhere = place.item().map(|item| before(place.file, item));
    let edits = edits(place.analysis, &[predicate], elsewhere);
    (!edits.is_empty()).then(|| Change::new(format!("Declare `{written}`")).in_files(edits))
}

/// Where one is not declared, all that are defined and not declared.
pub(super) fn declare_all(context: &Context<'_>) -> Option<Change> {
    undeclared_here(context)?;
    let place = context.place;
    let all: Vec<_> = undeclared(place.program()).collect();
    let edits = edits(place.analysis, &all, None);
    let title = format!("Declare all {} predicates that have no `Decl`", all.len());
    (all.len() > 1).then(|| Change::new(title).in_files(edits))
}

/// The predicate at the place, with its name as it is written there.
fn undeclared_here<'a>(context: &Context<'a>) -> Option<(PredicateKey, &'a Predicate)> {
    let Entity::Predicate(key) = context.place.mention()?.entity else { return None };
    let predicate = context.place.predicate(key).filter(|predicate| is_undeclared(predicate))?;
    Some((key, predicate))
}
