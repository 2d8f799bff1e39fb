//! Type inference for one clause.
//!
//! Each premise narrows the types of its variables. A relation with several alternatives splits the
//! state, and a state is dropped if a variable has no possible value. The types of the head are
//! computed from the remaining states.
//!
//! Input: a clause, and the column types of the relations in its premises. Output: the types of the
//! head, and a list of [`TypeProblem`]s. Nothing is concluded from `/any`.

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

/// The maximum number of alternatives to track. More alternatives are joined into one.
const MAX_STATES: usize = 16;

/// The maximum number of premises to analyze in a clause. Each premise may copy the types of all
/// variables. Later premises do not narrow any type.
const MAX_PREMISES: usize = 200;

/// Type information about one relation of a clause.
#[derive(Debug, Clone)]
pub struct Relation<'p> {
    /// The types of the columns.
    pub rows: Rows,
    /// The signature of the predicate.
    pub signature: Option<&'p Signature>,
}

/// The inferred types of a clause.
#[derive(Debug, Default)]
pub struct ClauseTypes {
    /// The problems, in the order of the premises. Problems of the head are last.
    pub problems: Vec<TypeProblem>,
    /// The types of the head: one row per state in `states`. Empty if a premise is impossible.
    pub heads: Vec<Row>,
    /// The types of the variables at the end of the clause, for each remaining state.
    pub states: Vec<TypeState>,
}

impl ClauseTypes {
    /// Infers the types of a clause without syntax errors. `relation` returns the type information
    /// of the predicates in the premises and the head.
    #[must_use]
    pub fn infer<'p>(clause: &Clause, relation: impl Fn(&Atom) -> Relation<'p>) -> Self {
        let head = relation(&clause.head);
        let mut inference =
            Inference { problems: Vec::new(), states: vec![entry_state(clause, &head)], impossible: false };
        for (index, premise) in (0..).zip(&clause.premises).take(MAX_PREMISES) {
            if !is_negated(premise) {
                inference.infer_premise(index, premise, &relation);
            }
        }
        for (index, premise) in (0..).zip(&clause.premises).take(MAX_PREMISES) {
            if is_negated(premise) {
                inference.infer_premise(index, premise, &relation);
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

/// The column types of one fact.
pub(super) fn fact_row(clause: &Clause, state: &TypeState) -> Row {
    clause.head.args.iter().map(|term| expression::type_or_any(term, state)).collect()
}

fn is_negated(premise: &Premise) -> bool {
    matches!(premise, Premise::Literal(literal) if literal.is_negated())
}

/// The state before the first premise: the declared types of input arguments of the head.
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

struct Inference {
    problems: Vec<TypeProblem>,
    states: Vec<TypeState>,
    /// True if some premise can never hold, so that the rule derives nothing.
    impossible: bool,
}

impl Inference {
    /// Applies one step to every state. If no state passes, reports the problem of the nearest
    /// state and continues with the states before the step. `forget` then clears the types of the
    /// variables of the step.
    fn step(
        &mut self,
        step: impl Fn(&TypeState, &mut Vec<TypeState>) -> Result<(), Box<TypeProblem>>,
        forget: impl Fn(&mut TypeState),
    ) {
        let mut next = Vec::with_capacity(self.states.len());
        let mut nearest: Option<Box<TypeProblem>> = None;
        for state in &self.states {
            if let Err(problem) = step(state, &mut next)
                && nearest
                    .as_ref()
                    .is_none_or(|known| problem.differs_only_in_names && !known.differs_only_in_names)
            {
                nearest = Some(problem);
            }
        }
        if let Some(problem) = nearest.filter(|_| next.is_empty()) {
            self.impossible |= !problem.differs_only_in_names && problem.kind.is_fatal();
            next.clone_from(&self.states);
            // The premise has no usable types, and the types before it are doubtful. Names that no
            // clause writes are an exception: the host may add facts with them.
            if !problem.differs_only_in_names {
                next.iter_mut().for_each(forget);
            }
            self.problems.push(*problem);
        }
        if next.len() > MAX_STATES
            && let Some((first, rest)) = next.split_first_mut()
        {
            rest.iter().for_each(|state| first.absorb(state));
            next.truncate(1);
        }
        self.states = next;
    }

    /// Narrows the variables in the interval of the head to instants.
    fn head_interval(&mut self, clause: &Clause) {
        for bound in clause.interval.iter().flat_map(|interval| &interval.bounds) {
            if let TimeBoundKind::Variable(name) = bound.kind {
                self.interval_bound(name, bound.range);
            }
        }
    }
}
