//! Assist that adds a helper rule for a negation with wildcard columns, because the engine drops
//! such negations: `!locked(D, _)` becomes `!has_locked(D)`.
//!
//! The edit equals the fix of the corresponding finding. The assist is also available if the
//! finding is silenced or disabled.

use std::cell::OnceCell;

use super::{Change, Context};
use mangle_check::analysis::{self, negation_helper};
use mangle_syntax::lint::Anchor;
use mangle_syntax::syntax::ast::Premise;

pub(super) fn extract(context: &Context<'_>) -> Option<Change> {
    let (item, clause) = context.clause()?;
    let place = context.place;
    let at = place.offset.checked_sub(item.start)?;
    let index = clause.premises.iter().position(|premise| premise.range().contains_inclusive(at))?;
    let Some(Premise::Literal(literal)) = clause.premises.get(index) else { return None };
    if !literal.is_negated() || literal.is_temporal() {
        return None;
    }
    let inferred = OnceCell::new();
    let checked = analysis::CheckContext {
        program: place.program(),
        types: place.analysis.types(),
        file: place.file,
        item,
        text: place.file.statement_text(item),
        inferred: &inferred,
    };
    let fix = negation_helper(&checked, clause, u32::try_from(index).ok()?)?;
    let change = fix
        .edits
        .into_iter()
        .filter(|edit| edit.span.anchor == Anchor::Own)
        .fold(Change::new(fix.title), |change, edit| change.replace(edit.span.range + item.start, edit.text));
    Some(change)
}
