//! Check for premises that use a variable before another premise binds it. The engine evaluates
//! from left to right.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::unbound;
use super::{LazyFix, Report, Subject};
use mangle_engine::program::binding::{BindingPlace, builtin_parameters};
use mangle_engine::program::{Mode, Signature};
use mangle_settings::versions::{EarlyInequality, EngineCapabilities, ExternalInputs, first_engine};
use mangle_syntax::lint::{Finding, Fix, Rule, Severity, Span, rule};
use mangle_syntax::syntax::ast::{Comparison, Literal, Operator, Premise, Term};
use mangle_syntax::text::{Symbol, TextRange, TextSize, slice};

pub(super) static COMPARISON_BEFORE_BINDING: Rule = rule!("comparison-before-binding.md");

pub(super) static INEQUALITY_BEFORE_BINDING: Rule = rule!("inequality-before-binding.md");

pub(super) static EXPR_BEFORE_BINDING: Rule = rule!("expr-before-binding.md");

pub(super) static INPUT_BEFORE_BINDING: Rule = rule!("input-before-binding.md");

/// The requirement of a premise on its variables.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    /// Required by the engine's analysis.
    Bound,
    /// Required by the evaluation, which otherwise fails.
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
            demand.require(report, first);
        }
    } else if let Some(parameters) = builtin_parameters(&literal.atom).filter(|_| !literal.is_temporal()) {
        for (term, parameter) in literal.atom.args.iter().zip(parameters) {
            // An expression is computed before the built-in is called, even if the variable can be
            // unbound.
            let is_computed = parameter.mode == Mode::Either && term.apply().is_some();
            if parameter.mode == Mode::Input || is_computed {
                demand.require(report, term);
            }
        }
    }
    demand.report(report, &COMPARISON_BEFORE_BINDING);
}

/// Checks a call of a deferred or external predicate, whose inputs must be bound.
fn check_call(
    subject: &Subject<'_>,
    report: &mut Report<'_>,
    index: u32,
    literal: &Literal,
    signature: &Signature,
) {
    let mut demand = Demand::new(subject, index, Need::Value);
    for ((at, term), mode) in (0u32..).zip(&literal.atom.args).zip(&signature.modes) {
        // A rule that binds the variable itself is evaluated for all values.
        let is_bound = |all: u64| all.checked_shr(at).is_some_and(|rest| rest & 1 == 1);
        if signature.deferred && signature.self_bound_inputs.is_some_and(is_bound) {
            continue;
        }
        if *mode == Mode::Input && term.variable().is_some() {
            demand.require(report, term);
        }
    }
    let is_early = !demand.late.is_empty();
    demand.report(report, &INPUT_BEFORE_BINDING);
    let capabilities = subject.context.program.embedding.capabilities();
    if signature.external && !is_early && capabilities.external_inputs == ExternalInputs::Variables {
        check_external(report, literal, signature);
    }
}

/// Checks a call of an external predicate with a variable as input, which some engines do not
/// replace with its value.
fn check_external(report: &mut Report<'_>, literal: &Literal, signature: &Signature) {
    let inputs = literal.atom.args.iter().zip(&signature.modes).filter(|(_, mode)| **mode == Mode::Input);
    let Some((range, symbol)) = inputs
        .filter_map(|(term, _)| Some((term.range, term.variable()?)))
        .find(|(_, it)| !report.names(*it))
    else {
        return;
    };
    let since = first_engine(|engine| engine.external_inputs == ExternalInputs::Values);
    let since = since.map_or("", |engine| engine.published.name);
    let headline = format!("`{}` is called with the variable `{symbol}`", literal.atom.name.as_str());
    let note =
        "the engine does not replace the variable by its value and panics, unless a fact is stored already";
    let finding = Finding::new(&INPUT_BEFORE_BINDING, range, headline).severity(Severity::Warning);
    let finding = finding.note(note).note(format!("engines since {since} pass the value"));
    report.push(finding.help("call it with constants only, or upgrade the engine"));
}

fn check_comparison(subject: &Subject<'_>, report: &mut Report<'_>, index: u32, comparison: &Comparison) {
    let sides = [&comparison.left, &comparison.right];
    let (need, rule) = match comparison.operator {
        Operator::Equal => (Need::Bound, &EXPR_BEFORE_BINDING),
        Operator::NotEqual => (Need::Value, &INEQUALITY_BEFORE_BINDING),
        _ => (Need::Bound, &COMPARISON_BEFORE_BINDING),
    };
    let mut demand = Demand::new(subject, index, need);
    // An inequality that the engine delays is evaluated after another premise.
    if comparison.operator == Operator::NotEqual
        && let Some(after) = subject.rewriting.negation(index).and_then(|delayed| delayed.after)
    {
        demand.place = BindingPlace::Premise(after.max(index) + 1);
    }
    for side in sides {
        if comparison.operator != Operator::Equal || side.apply().is_some() {
            demand.require(report, side);
        }
    }
    demand.report(report, rule);
}

/// The variables of one premise that are unbound when it is evaluated, but bound later.
struct Demand<'a, 's> {
    subject: &'a Subject<'s>,
    premise: u32,
    /// The position of evaluation.
    place: BindingPlace,
    need: Need,
    late: SmallVec<[(Symbol, TextRange); 2]>,
    /// The variables in `late`.
    late_variables: FxHashSet<Symbol>,
    /// True if one of the variables occurs in an expression.
    computed: bool,
}

impl<'a, 's> Demand<'a, 's> {
    fn new(subject: &'a Subject<'s>, premise: u32, need: Need) -> Self {
        Self {
            subject,
            premise,
            place: BindingPlace::Premise(premise),
            need,
            late: SmallVec::new(),
            late_variables: FxHashSet::default(),
            computed: false,
        }
    }

    /// Requires values for the variables of `term`. Variables that are never bound are reported
    /// immediately.
    fn require(&mut self, report: &mut Report<'_>, term: &Term) {
        let place = self.place;
        let bindings = &self.subject.bindings;
        term.variables(&mut |symbol, range| {
            let met = match self.need {
                Need::Bound => bindings.is_bound_before(symbol, place),
                // A bound variable that never has a value occurs in an expression argument, which
                // has its own finding.
                Need::Value => {
                    let valueless = bindings.get(symbol).is_some_and(|variable| variable.value.is_none());
                    bindings.has_value_before(symbol, place) || (valueless && bindings.is_bound(symbol))
                }
            };
            let asked = || self.late_variables.contains(&symbol);
            if !met && !asked() && !unbound::check_occurrence(self.subject, report, symbol, range) {
                self.late.push((symbol, range));
                self.late_variables.insert(symbol);
                self.computed |= term.apply().is_some();
            }
        });
    }

    fn report(self, report: &mut Report<'_>, rule: &'static Rule) {
        if self.late.is_empty() {
            return;
        }
        let target = self.target();
        let mut fix =
            LazyFix::new(|| target.and_then(|target| move_behind(self.subject, self.premise, target)));
        for &(symbol, range) in &self.late {
            report.name(symbol);
            let headline = self.headline(rule, symbol);
            let mut finding = Finding::new(rule, range, headline).label("not bound yet");
            let binder = self.subject.binding_premise(symbol).filter(|_| target.is_some());
            if let Some(premise) = binder.and_then(|binder| self.subject.premise(binder)) {
                finding = finding.related(Span::here(premise.range()), "bound here");
            }
            let (reason, help) = self.advice(symbol, target);
            let notes = reason.into_iter().chain([self.effect(rule)]).chain(self.newer_effect(rule));
            finding = notes.fold(finding, Finding::note).help(help);
            finding.fix = fix.next();
            report.push(finding);
        }
    }

    /// The premise after which all the variables have values. `None` if no such position exists.
    fn target(&self) -> Option<u32> {
        let premises = self.late.iter().map(|&(symbol, _)| self.subject.binding_premise(symbol));
        let last = premises.collect::<Option<SmallVec<[u32; 2]>>>()?.into_iter().max()?;
        (last > self.premise).then_some(last)
    }

    fn headline(&self, rule: &'static Rule, symbol: Symbol) -> String {
        match self.subject.premise(self.premise) {
            Some(Premise::Literal(literal)) if *rule == INPUT_BEFORE_BINDING => {
                format!("`{}` is called before its input `{symbol}` is bound", literal.atom.name.as_str())
            }
            Some(Premise::Literal(literal)) => {
                format!("`{}` is evaluated before `{symbol}` is bound", literal.atom.name.as_str())
            }
            _ if *rule == EXPR_BEFORE_BINDING => {
                format!("`{symbol}` is used in an expression before it is bound")
            }
            _ => format!("`{symbol}` is compared before it is bound"),
        }
    }

    /// The behavior of the engine.
    fn effect(&self, rule: &'static Rule) -> String {
        let aborts = self.computed || self.delays();
        if *rule == INPUT_BEFORE_BINDING || (*rule == INEQUALITY_BEFORE_BINDING && aborts) {
            "evaluation aborts".to_owned()
        } else if *rule == INEQUALITY_BEFORE_BINDING {
            let head = self.subject.head_name();
            format!("the comparison is false for every fact, so this rule for `{head}` derives nothing")
        } else {
            "the engine rejects the rule".to_owned()
        }
    }

    /// True if the engine delays an inequality until its variables are bound.
    fn delays(&self) -> bool {
        let capabilities = self.subject.context.program.embedding.capabilities();
        capabilities.inequality_before_binding == EarlyInequality::Delayed
    }

    /// The behavior of newer engines.
    fn newer_effect(&self, rule: &'static Rule) -> Option<String> {
        let is_new =
            |engine: &EngineCapabilities| engine.inequality_before_binding == EarlyInequality::Delayed;
        let since = first_engine(is_new).filter(|_| *rule == INEQUALITY_BEFORE_BINDING && !self.delays())?;
        Some(format!("engines since {} compare after its variables are bound", since.published.name))
    }

    /// A further reason, and the help text.
    fn advice(&self, symbol: Symbol, target: Option<u32>) -> (Option<String>, String) {
        if let Some(target) = target {
            return (None, move_title(self.subject, target));
        }
        let bindings = &self.subject.bindings;
        let is_equal = |other: &Symbol| bindings.are_equated(symbol, *other);
        let stands_for = bindings
            .is_equated(symbol)
            .then(|| bindings.bound_before(BindingPlace::Premise(self.premise)).find(is_equal));
        if let Some(other) = stands_for.flatten() {
            let premise = self.subject.premise_excerpt(self.premise);
            let reason =
                format!("the engine does not replace `{symbol}` by `{other}`, its equal, in `{premise}`");
            return (Some(reason), format!("write `{other}` in place of `{symbol}`"));
        }
        if self.subject.binding_premise(symbol) == Some(self.premise) {
            let reason = "a variable keeps one value in a clause".to_owned();
            return (Some(reason), format!("use a new variable for the result, or bind `{symbol}` before"));
        }
        (None, format!("bind `{symbol}` in an earlier premise"))
    }
}

/// Moves the premise `index` after the premise `target`, which comes later. `None` if the edit
/// would delete a comment.
fn move_behind(subject: &Subject<'_>, index: u32, target: u32) -> Option<Fix> {
    let text = subject.context.text;
    let moved = subject.premise(index)?.range();
    let next = subject.premise(index + 1)?.range();
    let target_range = subject.premise(target)?.range();
    let gap = slice(text, TextRange::new(moved.end(), next.start()));
    let removed = TextRange::new(moved.start(), removal_end(moved.end(), next.start(), gap)?);
    let separator = separator(text, gap, target_range);
    let moved_text = slice(text, moved).replace("\r\n", "\n");
    let close = closing(&moved_text, text, target_range.end());
    let fix = Fix::safe(move_title(subject, target)).replace(removed, "");
    Some(fix.insert(target_range.end(), format!("{separator}{moved_text}{close}")))
}

/// The title of the fix.
fn move_title(subject: &Subject<'_>, target: u32) -> String {
    format!("move the premise after `{}`", subject.premise_excerpt(target))
}

/// The end of the removed text: the next premise, or the comma if a comment follows it, which is
/// kept.
fn removal_end(start: TextSize, next: TextSize, gap: &str) -> Option<TextSize> {
    let Some(comment) = gap.find('#') else { return Some(next) };
    let comma = gap.find(',').filter(|&comma| comma < comment)?;
    let between = gap.get(comma + 1..comment)?;
    // A comment after the premise on its line moves to the premise's position.
    let end = if between.contains('\n') { comma + 1 } else { comment };
    Some(start + TextSize::new(u32::try_from(end).ok()?))
}

/// The separator between the two premises: a line break if the body has one premise per line.
fn separator(text: &str, gap: &str, target: TextRange) -> String {
    let before = slice(text, TextRange::up_to(target.start()));
    let behind = text.get(usize::from(target.end())..).unwrap_or("");
    let commented = behind.lines().next().is_some_and(|line| line.contains('#'));
    let indent = before.rsplit_once('\n').map(|(_, indent)| indent).filter(|indent| indent.trim().is_empty());
    match indent {
        Some(indent) if gap.contains('\n') && !commented => format!(",\n{indent}"),
        _ => ", ".to_owned(),
    }
}

/// A space if `moved` ends with a name constant that would include the period at `at`.
pub(super) fn closing(moved: &str, text: &str, at: TextSize) -> &'static str {
    let dot = text.get(usize::from(at)..).is_some_and(|rest| rest.starts_with('.'));
    let part_of_name = |c: char| c.is_ascii_alphanumeric() || "._~%-/".contains(c);
    let tail = moved.rsplit(|c| !part_of_name(c)).next().unwrap_or("");
    if dot && tail.starts_with('/') { " " } else { "" }
}
