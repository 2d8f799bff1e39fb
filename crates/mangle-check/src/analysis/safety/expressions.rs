//! Checks for expressions, values and wildcards in positions that require something else, and for
//! comparisons that no row satisfies.

use super::order::closing;
use super::{Report, Subject};
use mangle_engine::program::Mode;
use mangle_engine::program::binding::{BindingPlace, builtin_parameters};
use mangle_engine::program::rewrite::NegationEffect;
use mangle_syntax::lint::{Finding, Fix, Rule, rule};
use mangle_syntax::syntax::ast::{Apply, ApplyForm, Comparison, Literal, Operator, Premise, Term, TermKind};
use mangle_syntax::syntax::literal;
use mangle_syntax::text::{Symbol, TextRange};

pub(super) static EXPR_IN_PREMISE_UNBOUND: Rule = rule!("expr-in-premise-unbound.md");

pub(super) static EXPR_IN_OUTPUT_POSITION: Rule = rule!("expr-in-output-position.md");

/// Reports expressions and values in positions that require a pattern or an unbound variable.
pub(super) fn check_expressions(subject: &Subject<'_>, report: &mut Report<'_>) {
    for (index, premise) in subject.premises() {
        let Premise::Literal(literal) = premise else { continue };
        if literal.is_negated() {
            continue;
        }
        if literal.atom.is_builtin() {
            check_outputs(subject, report, index, literal);
        } else if subject.rewriting.reflected(index).is_none() {
            for term in &literal.atom.args {
                check_argument(subject, report, index, term);
            }
        }
    }
}

/// Reports the variables of an expression that are unbound when it is computed.
fn check_argument(subject: &Subject<'_>, report: &mut Report<'_>, index: u32, term: &Term) {
    let Some(apply) = term.apply() else { return };
    term.variables(&mut |symbol, range| {
        if !subject.bindings.has_value_before(symbol, BindingPlace::Premise(index)) && !report.names(symbol) {
            report.name(symbol);
            report.push(valueless(subject, symbol, range, term, apply));
        }
    });
}

fn valueless(subject: &Subject<'_>, symbol: Symbol, range: TextRange, term: &Term, apply: &Apply) -> Finding {
    let help = match (apply.form, apply.function.as_str()) {
        (ApplyForm::List, _) => "take the list apart with `:match_cons`",
        (ApplyForm::Struct, _) => "take the struct apart with `:match_field`",
        (ApplyForm::Map, _) => "take the map apart with `:match_entry`",
        (_, "fn:pair") => "take the pair apart with `:match_pair`",
        _ => "write a variable here and compare it afterwards",
    };
    let effect =
        if subject.bindings.is_bound(symbol) { "evaluation aborts" } else { "the engine rejects the rule" };
    let text = subject.excerpt(term.range);
    let headline = format!("`{text}` is computed, not matched: `{symbol}` is unbound");
    Finding::new(&EXPR_IN_PREMISE_UNBOUND, range, headline)
        .note("the engine computes arguments before it looks for facts")
        .note(effect)
        .help(help)
}

fn check_outputs(subject: &Subject<'_>, report: &mut Report<'_>, index: u32, literal: &Literal) {
    let Some(parameters) = builtin_parameters(&literal.atom).filter(|_| !literal.is_temporal()) else {
        return;
    };
    for (term, parameter) in literal.atom.args.iter().zip(parameters) {
        let mode = parameter.mode_in(&subject.context.program.embedding);
        if mode != Mode::Output || term.is_wildcard() {
            continue;
        }
        let free = term
            .variable()
            .is_some_and(|symbol| !subject.bindings.is_bound_before(symbol, BindingPlace::Premise(index)));
        if !free {
            report.push(taken_output(subject, literal, term));
        }
    }
}

fn taken_output(subject: &Subject<'_>, literal: &Literal, term: &Term) -> Finding {
    let (name, value) = (literal.atom.name, subject.excerpt(term.range));
    let what = if term.variable().is_some() { "already bound" } else { "not a variable" };
    let fresh = subject.fresh_variable("Value");
    let headline = format!("output argument `{value}` is {what}");
    let mut finding = Finding::new(&EXPR_IN_OUTPUT_POSITION, term.range, headline)
        .note(format!("`{}` binds a fresh variable here; the engine rejects the rule", name.as_str()));
    if name.as_str() == ":list:member" {
        finding = finding.note("`:filter(fn:list:contains(…))` also tests membership in a list");
    }
    let text = subject.context.slice(term.range);
    let close = closing(text, subject.context.text, literal.range.end());
    let fix = Fix::safe(format!("use the fresh variable `{fresh}` and compare it afterwards"))
        .replace(term.range, fresh.as_str())
        .insert(literal.range.end(), format!(", {fresh} = {text}{close}"));
    finding.fix(fix)
}

pub(super) static WILDCARD_IN_EXPRESSION: Rule = rule!("wildcard-in-expression.md");

pub(super) static WILDCARD_COMPARE: Rule = rule!("wildcard-compare.md");

/// Reports wildcards in positions that require a value. A wildcard is never bound.
pub(super) fn check_wildcards(subject: &Subject<'_>, report: &mut Report<'_>) {
    for (index, premise) in subject.premises() {
        match premise {
            Premise::Literal(literal) => {
                let effect = effect(subject, index, literal);
                for term in &literal.atom.args {
                    check_inside(subject, report, term, effect);
                }
                if !literal.is_negated() {
                    check_inputs(subject, report, index, literal);
                }
            }
            Premise::Comparison(comparison) => {
                for side in [&comparison.left, &comparison.right] {
                    check_inside(subject, report, side, REJECTS);
                }
                check_sides(subject, report, comparison);
            }
            Premise::Broken(..) => {}
        }
    }
    for statement in subject.clause.transforms.iter().flat_map(|transform| &transform.statements) {
        check_inside(subject, report, &statement.value, REJECTS);
    }
}

const REJECTS: &str = "the engine rejects the rule";

/// The effect of a `_` inside an argument of `literal`, the premise `index`.
fn effect(subject: &Subject<'_>, index: u32, literal: &Literal) -> &'static str {
    match subject.rewriting.negation(index).map(|negation| negation.fate) {
        Some(NegationEffect::Dropped | NegationEffect::Lost) => "the engine silently ignores the negation",
        None if !literal.atom.is_builtin() => "evaluation aborts",
        _ => REJECTS,
    }
}

/// Reports `_` inside an application. `effect` describes the behavior of the engine.
fn check_inside(subject: &Subject<'_>, report: &mut Report<'_>, term: &Term, effect: &str) {
    let Some(apply) = term.apply() else { return };
    let mut visit = |inner: &Term| {
        if !inner.is_wildcard() {
            return;
        }
        let headline = format!("expression `{}` contains a wildcard", subject.excerpt(term.range));
        let finding = Finding::new(&WILDCARD_IN_EXPRESSION, inner.range, headline);
        let finding = finding.label("never bound").note(effect).rejected_if(effect == REJECTS);
        report.push(finding.help("use a variable that a premise binds"));
    };
    for arg in &apply.args {
        arg.walk(&mut visit);
    }
}

/// Reports `_` if a built-in, a mode or a reflected predicate requires a value.
fn check_inputs(subject: &Subject<'_>, report: &mut Report<'_>, index: u32, literal: &Literal) {
    if literal.is_temporal() {
        return;
    }
    let reflected = subject.rewriting.reflected(index).is_some();
    let parameters = builtin_parameters(&literal.atom);
    let modes = subject.moded(index).map(|signature| &signature.modes);
    for (at, term) in literal.atom.args.iter().enumerate().filter(|(_, term)| term.is_wildcard()) {
        let asks = if reflected {
            at == 0
        } else if let Some(parameters) = parameters {
            parameters.get(at).is_some_and(|parameter| parameter.mode == Mode::Input)
        } else {
            modes.is_some_and(|modes| !modes.get(at).is_some_and(|mode| mode.binds()))
        };
        if asks {
            push_compare(report, term.range, literal.atom.name.as_str());
        }
    }
}

fn check_sides(subject: &Subject<'_>, report: &mut Report<'_>, comparison: &Comparison) {
    let Comparison { left, right, operator, .. } = comparison;
    if *operator == Operator::Equal {
        check_equality(subject, report, comparison);
        return;
    }
    for side in [left, right] {
        if side.is_wildcard() {
            push_compare(report, side.range, operator.as_str());
        }
    }
}

/// The engine accepts `_ = X` and `_ = 5`, which test nothing. It rejects `X = _`, because its
/// analysis requires a bound right side.
fn check_equality(subject: &Subject<'_>, report: &mut Report<'_>, comparison: &Comparison) {
    let Comparison { left, right, .. } = comparison;
    if right.is_wildcard() && (left.is_wildcard() || left.variable().is_some()) {
        let headline = format!("`{}` tests nothing", subject.excerpt(comparison.range));
        let finding = Finding::new(&WILDCARD_COMPARE, right.range, headline);
        report.push(finding.label("never bound").note(REJECTS).help("remove the premise"));
    }
}

fn push_compare(report: &mut Report<'_>, range: TextRange, what: &str) {
    let headline = format!("`{what}` requires a value, found a wildcard");
    let finding = Finding::new(&WILDCARD_COMPARE, range, headline).label("never bound").note(REJECTS);
    report.push(finding.help("use a variable that a premise binds"));
}

pub(super) static UNREACHABLE_PREMISE: Rule = rule!("unreachable-premise.md");

/// Reports comparisons that no row satisfies.
pub(super) fn check_unreachable(subject: &Subject<'_>, report: &mut Report<'_>) {
    for (_, premise) in subject.premises() {
        if let Premise::Comparison(comparison) = premise
            && is_always_false(subject, comparison)
        {
            let headline = format!("`{}` is always false", subject.excerpt(comparison.range));
            let finding = Finding::new(&UNREACHABLE_PREMISE, comparison.range, headline);
            report.push(finding.note(format!("this rule for `{}` derives nothing", subject.head_name())));
        }
    }
}

fn is_always_false(subject: &Subject<'_>, comparison: &Comparison) -> bool {
    let Comparison { left, right, operator, .. } = comparison;
    if let (Some(left), Some(right)) = (left.variable(), right.variable()) {
        let irreflexive = matches!(operator, Operator::NotEqual | Operator::Less | Operator::Greater);
        return left == right && irreflexive && subject.bindings.is_bound(left);
    }
    match operator {
        Operator::Equal => are_equal(subject, left, right) == Some(false),
        Operator::NotEqual => are_equal(subject, left, right) == Some(true),
        // Other values than integers abort the evaluation; the type rules report them.
        _ => match (&left.kind, &right.kind) {
            (TermKind::Number(Some(left)), TermKind::Number(Some(right))) => !match operator {
                Operator::Less => left < right,
                Operator::LessEqual => left <= right,
                Operator::Greater => left > right,
                _ => left >= right,
            },
            _ => false,
        },
    }
}

/// True if two literal constants have the same value. `None` if this is not obvious.
fn are_equal(subject: &Subject<'_>, left: &Term, right: &Term) -> Option<bool> {
    if !left.is_constant() || !right.is_constant() {
        return None;
    }
    let value = |term: &Term| literal::string_value(subject.context.slice(term.range));
    match (&left.kind, &right.kind) {
        (TermKind::Name(left), TermKind::Name(right)) => Some(left == right),
        (TermKind::Number(left), TermKind::Number(right)) => Some((*left)? == (*right)?),
        (TermKind::Float(left), TermKind::Float(right)) => Some(left == right),
        (TermKind::String, TermKind::String) => Some(value(left)? == value(right)?),
        (TermKind::Bytes, TermKind::Bytes) => None,
        _ => Some(false),
    }
}
