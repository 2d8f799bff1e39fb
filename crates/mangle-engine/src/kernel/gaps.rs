//! Why a fact does not hold, down to the premises that no fact can meet: each premise that stopped a rule is asked about
//! in the same way.

use super::why_not::{AtomPattern, Miss, Restriction};
use super::{Clock, Compiled, Model, RuleId, ValueId};
use crate::program::PredicateId;

/// How many atoms are asked about in one explanation.
const MOST_ATOMS: usize = 200;

/// What a rule lacks, and why it is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// The rule and what stopped it.
    pub miss: Miss,
    /// What the rules lack that could give the premise; empty where [`Gap::end`] says why.
    pub below: Vec<Gap>,
    /// Why there is nothing below.
    pub end: Option<GapEnd>,
}

/// Why an explanation ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GapEnd {
    /// No rule gives facts of this predicate, so facts are missing: its name and its number of arguments.
    NoRule(String, usize),
    /// No rule gives facts of this predicate, and only other stores have a fact that fits.
    OtherStore {
        /// Such a fact.
        fact: String,
        /// The names of the stores that have it.
        stores: String,
    },
    /// The rules go on, below the depth of the explanation.
    Deeper,
    /// The rules go on, and the explanation is as long as it may be.
    TooLong,
    /// The same atom is asked for above, so the rules need each other.
    Again,
}

impl Model {
    /// Why no fact of a predicate has these arguments (`None`: any), rules within rules down to `depth`. Rules that do
    /// give such a fact are left out.
    #[must_use]
    pub fn gaps(
        &mut self,
        compiled: &Compiled,
        clock: Clock,
        predicate: PredicateId,
        wanted: &[Option<ValueId>],
        depth: usize,
    ) -> Vec<Gap> {
        let mut descent = Descent { model: self, compiled, clock, open: Vec::new(), left: MOST_ATOMS };
        descent.gaps((predicate, wanted.to_vec()), depth)
    }
}

impl Model {
    /// What keeps one rule from giving a fact with these arguments (`None`: any) where variables of it hold what is given,
    /// rules within rules down to `depth`. `None` where nothing does.
    #[must_use]
    pub fn gap_of_rule(
        &mut self,
        (compiled, clock): (&Compiled, Clock),
        rule: RuleId,
        wanted: &[Option<ValueId>],
        restrictions: &[Restriction],
        depth: usize,
    ) -> Option<Gap> {
        let (miss, asked) = self.stop_of_rule(compiled, clock, rule, wanted, restrictions)?;
        let mut descent = Descent { model: self, compiled, clock, open: Vec::new(), left: MOST_ATOMS };
        Some(descent.gap(miss, asked, depth))
    }
}

/// A walk from an atom to what it lacks.
struct Descent<'m> {
    model: &'m mut Model,
    compiled: &'m Compiled,
    clock: Clock,
    /// The atoms from the first one down to this one.
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
            let end = Some(self.in_other_store(&asked).unwrap_or_else(missing));
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

    /// A fact of another store that fits an atom.
    fn in_other_store(&self, (predicate, wanted): &AtomPattern) -> Option<GapEnd> {
        let (model, compiled) = (&*self.model, self.compiled);
        let division = compiled.division.as_ref()?;
        let union = division.original(*predicate);
        let fits = |(_, tuple): &(u32, &[ValueId])| {
            wanted.iter().zip(*tuple).all(|(wanted, value)| wanted.is_none_or(|wanted| wanted == *value))
        };
        let (number, tuple) = (0u32..).zip(model.relation(union)?.tuples()).find(fits)?;
        let stores = division.stores.listed(model.stores_of(compiled, union, number));
        Some(GapEnd::OtherStore { fact: model.fact(compiled, union, tuple), stores })
    }
}
