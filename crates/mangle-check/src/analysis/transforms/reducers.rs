//! Checks of reducers and `fn:group_by`: valid positions and arguments.

use super::{Statement, TransformKind, TransformScope};
use crate::analysis::{CheckContext, predicates};
use mangle_engine::program::builtins::{self, Arity, BuiltinFunction, FunctionRole};
use mangle_engine::types::{Type, TypeProblem, TypeProblemKind};
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::syntax::ast::{Clause, Premise, Term, TermKind};

/// For example `let G = fn:group_by(P)`.
pub(super) static GROUP_BY_MISPLACED: Rule = rule!("group-by-misplaced.md");

/// For example `crew(_, N) |> let S = fn:sum(N)`.
pub(super) static REDUCER_IN_LET: Rule = rule!("reducer-in-let.md");

/// For example `L = fn:collect(N)`.
pub(super) static REDUCER_IN_BODY: Rule = rule!("reducer-in-body.md");

/// For example `fn:sum(fn:plus(N, 1))`.
pub(super) static REDUCER_ARG_NOT_VARIABLE: Rule = rule!("reducer-arg-not-variable.md");

/// For example `let S = fn:sum(N), let T = fn:sum(S)`.
pub(super) static REDUCER_OVER_LET: Rule = rule!("reducer-over-let.md");

/// Checks the expressions of a clause outside of its transform, where reducers are invalid.
pub(super) fn check_expressions(context: &CheckContext<'_>, clause: &Clause, findings: &mut Vec<Finding>) {
    check_values(context, clause, &clause.head.args, findings);
    for premise in &clause.premises {
        match premise {
            Premise::Literal(literal) => check_values(context, clause, &literal.atom.args, findings),
            Premise::Comparison(comparison) => {
                check_value(context, clause, &comparison.left, findings);
                check_value(context, clause, &comparison.right, findings);
            }
            Premise::Broken(..) => {}
        }
    }
}

fn check_values(context: &CheckContext<'_>, clause: &Clause, terms: &[Term], findings: &mut Vec<Finding>) {
    for term in terms {
        check_value(context, clause, term, findings);
    }
}

/// Checks an expression that must be a value: no reducers, no grouping.
fn check_value(context: &CheckContext<'_>, clause: &Clause, term: &Term, findings: &mut Vec<Finding>) {
    let TermKind::Apply(apply) = &term.kind else { return };
    check_values(context, clause, &apply.args, findings);
    // Most names are ordinary functions.
    let Some(function) = builtins::function(apply.function.as_str()) else { return };
    match function.role {
        FunctionRole::Function => {}
        FunctionRole::Grouping => findings.push(misplaced(term)),
        FunctionRole::Reducer { list_form: true } => {
            if let [list] = apply.args.as_slice()
                && !may_be_list(context, clause, list)
            {
                let headline = format!("`{}` requires a list outside of a group", function.name);
                findings.push(
                    Finding::new(&REDUCER_IN_BODY, apply.function.range, headline)
                        .label("the argument is not a list")
                        .note("evaluation aborts"),
                );
            }
        }
        FunctionRole::Reducer { list_form: false } => {
            let headline = format!("`{}` is used outside of a group", function.name);
            findings.push(
                Finding::new(&REDUCER_IN_BODY, apply.function.range, headline)
                    .note("evaluation aborts")
                    .help(format!("write `|> do fn:group_by(…), let V = {}(…)`", function.name)),
            );
        }
    }
}

fn misplaced(term: &Term) -> Finding {
    Finding::new(&GROUP_BY_MISPLACED, term.range, "`fn:group_by` is not directly after `do`")
        .label("computes no value")
        .note("the engine rejects the program, or aborts evaluation")
        .help("group with `|> do fn:group_by(…)` after the body")
}

/// Checks the statements of a transform.
pub(super) fn check(scope: &TransformScope<'_>, findings: &mut Vec<Finding>) {
    if let Some(action) = scope.action {
        check_values(scope.context, scope.clause, &action.apply.args, findings);
    }
    for (at, statement) in scope.lets.iter().enumerate() {
        check_values(scope.context, scope.clause, &statement.apply.args, findings);
        let Some(function) = statement.function else { continue };
        match (function.role, scope.kind) {
            (FunctionRole::Grouping, _) => findings.push(misplaced(statement.value).rejected_if(true)),
            (FunctionRole::Reducer { .. }, TransformKind::Group) => {
                check_reducer(scope, statement, function, findings)
            }
            (FunctionRole::Reducer { .. }, _) => {
                findings.extend(without_group(scope, at, statement, function))
            }
            (FunctionRole::Function, _) => {}
        }
    }
}

fn without_group(
    scope: &TransformScope<'_>,
    at: usize,
    statement: &Statement<'_>,
    function: &BuiltinFunction,
) -> Option<Finding> {
    // The engine's analysis skips the first statement, which can therefore sum a list.
    if at == 0
        && function.takes_list()
        && let [list] = statement.apply.args.as_slice()
        && is_list(scope.context, scope.clause, list)
    {
        return None;
    }
    // The engine's analysis skips the first statement, and accepts any number of arguments of
    // reducers.
    let is_rejected = at > 0 && !matches!(function.arity, Arity::AtLeast(_));
    let effect = if is_rejected { "the engine rejects the program" } else { "evaluation aborts" };
    let headline = format!("`{}` has no group to reduce", function.name);
    Some(
        Finding::new(&REDUCER_IN_LET, statement.apply.function.range, headline)
            .note(format!("a transform of `let`s computes each solution by itself; {effect}"))
            .help("insert `do fn:group_by(…)` before the first `let`")
            .rejected_if(is_rejected),
    )
}

fn check_reducer(
    scope: &TransformScope<'_>,
    statement: &Statement<'_>,
    function: &'static BuiltinFunction,
    findings: &mut Vec<Finding>,
) {
    if !statement.reduces_rows(scope) {
        let mut uses_rows = false;
        statement.value.variables(&mut |symbol, _| uses_rows |= !scope.is_key(symbol));
        if !uses_rows {
            findings.push(predicates::wrong_arity(statement.value, statement.apply, function));
        }
        return;
    }
    if let Some(over_let) = over_let(scope, statement, function) {
        findings.push(over_let);
    } else if function.takes_list() || function.name == "fn:avg" {
        findings.extend(check_argument(statement, function));
    }
}

fn over_let(
    scope: &TransformScope<'_>,
    statement: &Statement<'_>,
    function: &BuiltinFunction,
) -> Option<Finding> {
    let mut found = None;
    statement.value.variables(&mut |symbol, range| {
        if scope.is_defined(symbol) && !scope.is_bound(symbol) {
            found.get_or_insert((symbol, range));
        }
    });
    let (symbol, range) = found?;
    let headline = format!("`{}` reduces nothing: a `let` defines `{symbol}`", function.name);
    Some(
        Finding::new(&REDUCER_OVER_LET, range, headline)
            .note("a group holds the variables of the body only; the result is silently 0 or empty")
            .help("reduce a variable of the body, or aggregate again in a second rule"),
    )
}

/// Checks the argument of a numeric reducer.
fn check_argument(statement: &Statement<'_>, function: &BuiltinFunction) -> Option<Finding> {
    let [argument] = statement.apply.args.as_slice() else { return None };
    // `_` in a transform has its own finding.
    if argument.is_wildcard() {
        return None;
    }
    if argument.variable().is_some() {
        return None;
    }
    let headline = format!("`{}` requires a variable, found an expression", function.name);
    Some(
        Finding::new(&REDUCER_ARG_NOT_VARIABLE, argument.range, headline)
            .note("the engine panics")
            .help("compute the value in a rule of its own and reduce its argument"),
    )
}

/// True unless the argument of a reducer is certainly not a list.
fn may_be_list(context: &CheckContext<'_>, clause: &Clause, term: &Term) -> bool {
    let refused = |problem: &TypeProblem| {
        matches!(problem.kind, TypeProblemKind::Argument { .. }) && problem.range == term.range
    };
    !context.clause_types(clause).problems.iter().any(refused)
}

/// True if the value of a term is certainly a list.
fn is_list(context: &CheckContext<'_>, clause: &Clause, term: &Term) -> bool {
    let lists = Type::list(Type::Any);
    context.clause_types(clause).states.iter().all(|state| state.type_of(term).is_subtype(&lists))
}
