//! Symbolic values: a value, or a choice of values, each with a literal that selects it.

use mangle_engine::kernel::ValueId;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::circuit::{Circuit, Literal};
use crate::obstacle::Obstacle;

/// The number of a symbolic value in its [`Terms`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Term(u32);

/// A combination of the values of several terms.
pub(crate) type Combination = SmallVec<[ValueId; 4]>;

/// The maximum number of value combinations per step.
const MAX_COMBINATIONS: usize = 60_000;

enum TermKind {
    Value(ValueId),
    Choice(Box<[(ValueId, Literal)]>),
}

/// All symbolic values of a search.
#[derive(Default)]
pub(crate) struct Terms {
    all: Vec<TermKind>,
    values: FxHashMap<ValueId, Term>,
    choices: FxHashMap<Box<[(ValueId, Literal)]>, Term>,
    equal: FxHashMap<(Term, Term), Literal>,
}

impl Terms {
    /// Returns the term of one value.
    pub(crate) fn value(&mut self, value: ValueId) -> Term {
        let all = &mut self.all;
        *self.values.entry(value).or_insert_with(|| push(all, TermKind::Value(value)))
    }

    /// Returns the existing term of one value.
    pub(crate) fn known(&self, value: ValueId) -> Option<Term> {
        self.values.get(&value).copied()
    }

    /// Creates a choice of values. At most one of the literals is true at a time.
    pub(crate) fn choice(&mut self, circuit: &Circuit, options: Vec<(ValueId, Literal)>) -> Term {
        if let [(value, literal)] = options.as_slice()
            && *literal == circuit.yes()
        {
            return self.value(*value);
        }
        let options: Box<[_]> = options.into();
        if let Some(known) = self.choices.get(&options) {
            return *known;
        }
        let term = push(&mut self.all, TermKind::Choice(options.clone()));
        self.choices.insert(options, term);
        term
    }

    /// Returns the value of a term that is not a choice.
    pub(crate) fn as_value(&self, term: Term) -> Option<ValueId> {
        match self.all.get(term.0 as usize)? {
            TermKind::Value(value) => Some(*value),
            TermKind::Choice(_) => None,
        }
    }

    /// Returns the possible values of a term with their literals.
    pub(crate) fn options(&self, circuit: &Circuit, term: Term) -> SmallVec<[(ValueId, Literal); 1]> {
        match self.all.get(term.0 as usize) {
            Some(TermKind::Value(value)) => smallvec::smallvec![(*value, circuit.yes())],
            Some(TermKind::Choice(options)) => options.as_ref().into(),
            None => SmallVec::new(),
        }
    }

    /// Returns the condition that two terms have the same value.
    pub(crate) fn equal(&mut self, circuit: &mut Circuit, one: Term, other: Term) -> Literal {
        if one == other {
            return circuit.yes();
        }
        if self.as_value(one).is_some() && self.as_value(other).is_some() {
            return circuit.no();
        }
        let key = (one.min(other), one.max(other));
        if let Some(known) = self.equal.get(&key) {
            return *known;
        }
        let (left, right) = (self.options(circuit, one), self.options(circuit, other));
        let right: FxHashMap<ValueId, Literal> = right.into_iter().collect();
        let mut cases = Vec::new();
        for (value, literal) in left {
            if let Some(&same) = right.get(&value) {
                cases.push(circuit.both(literal, same));
            }
        }
        let equal = circuit.any(cases);
        self.equal.insert(key, equal);
        equal
    }

    /// Returns all combinations of the values of `terms`, with their conditions.
    pub(crate) fn combinations(
        &self,
        circuit: &mut Circuit,
        terms: &[Term],
    ) -> Result<Vec<(Combination, Literal)>, Obstacle> {
        let mut distinct: SmallVec<[Term; 4]> = SmallVec::new();
        let places: SmallVec<[usize; 4]> = terms
            .iter()
            .map(|term| {
                distinct.iter().position(|known| known == term).unwrap_or_else(|| {
                    distinct.push(*term);
                    distinct.len() - 1
                })
            })
            .collect();
        let mut all: Vec<(Combination, Literal)> = vec![(Combination::new(), circuit.yes())];
        for term in distinct {
            let options = self.options(circuit, term);
            if all.len().saturating_mul(options.len()) > MAX_COMBINATIONS {
                return Err(Obstacle::Size("too many values meet in one premise"));
            }
            let mut longer = Vec::with_capacity(all.len() * options.len());
            for (values, literal) in &all {
                for (value, taken) in &options {
                    let both = circuit.both(*literal, *taken);
                    if both != circuit.no() {
                        let mut values = values.clone();
                        values.push(*value);
                        longer.push((values, both));
                    }
                }
            }
            all = longer;
        }
        let spread = |values: &Combination| places.iter().filter_map(|at| values.get(*at).copied()).collect();
        Ok(all.iter().map(|(values, literal)| (spread(values), *literal)).collect())
    }
}

fn push(all: &mut Vec<TermKind>, kind: TermKind) -> Term {
    let term = Term(u32::try_from(all.len()).unwrap_or(u32::MAX));
    all.push(kind);
    term
}
