//! Symbolic relations: tuples of terms, each with the condition that it holds. Also the state of a plan
//! evaluation that fills them: registers and memoized results.

use mangle_engine::kernel::ValueId;
use mangle_engine::kernel::plan::{Plan, RelationId};
use mangle_syntax::syntax::ast::Operator;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::slots::{Term, Terms, Uses};
use crate::circuit::{Circuit, Literal};

/// A tuple of a symbolic relation.
#[derive(Debug, Clone)]
pub(crate) struct SymbolicTuple {
    pub(crate) terms: Box<[Term]>,
    /// True in the worlds with the tuple.
    pub(crate) holds: Literal,
    /// The facts of the world that every derivation of the tuple uses.
    pub(crate) uses: Uses,
}

/// A relation in all worlds.
#[derive(Debug, Default)]
pub(crate) struct SymbolicRelation {
    pub(crate) tuples: Vec<SymbolicTuple>,
    numbers: FxHashMap<Box<[Term]>, u32>,
    /// Indexes of the tuples by column, including tuples with a choice in the column. Created on
    /// demand.
    columns: FxHashMap<u16, ColumnIndex>,
}

#[derive(Debug, Default)]
struct ColumnIndex {
    by_value: FxHashMap<Term, Vec<u32>>,
    choices: Vec<u32>,
    /// The number of indexed tuples.
    end: usize,
}

/// The derived tuples of a round that are not yet part of the relation.
#[derive(Debug, Default)]
pub(crate) struct Additions {
    order: Vec<Box<[Term]>>,
    found: FxHashMap<Box<[Term]>, (Vec<Literal>, Uses)>,
}

impl Additions {
    /// Adds a derivation of a tuple.
    pub(crate) fn add(&mut self, terms: Box<[Term]>, holds: Literal, uses: &Uses) {
        match self.found.get_mut(&terms) {
            Some((literals, known)) => {
                literals.push(holds);
                known.meet(uses);
            }
            None => {
                self.order.push(terms.clone());
                self.found.insert(terms, (vec![holds], uses.clone()));
            }
        }
    }
}

impl SymbolicRelation {
    /// Returns the number of a tuple. A new tuple is added with a condition that is never true.
    fn number(&mut self, circuit: &Circuit, terms: &[Term], uses: &Uses) -> u32 {
        if let Some(known) = self.numbers.get(terms) {
            return *known;
        }
        let number = u32::try_from(self.tuples.len()).unwrap_or(u32::MAX);
        let tuple = SymbolicTuple { terms: terms.into(), holds: circuit.no(), uses: uses.clone() };
        self.tuples.push(tuple);
        self.numbers.insert(terms.into(), number);
        number
    }

    /// Adds derived tuples. Returns the conditions that changed syntactically, before and after.
    pub(crate) fn merge(&mut self, circuit: &mut Circuit, additions: Additions) -> Vec<(Literal, Literal)> {
        let Additions { order, mut found } = additions;
        let mut changes = Vec::new();
        for terms in order {
            let Some((mut literals, uses)) = found.remove(&terms) else { continue };
            let number = self.number(circuit, &terms, &uses);
            let Some(tuple) = self.tuples.get_mut(number as usize) else { continue };
            tuple.uses.meet(&uses);
            literals.push(tuple.holds);
            let holds = circuit.any(literals);
            if holds != tuple.holds {
                changes.push((tuple.holds, holds));
                tuple.holds = holds;
            }
        }
        changes
    }

    /// Returns the numbers of the tuples that may have these terms in these columns.
    pub(crate) fn candidates(&mut self, terms: &Terms, circuit: &Circuit, keys: &[(u16, Term)]) -> Vec<u32> {
        let all = self.tuples.len();
        let mut best: Option<Vec<u32>> = None;
        for (column, key) in keys {
            self.update(terms, *column);
            let Some(index) = self.columns.get(column) else { continue };
            let options = terms.options(circuit, *key);
            let mut found: SmallVec<[u32; 16]> = index.choices.as_slice().into();
            for (value, _) in &options {
                let at = terms.known(*value).and_then(|term| index.by_value.get(&term));
                found.extend(at.into_iter().flatten().copied());
            }
            if best.as_ref().is_none_or(|best| found.len() < best.len()) {
                best = Some(found.into_vec());
            }
        }
        let mut best = best.unwrap_or_else(|| (0..u32::try_from(all).unwrap_or(u32::MAX)).collect());
        best.sort_unstable();
        best
    }

    fn update(&mut self, terms: &Terms, column: u16) {
        let index = self.columns.entry(column).or_default();
        for (number, tuple) in (0u32..).zip(&self.tuples).skip(index.end) {
            let Some(term) = tuple.terms.get(usize::from(column)) else { continue };
            match terms.as_value(*term) {
                Some(_) => index.by_value.entry(*term).or_default().push(number),
                None => index.choices.push(number),
            }
        }
        index.end = self.tuples.len();
    }
}

/// A derivation of the head of a plan.
pub(super) type Derived = (Box<[Term]>, Literal, Uses);

/// The state of a plan during its evaluation.
pub(super) struct Frame<'p> {
    pub(super) plan: &'p Plan,
    pub(super) row: Vec<Term>,
    pub(super) out: Vec<Derived>,
    /// The number of surrounding predicate calls.
    pub(super) depth: u32,
}

impl<'p> Frame<'p> {
    pub(super) fn new(plan: &'p Plan, terms: &mut Terms) -> Self {
        let row = vec![terms.value(ValueId(0)); usize::from(plan.slots)];
        Self { plan, row, out: Vec::new(), depth: 0 }
    }
}

/// Memoized results of terms.
#[derive(Default)]
pub(super) struct Memo {
    pub(super) computed: FxHashMap<(&'static str, Box<[Term]>), Computed>,
    pub(super) tests: FxHashMap<(Operator, Term, Term), Test>,
    pub(super) absences: FxHashMap<LookupKey, Literal>,
}

/// The value of a function, and the condition that it exists.
#[derive(Debug, Clone, Copy)]
pub(super) struct Computed {
    pub(super) term: Term,
    /// The condition that the function has a value.
    pub(super) succeeds: Literal,
    pub(super) fails: Literal,
}

/// The conditions that a test holds and that it fails.
#[derive(Debug, Clone, Copy)]
pub(super) struct Test {
    pub(super) holds: Literal,
    pub(super) fails: Literal,
}

/// The requirements of a lookup.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct LookupKey {
    pub(super) relation: RelationId,
    pub(super) keys: Box<[(u16, Term)]>,
    pub(super) same: Box<[(u16, u16)]>,
}
