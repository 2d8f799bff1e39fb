//! Narrows declared `/name` columns to the names that the rules of the predicate derive.
//!
//! A premise with any other name cannot match a derived fact. Only predicates with rules are
//! narrowed: predicates that have only facts often also receive facts from the host.

use super::rows::{Row, Rows};
use super::value::Type;
use crate::program::{Predicate, Program};
use mangle_syntax::syntax::ast::TermKind;

/// True if the clauses of a declared predicate are probably its only source of facts.
pub(super) fn is_candidate(predicate: &Predicate) -> bool {
    let signature = &predicate.signature;
    signature.has_rules
        && signature.declared.is_some()
        && !(signature.host || signature.external || signature.extensional || signature.synthetic)
}

/// Returns the declared row, with each column narrowed if all clauses fill it with names. `facts`
/// has the types of the facts. Returns `None` if no column can be narrowed.
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

/// Adds names to a column. A clause without names opens the column permanently.
fn add(column: &mut Option<Vec<Type>>, names: Option<Vec<Type>>) {
    match (column.as_mut(), names) {
        (Some(known), Some(names)) => known.extend(names),
        _ => *column = None,
    }
}
