//! What rules consult: every predicate that a derivation of some predicates reads, directly or through other rules, and
//! whether more facts of it can make more of them hold.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::graph::Edge;
use super::{PredicateId, Program};

/// How a predicate is reached from a root: through how many negations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Polarity {
    /// Through none.
    Plain,
    /// Through an odd number: more facts of it mean fewer facts of the root.
    Odd,
    /// Through an even number, two at least: more facts of it lift what speaks against the root.
    Even,
}

impl Polarity {
    #[cfg(test)]
    const ALL: [Self; 3] = [Self::Plain, Self::Odd, Self::Even];

    /// The ways on from here. An aggregation may count for the root or against it.
    fn through(self, edge: &Edge) -> &'static [Self] {
        match (self, edge.negated, edge.grouped) {
            (_, _, true) => &[Self::Odd, Self::Even],
            (Self::Odd, true, false) => &[Self::Even],
            (_, true, false) => &[Self::Odd],
            (Self::Plain, false, false) => &[Self::Plain],
            (Self::Odd, false, false) => &[Self::Odd],
            (Self::Even, false, false) => &[Self::Even],
        }
    }
}

/// A predicate whose facts decide whether a root holds.
#[derive(Debug, Clone, Copy)]
pub struct Influence {
    /// The root that the predicate influences.
    pub root: PredicateId,
    /// The premise that reads it, nearest to the root; `None` for a root itself.
    pub edge: Option<Edge>,
    /// Whether a fact of it can be part of what makes a root hold.
    pub grants: bool,
    /// Whether a fact of it can lift what keeps a root from holding.
    pub lifts: bool,
    /// Whether a fact of it can keep a root from holding.
    pub restricts: bool,
}

/// All predicates that some roots depend on.
#[derive(Debug, Default)]
pub struct Influences {
    found: FxHashMap<PredicateId, Influence>,
}

impl Influences {
    /// The predicates that the roots `for_it` depend on, and those `against_it` whose facts keep the former from counting.
    /// Costs one look at each premise.
    #[must_use]
    pub fn of(program: &Program, for_it: &[PredicateId], against_it: &[PredicateId]) -> Self {
        let mut search = Search { consulted: Self::default(), queue: VecDeque::new() };
        for_it.iter().for_each(|root| search.reach(*root, *root, Polarity::Plain, None));
        against_it.iter().for_each(|root| search.reach(*root, *root, Polarity::Odd, None));
        search.run(program);
        search.consulted
    }

    /// How a predicate is consulted; `None` where no root depends on it.
    #[must_use]
    pub fn get(&self, predicate: PredicateId) -> Option<&Influence> {
        self.found.get(&predicate)
    }

    /// Whether there is none at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }
}

impl Influence {
    fn has(&self, way: Polarity) -> bool {
        match way {
            Polarity::Plain => self.grants,
            Polarity::Odd => self.restricts,
            Polarity::Even => self.lifts,
        }
    }

    fn add(&mut self, way: Polarity) {
        match way {
            Polarity::Plain => self.grants = true,
            Polarity::Odd => self.restricts = true,
            Polarity::Even => self.lifts = true,
        }
    }
}

/// A breadth-first search, so that the premise that is kept is one of a shortest way.
struct Search {
    consulted: Influences,
    queue: VecDeque<(PredicateId, Polarity)>,
}

impl Search {
    fn reach(&mut self, predicate: PredicateId, root: PredicateId, way: Polarity, edge: Option<Edge>) {
        let new = Influence { root, edge, grants: false, lifts: false, restricts: false };
        let known = self.consulted.found.entry(predicate).or_insert(new);
        if !known.has(way) {
            known.add(way);
            self.queue.push_back((predicate, way));
        }
    }

    fn run(&mut self, program: &Program) {
        let graph = program.dependencies();
        while let Some((predicate, way)) = self.queue.pop_front() {
            let Some(root) = self.consulted.get(predicate).map(|known| known.root) else { continue };
            for edge in graph.edges_from(predicate) {
                for next in way.through(edge) {
                    self.reach(edge.to, root, *next, Some(*edge));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::Arc;

    use super::*;
    use crate::program::{FileSummary, PredicateKey};
    use mangle_syntax::syntax::SourceFile;
    use mangle_syntax::text::{FileId, Symbol};

    const POLICY: &str = "ok(X) :- asked(X), approved(X), !blocked(X), busy(N), N < 3.\n\
                          blocked(X) :- risky(X), !lifted(X).\n\
                          lifted(X) :- override(X).\n\
                          busy(N) :- job(J) |> do fn:group_by(), let N = fn:count().\n\
                          other(X) :- unrelated(X).\n";

    fn consulted() -> (Program, Influences) {
        let file = FileSummary::new(FileId(0), &SourceFile::parse(POLICY.into()));
        let program = Program::new(vec![Arc::new(file)]);
        let root = program.id(PredicateKey { name: Symbol::new("ok"), arity: 1 }).unwrap();
        let consulted = Influences::of(&program, &[root], &[]);
        (program, consulted)
    }

    #[track_caller]
    fn check(name: &str, expected: Option<[bool; 3]>) {
        let (program, consulted) = consulted();
        let id = program.id(program.named(Symbol::new(name)).next().unwrap().key).unwrap();
        let found = consulted.get(id).map(|one| [one.grants, one.lifts, one.restricts]);
        assert_eq!(found, expected, "{name}");
    }

    #[test]
    fn negations_turn_the_direction_around() {
        check("approved", Some([true, false, false]));
        check("risky", Some([false, false, true]));
        check("override", Some([false, true, false]));
        check("job", Some([false, true, true]));
        check("unrelated", None);
    }

    #[test]
    fn every_way_is_one_of_the_three() {
        for way in Polarity::ALL {
            let mut consult =
                Influence { root: PredicateId(0), edge: None, grants: false, lifts: false, restricts: false };
            consult.add(way);
            assert!(consult.has(way));
            assert_eq!(Polarity::ALL.iter().filter(|other| consult.has(**other)).count(), 1);
        }
    }
}
