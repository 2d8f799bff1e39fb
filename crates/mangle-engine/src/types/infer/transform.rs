//! Type inference for the `let` statements and reducers of a transform.

use super::expression::{key_kind, type_of, type_or_any};
use super::problem::{TypeProblem, TypeProblemKind};
use super::state::{TypeOrigin, TypeState};
use super::{Inference, MAX_PREMISES};
use crate::program::builtins::{self, BuiltinFunction};
use crate::types::Type;
use crate::types::value::Base;
use mangle_syntax::syntax::ast::{Apply, Clause, Term, Transform};

impl Inference {
    /// Infers the types of the variables of the transform.
    pub(super) fn transform(&mut self, clause: &Clause) {
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
        transform.statements.iter().any(|it| it.variable.as_ref().and_then(Term::variable) == Some(name))
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
