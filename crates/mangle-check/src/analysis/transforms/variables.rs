//! Checks of the variables in a transform: their definitions, their order, and their availability
//! after grouping.

use smallvec::SmallVec;

use super::{MAX_ITEMS, Statement, TransformKind, TransformScope};
use mangle_engine::program::builtins::Arity;
use mangle_syntax::lint::{Finding, Fix, Rule, Span, rule};
use mangle_syntax::syntax::ast::Name;
use mangle_syntax::text::{Symbol, TextRange};

/// For example `crew(_, N) |> let N = …`.
pub(super) static TRANSFORM_REDEFINES: Rule = rule!("transform-redefines.md");

/// For example `let M = …, let M = …`.
pub(super) static LET_REDEFINED: Rule = rule!("let-redefined.md");

/// For example `let M = fn:plus(K, 1)` without `K`.
pub(super) static TRANSFORM_UNBOUND_USE: Rule = rule!("transform-unbound-use.md");

/// For example `let B = fn:plus(A, 1), let A = …`.
pub(super) static LET_ORDER: Rule = rule!("let-order.md");

/// For example `do fn:group_by(P), let M = fn:plus(N, 1)`.
pub(super) static FUNCTION_OVER_UNGROUPED: Rule = rule!("function-over-ungrouped.md");

/// Checks the definitions of variables in a transform.
pub(super) fn check(scope: &TransformScope<'_>, findings: &mut Vec<Finding>) {
    for (at, statement) in scope.lets.iter().enumerate() {
        if let Some(variable) = statement.variable {
            findings.extend(redefinition(scope, at, variable));
        }
        check_uses(scope, at, statement, findings);
    }
    check_keys(scope, findings);
    check_head(scope, findings);
}

fn redefinition(scope: &TransformScope<'_>, at: usize, variable: Name) -> Option<Finding> {
    let Name { symbol, range } = variable;
    let earlier = scope.lets.iter().take(at).filter_map(|statement| statement.variable);
    if let Some(first) = earlier.into_iter().find(|earlier| earlier.symbol == symbol) {
        let finding =
            Finding::new(&LET_REDEFINED, range, format!("second `let` of `{symbol}` has no effect"));
        return Some(
            finding
                .related(Span::here(first.range), "the engine uses this value")
                .note("the engine silently keeps the value of the first `let`")
                .help("use a new variable"),
        );
    }
    scope.is_bound(symbol).then(|| {
        Finding::new(&TRANSFORM_REDEFINES, range, format!("`let` redefines `{symbol}`, which the body binds"))
            .note("the engine rejects the program")
            .help("use a new variable")
    })
}

/// Checks each distinct variable in the right side of a `let`.
fn check_uses(scope: &TransformScope<'_>, at: usize, statement: &Statement<'_>, findings: &mut Vec<Finding>) {
    let over_rows = scope.kind == TransformKind::Let || statement.reduces_rows(scope);
    let mut seen: SmallVec<[Symbol; 8]> = SmallVec::new();
    statement.value.variables(&mut |symbol, range| {
        if seen.len() >= MAX_ITEMS || seen.contains(&symbol) {
            return;
        }
        seen.push(symbol);
        if scope.is_key(symbol) || scope.is_defined_before(symbol, at) {
            return;
        }
        if scope.is_bound(symbol) {
            // The parameters of an unknown function are unknown.
            if !over_rows && statement.function.is_some() {
                findings.push(ungrouped(statement, symbol, range));
            }
        } else if scope.is_defined(symbol) {
            // A reducer over a `let` variable is invalid in any position; the module `reducers`
            // reports it.
            if !statement.reduces_rows(scope) {
                findings.push(too_early(statement, symbol, range));
            }
        } else if !scope.occurs(symbol) {
            findings.push(unbound(symbol, range));
        }
    });
}

fn ungrouped(statement: &Statement<'_>, symbol: Symbol, range: TextRange) -> Finding {
    if let Some(counter) =
        statement.function.filter(|known| known.is_reducer() && known.arity == Arity::Exactly(0))
    {
        let args = TextRange::new(statement.apply.function.range.end(), statement.value.range.end());
        let fix = Fix::guess("delete the arguments").replace(args, "()");
        return Finding::new(
            &FUNCTION_OVER_UNGROUPED,
            range,
            format!("`{}` takes no argument", counter.name),
        )
        .note("it counts all solutions of a group; the engine rejects the program")
        .fix(fix);
    }
    if let Some(reducer) = statement.function.filter(|known| known.is_reducer()) {
        let given = statement.apply.args.len();
        let headline = format!("`{}` takes {}, not {given}", reducer.name, reducer.arity);
        return Finding::new(&FUNCTION_OVER_UNGROUPED, range, headline)
            .label(MANY_VALUES)
            .note(format!("so it does not reduce `{symbol}`, and the engine rejects the program"));
    }
    Finding::new(&FUNCTION_OVER_UNGROUPED, range, format!("`{symbol}` has many values in a group"))
        .label("neither a key nor reduced")
        .note("the engine rejects the program")
        .help(format!("reduce `{symbol}` in an earlier `let`, or group by it"))
}

const MANY_VALUES: &str = "has many values in a group";

fn too_early(statement: &Statement<'_>, symbol: Symbol, range: TextRange) -> Finding {
    if statement.variable.is_some_and(|variable| variable.symbol == symbol) {
        return Finding::new(&LET_ORDER, range, format!("`{symbol}` is used in its own `let`"))
            .note("evaluation aborts")
            .help("use another variable");
    }
    Finding::new(&LET_ORDER, range, format!("`{symbol}` is used before its `let`"))
        .note("`let`s run in the order of the text; evaluation aborts")
        .help(format!("move the `let` of `{symbol}` before this one"))
}

fn key_too_early(symbol: Symbol, range: TextRange) -> Finding {
    Finding::new(&LET_ORDER, range, format!("group key `{symbol}` is used before its `let`"))
        .note("groups are formed before any `let` runs; evaluation aborts")
        .help(format!("bind `{symbol}` in the body"))
}

fn unbound(symbol: Symbol, range: TextRange) -> Finding {
    Finding::new(&TRANSFORM_UNBOUND_USE, range, format!("`{symbol}` is unbound in the transform"))
        .label("occurs nowhere else in the clause")
        .note("the engine rejects the program")
        .help(format!("bind `{symbol}` in the body"))
}

/// Checks the keys. Keys are read from the rows, before any `let` is evaluated.
fn check_keys(scope: &TransformScope<'_>, findings: &mut Vec<Finding>) {
    for key in scope.action.iter().flat_map(|action| action.apply.args.iter().take(MAX_ITEMS)) {
        let Some(symbol) = key.variable() else { continue };
        if scope.is_bound(symbol) {
            continue;
        }
        if scope.is_defined(symbol) {
            findings.push(key_too_early(symbol, key.range));
        } else if !scope.occurs(symbol) {
            findings.push(unbound(symbol, key.range));
        }
    }
}

/// Checks the head of a `let` transform. The head is computed before the transform, and only plain
/// variables are filled in afterwards.
fn check_head(scope: &TransformScope<'_>, findings: &mut Vec<Finding>) {
    if scope.kind != TransformKind::Let {
        return;
    }
    for apply in scope.clause.head.args.iter().filter(|arg| arg.apply().is_some()) {
        apply.variables(&mut |symbol, range| {
            if scope.is_defined(symbol) && !scope.is_bound(symbol) {
                let headline = format!("head expression uses `{symbol}` before its `let`");
                findings.push(
                    Finding::new(&LET_ORDER, range, headline)
                        .note("expressions in the head are computed before the transform; evaluation aborts")
                        .help("compute the expression in a `let`"),
                );
            }
        });
    }
}
