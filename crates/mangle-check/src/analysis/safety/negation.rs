//! Check for negations that the engine ignores or rejects, or evaluates before their variables are
//! bound.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{LazyFix, Report, Subject};
use super::{helper, unbound};
use crate::excerpt;
use mangle_engine::kernel::unbound_variable_message;
use mangle_engine::program::binding::BindingPlace;
use mangle_engine::program::rewrite::{Negation, NegationEffect};
use mangle_settings::versions::{DelayedNegations, UnboundNegation, first_engine};
use mangle_syntax::lint::{Applicability, Finding, Rule, rule};
use mangle_syntax::syntax::ast::{Literal, Premise, Term};
use mangle_syntax::text::{Symbol, TextRange};

pub(super) static NEGATED_VAR_UNBOUND: Rule = rule!("negated-var-unbound.md");

pub(super) static NEGATION_WILDCARD: Rule = rule!("negation-wildcard.md");

pub(super) static NEGATION_REORDER_HAZARD: Rule = rule!("negation-reorder-hazard.md");

/// A rule about temporal premises that uses the same rewriting, listed with its own group.
pub(super) static NEGATION_AFTER_TEMPORAL: Rule = rule!("negation-after-temporal.md");

pub(super) fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for negation in &subject.rewriting.negations {
        let Some(Premise::Literal(literal)) = subject.premise(negation.premise) else { continue };
        // `!p(X)@[…]` and `!<-[…] p(X)` are syntax errors with their own findings.
        if !literal.is_temporal() {
            check_negation(subject, report, negation, literal);
        }
    }
}

fn check_negation(subject: &Subject<'_>, report: &mut Report<'_>, negation: &Negation, literal: &Literal) {
    let wildcard = literal.atom.args.iter().find(|term| term.is_wildcard());
    if let Some(wildcard) = wildcard {
        report.push(wildcard_finding(subject, negation, literal, wildcard));
    }
    let variables = Variables::new(subject, negation, literal);
    let mut fix = LazyFix::new(|| {
        let keeps = |term: &Term| variables.keeps(term);
        let fix = || helper::fix(subject, negation.premise, literal, &keeps, Applicability::Unsafe);
        variables.can_be_left_out(literal).then(fix).flatten()
    });
    for &(symbol, range) in &variables.unbound {
        // The analysis treats a variable as bound if the head has it and a `let` defines it.
        let passes = subject.is_let_in_head(symbol);
        if rejects_unbound(subject) && passes && !report.names(symbol) {
            report.push(late_finding(subject, negation, symbol, range));
        } else if !report.names(symbol) {
            report.push(Finding { fix: fix.next(), ..unbound_finding(subject, symbol, range) });
        }
    }
    for &(symbol, range) in &variables.late {
        if !report.names(symbol) {
            report.push(late_finding(subject, negation, symbol, range));
        }
    }
    if let Some(&(symbol, _)) = variables.temporal.first() {
        report.push(temporal_finding(subject, literal, symbol));
    }
    if negation.fate == NegationEffect::Lost && wildcard.is_none() && variables.unbound.is_empty() {
        report.push(lost_finding(subject, literal));
    }
}

type Occurrences = SmallVec<[(Symbol, TextRange); 2]>;

/// The variables of a negation that are unbound when it is evaluated, without duplicates.
#[derive(Default)]
struct Variables {
    /// Variables without a binding.
    unbound: Occurrences,
    /// Variables that are bound after the negation.
    late: Occurrences,
    /// Variables that only temporal premises bind, so the engine drops the negation.
    temporal: Occurrences,
    /// All variables; the value is true if nothing binds the variable.
    seen: FxHashMap<Symbol, bool>,
}

impl Variables {
    fn new(subject: &Subject<'_>, negation: &Negation, literal: &Literal) -> Self {
        let mut variables = Self::default();
        let asked = negation.after.map_or(BindingPlace::Premise(0), |after| BindingPlace::Premise(after + 1));
        let kept = matches!(negation.fate, NegationEffect::Kept | NegationEffect::Repeated);
        let mut visit = |symbol: Symbol, range: TextRange| {
            let is_unbound = !subject.bindings.is_bound(symbol);
            let list = if kept && subject.bindings.has_value_before(symbol, asked) {
                return;
            } else if is_unbound {
                &mut variables.unbound
            } else if kept {
                &mut variables.late
            } else if subject.rewriting.missing(negation).any(|missing| missing == symbol) {
                &mut variables.temporal
            } else {
                return;
            };
            if variables.seen.insert(symbol, is_unbound).is_none() {
                list.push((symbol, range));
            }
        };
        for term in &literal.atom.args {
            term.variables(&mut visit);
        }
        variables
    }

    /// True for arguments that a helper rule keeps: all except wildcards and unbound variables.
    fn keeps(&self, term: &Term) -> bool {
        let unbound = |symbol| self.seen.get(&symbol).copied().unwrap_or(false);
        !term.is_wildcard() && !term.variable().is_some_and(unbound)
    }

    /// True if the unbound variables can be dropped without a change of meaning: each is a whole
    /// argument and occurs once.
    fn can_be_left_out(&self, literal: &Literal) -> bool {
        let mut occurrences: FxHashMap<Symbol, (usize, usize)> = FxHashMap::default();
        for term in &literal.atom.args {
            if let Some(symbol) = term.variable() {
                occurrences.entry(symbol).or_default().0 += 1;
            }
            term.variables(&mut |symbol, _| occurrences.entry(symbol).or_default().1 += 1);
        }
        self.unbound.iter().all(|(symbol, _)| occurrences.get(symbol) == Some(&(1, 1)))
    }
}

fn wildcard_finding(
    subject: &Subject<'_>,
    negation: &Negation,
    literal: &Literal,
    wildcard: &Term,
) -> Finding {
    let finding = if matches!(negation.fate, NegationEffect::Dropped | NegationEffect::Lost) {
        let headline = "wildcard makes the engine ignore this negation";
        Finding::new(&NEGATION_WILDCARD, wildcard.range, headline)
            .note(consequence(subject))
            .note(consequences_of_versions())
            .rejected_if(leaves_no_body(subject))
    } else {
        let headline = "wildcard in a negation makes the engine reject the rule";
        let finding = Finding::new(&NEGATION_WILDCARD, wildcard.range, headline).rejected_if(true);
        if rejects_unbound(subject) {
            finding.note(rejection(subject, wildcard.range)).note(consequences_of_versions())
        } else {
            finding.note("the engine rejects `_` in a negation if another premise also contains `_`")
        }
    };
    let finding = finding.label("never bound");
    let keeps = |term: &Term| !term.is_wildcard();
    match helper::fix(subject, negation.premise, literal, &keeps, Applicability::Safe) {
        Some(fix) => finding.fix(fix),
        None => finding.help("negate a helper predicate without this argument"),
    }
}

fn unbound_finding(subject: &Subject<'_>, symbol: Symbol, range: TextRange) -> Finding {
    let finding = if rejects_unbound(subject) {
        let headline = format!("engine rejects this negation: `{symbol}` is unbound");
        Finding::new(&NEGATED_VAR_UNBOUND, range, headline).note(rejection(subject, range)).rejected_if(true)
    } else {
        let headline = format!("engine ignores this negation: `{symbol}` is unbound");
        Finding::new(&NEGATED_VAR_UNBOUND, range, headline)
            .note(consequence(subject))
            .rejected_if(leaves_no_body(subject))
    };
    let reason = subject.is_let(symbol).then(|| unbound::Reason::new(subject, symbol).note).flatten();
    let reason = reason.or_else(|| Some(consequences_of_versions()));
    let help = format!("bind `{symbol}` in a positive premise, or negate a helper predicate without it");
    reason.into_iter().fold(finding, Finding::note).help(help)
}

fn late_finding(subject: &Subject<'_>, negation: &Negation, symbol: Symbol, range: TextRange) -> Finding {
    let headline = format!("negation is evaluated before `{symbol}` is bound");
    let text = subject.premise_excerpt(negation.premise);
    Finding::new(&NEGATED_VAR_UNBOUND, range, headline)
        .label("not bound yet")
        .note(format!("`{text}` then holds only if no such fact exists for any `{symbol}`"))
        .help(format!("move the negation after the premise that binds `{symbol}`"))
}

fn temporal_finding(subject: &Subject<'_>, literal: &Literal, symbol: Symbol) -> Finding {
    let headline = format!("engine ignores this negation: only a temporal premise binds `{symbol}`");
    Finding::new(&NEGATION_AFTER_TEMPORAL, literal.range, headline)
        .note("the engine does not see temporal premises when it places negations")
        .note(consequence(subject))
        .help("copy the temporal predicate into a plain one first")
}

fn lost_finding(subject: &Subject<'_>, literal: &Literal) -> Finding {
    let headline = format!("engine ignores `{}`", subject.excerpt(literal.range));
    let since = first_engine(|engine| engine.delayed_negations == DelayedNegations::AllKept);
    let since = since.map_or("", |engine| engine.published.name);
    Finding::new(&NEGATION_REORDER_HAZARD, literal.range, headline)
        .label("another negation is ready first")
        .note(consequence(subject))
        .note(format!("engines before {since} remove the wrong negation from the list of delayed ones"))
        .help("put each negation after the premises that bind its variables")
}

/// True if the engine rejects a negation with a variable that no premise binds.
fn rejects_unbound(subject: &Subject<'_>) -> bool {
    let capabilities = subject.context.program.embedding.capabilities();
    capabilities.negation_with_unbound_variable == UnboundNegation::Rejected
}

/// The error message of an engine that rejects the rule for the variable or wildcard at `range`.
fn rejection(subject: &Subject<'_>, range: TextRange) -> String {
    let (clause, text) = (subject.clause, subject.context.text);
    let message = unbound_variable_message(clause, text, &subject.rewriting, range);
    format!("the engine reports `{}`", excerpt(&message, MESSAGE_CHARS))
}

/// Maximum number of characters of a quoted engine message.
const MESSAGE_CHARS: usize = 160;

/// The effect of the negation in older and in newer engines.
fn consequences_of_versions() -> String {
    let since = first_engine(|engine| engine.negation_with_unbound_variable == UnboundNegation::Rejected);
    let since = since.map_or("", |engine| engine.published.name);
    format!("engines before {since} ignore this negation; newer engines reject the rule")
}

/// True if the engine ignores all premises of a rule with a transform and then rejects the rule.
fn leaves_no_body(subject: &Subject<'_>) -> bool {
    subject.rewriting.is_empty() && !subject.clause.transforms.is_empty()
}

/// The effect of a dropped negation.
fn consequence(subject: &Subject<'_>) -> String {
    let head = subject.excerpt(subject.clause.head.range);
    if !subject.rewriting.is_empty() {
        format!("`{head}` is derived whether or not such a fact exists")
    } else if subject.clause.transforms.is_empty() {
        format!("no premise remains, and `{head}` becomes an unconditional fact")
    } else {
        "no premise remains, and the engine rejects the rule: a transform requires a body".to_owned()
    }
}
