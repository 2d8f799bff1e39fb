//! The unknown facts of a world: a slot holds one fact of one input predicate, and its columns are choices.
//!
//! A choice is a term: a value, or several values, each with a literal that selects it.

use mangle_engine::kernel::ValueId;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::circuit::{Circuit, Literal};
use crate::inputs::Input;
use crate::obstacle::Obstacle;

/// The input of the fact in each slot, as required by a derivation: 0 for any input, or the number
/// of the input plus one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Uses(SmallVec<[u16; 8]>);

impl Uses {
    /// Creates an instance without requirements.
    pub(crate) fn none(slots: usize) -> Self {
        Self(smallvec::smallvec![0; slots])
    }

    /// Requires a fact of the input in the slot.
    pub(crate) fn only(slots: usize, slot: usize, input: u16) -> Self {
        let mut uses = Self::none(slots);
        uses.0.get_mut(slot).into_iter().for_each(|at| *at = input + 1);
        uses
    }

    /// Returns the union of both requirements. `None` if they are incompatible. Slots hold facts in
    /// the order of their inputs.
    pub(crate) fn join(&self, other: &Self) -> Option<Self> {
        let mut joined = self.clone();
        for (at, more) in joined.0.iter_mut().zip(&other.0) {
            match (*at, *more) {
                (_, 0) => {}
                (0, more) => *at = more,
                (known, more) if known == more => {}
                _ => return None,
            }
        }
        let mut last = 0;
        for &at in joined.0.iter().filter(|at| **at != 0) {
            if at < last {
                return None;
            }
            last = at;
        }
        Some(joined)
    }

    /// Keeps only the common requirements.
    pub(crate) fn meet(&mut self, other: &Self) {
        for (at, more) in self.0.iter_mut().zip(&other.0) {
            if at != more {
                *at = 0;
            }
        }
    }
}

/// The possible fact of a slot for one input.
pub(crate) struct SlotFact {
    /// The number of the input.
    pub(crate) input: usize,
    /// True if the slot holds a fact of this input.
    pub(crate) taken: Literal,
    /// The columns.
    pub(crate) terms: Box<[Term]>,
    pub(crate) uses: Uses,
}

/// All slots of a world with their possible facts.
pub(crate) struct Slots {
    pub(crate) slots: Vec<Vec<SlotFact>>,
}

impl Slots {
    /// Creates slots, each with a fact of one of `inputs`.
    ///
    /// The facts are in the order of the inputs, and the values of each group in the order of the
    /// group.
    pub(crate) fn new(
        circuit: &mut Circuit,
        terms: &mut Terms,
        inputs: &[Input],
        groups: &[Vec<ValueId>],
        count: usize,
    ) -> Self {
        let mut orders: Vec<GroupOrder> = (0usize..)
            .zip(groups)
            .map(|(number, group)| GroupOrder::new(circuit, number, group, inputs))
            .collect();
        let mut slots: Vec<Vec<SlotFact>> = Vec::with_capacity(count);
        for slot in 0..count {
            let mut facts = Vec::with_capacity(inputs.len());
            for (number, input) in inputs.iter().enumerate() {
                let taken = circuit.unknown();
                orders.iter_mut().for_each(GroupOrder::begin_fact);
                let mut columns: Vec<Term> = Vec::with_capacity(input.columns.len());
                for (at, values) in input.columns.iter().enumerate() {
                    let of_column = input.groups.get(at).map_or(&[][..], Vec::as_slice);
                    let is_early = |value: &ValueId| {
                        !of_column
                            .iter()
                            .any(|group| orders.get(*group).is_some_and(|order| order.is_late(slot, *value)))
                    };
                    let values: Vec<ValueId> = values.iter().copied().filter(is_early).collect();
                    let term = column(circuit, terms, taken, &values);
                    for group in of_column {
                        if let Some(order) = orders.get_mut(*group) {
                            order.require(circuit, terms, term, taken);
                        }
                    }
                    columns.push(term);
                }
                let columns: Box<[Term]> = columns.into();
                let uses = Uses::only(count, slot, u16::try_from(number).unwrap_or(u16::MAX - 1));
                facts.push(SlotFact { input: number, taken, terms: columns, uses });
            }
            orders.iter_mut().for_each(|order| order.end_slot(circuit));
            let taken: Vec<Literal> = facts.iter().map(|fact| fact.taken).collect();
            circuit.require(taken.iter().copied());
            circuit.at_most_one(&taken);
            slots.push(facts);
        }
        for pair in slots.windows(2) {
            let [first, second] = pair else { continue };
            ordered(circuit, first, second);
        }
        Self { slots }
    }

    /// Returns the fact of each slot in the latest solution: the number of its input, and its
    /// values.
    pub(crate) fn world(&self, circuit: &Circuit, terms: &Terms) -> Vec<(usize, Vec<ValueId>)> {
        let fact = |facts: &Vec<SlotFact>| {
            let fact = facts.iter().find(|fact| circuit.holds(fact.taken))?;
            let value = |term: &Term| {
                let options = terms.options(circuit, *term);
                options.iter().find(|(_, literal)| circuit.holds(*literal)).map(|(value, _)| *value)
            };
            Some((fact.input, fact.terms.iter().map(value).collect::<Option<Vec<_>>>()?))
        };
        self.slots.iter().filter_map(fact).collect()
    }
}

/// The order of the exchangeable values of a group in a world: each value only after its
/// predecessor.
///
/// The order prevents a search through all permutations.
struct GroupOrder {
    /// The index of each value in the order.
    ranks: FxHashMap<ValueId, usize>,
    /// The maximum number of values of the group in one fact.
    width: usize,
    /// True if the value with this rank is in an earlier slot.
    before: Vec<Literal>,
    /// For each fact of this slot: the rank, and the condition that the fact has the value.
    in_slot: Vec<(usize, Literal)>,
    in_fact: Vec<(usize, Literal)>,
    columns: usize,
}

impl GroupOrder {
    fn new(circuit: &Circuit, number: usize, values: &[ValueId], inputs: &[Input]) -> Self {
        let count = |input: &Input| input.groups.iter().filter(|groups| groups.contains(&number)).count();
        Self {
            ranks: values.iter().copied().zip(0..).collect(),
            width: inputs.iter().map(count).max().unwrap_or(0),
            before: vec![circuit.no(); values.len()],
            in_slot: Vec::new(),
            in_fact: Vec::new(),
            columns: 0,
        }
    }

    fn begin_fact(&mut self) {
        self.in_slot.append(&mut self.in_fact);
        self.columns = 0;
    }

    /// True if a value cannot be in the next column of a slot, because too few columns precede it.
    fn is_late(&self, slot: usize, value: ValueId) -> bool {
        self.ranks.get(&value).is_some_and(|rank| *rank > slot * self.width + self.columns)
    }

    /// Requires that the predecessor of a column's value is in an earlier column.
    fn require(&mut self, circuit: &mut Circuit, terms: &Terms, term: Term, taken: Literal) {
        let mut found = Vec::new();
        for (value, literal) in terms.options(circuit, term) {
            let Some(&rank) = self.ranks.get(&value) else { continue };
            let literal = circuit.both(literal, taken);
            if let Some(last) = rank.checked_sub(1) {
                let earlier = self.before.get(last).copied().into_iter();
                let in_fact =
                    self.in_fact.iter().filter(|(rank, _)| *rank == last).map(|(_, literal)| *literal);
                let clause: Vec<Literal> = earlier.chain(in_fact).chain([!literal]).collect();
                circuit.require(clause);
            }
            found.push((rank, literal));
        }
        self.in_fact.extend(found);
        self.columns += 1;
    }

    fn end_slot(&mut self, circuit: &mut Circuit) {
        self.begin_fact();
        for (rank, literal) in std::mem::take(&mut self.in_slot) {
            if let Some(before) = self.before.get_mut(rank) {
                *before = circuit.any([*before, literal]);
            }
        }
    }
}

/// Creates a column of a fact with one of `values` if the fact is used.
fn column(circuit: &mut Circuit, terms: &mut Terms, taken: Literal, values: &[ValueId]) -> Term {
    if let [only] = values {
        return terms.value(*only);
    }
    let options: Vec<(ValueId, Literal)> = values.iter().map(|value| (*value, circuit.unknown())).collect();
    let literals: Vec<Literal> = options.iter().map(|(_, literal)| *literal).collect();
    circuit.require(literals.iter().copied().chain([!taken]));
    for literal in &literals {
        circuit.require([!*literal, taken]);
    }
    circuit.at_most_one(&literals);
    terms.choice(circuit, options)
}

/// Requires that the input of the second slot does not precede the input of the first, because the
/// order of facts is irrelevant.
fn ordered(circuit: &mut Circuit, first: &[SlotFact], second: &[SlotFact]) {
    let mut later = circuit.no();
    for (one, other) in first.iter().zip(second).rev() {
        // `later`: the first slot has a later input.
        circuit.require([!later, !other.taken]);
        later = circuit.any([later, one.taken]);
    }
}

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
