//! Recursive explanation of a missing fact, down to the premises that no fact satisfies.

use super::why_not::{AtomPattern, Miss, Restriction};
use super::{Clock, CompiledProgram, Model, RuleId, ValueId};
use crate::program::PredicateId;

/// The maximum number of atoms in one explanation.
const MAX_ATOMS: usize = 200;

/// A rule with the premise that stopped it, and the reasons for the missing premise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// The rule and the obstacle.
    pub miss: Miss,
    /// The gaps of the rules that could derive the premise. Empty if [`Gap::end`] is set.
    pub below: Vec<Gap>,
    /// The cause of the end of the explanation, if it ends here.
    pub end: Option<GapEnd>,
}

/// The cause of the end of an explanation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GapEnd {
    /// No rule derives the predicate, so facts are missing: its name and arity.
    NoRule(String, usize),
    /// No rule derives the predicate, and a matching fact exists only in other stores.
    OtherStore {
        /// The matching fact.
        fact: String,
        /// The names of the stores that contain the fact.
        stores: String,
    },
    /// The maximum depth of the explanation is reached.
    Deeper,
    /// The maximum number of atoms is reached.
    TooLong,
    /// The atom is already part of the path, so the rules depend on each other.
    Again,
}

impl Model {
    /// Explains recursively, down to `depth`, the lack of a fact of a predicate with these
    /// arguments. An argument of `None` matches any value. Rules that derive such a fact are
    /// omitted.
    #[must_use]
    pub fn gaps(
        &mut self,
        compiled: &CompiledProgram,
        clock: Clock,
        predicate: PredicateId,
        wanted: &[Option<ValueId>],
        depth: usize,
    ) -> Vec<Gap> {
        let mut descent = Descent { model: self, compiled, clock, open: Vec::new(), left: MAX_ATOMS };
        descent.gaps((predicate, wanted.to_vec()), depth)
    }
}

impl Model {
    /// Explains why one rule does not derive a fact with these arguments, down to `depth`.
    ///
    /// An argument of `None` matches any value, and `restrictions` fix the values of variables.
    /// `None` if the rule derives such a fact.
    #[must_use]
    pub fn gap_of_rule(
        &mut self,
        compiled: &CompiledProgram,
        clock: Clock,
        rule: RuleId,
        wanted: &[Option<ValueId>],
        restrictions: &[Restriction],
        depth: usize,
    ) -> Option<Gap> {
        let (miss, asked) = self.stop_of_rule(compiled, clock, rule, wanted, restrictions)?;
        let mut descent = Descent { model: self, compiled, clock, open: Vec::new(), left: MAX_ATOMS };
        Some(descent.gap(miss, asked, depth))
    }
}

/// State of a recursive explanation.
struct Descent<'m> {
    model: &'m mut Model,
    compiled: &'m CompiledProgram,
    clock: Clock,
    /// The atoms on the path from the first atom to the current one.
    open: Vec<AtomPattern>,
    left: usize,
}

impl Descent<'_> {
    fn gaps(&mut self, atom: AtomPattern, depth: usize) -> Vec<Gap> {
        self.left = self.left.saturating_sub(1);
        let stops = self.model.stops(self.compiled, self.clock, atom.0, &atom.1);
        self.open.push(atom);
        let gaps = stops.into_iter().map(|(miss, asked)| self.gap(miss, asked, depth)).collect();
        self.open.pop();
        gaps
    }

    fn gap(&mut self, miss: Miss, asked: Option<AtomPattern>, depth: usize) -> Gap {
        let Some(asked) = asked else { return Gap { miss, below: Vec::new(), end: None } };
        if self.compiled.rules_of(asked.0).is_empty() {
            let missing = || GapEnd::NoRule(self.compiled.name(asked.0).to_string(), asked.1.len());
            let end = Some(self.in_other_store(asked.0, &asked.1).unwrap_or_else(missing));
            return Gap { miss, below: Vec::new(), end };
        }
        if self.open.contains(&asked) {
            return Gap { miss, below: Vec::new(), end: Some(GapEnd::Again) };
        }
        if self.left == 0 {
            return Gap { miss, below: Vec::new(), end: Some(GapEnd::TooLong) };
        }
        if depth == 0 {
            return Gap { miss, below: Vec::new(), end: Some(GapEnd::Deeper) };
        }
        Gap { miss, below: self.gaps(asked, depth - 1), end: None }
    }

    /// A fact of another store that matches an atom.
    fn in_other_store(&self, predicate: PredicateId, wanted: &[Option<ValueId>]) -> Option<GapEnd> {
        let (model, compiled) = (&*self.model, self.compiled);
        let division = compiled.division.as_ref()?;
        let union = division.original(predicate);
        let fits = |(_, tuple): &(u32, &[ValueId])| {
            wanted.iter().zip(*tuple).all(|(wanted, value)| wanted.is_none_or(|wanted| wanted == *value))
        };
        let (number, tuple) = (0u32..).zip(model.relation(union)?.tuples()).find(fits)?;
        let stores = division.stores.listed(model.stores_of(compiled, union, number));
        Some(GapEnd::OtherStore { fact: model.fact(compiled, union, tuple), stores })
    }
}
