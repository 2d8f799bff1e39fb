//! Reducers and `fn:group_by`: where they belong, and what a reducer can take.

use super::scope::{Statement, TransformKind, TransformScope};
use crate::analysis::{CheckContext, predicates};
use mangle_engine::program::builtins::{self, BuiltinFunction, FunctionRole};
use mangle_engine::types::{Type, TypeProblem, TypeProblemKind};
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::syntax::ast::{Clause, Premise, Term, TermKind};

/// `let G = fn:group_by(P)`
pub(super) static GROUP_BY_MISPLACED: Rule = rule!("group-by-misplaced.md");

/// `crew(_, N) |> let S = fn:sum(N)`
pub(super) static REDUCER_IN_LET: Rule = rule!("reducer-in-let.md");

/// `L = fn:collect(N)`
pub(super) static REDUCER_IN_BODY: Rule = rule!("reducer-in-body.md");

/// `fn:sum(fn:plus(N, 1))`
pub(super) static REDUCER_ARG_NOT_VARIABLE: Rule = rule!("reducer-arg-not-variable.md");

/// `let S = fn:sum(N), let T = fn:sum(S)`
pub(super) static REDUCER_OVER_LET: Rule = rule!("reducer-over-let.md");

/// Checks the expressions of a clause outside its transform, where no reducer belongs.
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
    // Of most applications the name says at once that they are ordinary.
    let Some(function) = builtins::function(apply.function.as_str()) else { return };
    match function.role {
        FunctionRole::Function => {}
        FunctionRole::Grouping => findings.push(misplaced(term)),
        FunctionRole::Reducer { list_form: true } => {
            if let [list] = apply.args.as_slice()
                && !may_be_list(context, clause, list)
            {
                let message = format!(
                    "Outside of a group `{}` takes a list, and this is none: the engine stops the whole evaluation here.",
                    function.name
                );
                findings.push(Finding::new(&REDUCER_IN_BODY, apply.function.range, message));
            }
        }
        FunctionRole::Reducer { list_form: false } => {
            let message = format!(
                "`{0}` reduces the rows of a group and has none here: the engine stops the whole evaluation. Write `|> do fn:group_by(…), let V = {0}(…)`.",
                function.name
            );
            findings.push(Finding::new(&REDUCER_IN_BODY, apply.function.range, message));
        }
    }
}

fn misplaced(term: &Term) -> Finding {
    let message = "`fn:group_by` computes no value; it stands directly behind `do`.";
    Finding::new(&GROUP_BY_MISPLACED, term.range, message)
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
            (FunctionRole::Grouping, _) => findings.push(misplaced(statement.value)),
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
    // The first statement escapes the analysis, and there a list can be summed up.
    if at == 0
        && function.takes_list()
        && let [list] = statement.apply.args.as_slice()
        && is_list(scope.context, scope.clause, list)
    {
        return None;
    }
    let message = format!(
        "`{}` reduces the rows of a group, and there is none without `do fn:group_by(…)`.",
        function.name
    );
    Some(Finding::new(&REDUCER_IN_LET, statement.apply.function.range, message))
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
    let message = format!(
        "`{}` goes through the rows of the group, and those do not have `{symbol}`, which a `let` defines: it reduces nothing, without a word.",
        function.name
    );
    Some(Finding::new(&REDUCER_OVER_LET, range, message))
}

/// Checks the one argument of a numeric reducer.
fn check_argument(statement: &Statement<'_>, function: &BuiltinFunction) -> Option<Finding> {
    let [argument] = statement.apply.args.as_slice() else { return None };
    // `_` is reported wherever it stands in a transform.
    if argument.is_wildcard() {
        return None;
    }
    if argument.variable().is_some() {
        return None;
    }
    let message =
        format!("`{}` takes a plain variable; the engine crashes over an expression.", function.name);
    Some(Finding::new(&REDUCER_ARG_NOT_VARIABLE, argument.range, message))
}

/// Whether nothing speaks against the argument of a reducer being a list.
fn may_be_list(context: &CheckContext<'_>, clause: &Clause, term: &Term) -> bool {
    let refused = |problem: &TypeProblem| {
        matches!(problem.kind, TypeProblemKind::Argument { .. }) && problem.range == term.range
    };
    !context.clause_types(clause).problems.iter().any(refused)
}

/// Whether a term of a clause's body has a list as its value for certain.
fn is_list(context: &CheckContext<'_>, clause: &Clause, term: &Term) -> bool {
    let lists = Type::list(Type::Any);
    context.clause_types(clause).states.iter().all(|state| state.type_of(term).is_subtype(&lists))
}
