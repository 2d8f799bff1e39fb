//! Type inference for one clause.
//!
//! Each premise narrows the types of its variables. A relation with several alternatives splits the
//! state, and a state is dropped if a variable has no possible value. The types of the head are
//! computed from the remaining states.
//!
//! Input: a clause, and the column types of the relations in its premises. Output: the types of the
//! head, and a list of [`TypeProblem`]s. Nothing is concluded from `/any`.

mod expression;
mod premise;
mod state;

pub use state::{TypeOrigin, TypeProblem, TypeProblemKind, TypeState};

use expression::{key_kind, type_of, type_or_any};

use super::{Base, Row, Rows, Type};
use crate::program::builtins::{self, BuiltinFunction};
use crate::program::{Mode, Signature};
use mangle_syntax::syntax::ast::{Apply, Atom, Clause, Premise, Term, TermKind, TimeBoundKind, Transform};

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

impl Inference {
    /// Reports function applications in the head if the engine would stop at them.
    fn head_expressions(&mut self, clause: &Clause) {
        for term in clause.head.args.iter().filter(|term| term.apply().is_some()) {
            let step = |state: &TypeState, next: &mut Vec<TypeState>| {
                type_of(term, state)?;
                next.push(state.clone());
                Ok(())
            };
            self.step(step, |_| {});
        }
    }

    /// Returns one row per state, in the order of the states.
    fn heads(&mut self, clause: &Clause) -> Vec<Row> {
        let mut heads: Vec<Row> = Vec::with_capacity(self.states.len());
        for state in &self.states {
            heads.push(clause.head.args.iter().map(|term| type_or_any(term, state)).collect());
        }
        heads
    }

    /// Reports the arguments that fit no row of the declaration, at most once per argument.
    fn check_head(&mut self, clause: &Clause, heads: &[Row], declared: &Rows) {
        let mut reported = Vec::new();
        for (state, head) in self.states.iter().zip(heads) {
            let nearest = (0u32..)
                .zip(declared.alternatives.iter())
                .map(|(index, row)| (index, row, misfits(&clause.head.args, head, row)))
                .min_by_key(|(_, _, misfits)| misfits.len());
            let Some((row, wanted, misfits)) = nearest else { continue };
            for argument in misfits {
                let at = argument as usize;
                let (Some(term), Some(found), Some(wanted)) =
                    (clause.head.args.get(at), head.get(at), wanted.get(at))
                else {
                    continue;
                };
                if reported.contains(&argument) {
                    continue;
                }
                reported.push(argument);
                let kind = TypeProblemKind::Head { argument, row };
                self.problems.push(head_problem(kind, term, found, wanted, state));
            }
        }
    }
}

/// The indexes of the arguments that do not fit a declared row.
fn misfits(terms: &[Term], head: &[Type], row: &[Type]) -> Vec<u32> {
    (0u32..)
        .zip(terms.iter().zip(head.iter().zip(row)))
        .filter(|(_, (term, (found, wanted)))| !fits(term, found, wanted))
        .map(|(at, _)| at)
        .collect()
}

/// True if an argument fits: map literals by their entries, other terms by their type.
fn fits(term: &Term, found: &Type, wanted: &Type) -> bool {
    match (&term.kind, wanted) {
        // A map literal is checked by its actual keys, not by the keys that lookups accept.
        (TermKind::Apply(apply), Type::Map(parts)) if apply.function.as_str() == "fn:map" => {
            let Type::Map(entries) = found else { return false };
            apply.args.iter().step_by(2).all(|key| fits_key(key, &parts.0)) && entries.1.fits(&parts.1)
        }
        _ => found.is_bottom() || found.fits(wanted),
    }
}

fn fits_key(key: &Term, wanted: &Type) -> bool {
    key.variable().is_some() || type_or_any(key, &TypeState::default()).fits(wanted)
}

fn head_problem(
    kind: TypeProblemKind,
    term: &Term,
    found: &Type,
    wanted: &Type,
    state: &TypeState,
) -> TypeProblem {
    TypeProblem {
        kind,
        range: term.range,
        variable: term.variable(),
        found: found.clone(),
        origin: term.variable().and_then(|name| state.origin(name)),
        wanted: wanted.clone(),
        differs_only_in_names: false,
    }
}

impl Inference {
    /// Infers the types of the variables of the transform.
    fn transform(&mut self, clause: &Clause) {
        // The Go implementation applies only the first transform. Another rule reports the second.
        let Some(transform) = clause.transforms.first() else { return };
        for statement in transform.statements.iter().take(MAX_PREMISES) {
            let Some(variable) = statement.variable.as_ref().and_then(Term::variable) else { continue };
            let value = &statement.value;
            let step = |state: &TypeState, next: &mut Vec<TypeState>| {
                let ty = value_of(transform, value, state)?;
                let mut state = state.clone();
                state.set(variable, ty, Some(TypeOrigin::Value(value.range)));
                next.push(state);
                Ok(())
            };
            self.step(step, |state| state.set(variable, Type::Any, None));
        }
    }
}

fn value_of(transform: &Transform, value: &Term, state: &TypeState) -> Result<Type, Box<TypeProblem>> {
    let reducer = value.apply().and_then(|apply| {
        let function =
            builtins::function(apply.function.as_str()).filter(|function| function.is_reducer())?;
        transform.is_do().then_some((apply, function))
    });
    match reducer {
        Some((apply, function)) => reduce(function, apply, transform, state),
        None => type_of(value, state),
    }
}

/// The result type of a reducer over the rows of a group.
fn reduce(
    function: &BuiltinFunction,
    apply: &Apply,
    transform: &Transform,
    state: &TypeState,
) -> Result<Type, Box<TypeProblem>> {
    let args = apply.args.as_slice();
    // The rows of a group contain the variables of the body, not the variables of a `let`.
    let is_let = |name| {
        transform
            .statements
            .iter()
            .any(|statement| statement.variable.as_ref().and_then(Term::variable) == Some(name))
    };
    let column = |term: &Term| match term.variable() {
        Some(name) if is_let(name) => Type::Any,
        _ => type_or_any(term, state),
    };
    match (function.name, args) {
        ("fn:collect" | "fn:collect_distinct", [_, ..]) => {
            Ok(Type::list(Type::tuple(args.iter().map(column))))
        }
        ("fn:collect_to_map", [key, value]) => Ok(Type::map(key_kind(&column(key)), column(value))),
        ("fn:pick_any", [only]) => Ok(column(only)),
        (_, [only]) => {
            let wanted = function.parameters.first().map_or(Type::Any, |text| Type::named(text));
            let found = column(only);
            if found.fits(&wanted) {
                return Ok(Type::named(function.result));
            }
            Err(Box::new(TypeProblem {
                kind: TypeProblemKind::Reducer { function: apply.function.symbol },
                range: apply.function.range,
                variable: only.variable(),
                found,
                origin: only.variable().and_then(|name| state.origin(name)),
                wanted,
                differs_only_in_names: false,
            }))
        }
        ("fn:count", []) => Ok(Type::Base(Base::Number)),
        _ => Ok(Type::Any),
    }
}
