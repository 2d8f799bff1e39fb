//! Assists that generate a `Decl` for one or all undeclared predicates. Parameter names come from
//! the clauses, bounds from the inferred types.

use super::{Change, Context};
use crate::mention::Entity;
use mangle_check::declaration_text::{before, edits, is_undeclared, undeclared};
use mangle_engine::program::{Predicate, PredicateKey};

pub(super) fn declare(context: &Context<'_>) -> Option<Change> {
    let (written, predicate) = undeclared_here(context)?;
    let place = context.place;
    let elsewhere = place.item().map(|item| before(place.file, item));
    let edits = edits(place.analysis, &[predicate], elsewhere);
    (!edits.is_empty()).then(|| Change::new(format!("Declare `{written}`")).in_files(edits))
}

/// Declares all undeclared predicates of the program. Offered only if the predicate at the cursor
/// is undeclared.
pub(super) fn declare_all(context: &Context<'_>) -> Option<Change> {
    undeclared_here(context)?;
    let place = context.place;
    let all: Vec<_> = undeclared(place.program()).collect();
    let edits = edits(place.analysis, &all, None);
    let title = format!("Declare all {} predicates that have no `Decl`", all.len());
    (all.len() > 1).then(|| Change::new(title).in_files(edits))
}

/// Returns the undeclared predicate at the cursor, with its name as written there.
fn undeclared_here<'a>(context: &Context<'a>) -> Option<(PredicateKey, &'a Predicate)> {
    let Entity::Predicate(key) = context.place.mention()?.entity else { return None };
    let predicate = context.place.predicate(key).filter(|predicate| is_undeclared(predicate))?;
    Some((key, predicate))
}
