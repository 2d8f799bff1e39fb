//! Check for names that a column never contains (`MG607`).

use super::wording::{QUOTED, atom_of, described, found, noun, place, with_origin};
use crate::analysis::CheckContext;
use crate::analysis::wording::code;
use mangle_engine::types::{TypeProblem, TypeProblemKind};
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::syntax::ast::Clause;

/// For example `state(/open). shut() :- state(/shut).`
pub(super) static NAME_NEVER_USED: Rule = rule!("name-never-used.md");

/// The finding about names that never match.
pub(super) fn finding(context: &CheckContext<'_>, clause: &Clause, problem: &TypeProblem) -> Option<Finding> {
    let (message, note) = match problem.kind {
        TypeProblemKind::Premise { premise, argument, negated: false } => {
            let described = described(context, atom_of(clause, premise)?);
            let found = match problem.variable {
                Some(_) => noun(&problem.found),
                None => code(context.slice(problem.range), QUOTED),
            };
            let message = format!("argument {} of {described} is never {found}", argument + 1);
            (message, format!("clauses of {described} have {} there", noun(&problem.wanted)))
        }
        TypeProblemKind::Equality { negated: false, .. } => {
            let wanted = noun(&problem.wanted);
            let message = format!("{} is never {wanted} in this program", found(context, problem));
            (message, "the premise holds only if the host adds such a fact".to_owned())
        }
        _ => return None,
    };
    let mut finding = Finding::new(&NAME_NEVER_USED, problem.range, message).note(note);
    if let TypeProblemKind::Premise { premise, argument, .. } = problem.kind
        && let Some(predicate) = context.predicate(atom_of(clause, premise)?)
        && let Some((span, what)) = place(context, predicate, 0, argument)
    {
        finding = finding.related(span, what);
    }
    Some(with_origin(finding, context, clause, problem))
}
