//! Influence analysis: all predicates that some root predicates depend on, and if more facts of
//! them can add or remove facts of the roots.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::graph::Edge;
use super::{PredicateId, Program};

/// The number of negations between a root and a predicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Polarity {
    /// No negation.
    Plain,
    /// An odd number: more facts of the predicate mean fewer facts of the root.
    Odd,
    /// An even number, at least two: more facts of the predicate remove obstacles of the root.
    Even,
}

impl Polarity {
    #[cfg(test)]
    const ALL: [Self; 3] = [Self::Plain, Self::Odd, Self::Even];

    /// The polarities after an edge. An aggregation can act in both directions.
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

/// A predicate whose facts influence a root.
#[derive(Debug, Clone, Copy)]
pub struct Influence {
    /// The root that the predicate influences.
    pub root: PredicateId,
    /// The premise that uses the predicate, on a shortest path to the root. `None` for a root.
    pub edge: Option<Edge>,
    /// True if a fact of the predicate can contribute to a derivation of the root.
    pub grants: bool,
    /// True if a fact of the predicate can remove an obstacle of the root.
    pub removes_obstacle: bool,
    /// True if a fact of the predicate can prevent the root from holding.
    pub restricts: bool,
}

/// All predicates that some roots depend on.
#[derive(Debug, Default)]
pub struct Influences {
    found: FxHashMap<PredicateId, Influence>,
}

impl Influences {
    /// Finds the predicates that the roots depend on. `for_it` are the roots, and facts of
    /// `against_it` override them. Visits each premise a constant number of times.
    #[must_use]
    pub fn new(program: &Program, for_it: &[PredicateId], against_it: &[PredicateId]) -> Self {
        let mut search = Search { consulted: Self::default(), queue: VecDeque::new() };
        for_it.iter().for_each(|root| search.reach(*root, *root, Polarity::Plain, None));
        against_it.iter().for_each(|root| search.reach(*root, *root, Polarity::Odd, None));
        search.run(program);
        search.consulted
    }

    /// The influence of a predicate. `None` if no root depends on it.
    #[must_use]
    pub fn get(&self, predicate: PredicateId) -> Option<&Influence> {
        self.found.get(&predicate)
    }

    /// True if no predicate was found.
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
            Polarity::Even => self.removes_obstacle,
        }
    }

    fn add(&mut self, way: Polarity) {
        match way {
            Polarity::Plain => self.grants = true,
            Polarity::Odd => self.restricts = true,
            Polarity::Even => self.removes_obstacle = true,
        }
    }
}

/// A breadth-first search. The stored edge of a predicate lies on a shortest path.
struct Search {
    consulted: Influences,
    queue: VecDeque<(PredicateId, Polarity)>,
}

impl Search {
    fn reach(&mut self, predicate: PredicateId, root: PredicateId, way: Polarity, edge: Option<Edge>) {
        let new = Influence { root, edge, grants: false, removes_obstacle: false, restricts: false };
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
        let consulted = Influences::new(&program, &[root], &[]);
        (program, consulted)
    }

    #[track_caller]
    fn check(name: &str, expected: Option<[bool; 3]>) {
        let (program, consulted) = consulted();
        let id = program.id(program.named(Symbol::new(name)).next().unwrap().key).unwrap();
        let found = consulted.get(id).map(|one| [one.grants, one.removes_obstacle, one.restricts]);
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
            let mut consult = Influence {
                root: PredicateId(0),
                edge: None,
                grants: false,
                removes_obstacle: false,
                restricts: false,
            };
            consult.add(way);
            assert!(consult.has(way));
            assert_eq!(Polarity::ALL.iter().filter(|other| consult.has(**other)).count(), 1);
        }
    }
}
