//! Negations that the engine drops, loses, or asks before their variables have values.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::subject::{LazyFix, Report, Subject};
use super::{helper, unbound};
use mangle_engine::program::binding::BindingPlace;
use mangle_engine::program::rewrite::{Negation, NegationEffect};
use mangle_syntax::lint::{Applicability, Finding, Rule, rule};
use mangle_syntax::syntax::ast::{Literal, Premise, Term};
use mangle_syntax::text::{Symbol, TextRange};

pub(super) static NEGATED_VAR_UNBOUND: Rule = rule!("negated-var-unbound.md");

pub(super) static NEGATION_WILDCARD: Rule = rule!("negation-wildcard.md");

pub(super) static NEGATION_REORDER_HAZARD: Rule = rule!("negation-reorder-hazard.md");

/// A rule about temporal premises that is decided by the same rewriting; listed with the others of
/// its group.
pub(super) static NEGATION_AFTER_TEMPORAL: Rule = rule!("negation-after-temporal.md");

pub(super) fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for negation in &subject.rewriting.negations {
        let Some(Premise::Literal(literal)) = subject.premise(negation.premise) else { continue };
        // `!p(X)@[…]` and `!<-[…] p(X)` are no Mangle, and reported as that.
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
    for &occurrence in &variables.unbound {
        if !report.names(occurrence.0) {
            report.push(Finding { fix: fix.next(), ..unbound_finding(subject, literal, occurrence) });
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

/// The variables of a negation that have no value when it is asked, each once.
#[derive(Default)]
struct Variables {
    /// Nothing binds them.
    unbound: Occurrences,
    /// They get their values later than the negation is asked.
    late: Occurrences,
    /// Only temporal premises bind them, so the negation is dropped.
    temporal: Occurrences,
    /// All of them, and whether nothing binds them.
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

    /// Which arguments a helper rule would keep: all but wildcards and unbound variables.
    fn keeps(&self, term: &Term) -> bool {
        let unbound = |symbol| self.seen.get(&symbol).copied().unwrap_or(false);
        !term.is_wildcard() && !term.variable().is_some_and(unbound)
    }

    /// Whether leaving the unbound variables out says what is written: each stands alone in one
    /// argument.
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
    let text = subject.excerpt(literal.range);
    let message = if matches!(negation.fate, NegationEffect::Dropped | NegationEffect::Lost) {
        format!(
            "`_` under `!` never gets a value, so the engine drops `{text}` without a word: {}.",
            consequence(subject)
        )
    } else {
        format!(
            "`_` under `!` never gets a value. The `_` of a positive premise keeps the engine from dropping \
             `{text}`, so it rejects the rule instead."
        )
    };
    let finding = Finding::new(&NEGATION_WILDCARD, wildcard.range, message);
    let keeps = |term: &Term| !term.is_wildcard();
    match helper::fix(subject, negation.premise, literal, &keeps, Applicability::Safe) {
        Some(fix) => finding.fix(fix),
        None => finding,
    }
}

fn unbound_finding(
    subject: &Subject<'_>,
    literal: &Literal,
    (symbol, range): (Symbol, TextRange),
) -> Finding {
    let why = if subject.is_let(symbol) {
        unbound::reason(subject, symbol)
    } else {
        "no positive premise gives it one".to_owned()
    };
    let message = format!(
        "`{symbol}` never gets a value: {why}. So the engine drops `{}` without a word: {}.",
        subject.excerpt(literal.range),
        consequence(subject)
    );
    Finding::new(&NEGATED_VAR_UNBOUND, range, message)
}

fn late_finding(subject: &Subject<'_>, negation: &Negation, symbol: Symbol, range: TextRange) -> Finding {
    let text = subject.premise_excerpt(negation.premise);
    let message = format!(
        "`{symbol}` has no value yet when `{text}` is asked, although the engine takes it for bound: the \
         negation then means \"no such fact at all\". Move it behind the premise that gives `{symbol}` its value."
    );
    Finding::new(&NEGATED_VAR_UNBOUND, range, message)
}

fn temporal_finding(subject: &Subject<'_>, literal: &Literal, symbol: Symbol) -> Finding {
    let message = format!(
        "Only temporal premises bind `{symbol}`, and the engine does not see them when it places negations: it \
         drops `{}` without a word, and {}. First copy the temporal predicate into a plain one.",
        subject.excerpt(literal.range),
        consequence(subject)
    );
    Finding::new(&NEGATION_AFTER_TEMPORAL, literal.range, message)
}

fn lost_finding(subject: &Subject<'_>, literal: &Literal) -> Finding {
    let message = format!(
        "Another negation that waits for values is ready before `{}`, and the engine then loses this one \
         without a word: {}. Write each negation behind the premises that bind its variables.",
        subject.excerpt(literal.range),
        consequence(subject)
    );
    Finding::new(&NEGATION_REORDER_HAZARD, literal.range, message)
}

/// What follows from the loss of a negation: the part of a sentence behind a colon.
fn consequence(subject: &Subject<'_>) -> String {
    let head = subject.excerpt(subject.clause.head.range);
    if !subject.rewriting.is_empty() {
        format!("`{head}` holds whether there is such a fact or not")
    } else if subject.clause.transforms.is_empty() {
        format!("nothing of the body is left, and `{head}` becomes an unconditional fact")
    } else {
        "nothing of the body is left, and it rejects the rule, as a transform needs a body".to_owned()
    }
}
