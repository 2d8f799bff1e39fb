//! Check for wildcards in positions that require a value. A wildcard is never bound.

use super::subject::{Report, Subject};
use mangle_engine::program::Mode;
use mangle_engine::program::binding::builtin_parameters;
use mangle_engine::program::rewrite::NegationEffect;
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::syntax::ast::{Comparison, Literal, Operator, Premise, Term};
use mangle_syntax::text::TextRange;

pub(super) static WILDCARD_IN_EXPRESSION: Rule = rule!("wildcard-in-expression.md");

pub(super) static WILDCARD_COMPARE: Rule = rule!("wildcard-compare.md");

pub(super) fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
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
