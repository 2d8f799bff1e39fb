//! Types of the head of a clause, and the check against its declaration.

use super::Inference;
use super::expression::{type_of, type_or_any};
use super::problem::{TypeProblem, TypeProblemKind};
use super::state::TypeState;
use crate::types::{Row, Rows, Type};
use mangle_syntax::syntax::ast::{Clause, Term, TermKind};

impl Inference {
    /// Reports function applications in the head if the engine would stop at them.
    pub(super) fn head_expressions(&mut self, clause: &Clause) {
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
    pub(super) fn heads(&mut self, clause: &Clause) -> Vec<Row> {
        let mut heads: Vec<Row> = Vec::with_capacity(self.states.len());
        for state in &self.states {
            heads.push(clause.head.args.iter().map(|term| type_or_any(term, state)).collect());
        }
        heads
    }

    /// Reports the arguments that fit no row of the declaration, at most once per argument.
    pub(super) fn check_head(&mut self, clause: &Clause, heads: &[Row], declared: &Rows) {
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
