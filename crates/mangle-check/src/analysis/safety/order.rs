//! Premises that need a value before another premise gives it: the engine goes from left to right.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::subject::{LazyFix, Report, Subject};
use super::{move_premise, unbound};
use mangle_engine::program::binding::{BindingPlace, builtin_parameters};
use mangle_engine::program::{Mode, Signature};
use mangle_syntax::lint::{Finding, Rule, Span, rule};
use mangle_syntax::syntax::ast::{Comparison, Literal, Operator, Premise, Term};
use mangle_syntax::text::{Symbol, TextRange};

pub(super) static COMPARISON_BEFORE_BINDING: Rule = rule!("comparison-before-binding.md");

pub(super) static INEQUALITY_BEFORE_BINDING: Rule = rule!("inequality-before-binding.md");

pub(super) static EXPR_BEFORE_BINDING: Rule = rule!("expr-before-binding.md");

pub(super) static INPUT_BEFORE_BINDING: Rule = rule!("input-before-binding.md");

/// What a premise needs of its variables.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    /// The analysis asks for it.
    Bound,
    /// Evaluation goes wrong without it.
    Value,
}

pub(super) fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for (index, premise) in subject.premises() {
        match premise {
            Premise::Literal(literal) if !literal.is_negated() => {
                check_literal(subject, report, index, literal);
            }
            Premise::Comparison(comparison) => check_comparison(subject, report, index, comparison),
            _ => {}
        }
    }
}

fn check_literal(subject: &Subject<'_>, report: &mut Report<'_>, index: u32, literal: &Literal) {
    if let Some(signature) = subject.called(index).filter(|_| !literal.is_temporal()) {
        check_call(subject, report, index, literal, signature);
        return;
    }
    let mut demand = Demand::new(subject, index, Need::Bound);
    if subject.rewriting.reflected(index).is_some() {
        if let Some(first) = literal.atom.args.first() {
            demand.ask(report, first);
        }
    } else if let Some(parameters) = builtin_parameters(&literal.atom).filter(|_| !literal.is_temporal()) {
        for (term, parameter) in literal.atom.args.iter().zip(parameters) {
            if parameter.mode.accepts_input() {
                demand.ask(report, term);
            }
        }
    }
    demand.report(report, &COMPARISON_BEFORE_BINDING);
}

/// A call of a predicate that somebody computes: its inputs must be there by then.
fn check_call(
    subject: &Subject<'_>,
    report: &mut Report<'_>,
    index: u32,
    literal: &Literal,
    signature: &Signature,
) {
    let mut demand = Demand::new(subject, index, Need::Value);
    for (term, mode) in literal.atom.args.iter().zip(&signature.modes) {
        if *mode == Mode::Input && term.variable().is_some() {
            demand.ask(report, term);
        }
    }
    demand.report(report, &INPUT_BEFORE_BINDING);
}

fn check_comparison(subject: &Subject<'_>, report: &mut Report<'_>, index: u32, comparison: &Comparison) {
    let sides = [&comparison.left, &comparison.right];
    let (need, rule) = match comparison.operator {
        Operator::Equal => (Need::Bound, &EXPR_BEFORE_BINDING),
        Operator::NotEqual => (Need::Value, &INEQUALITY_BEFORE_BINDING),
        _ => (Need::Bound, &COMPARISON_BEFORE_BINDING),
    };
    let mut demand = Demand::new(subject, index, need);
    for side in sides {
        if comparison.operator != Operator::Equal || side.apply().is_some() {
            demand.ask(report, side);
        }
    }
    demand.report(report, rule);
}

/// The variables of one premise that have no value yet when its turn comes, but get one.
struct Demand<'a, 's> {
    subject: &'a Subject<'s>,
    premise: u32,
    need: Need,
    late: SmallVec<[(Symbol, TextRange); 2]>,
    /// The variables of `late`.
    asked: FxHashSet<Symbol>,
    /// Whether one of them stands in an expression.
    computed: bool,
}

impl<'a, 's> Demand<'a, 's> {
    fn new(subject: &'a Subject<'s>, premise: u32, need: Need) -> Self {
        Self { subject, premise, need, late: SmallVec::new(), asked: FxHashSet::default(), computed: false }
    }

    /// The variables of `term` must have values. One that never gets any is reported at once.
    fn ask(&mut self, report: &mut Report<'_>, term: &Term) {
        let place = BindingPlace::Premise(self.premise);
        let bindings = &self.subject.bindings;
        term.variables(&mut |symbol, range| {
            let met = match self.need {
                Need::Bound => bindings.is_bound_before(symbol, place),
                // A variable that is bound and never has a value stands inside an expression
                // argument; that is reported there.
                Need::Value => {
                    let valueless = bindings.get(symbol).is_some_and(|it| it.value.is_none());
                    bindings.has_value_before(symbol, place) || (valueless && bindings.is_bound(symbol))
                }
            };
            let asked = || self.asked.contains(&symbol);
            if !met && !asked() && !unbound::check_occurrence(self.subject, report, symbol, range) {
                self.late.push((symbol, range));
                self.asked.insert(symbol);
                self.computed |= term.apply().is_some();
            }
        });
    }

    fn report(self, report: &mut Report<'_>, rule: &'static Rule) {
        if self.late.is_empty() {
            return;
        }
        let target = self.target();
        let mut fix = LazyFix::new(|| {
            target.and_then(|target| move_premise::behind(self.subject, self.premise, target))
        });
        for &(symbol, range) in &self.late {
            report.name(symbol);
            let mut finding = Finding::new(rule, range, self.message(rule, symbol, target));
            let binder = self.subject.binding_premise(symbol).filter(|_| target.is_some());
            if let Some(premise) = binder.and_then(|binder| self.subject.premise(binder)) {
                finding =
                    finding.related(Span::here(premise.range()), format!("`{symbol}` gets its value here"));
            }
            finding.fix = fix.next();
            report.push(finding);
        }
    }

    /// The premise behind which all the variables have values; `None` where no such place exists.
    fn target(&self) -> Option<u32> {
        let premises = self.late.iter().map(|&(symbol, _)| self.subject.binding_premise(symbol));
        let last = premises.collect::<Option<SmallVec<[u32; 2]>>>()?.into_iter().max()?;
        (last > self.premise).then_some(last)
    }

    fn message(&self, rule: &'static Rule, symbol: Symbol, target: Option<u32>) -> String {
        let premise = self.subject.premise_excerpt(self.premise);
        let effect = if *rule == INPUT_BEFORE_BINDING {
            "the evaluation stops with an error".to_owned()
        } else if *rule != INEQUALITY_BEFORE_BINDING {
            "the engine rejects the rule".to_owned()
        } else if self.computed {
            "the evaluation stops with an error".to_owned()
        } else {
            format!("it is false for every row, and this rule for `{}` never fires", self.subject.head_name())
        };
        let Some(target) = target else { return self.message_without_place(&premise, symbol, &effect) };
        let target = self.subject.premise_excerpt(target);
        format!("`{symbol}` has no value yet when `{premise}` runs: {effect}. Move it behind `{target}`.")
    }

    fn message_without_place(&self, premise: &str, symbol: Symbol, effect: &str) -> String {
        let bindings = &self.subject.bindings;
        let is_equal = |other: &Symbol| bindings.are_equated(symbol, *other);
        let stands_for = bindings
            .is_equated(symbol)
            .then(|| bindings.bound_before(BindingPlace::Premise(self.premise)).find(is_equal));
        if let Some(other) = stands_for.flatten() {
            return format!(
                "`{symbol}` is known only as equal to `{other}`, which the engine does not see through in \
                 `{premise}`: {effect}. Write `{other}` here."
            );
        }
        let itself = self.subject.binding_premise(symbol) == Some(self.premise);
        let advice = if itself {
            format!(
                "; a variable keeps one value, so take a new one for the result, or bind `{symbol}` first"
            )
        } else {
            String::new()
        };
        format!("`{symbol}` has no value yet when `{premise}` runs: {effect}{advice}.")
    }
}
