//! Type inference in one clause: every premise narrows the types of its variables, alternatives
//! fork the state, states without values die, and what is left at the end is what the head holds.
//!
//! Takes a clause and what is known of the relations that it asks; gives the types of the head and
//! the [`TypeProblem`]s met on the way. Nothing is ever concluded from `/any`.

mod expression;
mod head;
mod premise;
mod problem;
mod state;
mod transform;

pub use problem::{TypeProblem, TypeProblemKind};
pub use state::{TypeOrigin, TypeState};

use super::{Row, Rows};
use crate::program::{Mode, Signature};
use mangle_syntax::syntax::ast::{Atom, Clause, Premise, TimeBoundKind};

/// How many alternatives are followed at once; beyond, they are joined into one.
const STATES: usize = 16;

/// How many premises of a clause are followed. Each may copy what is known of all variables; what comes
/// later in a clause so long says nothing.
const PREMISES: usize = 200;

/// What a clause needs to know of a relation.
#[derive(Debug, Clone)]
pub struct Relation<'p> {
    /// Its columns.
    pub rows: Rows,
    /// The predicate's signature.
    pub signature: Option<&'p Signature>,
}

/// What was inferred of a clause.
#[derive(Debug, Default)]
pub struct ClauseTypes {
    /// What is wrong, in the order of the premises, the head last.
    pub problems: Vec<TypeProblem>,
    /// What the head holds: one row for each state in `states`. Empty when a premise is impossible.
    pub heads: Vec<Row>,
    /// The types of the variables at the end, in each state that is left.
    pub states: Vec<TypeState>,
}

impl ClauseTypes {
    /// Infers the types of a clause that could be read whole. `relation` tells about the
    /// predicates of its premises and its head.
    #[must_use]
    pub fn of<'p>(clause: &Clause, relation: impl Fn(&Atom) -> Relation<'p>) -> Self {
        let head = relation(&clause.head);
        let mut inference =
            Inference { problems: Vec::new(), states: vec![entry_state(clause, &head)], impossible: false };
        for (index, premise) in (0..).zip(&clause.premises).take(PREMISES) {
            if !is_negated(premise) {
                inference.follow(index, premise, &relation);
            }
        }
        for (index, premise) in (0..).zip(&clause.premises).take(PREMISES) {
            if is_negated(premise) {
                inference.follow(index, premise, &relation);
            }
        }
        inference.transform(clause);
        inference.head_interval(clause);
        inference.head_expressions(clause);
        let heads = inference.heads(clause);
        if head.rows.declared {
            inference.check_head(clause, &heads, &head.rows);
        }
        let heads = if inference.impossible { Vec::new() } else { heads };
        Self { problems: inference.problems, heads, states: inference.states }
    }
}

/// What a fact shows of its relation.
pub(super) fn fact_row(clause: &Clause, state: &TypeState) -> Row {
    clause.head.args.iter().map(|term| expression::type_or_any(term, state)).collect()
}

fn is_negated(premise: &Premise) -> bool {
    matches!(premise, Premise::Literal(literal) if literal.is_negated())
}

/// The state before the first premise: what the caller of the head brings.
fn entry_state(clause: &Clause, head: &Relation<'_>) -> TypeState {
    let mut state = TypeState::default();
    let modes = head.signature.map_or(&[][..], |signature| &signature.modes);
    if head.rows.declared {
        for ((at, term), mode) in (0u32..).zip(&clause.head.args).zip(modes) {
            if let (Some(name), Mode::Input) = (term.variable(), mode) {
                let _ = state.narrow(name, &head.rows.column(at as usize), TypeOrigin::Head(at));
            }
        }
    }
    state
}

/// The work on one clause.
struct Inference {
    problems: Vec<TypeProblem>,
    states: Vec<TypeState>,
    /// Whether a premise can never hold, so that the head says nothing.
    impossible: bool,
}

impl Inference {
    /// Takes every state through one step. When none gets through, reports what stood in the way
    /// of the one that came nearest, and goes on as if the step had told nothing about the
    /// variables named by `forget`.
    fn step(
        &mut self,
        step: impl Fn(&TypeState, &mut Vec<TypeState>) -> Result<(), Box<TypeProblem>>,
        forget: impl Fn(&mut TypeState),
    ) {
        let mut next = Vec::with_capacity(self.states.len());
        let mut nearest: Option<Box<TypeProblem>> = None;
        for state in &self.states {
            if let Err(problem) = step(state, &mut next)
                && nearest.as_ref().is_none_or(|known| problem.names && !known.names)
            {
                nearest = Some(problem);
            }
        }
        if let Some(problem) = nearest.filter(|_| next.is_empty()) {
            self.impossible |= !problem.names && problem.kind.is_fatal();
            next.clone_from(&self.states);
            // What the premise says of its variables is lost, what they were before is doubtful; but
            // names that no clause writes may still come from outside.
            if !problem.names {
                next.iter_mut().for_each(forget);
            }
            self.problems.push(*problem);
        }
        if next.len() > STATES
            && let Some((first, rest)) = next.split_first_mut()
        {
            rest.iter().for_each(|state| first.absorb(state));
            next.truncate(1);
        }
        self.states = next;
    }

    /// Constrains variables that stand in the interval of the head: they are instants.
    fn head_interval(&mut self, clause: &Clause) {
        for bound in clause.interval.iter().flat_map(|interval| &interval.bounds) {
            if let TimeBoundKind::Variable(name) = bound.kind {
                self.interval_bound(name, bound.range);
            }
        }
    }
}
