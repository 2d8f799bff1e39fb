//! Check for declarations that nearly all clauses contradict (`MG608`).

use super::wording::base_noun;
use crate::analysis::CheckContext;
use crate::analysis::wording::code;
use mangle_engine::types::{Type, TypeProblem, TypeProblemKind, TypeState};
use mangle_syntax::lint::{Finding, Fix, Rule, rule};
use mangle_syntax::syntax::ast::{Atom, Clause, Declaration};

/// For example `Decl asked(Id) bound [/string].` if all clauses have names.
pub(super) static BOUND_CONTRADICTED: Rule = rule!("bound-contradicted.md");

/// Checks the bounds of one declaration.
pub(super) fn check(context: &CheckContext<'_>, declaration: &Declaration, findings: &mut Vec<Finding>) {
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
