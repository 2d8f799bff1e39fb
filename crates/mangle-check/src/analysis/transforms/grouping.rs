//! `do fn:group_by(…)`: what stands behind `do`, what can be a key, what a group gives to the head.

use smallvec::SmallVec;

use super::scope::{MANY, TransformScope};
use mangle_syntax::lint::{Finding, Fix, Rule, Span, rule};
use mangle_syntax::text::{Symbol, TextRange, TextSize};

/// `do fn:count()`
pub(super) static DO_WITHOUT_GROUP_BY: Rule = rule!("do-without-group-by.md");

/// `fn:group_by(1)`
pub(super) static GROUP_BY_NOT_VARIABLE: Rule = rule!("group-by-not-variable.md");

/// `fn:group_by(P, P)`
pub(super) static GROUP_BY_REPEATED: Rule = rule!("group-by-repeated.md");

/// `t(P, N) :- crew(P, _) |> do fn:group_by(), …`
pub(super) static HEAD_VAR_NOT_GROUPED: Rule = rule!("head-var-not-grouped.md");

/// `do` with something else than `fn:group_by`.
pub(super) fn check_do(scope: &TransformScope<'_>, findings: &mut Vec<Finding>) {
    let Some(action) = scope.action else { return };
    let function = action.apply.function;
    let message = format!(
        "`do` takes `fn:group_by(…)` only: with `{}` the engine derives nothing from this rule, without a word.",
        function.symbol
    );
    findings.push(Finding::new(&DO_WITHOUT_GROUP_BY, function.range, message));
}

/// Checks the keys of a group, and that the head has nothing else from the body.
pub(super) fn check(scope: &TransformScope<'_>, findings: &mut Vec<Finding>) {
    let Some(action) = scope.action else { return };
    let keys = &action.apply.args;
    for (at, key) in keys.iter().take(MANY).enumerate() {
        let Some(symbol) = key.variable() else {
            // `_` is reported wherever it stands in a transform.
            if !key.is_wildcard() {
                let message = "A key of `fn:group_by` must be a variable of the body.";
                findings.push(Finding::new(&GROUP_BY_NOT_VARIABLE, key.range, message));
            }
            continue;
        };
        let earlier = keys.get(..at).unwrap_or_default();
        let Some(before) = earlier.last() else { continue };
        if earlier.iter().any(|earlier| earlier.variable() == Some(symbol)) {
            let message = format!("`{symbol}` is a key already; the engine rejects the repetition.");
            let rest = TextRange::new(before.range.end(), key.range.end());
            let fix = Fix::safe("Delete the repetition").replace(rest, "");
            findings.push(Finding::new(&GROUP_BY_REPEATED, key.range, message).fix(fix));
        }
    }
    check_head(scope, findings);
}

fn check_head(scope: &TransformScope<'_>, findings: &mut Vec<Finding>) {
    let mut seen: SmallVec<[Symbol; 4]> = SmallVec::new();
    for arg in &scope.clause.head.args {
        arg.variables(&mut |symbol, range| {
            let has_value = scope.is_key(symbol) || scope.is_defined(symbol);
            if has_value || seen.len() >= MANY || seen.contains(&symbol) || !scope.is_bound(symbol) {
                return;
            }
            seen.push(symbol);
            findings.extend(not_grouped(scope, symbol, range));
        });
    }
}

fn not_grouped(scope: &TransformScope<'_>, symbol: Symbol, range: TextRange) -> Option<Finding> {
    let action = scope.action?;
    let message = format!(
        "`{symbol}` is neither a key of `fn:group_by` nor defined by a `let`: a group has no single value for it."
    );
    let (at, key) = match action.apply.args.last() {
        Some(last) => (last.range.end(), format!(", {symbol}")),
        None => (action.value.range.end() - TextSize::of(')'), symbol.to_string()),
    };
    let fix = Fix::guess(format!("Group by `{symbol}` too")).insert(at, key);
    let finding = Finding::new(&HEAD_VAR_NOT_GROUPED, range, message);
    Some(finding.related(Span::here(action.value.range), "the keys of the group").fix(fix))
}
