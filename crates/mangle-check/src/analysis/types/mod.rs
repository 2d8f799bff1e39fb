//! Type rules (`MG6xx`, `interval-type` and `reducer-type`): values of the wrong type.
//!
//! The engine has no types at run time. A type error is a premise that never holds, a row that no
//! query finds, or an operation that aborts the evaluation. `types` detects the problems, and this
//! module turns them into findings.

mod counts;
mod declared;
mod impossible;
mod names;
mod operands;
#[cfg(test)]
mod tests;
mod wording;

pub(crate) use counts::ColumnBounds;
pub(super) use impossible::INTERVAL_TYPE;
pub(super) use impossible::zero_divisor;
pub(crate) use names::NAME_NEAR;
pub(super) use operands::REDUCER_TYPE;

use super::{CheckContext, Family, ProgramCheck, ProgramContext, ProgramFindings};
use mangle_engine::program::{PredicateId, builtins};
use mangle_engine::types::TypeProblemKind;
use mangle_syntax::lint::Finding;
use mangle_syntax::syntax::ast::{Apply, Clause, Premise, Term, TermKind};
use mangle_syntax::text::Symbol;

pub(super) const FAMILY: Family = Family {
    rules: &[
        &operands::COMPARE_NON_NUMBER,
        &impossible::DIVISION_BY_ZERO,
        &declared::TYPE_FACT_MISMATCH,
        &impossible::TYPE_PREMISE_IMPOSSIBLE,
        &declared::TYPE_HEAD_MISMATCH,
        &impossible::EQ_NEVER,
        &names::NAME_NEVER_USED,
        &declared::BOUND_CONTRADICTED,
        &names::NAME_NEAR,
        &counts::COUNT_NEVER,
    ],
    clause: Some(check_clause),
    declaration: Some(declared::check_bounds),
    program: &[ProgramCheck::Predicate(check_predicate)],
};

fn check_predicate(context: &ProgramContext<'_>, id: PredicateId, out: &mut ProgramFindings) {
    names::check_near(context.program, context.program.get(id), out);
    counts::check(context, id, out);
}

fn check_clause(context: &CheckContext<'_>, clause: &Clause, findings: &mut Vec<Finding>) {
    impossible::check_division(clause, findings);
    impossible::index(clause, findings);
    impossible::check_units(context, clause, findings);
    let problems = &context.clause_types(clause).problems;
    let rare = declared::problems_of_rows(context, clause, problems);
    for problem in problems.iter().chain(&rare) {
        findings.extend(match problem.kind {
            _ if declared::explains(context, clause, problem) => None,
            _ if problem.differs_only_in_names => names::never_used(context, clause, problem),
            TypeProblemKind::Head { argument, row } => {
                declared::head(context, clause, problem, argument, row)
            }
            TypeProblemKind::Ordering { premise, left } => {
                operands::comparison(context, clause, problem, premise, left)
            }
            TypeProblemKind::Reducer { function } => operands::reducer(context, clause, problem, function),
            TypeProblemKind::Interval => Some(impossible::interval(context, clause, problem)),
            TypeProblemKind::Equality { premise, negated } => {
                impossible::equality(context, clause, problem, premise, negated)
            }
            TypeProblemKind::Premise { premise, argument, negated } => {
                impossible::premise(context, clause, problem, premise, argument, negated)
            }
            // The transform rules check the positions of reducers.
            TypeProblemKind::Argument { function, .. } if is_reducer(function) => None,
            TypeProblemKind::Argument { function, argument } => {
                Some(impossible::argument(context, clause, problem, function, argument))
            }
            TypeProblemKind::Field(label) => Some(impossible::field(context, clause, problem, label)),
        });
    }
}

/// Calls `visit` for every function application in a clause.
fn each_application<'c>(clause: &'c Clause, visit: &mut impl FnMut(&'c Apply)) {
    let of_premises = clause.premises.iter().flat_map(|premise| match premise {
        Premise::Comparison(comparison) => vec![&comparison.left, &comparison.right],
        Premise::Literal(literal) => literal.atom.args.iter().collect(),
        Premise::Broken(..) => Vec::new(),
    });
    let statements = clause.transforms.iter().flat_map(|transform| &transform.statements);
    let terms =
        clause.head.args.iter().chain(of_premises).chain(statements.map(|statement| &statement.value));
    terms.for_each(|term| each_inside(term, visit));
}

fn each_inside<'c>(term: &'c Term, visit: &mut impl FnMut(&'c Apply)) {
    if let TermKind::Apply(apply) = &term.kind {
        visit(apply);
        apply.args.iter().for_each(|arg| each_inside(arg, visit));
    }
}

fn is_reducer(function: Symbol) -> bool {
    builtins::function(function.as_str()).is_some_and(builtins::BuiltinFunction::is_reducer)
}
