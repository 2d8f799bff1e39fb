//! Checks of `do fn:group_by(…)`: the function after `do`, the keys, and the variables that a group
//! leaves for the head.

use smallvec::SmallVec;

use super::scope::{MAX_ITEMS, TransformScope};
use crate::excerpt;
use mangle_syntax::lint::{Finding, Fix, Rule, Span, rule};
use mangle_syntax::text::{Symbol, TextRange, TextSize};

/// Maximum number of quoted characters of a key.
const KEY_CHARS: usize = 32;

/// For example `do fn:count()`.
pub(super) static DO_WITHOUT_GROUP_BY: Rule = rule!("do-without-group-by.md");

/// For example `fn:group_by(1)`.
pub(super) static GROUP_BY_NOT_VARIABLE: Rule = rule!("group-by-not-variable.md");

/// For example `fn:group_by(P, P)`.
pub(super) static GROUP_BY_REPEATED: Rule = rule!("group-by-repeated.md");

/// For example `t(P, N) :- crew(P, _) |> do fn:group_by(), …`.
pub(super) static HEAD_VAR_NOT_GROUPED: Rule = rule!("head-var-not-grouped.md");

/// Reports a `do` with a function other than `fn:group_by`.
pub(super) fn check_do(scope: &TransformScope<'_>, findings: &mut Vec<Finding>) {
    let Some(action) = scope.action else { return };
    let function = action.apply.function;
    let headline = format!("`do` requires `fn:group_by`, found `{}`", function.symbol);
    findings.push(
        Finding::new(&DO_WITHOUT_GROUP_BY, function.range, headline)
            .note("the engine accepts the rule and silently derives nothing from it")
            .help("write `do fn:group_by(…)`, and reduce in a `let` after it"),
    );
}

/// Checks the keys of a group, and that the head uses no other variables of the body.
pub(super) fn check(scope: &TransformScope<'_>, findings: &mut Vec<Finding>) {
    let Some(action) = scope.action else { return };
    let keys = &action.apply.args;
    for (at, key) in keys.iter().take(MAX_ITEMS).enumerate() {
        let Some(symbol) = key.variable() else {
            // `_` in a transform has its own finding.
            if !key.is_wildcard() {
                let text = excerpt(scope.context.slice(key.range), KEY_CHARS);
                findings.push(
                    Finding::new(
                        &GROUP_BY_NOT_VARIABLE,
                        key.range,
                        format!("group key `{text}` is not a variable"),
                    )
                    .note("the engine rejects the program")
                    .help("bind a variable to the value in the body and group by that"),
                );
            }
            continue;
        };
        let earlier = keys.get(..at).unwrap_or_default();
        let Some(before) = earlier.last() else { continue };
        if earlier.iter().any(|earlier| earlier.variable() == Some(symbol)) {
            let rest = TextRange::new(before.range.end(), key.range.end());
            let fix = Fix::safe("delete the repeated key").replace(rest, "");
            let finding =
                Finding::new(&GROUP_BY_REPEATED, key.range, format!("group key `{symbol}` is repeated"));
            findings.push(finding.note("the engine rejects the program").fix(fix));
        }
    }
    check_head(scope, findings);
}

fn check_head(scope: &TransformScope<'_>, findings: &mut Vec<Finding>) {
    let mut seen: SmallVec<[Symbol; 4]> = SmallVec::new();
    for arg in &scope.clause.head.args {
        arg.variables(&mut |symbol, range| {
            let has_value = scope.is_key(symbol) || scope.is_defined(symbol);
            if has_value || seen.len() >= MAX_ITEMS || seen.contains(&symbol) || !scope.is_bound(symbol) {
                return;
            }
            seen.push(symbol);
            findings.extend(not_grouped(scope, symbol, range));
        });
    }
}

fn not_grouped(scope: &TransformScope<'_>, symbol: Symbol, range: TextRange) -> Option<Finding> {
    let action = scope.action?;
    let (at, key) = match action.apply.args.last() {
        Some(last) => (last.range.end(), format!(", {symbol}")),
        None => (action.value.range.end() - TextSize::of(')'), symbol.to_string()),
    };
    let fix = Fix::guess(format!("group by `{symbol}` too")).insert(at, key);
    let headline = format!("head variable `{symbol}` is not a key of the group");
    Some(
        Finding::new(&HEAD_VAR_NOT_GROUPED, range, headline)
            .label("neither a key nor defined by a `let`")
            .related(Span::here(action.value.range), "keys of the group")
            .note("a group has no single value for it, and the engine rejects the program")
            .fix(fix),
    )
}
