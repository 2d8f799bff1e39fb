//! Columns that the rules of a declared predicate fill with names that they write themselves: the
//! declaration says `/name`, the clauses say which.
//!
//! A premise that asks for another name then matches nothing that the program derives. Only
//! predicates with rules count: one that has facts alone is often filled from outside, too.

use super::rows::{Row, Rows};
use super::value::Type;
use crate::program::{Predicate, Program};
use mangle_syntax::syntax::ast::TermKind;

/// Whether the clauses of a declared predicate tell all of its facts, as far as one can see.
pub(super) fn is_candidate(predicate: &Predicate) -> bool {
    let signature = &predicate.signature;
    signature.has_rules
        && signature.declared.is_some()
        && !(signature.host || signature.external || signature.extensional || signature.synthetic)
}

/// The declared row with the columns narrowed that all clauses fill with names; `facts` is what
/// the facts have. `None` when no column is like that.
pub(super) fn narrowed(
    program: &Program,
    predicate: &Predicate,
    declared: &Rows,
    facts: &[Row],
) -> Option<Row> {
    let [row] = declared.alternatives.as_ref() else { return None };
    let mut columns: Vec<Option<Vec<Type>>> = row.iter().map(|_| Some(Vec::new())).collect();
    for fact in facts {
        for (column, ty) in columns.iter_mut().zip(fact) {
            let names = ty.members().iter().all(|member| matches!(member, Type::Literal(_)));
            add(column, names.then(|| ty.members().to_vec()));
        }
    }
    for site in program.rules(predicate) {
        let clause = site.item.statement.clause().filter(|_| !site.item.statement.damaged)?;
        for (column, term) in columns.iter_mut().zip(&clause.head.args) {
            add(
                column,
                match term.kind {
                    TermKind::Name(name) => Some(vec![Type::Literal(name)]),
                    _ => None,
                },
            );
        }
        if columns.iter().all(Option::is_none) {
            return None;
        }
    }
    let mut changed = false;
    let narrow = |(ty, column): (&Type, Option<Vec<Type>>)| {
        let names = column.map(Type::union).filter(|names| !names.is_bottom() && names.is_subtype(ty));
        changed |= names.is_some();
        names.unwrap_or_else(|| ty.clone())
    };
    let row: Row = row.iter().zip(columns).map(narrow).collect();
    changed.then_some(row)
}

/// Adds names to a column, or opens it for good.
fn add(column: &mut Option<Vec<Type>>, names: Option<Vec<Type>>) {
    match (column.as_mut(), names) {
        (Some(known), Some(names)) => known.extend(names),
        _ => *column = None,
    }
}
