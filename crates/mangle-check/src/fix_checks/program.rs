//! What a statement that becomes readable means for the rest of the program: whether it closes a cycle through a negation,
//! or declares that rules have to be called.

use rustc_hash::FxHashSet;

use super::errors::Check;
use mangle_engine::program::{PredicateId, Program};
use mangle_syntax::syntax::ast::{Clause, Declaration, StatementKind};

/// Whether a statement that was damaged brings errors that no look at this statement alone shows.
pub(super) fn is_disturbed(check: &Check<'_>) -> bool {
    check.was_damaged()
        && check.after().any(|(item, _)| match &item.statement.kind {
            StatementKind::Clause(clause) => closes_cycle(check, clause) || has_modes(check, clause),
            StatementKind::Declaration(declaration) => asks_for_calls(declaration),
            StatementKind::Package(_) | StatementKind::Use(_) | StatementKind::Broken => false,
        })
}

/// Whether a declaration has modes: rules elsewhere may not bind what it asks for.
fn asks_for_calls(declaration: &Declaration) -> bool {
    declaration.descriptors.iter().any(|descriptor| descriptor.name.as_str() == "mode")
}

/// Whether a rule is about a predicate whose declaration has modes: it may not bind what that asks for.
fn has_modes(check: &Check<'_>, clause: &Clause) -> bool {
    let predicate = check.program.predicate_of(check.file, &clause.head).filter(|_| !clause.is_fact());
    let declarations = predicate.into_iter().flat_map(|predicate| check.program.declarations(predicate));
    declarations.filter_map(|site| site.item.statement.declaration()).any(asks_for_calls)
}

/// Whether a rule closes a cycle with a negation or an aggregation in it.
fn closes_cycle(check: &Check<'_>, clause: &Clause) -> bool {
    let id = |atom| check.program.id_of(check.file, atom);
    let Some(head) = id(&clause.head) else { return false };
    clause.literals().any(|literal| {
        let is_negative = literal.is_negated() || clause.aggregates();
        id(&literal.atom).is_some_and(|start| leads_back(check.program, start, head, is_negative))
    })
}

/// Whether a way through the dependency graph leads from `start` to `end`, with a negative step in it or before it.
fn leads_back(program: &Program, start: PredicateId, end: PredicateId, is_negative: bool) -> bool {
    let mut known = FxHashSet::from_iter([(start, is_negative)]);
    let mut pending = vec![(start, is_negative)];
    while let Some((node, negative)) = pending.pop() {
        if node == end && negative {
            return true;
        }
        for edge in program.graph().edges_from(node) {
            let next = (edge.to, negative || edge.is_negative());
            if known.insert(next) {
                pending.push(next);
            }
        }
    }
    false
}
