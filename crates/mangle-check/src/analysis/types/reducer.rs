//! Check for reducers over values of the wrong type (`MG415`).

use super::wording::{error_if, found, noun, stops, with_origin};
use crate::analysis::CheckContext;
use mangle_engine::program::builtins;
use mangle_engine::types::{Base, Type, TypeProblem};
use mangle_syntax::lint::{Finding, Fix, Rule, rule};
use mangle_syntax::syntax::ast::Clause;
use mangle_syntax::text::Symbol;

/// For example `fn:max(X)` over floats.
pub(in crate::analysis) static REDUCER_TYPE: Rule = rule!("reducer-type.md");

/// The finding about one reducer.
pub(super) fn finding(
    context: &CheckContext<'_>,
    clause: &Clause,
    problem: &TypeProblem,
    function: Symbol,
) -> Option<Finding> {
    // Another rule covers expressions as arguments.
    problem.variable?;
    let message = format!("`{function}` takes {}, found {}", noun(&problem.wanted), found(context, problem));
    let finding = Finding::new(&REDUCER_TYPE, problem.range, message);
    let finding = finding.note("the engine aborts when it evaluates this aggregation");
    let finding = with_origin(finding, context, clause, problem);
    let finding = error_if(stops(context, clause, problem, &problem.wanted), finding);
    match counterpart(function.as_str(), &problem.found) {
        Some(right) => Some(finding.fix(Fix::safe(format!("write `{right}`")).replace(problem.range, right))),
        None => Some(finding),
    }
}

/// The reducer for values of `ty` that corresponds to `function`.
fn counterpart(function: &str, ty: &Type) -> Option<&'static str> {
    let family = match ty {
        Type::Base(Base::Number) => "",
        Type::Base(Base::Float) => "float:",
        Type::Base(Base::Duration) => "duration:",
        Type::Base(Base::Time) => "time:",
        _ => return None,
    };
    let operation = function.strip_prefix("fn:")?.rsplit(':').next()?;
    Some(builtins::function(&format!("fn:{family}{operation}"))?.name)
}
