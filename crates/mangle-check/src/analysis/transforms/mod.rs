//! Rules about transforms, `|>` (`MG401` to `MG420`): variables in scope, grouping, position of
//! reducers, and counted rows.
//!
//! The safety rules check the variables of the body; this family checks the variables of the
//! transform. Only the first transform of a clause is checked, because a second one is an error.

mod grouping;
mod reducers;
mod rows;
mod scope;
#[cfg(test)]
mod tests;
mod variables;

use scope::{TransformKind, TransformScope};

use super::{CheckContext, Family, ProgramCheck};
use mangle_syntax::lint::{Finding, Fix, Rule, rule};
use mangle_syntax::syntax::ast::{Clause, Transform};
use mangle_syntax::text::TextRange;

pub(super) const FAMILY: Family = Family {
    rules: &[
        &MULTIPLE_TRANSFORMS,
        &grouping::DO_WITHOUT_GROUP_BY,
        &grouping::GROUP_BY_NOT_VARIABLE,
        &grouping::GROUP_BY_REPEATED,
        &reducers::GROUP_BY_MISPLACED,
        &variables::TRANSFORM_REDEFINES,
        &variables::LET_REDEFINED,
        &variables::TRANSFORM_UNBOUND_USE,
        &variables::LET_ORDER,
        &grouping::HEAD_VAR_NOT_GROUPED,
        &variables::FUNCTION_OVER_UNGROUPED,
        &reducers::REDUCER_IN_LET,
        &reducers::REDUCER_IN_BODY,
        &reducers::REDUCER_ARG_NOT_VARIABLE,
        &super::types::REDUCER_TYPE,
        &reducers::REDUCER_OVER_LET,
        &rows::GROUP_WILDCARD_MULTIPLICITY,
        &rows::GROUP_REPEATED_VARIABLE,
        &rows::GROUP_RELATION_SHARED,
    ],
    clause: Some(check_clause),
    declaration: None,
    program: &[ProgramCheck::Predicate(rows::check_program)],
};

/// For example `|> do … |> let …`.
static MULTIPLE_TRANSFORMS: Rule = rule!("multiple-transforms.md");

fn check_clause(context: &CheckContext<'_>, clause: &Clause, findings: &mut Vec<Finding>) {
    reducers::check_expressions(context, clause, findings);
    let Some((transform, others)) = clause.transforms.split_first() else { return };
    if let (Some(second), Some(last)) = (others.first(), others.last()) {
        findings.push(multiple(transform, second, last));
    }
    let Some(scope) = TransformScope::new(context, clause, transform) else { return };
    if scope.kind == TransformKind::OtherDo {
        grouping::check_do(&scope, findings);
        return;
    }
    variables::check(&scope, findings);
    reducers::check(&scope, findings);
    if scope.kind == TransformKind::Group {
        grouping::check(&scope, findings);
        rows::check(&scope, findings);
    }
}

fn multiple(first: &Transform, second: &Transform, last: &Transform) -> Finding {
    let range = TextRange::new(second.range.start(), last.range.end());
    let finding = Finding::new(&MULTIPLE_TRANSFORMS, range, "clause has more than one transform")
        .label("only one `|>` is allowed")
        .note("the engine rejects the program");
    // A `let` can follow in the first transform.
    if second.range != last.range || second.is_do() || second.statements.is_empty() {
        return finding.help("move what needs another grouping to a rule of its own");
    }
    let pipe = TextRange::at(second.range.start(), 2.into());
    finding.fix(Fix::guess("append to the first transform").insert(first.range.end(), ",").replace(pipe, ""))
}
