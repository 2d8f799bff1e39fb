//! The variables of a transform: where they come from, in which order, and which a group has left.

use smallvec::SmallVec;

use super::scope::{MANY, Statement, TransformKind, TransformScope};
use mangle_engine::program::builtins::Arity;
use mangle_syntax::lint::{Finding, Fix, Rule, Span, rule};
use mangle_syntax::syntax::ast::Name;
use mangle_syntax::text::{Symbol, TextRange};

/// `crew(_, N) |> let N = …`
pub(super) static TRANSFORM_REDEFINES: Rule = rule!("transform-redefines.md");

/// `let M = …, let M = …`
pub(super) static LET_REDEFINED: Rule = rule!("let-redefined.md");

/// `let M = fn:plus(K, 1)` without `K`
pub(super) static TRANSFORM_UNBOUND_USE: Rule = rule!("transform-unbound-use.md");

/// `let B = fn:plus(A, 1), let A = …`
pub(super) static LET_ORDER: Rule = rule!("let-order.md");

/// `do fn:group_by(P), let M = fn:plus(N, 1)`
pub(super) static FUNCTION_OVER_UNGROUPED: Rule = rule!("function-over-ungrouped.md");

/// Checks where the variables of a transform come from.
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
        let message = format!(
            "`{symbol}` has a value from an earlier `let`; that one goes into the head, this one is lost."
        );
        let finding = Finding::new(&LET_REDEFINED, range, message);
        return Some(finding.related(Span::here(first.range), "the value that counts"));
    }
    scope.is_bound(symbol).then(|| {
        let message = format!("`{symbol}` has its value from the body; a `let` needs a new variable.");
        Finding::new(&TRANSFORM_REDEFINES, range, message)
    })
}

/// Looks at every variable in the right side of a `let`, once each.
fn check_uses(scope: &TransformScope<'_>, at: usize, statement: &Statement<'_>, findings: &mut Vec<Finding>) {
    let over_rows = scope.kind == TransformKind::Let || statement.reduces_rows(scope);
    let mut seen: SmallVec<[Symbol; 8]> = SmallVec::new();
    statement.value.variables(&mut |symbol, range| {
        if seen.len() >= MANY || seen.contains(&symbol) {
            return;
        }
        seen.push(symbol);
        if scope.is_key(symbol) || scope.is_defined_before(symbol, at) {
            return;
        }
        if scope.is_bound(symbol) {
            // What an unknown function takes is unknown too.
            if !over_rows && statement.function.is_some() {
                findings.push(ungrouped(statement, symbol, range));
            }
        } else if scope.is_defined(symbol) {
            // A reducer over a let is wrong wherever that let stands; `reducers` says so.
            if !statement.reduces_rows(scope) {
                findings.push(too_early(symbol, range));
            }
        } else if !scope.occurs(symbol) {
            findings.push(unbound(symbol, range));
        }
    });
}

fn ungrouped(statement: &Statement<'_>, symbol: Symbol, range: TextRange) -> Finding {
    let rows = "has many values in a group";
    if let Some(counter) =
        statement.function.filter(|known| known.is_reducer() && known.arity == Arity::Exactly(0))
    {
        let message = format!("`{}` takes no argument: it counts the rows of the group.", counter.name);
        let args = TextRange::new(statement.apply.function.range.end(), statement.value.range.end());
        let fix = Fix::guess("Delete the arguments").replace(args, "()");
        return Finding::new(&FUNCTION_OVER_UNGROUPED, range, message).fix(fix);
    }
    let message = match statement.function {
        Some(reducer) if reducer.is_reducer() => {
            format!(
                "`{symbol}` {rows}, and `{}`, which could reduce them, takes {}.",
                reducer.name, reducer.arity
            )
        }
        _ => format!(
            "`{symbol}` {rows}: it is neither a key of `fn:group_by` nor reduced by an earlier `let`."
        ),
    };
    Finding::new(&FUNCTION_OVER_UNGROUPED, range, message)
}

fn too_early(symbol: Symbol, range: TextRange) -> Finding {
    let message = format!(
        "`{symbol}` has no value yet: its `let` comes later. The engine stops the whole evaluation here."
    );
    Finding::new(&LET_ORDER, range, message)
}

fn unbound(symbol: Symbol, range: TextRange) -> Finding {
    let message = format!("`{symbol}` occurs nowhere else in this clause, so it has no value.");
    Finding::new(&TRANSFORM_UNBOUND_USE, range, message)
}

/// Keys are taken from the rows, before any `let` runs.
fn check_keys(scope: &TransformScope<'_>, findings: &mut Vec<Finding>) {
    for key in scope.action.iter().flat_map(|action| action.apply.args.iter().take(MANY)) {
        let Some(symbol) = key.variable() else { continue };
        if scope.is_bound(symbol) {
            continue;
        }
        if scope.is_defined(symbol) {
            findings.push(too_early(symbol, key.range));
        } else if !scope.occurs(symbol) {
            findings.push(unbound(symbol, key.range));
        }
    }
}

/// The head of a `let` transform is computed before the transform; only then are variables that
/// stand alone filled in.
fn check_head(scope: &TransformScope<'_>, findings: &mut Vec<Finding>) {
    if scope.kind != TransformKind::Let {
        return;
    }
    for apply in scope.clause.head.args.iter().filter(|arg| arg.apply().is_some()) {
        apply.variables(&mut |symbol, range| {
            if scope.is_defined(symbol) && !scope.is_bound(symbol) {
                let message = format!("`{symbol}` has no value yet: expressions in the head are computed before the `let`s. The engine stops the whole evaluation here.");
                findings.push(Finding::new(&LET_ORDER, range, message));
            }
        });
    }
}
