//! Checks for contradictory and repeated premises in a body. Contradictions are:
//!
//! * two comparisons with the same sides
//! * a variable with several constants
//! * the integer range that comparisons leave
//! * an atom with its negation
//!
//! Other contradictions are not detected.

use rustc_hash::FxHashMap;

use super::subsumption::{mirrored, same_constant, same_term};
use crate::analysis::CheckContext;
use crate::analysis::wording::code;
use mangle_syntax::lint::{Finding, Rule, Span, rule};
use mangle_syntax::syntax::ast::{Clause, Comparison, Literal, Operator, Premise, Term, TermKind};
use mangle_syntax::text::{Symbol, TextRange};

pub(super) static CONTRADICTORY_PREMISES: Rule = rule!("contradictory-premises.md");

/// Reports the first contradiction of a body.
pub(super) fn check_contradictions(context: &CheckContext<'_>, clause: &Clause, out: &mut Vec<Finding>) {
    let Some((one, other)) = of_atoms(context, clause).or_else(|| of_comparisons(context, clause)) else {
        return;
    };
    let [first, second] = [one, other].map(|range| code(context.slice(range), 24));
    let message = format!("{first} and {second} cannot both hold");
    let finding = Finding::new(&CONTRADICTORY_PREMISES, other, message)
        .related(Span::here(one), "contradicting premise")
        .note(format!("this rule for `{}` never fires", clause.head.name.as_str()));
    out.push(finding.help("write two rules if either premise may hold"));
}

/// An atom and its negation.
fn of_atoms(context: &CheckContext<'_>, clause: &Clause) -> Option<(TextRange, TextRange)> {
    let plain = |literal: &&Literal| !literal.is_temporal();
    for negated in clause.literals().filter(plain).filter(|literal| literal.is_negated()) {
        let same = |literal: &&Literal| {
            let (one, other) = (&literal.atom, &negated.atom);
            one.name.symbol == other.name.symbol
                && one.args.len() == other.args.len()
                && one.args.iter().zip(&other.args).all(|(one, other)| same_term(one, other, context.text))
        };
        let positive = clause.literals().filter(plain).filter(|literal| !literal.is_negated()).find(same);
        if let Some(positive) = positive {
            let mut ranges = [positive.range, negated.range];
            ranges.sort_by_key(|range| range.start());
            return Some((ranges[0], ranges[1]));
        }
    }
    None
}

/// Maximum number of comparisons of a clause to check for contradictions.
const MAX_CONTRADICTING: usize = 256;

fn of_comparisons(context: &CheckContext<'_>, clause: &Clause) -> Option<(TextRange, TextRange)> {
    let mut comparisons = clause.premises.iter().filter_map(|premise| match premise {
        Premise::Comparison(comparison) => Some(comparison),
        _ => None,
    });
    // A single comparison contradicts nothing.
    comparisons.clone().nth(1)?;
    let all: Vec<&Comparison> = comparisons.by_ref().take(MAX_CONTRADICTING).collect();
    for (at, other) in all.iter().enumerate() {
        for one in all.iter().take(at) {
            if excluded(context, one, other) {
                return Some((one.range, other.range));
            }
        }
    }
    of_ranges(&all)
}

/// True if two comparisons cannot both hold.
fn excluded(context: &CheckContext<'_>, one: &Comparison, other: &Comparison) -> bool {
    let same = |a: &Term, b: &Term| same_term(a, b, context.text);
    let possible = if same(&one.left, &other.left) && same(&one.right, &other.right) {
        outcomes(one.operator) & outcomes(other.operator)
    } else if same(&one.left, &other.right) && same(&one.right, &other.left) {
        outcomes(one.operator) & outcomes(mirrored(other.operator))
    } else {
        return two_values(context, one, other);
    };
    possible == 0
}

/// The outcomes (less, equal, greater) that an operator accepts, as bits.
fn outcomes(operator: Operator) -> u8 {
    match operator {
        Operator::Less => 0b001,
        Operator::Equal => 0b010,
        Operator::Greater => 0b100,
        Operator::LessEqual => 0b011,
        Operator::GreaterEqual => 0b110,
        Operator::NotEqual => 0b101,
    }
}

/// True if a variable equals two different constants, for example `X = /a` and `X = /b`.
fn two_values(context: &CheckContext<'_>, one: &Comparison, other: &Comparison) -> bool {
    let (Some((variable, value)), Some((same, second))) = (assignment(one), assignment(other)) else {
        return false;
    };
    variable == same && same_constant(value, context.text, second, context.text) == Some(false)
}

/// The variable and the constant of `X = constant`.
fn assignment(comparison: &Comparison) -> Option<(Symbol, &Term)> {
    let Comparison { left, right, operator, .. } = comparison;
    let sides = [(left, right), (right, left)];
    let found = sides.into_iter().find_map(|(one, other)| Some((one.variable()?, other)));
    found.filter(|(_, value)| *operator == Operator::Equal && value.is_constant())
}

/// The integer range that remains for a variable, and the comparisons that define it.
#[derive(Default)]
struct IntegerBounds {
    least: Option<(i64, TextRange)>,
    most: Option<(i64, TextRange)>,
}

fn of_ranges(comparisons: &[&Comparison]) -> Option<(TextRange, TextRange)> {
    let mut left: FxHashMap<Symbol, IntegerBounds> = FxHashMap::default();
    for comparison in comparisons {
        let Some((variable, operator, number)) = against_number(comparison) else { continue };
        let left = left.entry(variable).or_default();
        let (least, most) = match operator {
            Operator::Less => (None, number.checked_sub(1)),
            Operator::LessEqual => (None, Some(number)),
            Operator::Greater => (number.checked_add(1), None),
            Operator::GreaterEqual => (Some(number), None),
            Operator::Equal => (Some(number), Some(number)),
            Operator::NotEqual => continue,
        };
        if let Some(least) = least.filter(|least| left.least.is_none_or(|(before, _)| *least > before)) {
            left.least = Some((least, comparison.range));
        }
        if let Some(most) = most.filter(|most| left.most.is_none_or(|(before, _)| *most < before)) {
            left.most = Some((most, comparison.range));
        }
        if let (Some((least, one)), Some((most, other))) = (left.least, left.most)
            && least > most
        {
            let first = one.start().min(other.start());
            return Some(if one.start() == first { (one, other) } else { (other, one) });
        }
    }
    None
}

/// A comparison of a variable with an integer, with the variable on the left.
fn against_number(comparison: &Comparison) -> Option<(Symbol, Operator, i64)> {
    match (&comparison.left.kind, &comparison.right.kind) {
        (TermKind::Variable(variable), TermKind::Number(Some(number))) => {
            Some((*variable, comparison.operator, *number))
        }
        (TermKind::Number(Some(number)), TermKind::Variable(variable)) => {
            Some((*variable, mirrored(comparison.operator), *number))
        }
        _ => None,
    }
}

pub(super) static REPEATED_PREMISE: Rule = rule!("repeated-premise.md");

/// Maximum number of premises with the same predicate to compare.
const MAX_REPEATED: usize = 64;

/// Reports repeated premises in a body.
pub(super) fn check_repetitions(context: &CheckContext<'_>, clause: &Clause, out: &mut Vec<Finding>) {
    // A repeated premise changes the number of rows in a group.
    if clause.aggregates() {
        return;
    }
    let mut earlier: FxHashMap<(Symbol, bool), Vec<&Literal>> = FxHashMap::default();
    for later in clause.literals().filter(|literal| !literal.is_temporal()) {
        let alike = earlier.entry((later.atom.name.symbol, later.is_negated())).or_default();
        let first = alike.iter().find(|first| implies(context, first, later));
        if first.is_none() && alike.len() < MAX_REPEATED {
            alike.push(later);
        } else if let Some(first) = first {
            let message = format!("duplicate premise {}", code(context.slice(later.range), 48));
            let finding = Finding::new(&REPEATED_PREMISE, later.range, message);
            let finding = finding.note("a repeated premise excludes nothing more");
            out.push(finding.related(Span::here(first.range), "first occurrence"));
        }
    }
}

/// True if the first premise implies the later one. A wildcard matches any value.
fn implies(context: &CheckContext<'_>, first: &Literal, later: &Literal) -> bool {
    let (one, other) = (&first.atom, &later.atom);
    let same = |(one, other): (&Term, &Term)| {
        (other.is_wildcard() && (!later.is_negated() || one.is_wildcard()))
            || same_term(one, other, context.text)
    };
    first.is_negated() == later.is_negated()
        && one.name.symbol == other.name.symbol
        && one.args.len() == other.args.len()
        && one.args.iter().zip(&other.args).all(same)
}
