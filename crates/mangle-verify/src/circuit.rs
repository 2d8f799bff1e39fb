//! Boolean circuits over unknowns, with a SAT solver for assignments that make an output true.
//!
//! Gates with the same inputs are shared. Each gate is added to the solver as clauses when it is
//! created.

use std::cell::Cell;
use std::time::Instant;

use batsat::{Callbacks, Lit, Solver, SolverInterface, SolverOpts, lbool};
use mangle_syntax::text::Cancel;
use rustc_hash::FxHashMap;

/// An unknown, the output of a gate, or a negation.
pub(crate) type Literal = Lit;

/// The maximum number of gates, which use about 300 megabytes.
const MAX_GATES: usize = 1_500_000;

/// The deadline of a solver run.
struct Deadline {
    end: Instant,
    cancel: Cancel,
    /// The number of checks since the clock was read.
    looks: Cell<u32>,
    /// True if the deadline has passed. The solver checks again while it returns.
    is_over: Cell<bool>,
}

impl Callbacks for Deadline {
    fn stop(&self) -> bool {
        self.looks.set(self.looks.get().wrapping_add(1));
        if self.looks.get().is_multiple_of(16) && Instant::now() >= self.end {
            self.is_over.set(true);
        }
        self.is_over.get() || self.cancel.is_cancelled()
    }
}

/// The satisfiability of the requirements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Satisfiable {
    Yes,
    No,
    /// The deadline passed, or the search was canceled.
    Unknown,
}

/// A Boolean circuit.
pub(crate) struct Circuit {
    solver: Solver<Deadline>,
    /// Conjunctions by their sorted inputs.
    conjunctions: FxHashMap<Box<[Literal]>, Literal>,
    yes: Literal,
}

impl Circuit {
    /// Creates an empty circuit whose searches end at `end` or on cancellation.
    pub(crate) fn new(end: Instant, cancel: &Cancel) -> Self {
        let deadline =
            Deadline { end, cancel: cancel.clone(), looks: Cell::new(0), is_over: Cell::new(false) };
        let mut solver = Solver::new(SolverOpts::default(), deadline);
        let yes = Lit::new(solver.new_var_default(), true);
        solver.add_clause_reuse(&mut vec![yes]);
        Self { solver, conjunctions: FxHashMap::default(), yes }
    }

    /// The literal that is always true.
    pub(crate) fn yes(&self) -> Literal {
        self.yes
    }

    /// The literal that is always false.
    pub(crate) fn no(&self) -> Literal {
        !self.yes
    }

    /// True if the circuit exceeds its size limit.
    pub(crate) fn is_full(&self) -> bool {
        self.conjunctions.len() > MAX_GATES
    }

    /// Creates an unknown.
    pub(crate) fn unknown(&mut self) -> Literal {
        Lit::new(self.solver.new_var_default(), true)
    }

    /// Returns the conjunction of `inputs`.
    pub(crate) fn all(&mut self, inputs: impl IntoIterator<Item = Literal>) -> Literal {
        let mut inputs: Vec<Literal> = inputs.into_iter().filter(|input| *input != self.yes).collect();
        inputs.sort_unstable();
        inputs.dedup();
        let is_contradiction = inputs.windows(2).any(|pair| pair[0] == !pair[1]);
        if is_contradiction || inputs.contains(&self.no()) {
            return self.no();
        }
        match inputs.as_slice() {
            [] => self.yes,
            [only] => *only,
            _ => self.gate(inputs.into()),
        }
    }

    fn gate(&mut self, inputs: Box<[Literal]>) -> Literal {
        if let Some(known) = self.conjunctions.get(&inputs) {
            return *known;
        }
        let output = self.unknown();
        for input in &inputs {
            self.solver.add_clause_reuse(&mut vec![!output, *input]);
        }
        let mut back: Vec<Literal> = inputs.iter().map(|input| !*input).collect();
        back.push(output);
        self.solver.add_clause_reuse(&mut back);
        self.conjunctions.insert(inputs, output);
        output
    }

    /// Returns the disjunction of `inputs`.
    pub(crate) fn any(&mut self, inputs: impl IntoIterator<Item = Literal>) -> Literal {
        let output = self.all(inputs.into_iter().map(|input| !input));
        !output
    }

    /// Returns the conjunction of two literals.
    pub(crate) fn both(&mut self, one: Literal, other: Literal) -> Literal {
        self.all([one, other])
    }

    /// Requires that at least one of `literals` is true.
    pub(crate) fn require(&mut self, literals: impl IntoIterator<Item = Literal>) {
        self.solver.add_clause_reuse(&mut literals.into_iter().collect());
    }

    /// Requires that at most one of `literals` is true.
    pub(crate) fn at_most_one(&mut self, literals: &[Literal]) {
        // An additional literal for each literal is true if an earlier literal is true.
        let mut earlier = self.no();
        for &literal in literals {
            self.require([!earlier, !literal]);
            earlier = self.any([earlier, literal]);
        }
    }

    /// Tests the satisfiability of the circuit with `assumptions`.
    pub(crate) fn solve(&mut self, assumptions: &[Literal]) -> Satisfiable {
        let result = self.solver.solve_limited(assumptions);
        if result == lbool::TRUE {
            Satisfiable::Yes
        } else if result == lbool::FALSE {
            Satisfiable::No
        } else {
            Satisfiable::Unknown
        }
    }

    /// True if a literal is true in the latest solution.
    pub(crate) fn holds(&self, literal: Literal) -> bool {
        self.solver.value_lit(literal) == lbool::TRUE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn circuit() -> Circuit {
        Circuit::new(Instant::now() + Duration::from_secs(60), &Cancel::new())
    }

    #[test]
    fn constants_fold() {
        let mut circuit = circuit();
        let (yes, no, unknown) = (circuit.yes(), circuit.no(), circuit.unknown());
        assert_eq!(circuit.all([]), yes);
        assert_eq!(circuit.any([]), no);
        assert_eq!(circuit.all([unknown, yes, unknown]), unknown);
        assert_eq!(circuit.all([unknown, no]), no);
        assert_eq!(circuit.any([unknown, !unknown]), yes);
    }

    #[test]
    fn equal_gates_are_one() {
        let mut circuit = circuit();
        let (one, other) = (circuit.unknown(), circuit.unknown());
        assert_eq!(circuit.all([one, other]), circuit.all([other, one]));
    }

    #[test]
    fn at_most_one_excludes_pairs() {
        let mut circuit = circuit();
        let all: Vec<_> = (0..4).map(|_| circuit.unknown()).collect();
        circuit.at_most_one(&all);
        assert_eq!(circuit.solve(&[all[1]]), Satisfiable::Yes);
        assert!(circuit.holds(all[1]) && !circuit.holds(all[3]));
        assert_eq!(circuit.solve(&[all[1], all[3]]), Satisfiable::No);
        assert_eq!(circuit.solve(&[]), Satisfiable::Yes);
    }
}
