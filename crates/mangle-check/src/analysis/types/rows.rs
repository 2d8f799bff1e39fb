//! Type problems of single facts that abort the evaluation, in relations with several kinds of
//! facts.

use rustc_hash::FxHashSet;

use crate::analysis::CheckContext;
use mangle_engine::program::builtins;
use mangle_engine::types::{ClauseTypes, Relation, Rows, TypeOrigin, TypeProblem, TypeProblemKind};
use mangle_syntax::syntax::ast::{Atom, Clause, Premise};
use mangle_syntax::text::TextRange;

/// Problems that certainly abort the evaluation for some facts of the program, in addition to
/// `known`.
///
/// A problem is certain if it directly follows a premise that matches every row of its relation.
/// With more premises in between, the evaluation might never reach the facts.
pub(super) fn problems(
    context: &CheckContext<'_>,
    clause: &Clause,
    known: &[TypeProblem],
) -> Vec<TypeProblem> {
    let Some(atom) = open_atom(clause) else { return Vec::new() };
    let Some(id) = context.program.id_of(context.file, atom) else { return Vec::new() };
    let rows = context.types.rows(id);
    // The problems of a relation with one kind of fact are already known.
    if rows.facts.is_empty() || rows.alternatives == rows.facts && rows.facts.len() == 1 {
        return Vec::new();
    }
    let mut found: Vec<TypeProblem> = Vec::new();
    for row in rows.facts.iter() {
        let relation = |other: &Atom| {
            let relation = context.types.relation(context.program, context.file, other);
            if other.range == atom.range {
                Relation { rows: Rows::from_row(row.clone()), ..relation }
            } else {
                relation
            }
        };
        let is_new =
            |problem: &TypeProblem| known.iter().chain(&found).all(|other| other.range != problem.range);
        let here = ClauseTypes::infer(clause, relation).problems.into_iter();
        let here: Vec<_> = here.filter(|problem| is_next(clause, problem) && is_new(problem)).collect();
        found.extend(here);
    }
    found
}

/// The atom of the first premise. `None` unless every row of its relation matches.
fn open_atom(clause: &Clause) -> Option<&Atom> {
    let Premise::Literal(literal) = clause.premises.first()? else { return None };
    let mut seen = FxHashSet::default();
    let is_open = literal.atom.args.iter().all(|term| match term.variable() {
        Some(name) => seen.insert(name),
        None => term.is_wildcard(),
    });
    let is_plain = !literal.is_negated() && literal.interval.is_none() && literal.operator.is_none();
    (is_open && is_plain && !literal.atom.is_builtin()).then_some(&literal.atom)
}

/// True if the evaluation aborts at the problem, and no premise is between the problem and the
/// first premise.
fn is_next(clause: &Clause, problem: &TypeProblem) -> bool {
    let is_of_first = matches!(problem.origin, Some(TypeOrigin::Argument { premise: 0, .. }));
    let stops = match problem.kind {
        TypeProblemKind::Ordering { premise, .. } => premise == 1,
        TypeProblemKind::Reducer { .. } => clause.premises.len() == 1,
        TypeProblemKind::Argument { .. } => is_in_second(clause, problem.range),
        TypeProblemKind::Premise { premise: 1, argument, .. } => match clause.premises.get(1) {
            Some(Premise::Literal(literal)) => builtins::predicate(literal.atom.name.as_str())
                .is_some_and(|builtin| builtin.aborts_at(argument as usize)),
            _ => false,
        },
        _ => false,
    };
    is_of_first && stops && !problem.differs_only_in_names
}

fn is_in_second(clause: &Clause, range: TextRange) -> bool {
    clause.premises.get(1).is_some_and(|premise| premise.range().contains_range(range))
}
