//! Check for rules that another rule makes redundant, with structural equality and subsumption of terms,
//! premises and rules, within one statement or across two.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use crate::analysis::ProgramFindings;
use mangle_engine::program::{FileSummary, Predicate, Program, Site};
use mangle_syntax::lint::{Finding, Rule, Span, rule};
use mangle_syntax::syntax::ast::{Clause, Comparison, Item, Literal, Operator, Premise, Term, TermKind};
use mangle_syntax::syntax::literal;
use mangle_syntax::text::{Symbol, slice};

pub(super) static SUBSUMED_RULE: Rule = rule!("subsumed-rule.md");

/// Maximum number of rule pairs per predicate, and of premise pairs. Real programs need some
/// hundreds. The limit keeps checks of predicates with very many rules fast enough for typing.
const PAIRS: u32 = 1_000_000;
const PREMISES: u32 = 200_000;

/// The remaining work for one predicate.
struct Budget {
    pairs: u32,
    premises: u32,
}

pub(super) fn check(program: &Program, predicate: &Predicate, out: &mut ProgramFindings) {
    if predicate.signature.has_rules {
        let mut budget = Budget { pairs: PAIRS, premises: PREMISES };
        check_predicate(program, predicate, &mut budget, out);
    }
}

/// A rule and its requirements as bits. If a rule has a bit that another rule lacks, it cannot
/// subsume that rule.
struct Candidate<'p> {
    site: Site<'p>,
    rule: ClauseText<'p>,
    requirements: u64,
}

fn check_predicate(program: &Program, predicate: &Predicate, budget: &mut Budget, out: &mut ProgramFindings) {
    let mut sites = program.rules(predicate);
    let Some(first) = sites.next() else { return };
    let Some(second) = sites.next() else { return };
    let candidates: Vec<_> = [first, second].into_iter().chain(sites).filter_map(candidate).collect();
    for (at, special) in candidates.iter().enumerate() {
        if budget.pairs == 0 || budget.premises == 0 {
            return;
        }
        let general = candidates.iter().enumerate().find(|(other, general)| {
            let Some(left) = budget.pairs.checked_sub(1) else { return false };
            budget.pairs = left;
            if general.requirements & !special.requirements != 0 || *other == at || budget.premises == 0 {
                return false;
            }
            let subsumes = |one: &Candidate<'_>, two: &Candidate<'_>, left: &mut u32| {
                // `duplicate-clause` reports clauses with equal text.
                one.site.item.statement.digest != two.site.item.statement.digest
                    && Matching::subsumes(one.rule, two.rule, left)
            };
            // Of two equivalent rules, the later one is reported.
            subsumes(general, special, &mut budget.premises)
                && (*other < at || !subsumes(special, general, &mut budget.premises))
        });
        if let Some((_, general)) = general {
            report(general, special, out);
        }
    }
}

/// A comparable rule: not temporal, without a transform.
fn candidate(site: Site<'_>) -> Option<Candidate<'_>> {
    let rule = ClauseText::from_item(site.file, site.item)?;
    let clause = rule.clause;
    if clause.interval.is_some()
        || !clause.transforms.is_empty()
        || clause.literals().any(Literal::is_temporal)
    {
        return None;
    }
    let mut asks = 0;
    for premise in &clause.premises {
        if let Premise::Literal(literal) = premise {
            let mut hasher = FxHasher::default();
            (literal.atom.name.symbol, literal.is_negated()).hash(&mut hasher);
            asks |= 1 << (hasher.finish() >> 58);
        }
    }
    Some(Candidate { site, rule, requirements: asks })
}

fn report(general: &Candidate<'_>, special: &Candidate<'_>, out: &mut ProgramFindings) {
    let same = general.rule.clause.premises.len() == special.rule.clause.premises.len();
    let note = if same {
        "another rule derives the same facts from the same premises"
    } else {
        "another rule derives the same facts with fewer conditions"
    };
    let (file, statement, range) = general.site.place();
    let head = &special.rule.clause.head;
    let message = format!("redundant rule for `{}`", head.name.as_str());
    let finding = Finding::new(&SUBSUMED_RULE, head.range, message)
        .related(Span::new(file, statement, range), "other rule")
        .note(note);
    out.push(special.site.file.id, special.site.item.statement.id, finding);
}

/// A clause and the text that its ranges index.
#[derive(Clone, Copy)]
pub(super) struct ClauseText<'p> {
    pub(super) clause: &'p Clause,
    pub(super) text: &'p str,
}

impl<'p> ClauseText<'p> {
    /// The clause of an item without syntax errors.
    pub(super) fn from_item(file: &'p FileSummary, item: &'p Item) -> Option<Self> {
        let clause = item.statement.clause().filter(|_| !item.statement.damaged)?;
        Some(Self { clause, text: file.statement_text(item) })
    }
}

/// True if two literal constants have the same value. `None` if one of the terms is not a readable
/// constant.
pub(super) fn same_constant(one: &Term, text: &str, other: &Term, other_text: &str) -> Option<bool> {
    if !one.is_constant() || !other.is_constant() {
        return None;
    }
    Some(match (&one.kind, &other.kind) {
        (TermKind::Name(one), TermKind::Name(other)) => one == other,
        (TermKind::Number(one), TermKind::Number(other)) => (*one)? == (*other)?,
        (TermKind::Float(one), TermKind::Float(other)) => one.to_bits() == other.to_bits(),
        (TermKind::String, TermKind::String) => {
            let (one, other) = (slice(text, one.range), slice(other_text, other.range));
            one == other || literal::string_value(one)? == literal::string_value(other)?
        }
        (TermKind::Bytes, TermKind::Bytes) => {
            return (slice(text, one.range) == slice(other_text, other.range)).then_some(true);
        }
        _ => false,
    })
}

/// True if two terms of a statement have the same text. `_` never equals another `_`.
pub(super) fn same_term(one: &Term, other: &Term, text: &str) -> bool {
    match (&one.kind, &other.kind) {
        (TermKind::Variable(one), TermKind::Variable(other)) => one == other,
        (TermKind::Apply(a), TermKind::Apply(b)) => {
            a.function.symbol == b.function.symbol
                && a.args.len() == b.args.len()
                && a.args.iter().zip(&b.args).all(|(one, other)| same_term(one, other, text))
        }
        _ => same_constant(one, text, other, text) == Some(true),
    }
}

/// Substitution of the variables of a general rule by values of a special rule.
struct Matching<'p> {
    general: ClauseText<'p>,
    special: ClauseText<'p>,
    bound: Vec<(Symbol, &'p Term)>,
    /// Remaining number of premise comparisons.
    budget: u32,
}

impl<'p> Matching<'p> {
    /// True if `general` derives every fact that `special` derives. Some substitution of variables
    /// must map its head to the head of `special`, and each of its premises to a premise of
    /// `special`. Compares at most `budget` premises and returns false if the budget is exhausted.
    fn subsumes(general: ClauseText<'p>, special: ClauseText<'p>, budget: &mut u32) -> bool {
        let mut matching = Self { general, special, bound: Vec::new(), budget: (*budget).min(PER_PAIR) };
        let before = matching.budget;
        let heads = general.clause.head.args.iter().zip(&special.clause.head.args);
        let mut found = true;
        for (general, special) in heads {
            found = found && matching.term(general, special);
        }
        found = found && matching.premises(0);
        *budget -= before - matching.budget;
        found
    }

    fn premises(&mut self, at: usize) -> bool {
        let Some(premise) = self.general.clause.premises.get(at) else { return true };
        let special = self.special;
        for candidate in &special.clause.premises {
            let Some(left) = self.budget.checked_sub(1) else { return false };
            self.budget = left;
            let mark = self.bound.len();
            if self.premise(premise, candidate) && self.premises(at + 1) {
                return true;
            }
            self.bound.truncate(mark);
        }
        false
    }

    fn premise(&mut self, general: &'p Premise, special: &'p Premise) -> bool {
        match (general, special) {
            (Premise::Literal(general), Premise::Literal(special)) => self.literal(general, special),
            (Premise::Comparison(general), Premise::Comparison(special)) => self.comparison(general, special),
            _ => false,
        }
    }

    fn literal(&mut self, general: &'p Literal, special: &'p Literal) -> bool {
        let plain = !general.is_temporal() && !special.is_temporal();
        let (one, other) = (&general.atom, &special.atom);
        plain
            && general.is_negated() == special.is_negated()
            && one.name.symbol == other.name.symbol
            && one.args.len() == other.args.len()
            && one.args.iter().zip(&other.args).all(|(one, other)| {
                // A negated wildcard stands for all values, a positive one for any value.
                (one.is_wildcard() && (!general.is_negated() || other.is_wildcard())) || self.term(one, other)
            })
    }

    fn comparison(&mut self, general: &'p Comparison, special: &'p Comparison) -> bool {
        let mark = self.bound.len();
        if general.operator == special.operator
            && self.term(&general.left, &special.left)
            && self.term(&general.right, &special.right)
        {
            return true;
        }
        self.bound.truncate(mark);
        general.operator == mirrored(special.operator)
            && self.term(&general.left, &special.right)
            && self.term(&general.right, &special.left)
    }

    fn term(&mut self, general: &'p Term, special: &'p Term) -> bool {
        match (&general.kind, &special.kind) {
            (TermKind::Variable(symbol), _) => {
                if let Some(&(_, before)) = self.bound.iter().find(|(bound, _)| bound == symbol) {
                    return std::ptr::eq(before, special) || same_term(before, special, self.special.text);
                }
                self.bound.push((*symbol, special));
                true
            }
            (TermKind::Apply(one), TermKind::Apply(other)) => {
                one.function.symbol == other.function.symbol
                    && one.args.len() == other.args.len()
                    && one.args.iter().zip(&other.args).all(|(one, other)| self.term(one, other))
            }
            _ => same_constant(general, self.general.text, special, self.special.text) == Some(true),
        }
    }
}

/// Maximum number of premise comparisons per pair of rules. Real rules need a few dozen.
const PER_PAIR: u32 = 500;

/// The equivalent operator for swapped sides.
pub(super) fn mirrored(operator: Operator) -> Operator {
    match operator {
        Operator::Less => Operator::Greater,
        Operator::LessEqual => Operator::GreaterEqual,
        Operator::Greater => Operator::Less,
        Operator::GreaterEqual => Operator::LessEqual,
        same @ (Operator::Equal | Operator::NotEqual) => same,
    }
}
