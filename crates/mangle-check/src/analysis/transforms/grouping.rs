//! Checks of groups: the function after `do`, the keys, the variables that a group leaves for the head,
//! and unexpected rows.
//!
//! The engine reads the facts of a single premise directly. For other bodies, it first builds an
//! internal relation of the named variables. Both differ from SQL-like expectations.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::{MAX_ITEMS, TransformScope};
use crate::analysis::{ProgramContext, ProgramFindings};
use crate::excerpt;
use mangle_engine::program::{Predicate, PredicateId, Program, Site};
use mangle_settings::versions::{AggregationsWithOneHead, RepeatedVariable};
use mangle_syntax::lint::{Finding, Fix, Rule, Span, rule};
use mangle_syntax::syntax::ast::{Atom, Clause, Operator, Premise, Term};
use mangle_syntax::text::{Symbol, TextRange, TextSize, slice};

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

/// For example `crew(P, _), aboard(P) |> … fn:count()`.
pub(super) static GROUP_WILDCARD_MULTIPLICITY: Rule = rule!("group-wildcard-multiplicity.md");

/// For example `edge(X, X) |> do …`.
pub(super) static GROUP_REPEATED_VARIABLE: Rule = rule!("group-repeated-variable.md");

/// Two `do` rules of one predicate over several premises.
pub(super) static GROUP_RELATION_SHARED: Rule = rule!("group-relation-shared.md");

/// Checks the rows of a group.
pub(super) fn check_rows(scope: &TransformScope<'_>, findings: &mut Vec<Finding>) {
    match only_atom(scope.clause) {
        Some(atom) => {
            let capabilities = scope.context.program.embedding.capabilities();
            if capabilities.repeated_variable_in_aggregation == RepeatedVariable::Ignored {
                findings.extend(repeated_variable(atom));
            }
        }
        None if scope
            .lets
            .iter()
            .any(|statement| statement.function.is_some_and(|known| counts(known.name))) =>
        {
            findings.extend(scope.clause.premises.iter().filter_map(lost_wildcard));
        }
        None => {}
    }
}

/// The only premise if it is an atom: the engine uses its facts as rows.
fn only_atom(clause: &Clause) -> Option<&Atom> {
    match clause.premises.as_slice() {
        [Premise::Literal(literal)] if !literal.is_negated() && !literal.is_temporal() => Some(&literal.atom),
        _ => None,
    }
}

/// True if the result of a reducer depends on duplicate rows.
fn counts(name: &str) -> bool {
    matches!(name, "fn:count" | "fn:sum" | "fn:avg" | "fn:collect" | "fn:float:sum" | "fn:duration:sum")
}

fn lost_wildcard(premise: &Premise) -> Option<Finding> {
    let Premise::Literal(literal) = premise else { return None };
    let plain = !literal.is_negated() && !literal.is_temporal() && !literal.atom.is_builtin();
    let wildcard = literal.atom.args.iter().find(|arg| arg.is_wildcard()).filter(|_| plain)?;
    let headline = "facts that differ only in this wildcard count once";
    Some(
        Finding::new(&GROUP_WILDCARD_MULTIPLICITY, wildcard.range, headline)
            .note("a group over several premises holds each combination of named variables once")
            .help("name the variable to count them all"),
    )
}

fn repeated_variable(atom: &Atom) -> Option<Finding> {
    let repeated = |(at, arg): (usize, &Term)| {
        let symbol = arg.variable()?;
        let first = atom.args.iter().take(at).find(|earlier| earlier.variable() == Some(symbol))?;
        Some((symbol, first.range, arg.range))
    };
    let (symbol, first, range) = atom.args.iter().take(MAX_ITEMS).enumerate().find_map(repeated)?;
    let note = format!(
        "with a single premise, a group holds every fact of `{}`, also those whose arguments differ",
        atom.name.symbol
    );
    Some(
        Finding::new(&GROUP_REPEATED_VARIABLE, range, format!("engine ignores that `{symbol}` occurs twice"))
            .related(Span::here(first), "first occurrence")
            .note(note)
            .help("compare the arguments in a rule of its own and aggregate that"),
    )
}

/// Reports two rules of a predicate that share an internal relation.
pub(super) fn check_shared_relations(
    context: &ProgramContext<'_>,
    id: PredicateId,
    findings: &mut ProgramFindings,
) {
    let predicate = context.program.get(id);
    let capabilities = context.program.embedding.capabilities();
    let is_mixed = capabilities.aggregations_with_one_head == AggregationsWithOneHead::Mixed;
    if predicate.signature.has_rules && is_mixed {
        check_predicate(context.program, predicate, findings);
    }
}

fn check_predicate(program: &Program, predicate: &Predicate, findings: &mut ProgramFindings) {
    let mut earlier: SmallVec<[(usize, Site<'_>); 4]> = SmallVec::new();
    for site in program.rules(predicate) {
        let statement = &site.item.statement;
        let Some(clause) = statement.clause().filter(|clause| !statement.damaged && clause.aggregates())
        else {
            continue;
        };
        if only_atom(clause).is_some() {
            continue;
        }
        let columns = row_variables(clause);
        let twin = earlier.iter().find(|(count, other)| *count == columns && !same_body(&site, other));
        if let Some((_, other)) = twin {
            findings.push(site.file.id, statement.id, shared(clause, predicate, other));
        }
        if earlier.len() < MAX_ITEMS {
            earlier.push((columns, site));
        }
    }
}

fn shared(clause: &Clause, predicate: &Predicate, other: &Site<'_>) -> Finding {
    let headline = format!("two aggregations of `{}` share one internal relation", predicate.key.name);
    let (file, statement, range) = other.place();
    Finding::new(&GROUP_RELATION_SHARED, clause.head.name.range, headline)
        .related(Span::new(file, statement, range), "the other aggregation")
        .note("each aggregates the solutions of both bodies, because both have the same number of variables")
        .help("use separate predicates, and join them in a third rule")
}

/// True if both clauses have the same body. Equal bodies yield equal rows, so sharing is harmless.
fn same_body(one: &Site<'_>, other: &Site<'_>) -> bool {
    body(one) == body(other)
}

fn body<'p>(site: &Site<'p>) -> Option<&'p str> {
    let premises = &site.item.statement.clause()?.premises;
    let range = premises.first()?.range().cover(premises.last()?.range());
    Some(slice(site.file.statement_text(site.item), range))
}

/// The number of columns of the internal relation: the named variables of positive atoms,
/// comparisons and equations.
fn row_variables(clause: &Clause) -> usize {
    let mut seen = FxHashSet::default();
    let mut note = |term: &Term| {
        term.variables(&mut |symbol, _| {
            seen.insert(symbol);
        });
    };
    for premise in &clause.premises {
        match premise {
            Premise::Literal(literal) if !literal.is_negated() && !literal.is_temporal() => {
                literal.atom.args.iter().for_each(&mut note);
            }
            Premise::Comparison(comparison) if comparison.operator != Operator::NotEqual => {
                note(&comparison.left);
                note(&comparison.right);
            }
            _ => {}
        }
    }
    seen.len()
}
