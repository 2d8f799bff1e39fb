//! The unknown facts of a world: a slot holds one fact of one input predicate, and its columns are
//! choices.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::term::{Term, Terms};
use crate::circuit::{Circuit, Literal};
use crate::input::Input;
use mangle_engine::kernel::ValueId;

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
        (inputs, groups): (&[Input], &[Vec<ValueId>]),
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
