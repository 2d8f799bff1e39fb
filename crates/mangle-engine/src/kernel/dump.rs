//! The facts of a model as the engine prints them, no more of them than there is room for.

use std::fmt::{Display, Write as _};

use super::plan::{BEGINNING, Compiled, END, NOW, nanos};
use super::values::shares;
use super::{Bound, Datum, Interval, Model, PRINTED_BYTES, ValueId, Values};
use crate::program::PredicateId;

/// How much text may be made of facts. Facts are shown whole where all of them fit; else each is cut, and of those that
/// still do not fit it is said how many there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextBudget {
    /// How many bytes a fact may have if not all facts fit; its arguments share them.
    pub each: usize,
    /// How many bytes are left for all.
    pub left: usize,
}

impl TextBudget {
    /// For facts that a command writes: 128 MiB in all; if that is too little, 4 KiB a fact.
    pub const ANSWER: Self = Self { each: PRINTED_BYTES, left: 1 << 27 };

    /// For facts with their proofs, or with what is missing for them: 32 MiB in all; if that is too little, 4 KiB a fact.
    pub const EXPLAINED: Self = Self { each: PRINTED_BYTES, left: 1 << 25 };

    /// For a document of an editor: 16 MiB in all; if that is too little, 4 KiB a fact.
    pub const DOCUMENT: Self = Self { each: PRINTED_BYTES, left: 1 << 24 };

    /// The budget for facts whose texts have so many bytes in all.
    #[must_use]
    pub fn of(self, bytes: u64) -> Self {
        let fits = bytes <= self.left as u64;
        Self { each: if fits { usize::MAX } else { self.each }, ..self }
    }

    /// Takes the room for a text, and for what holds it.
    pub fn take(&mut self, text: &str) {
        /// A text of its own, and a value around it, in memory and in an answer.
        const AROUND: usize = 32;
        self.left = self.left.saturating_sub(text.len() + AROUND);
    }
}

/// Facts as texts, and how many there are besides.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dump {
    /// The facts, sorted by bytes.
    pub facts: Vec<Box<str>>,
    /// How many facts are left out for want of room.
    pub omitted: usize,
}

impl Default for TextBudget {
    /// [`TextBudget::DOCUMENT`]
    fn default() -> Self {
        Self::DOCUMENT
    }
}

impl Model {
    /// All facts of the predicates of the program, sorted by bytes: `p(/a,1)`, `q(2)@[2024-01-01T00:00:00Z, _]`. For
    /// models that are known to be small.
    #[must_use]
    pub fn dump(&self, compiled: &Compiled) -> Vec<String> {
        let budget = TextBudget { each: PRINTED_BYTES, left: TextBudget::ANSWER.left };
        self.dump_within(compiled, budget).facts.into_iter().map(String::from).collect()
    }

    /// The same as far as a budget goes.
    #[must_use]
    pub fn dump_within(&self, compiled: &Compiled, budget: TextBudget) -> Dump {
        let mut dump = Dump::default();
        let relations =
            (0..compiled.predicates()).filter_map(|predicate| self.relation(PredicateId(predicate)));
        let sizes = relations.flat_map(|relation| relation.tuples()).map(|tuple| self.printed_bytes(tuple));
        let mut budget = budget.of(sizes.fold(0, u64::saturating_add));
        for predicate in (0..compiled.predicates()).map(PredicateId) {
            let Some(relation) = self.relation(predicate) else { continue };
            for tuple in relation.tuples() {
                if budget.left == 0 {
                    dump.omitted += 1;
                    continue;
                }
                let fact = self.fact_within(compiled, predicate, tuple, budget.each);
                budget.take(&fact);
                dump.facts.push(fact.into());
            }
        }
        dump.facts.sort_unstable();
        dump
    }

    /// About how many bytes a fact has as the engine prints it.
    #[must_use]
    pub fn printed_bytes(&self, tuple: &[ValueId]) -> u64 {
        let sizes = tuple.iter().map(|value| self.values.printed_bytes(*value));
        sizes.fold(0, u64::saturating_add)
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

    /// A tuple of a predicate as a fact, in about [`PRINTED_BYTES`]: longer arguments are cut in their middle.
    #[must_use]
    pub fn fact(&self, compiled: &Compiled, predicate: PredicateId, tuple: &[ValueId]) -> String {
        self.fact_within(compiled, predicate, tuple, PRINTED_BYTES)
    }

    /// The same in about `bytes`, which the arguments share.
    #[must_use]
    pub fn fact_within(
        &self,
        compiled: &Compiled,
        predicate: PredicateId,
        tuple: &[ValueId],
        bytes: usize,
    ) -> String {
        let (args, interval) = match tuple {
            [args @ .., start, end] if compiled.is_temporal(predicate) => (args, Some((*start, *end))),
            _ => (tuple, None),
        };
        let mut text = self.values.atom(compiled.name(predicate), args, bytes);
        if let Some((start, end)) = interval {
            let is_forgotten = self.values.get(start) == &Datum::Time(END)
                && self.values.get(end) == &Datum::Time(BEGINNING);
            // The engine forgets the intervals of some facts, see `plan::temporal`.
            if !is_forgotten {
                let interval = Interval { start: self.end(start, BEGINNING), end: self.end(end, END) };
                let _ = write!(text, "{interval}");
            }
        }
        text
    }

    /// An end of an interval, which is unbounded at the instant `open`.
    fn end(&self, value: ValueId, open: i64) -> Bound {
        match self.values.get(value) {
            Datum::Time(instant) if *instant == open => Bound::Infinite,
            Datum::Name(name) if &**name == NOW => Bound::Now,
            _ => Bound::At(nanos(&self.values, value)),
        }
    }
}

impl Values {
    /// An atom as the engine prints it, in about `bytes`, which the arguments share: longer ones are cut in their middle.
    #[must_use]
    pub fn atom(&self, name: impl Display, args: &[ValueId], bytes: usize) -> String {
        let share = shares(args.iter().map(|value| self.printed_bytes(*value)), bytes);
        let mut text = format!("{name}(");
        for (at, value) in args.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            let _ = write!(text, "{comma}{}", self.display_within(*value, share));
        }
        text.push(')');
        text
    }
}
