//! The facts of a model as the engine prints them.

use std::fmt::Write as _;

use super::plan::{BEGINNING, Compiled, END};
use super::{Bound, Datum, Interval, Model, ValueId};
use crate::program::PredicateId;

impl Model {
    /// All facts of the predicates of the program, sorted by bytes: `p(/a,1)`, `q(2)@[2024-01-01T00:00:00Z, _]`.
    #[must_use]
    pub fn dump(&self, compiled: &Compiled) -> Vec<String> {
        let predicates = (0..compiled.predicates()).map(PredicateId);
        let mut facts: Vec<_> = predicates.flat_map(|predicate| self.facts_of(compiled, predicate)).collect();
        facts.sort_unstable();
        facts
    }

    /// The facts of one predicate in the order in which they were found.
    pub fn facts_of<'m>(
        &'m self,
        compiled: &'m Compiled,
        predicate: PredicateId,
    ) -> impl Iterator<Item = String> + use<'m> {
        let tuples = self.relation(predicate).into_iter().flat_map(|relation| relation.tuples());
        tuples.map(move |tuple| self.fact(compiled, predicate, tuple))
    }

    /// A tuple of a predicate as a fact.
    #[must_use]
    pub fn fact(&self, compiled: &Compiled, predicate: PredicateId, tuple: &[ValueId]) -> String {
        let (args, interval) = match tuple {
            [args @ .., start, end] if compiled.is_temporal(predicate) => (args, Some((*start, *end))),
            _ => (tuple, None),
        };
        let mut text = format!("{}(", compiled.name(predicate));
        for (at, value) in args.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            let _ = write!(text, "{comma}{}", self.values.display(*value));
        }
        text.push(')');
        if let Some((start, end)) = interval {
            let (start, end) = (self.end(start), self.end(end));
            // Else the engine forgot it, see `plan::temporal`.
            if (start, end) != (Bound::At(END), Bound::At(BEGINNING)) {
                let open = |bound, open| if bound == Bound::At(open) { Bound::Infinite } else { bound };
                let _ = write!(text, "{}", Interval { start: open(start, BEGINNING), end: open(end, END) });
            }
        }
        text
    }

    /// An end of an interval, with the infinities at their places.
    fn end(&self, value: ValueId) -> Bound {
        match self.values.get(value) {
            Datum::Time(instant) => Bound::At(*instant),
            _ => Bound::Now,
        }
    }
}
