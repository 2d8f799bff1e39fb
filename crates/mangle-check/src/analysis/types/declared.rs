//! Checks of facts, heads and declarations that contradict each other (`MG603`, `MG605`, `MG608`), and
//! type problems of single facts.

use rustc_hash::FxHashSet;

use super::wording::{QUOTED, base_noun, found, kind, place, rewrite_literal, undeclared, with_origin};
use crate::analysis::CheckContext;
use crate::analysis::wording::code;
use mangle_engine::program::builtins;
use mangle_engine::types::{
    ClauseTypes, Relation, Rows, Type, TypeOrigin, TypeProblem, TypeProblemKind, TypeState,
};
use mangle_syntax::lint::{Finding, Fix, Rule, Severity, rule};
use mangle_syntax::syntax::ast::{Atom, Clause, Declaration, Premise};
use mangle_syntax::text::TextRange;

/// For example `Decl van(A) bound [/number]. van("x").`
pub(super) static TYPE_FACT_MISMATCH: Rule = rule!("type-fact-mismatch.md");

/// For example `Decl ok(A) bound [/string]. ok(A) :- van(A).`
pub(super) static TYPE_HEAD_MISMATCH: Rule = rule!("type-head-mismatch.md");

/// The finding about one argument of a head.
pub(super) fn head(
    context: &CheckContext<'_>,
    clause: &Clause,
    problem: &TypeProblem,
    argument: u32,
    row: u32,
) -> Option<Finding> {
    let predicate = context.predicate(&clause.head)?;
    let term = clause.head.args.get(argument as usize)?;
    let rule = if clause.is_fact() { &TYPE_FACT_MISMATCH } else { &TYPE_HEAD_MISMATCH };
    let found = match term.is_constant() {
        true => format!("{} {}", kind(&problem.found), code(context.slice(term.range), QUOTED)),
        false => found(context, problem),
    };
    let rows = context.program.declaration(predicate).map_or(1, |declaration| declaration.bounds.len());
    let (at, key) = (argument + 1, predicate.key);
    let (message, admitted) = undeclared(&format!("argument {at} of `{key}`"), &problem.wanted, &found);
    let mut finding = Finding::new(rule, problem.range, message).note(match clause.is_fact() {
        true => "the engine does not check bounds and stores the fact anyway",
        false => "the engine does not check bounds and derives the fact anyway",
    });
    if let Some((span, what)) = place(context, predicate, row as usize, argument) {
        let what = if rows > 1 { "nearest `bound` row" } else { what };
        finding = finding.related(span, what);
    }
    finding = with_origin(admitted.into_iter().fold(finding, Finding::note), context, clause, problem);
    if clause.is_fact() && predicate.signature.reads(argument as usize) {
        finding = finding
            .severity(Severity::Error)
            .note("a rule reads this argument and expects the declared type");
    }
    match rewrite_literal(context, term, &problem.wanted) {
        Some(fix) => Some(finding.fix(fix)),
        None => Some(finding),
    }
}

/// For example `Decl asked(Id) bound [/string].` if all clauses have names.
pub(super) static BOUND_CONTRADICTED: Rule = rule!("bound-contradicted.md");

/// Checks the bounds of one declaration.
pub(super) fn check_bounds(
    context: &CheckContext<'_>,
    declaration: &Declaration,
    findings: &mut Vec<Finding>,
) {
    let Some(id) = context.program.id_of(context.file, &declaration.atom) else { return };
    let [row] = declaration.bounds.as_slice() else { return };
    let contradicted = context.types.rows(id).contradicted.iter();
    for (at, (ty, kind)) in row.types.iter().zip(contradicted).enumerate() {
        let Some(kind) = kind else { continue };
        let noun = base_noun(*kind);
        let kinds = noun.split_once(' ').map_or(noun, |(_, kind)| kind);
        let message = format!(
            "argument {} of `{}` is declared {}, but filled with {kinds}s",
            at + 1,
            context.program.get(id).key,
            code(context.slice(ty.range), 24),
        );
        let fix = Fix::guess(format!("declare `{}`", kind.as_str())).replace(ty.range, kind.as_str());
        let finding = Finding::new(&BOUND_CONTRADICTED, ty.range, message)
            .note(format!("nearly every literal in this argument is {noun}"))
            .note(
                "the engine does not check bounds: premises for the declared type match none of these facts",
            );
        findings.push(finding.fix(fix));
    }
}

/// True if the problem is a literal in a fact, and the declaration is the likely mistake.
pub(super) fn explains(context: &CheckContext<'_>, clause: &Clause, problem: &TypeProblem) -> bool {
    match problem.kind {
        TypeProblemKind::Head { argument, .. } if clause.is_fact() => {
            is_of_kind(context, &clause.head, argument)
        }
        _ => false,
    }
}

fn is_of_kind(context: &CheckContext<'_>, atom: &Atom, argument: u32) -> bool {
    let Some(id) = context.program.id_of(context.file, atom) else { return false };
    let kind = context.types.rows(id).contradicted.get(argument as usize).copied().flatten();
    let literal = atom.args.get(argument as usize).filter(|term| term.is_constant());
    match (kind, literal) {
        (Some(kind), Some(literal)) => TypeState::default().type_of(literal).is_subtype(&Type::Base(kind)),
        _ => false,
    }
}

/// Problems that certainly abort the evaluation for some facts of the program, in addition to
/// `known`.
///
/// A problem is certain if it directly follows a premise that matches every row of its relation.
/// With more premises in between, the evaluation might never reach the facts.
pub(super) fn problems_of_rows(
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
