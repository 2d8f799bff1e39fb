//! Names that a column never has: `MG607`.

use super::wording::{atom_of, described, found, noun, place, with_origin};
use crate::analysis::CheckContext;
use mangle_engine::types::{TypeProblem, TypeProblemKind};
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::syntax::ast::Clause;

/// `state(/open). shut() :- state(/shut).`
pub(super) static NAME_NEVER_USED: Rule = rule!("name-never-used.md");

/// The finding about names that never meet.
pub(super) fn finding(context: &CheckContext<'_>, clause: &Clause, problem: &TypeProblem) -> Option<Finding> {
    let message = match problem.kind {
        TypeProblemKind::Premise { premise, argument, negated: false } => {
            let atom = atom_of(clause, premise)?;
            format!(
                "No clause puts such a name there: argument {} of {} is always {}, but {}.",
                argument + 1,
                described(context, atom),
                noun(&problem.wanted),
                found(context, clause, problem)
            )
        }
        TypeProblemKind::Equality { negated: false, .. } => format!(
            "This holds for no fact of the program: {}, and the other side is {}.",
            found(context, clause, problem),
            noun(&problem.wanted)
        ),
        _ => return None,
    };
    let mut finding = Finding::new(&NAME_NEVER_USED, problem.range, message);
    if let TypeProblemKind::Premise { premise, argument, .. } = problem.kind
        && let Some(predicate) = context.predicate(atom_of(clause, premise)?)
        && let Some((span, what)) = place(context, predicate, 0, argument)
    {
        finding = finding.related(span, what);
    }
    Some(with_origin(finding, context, clause, problem))
}
