//! Check that the engine evaluates a clause as written: every variable is bound before its use, and
//! no negation is dropped. Only premises of such clauses can be moved.

use super::Context;
use mangle_engine::program::Signature;
use mangle_engine::program::binding::Bindings;
use mangle_engine::program::rewrite::{ClauseSignatures, NegationEffect, Rewriting};
use mangle_syntax::syntax::ast::{Clause, Literal, Premise};

/// True if the engine evaluates `clause` of the current file as written.
pub(super) fn is_sound(context: &Context<'_>, clause: &Clause) -> bool {
    let place = context.place;
    let lookup = |atom: &_| Some(&place.program().predicate_of(place.file, atom)?.signature);
    let signatures = ClauseSignatures::new(clause, lookup);
    let rewriting = Rewriting::new(clause, &signatures, place.program().embedding.capabilities());
    let bindings = Bindings::new(clause, &signatures, &rewriting);
    let kept = rewriting
        .negations
        .iter()
        .all(|negation| matches!(negation.fate, NegationEffect::Kept | NegationEffect::Repeated));
    kept && bindings.variables().iter().all(|variable| variable.bound.is_some() && variable.value.is_some())
        && clause.premises.iter().all(|premise| match premise {
            Premise::Literal(literal) => is_plain(context, literal),
            Premise::Comparison(_) => true,
            Premise::Broken(..) => false,
        })
}

/// True if an atom only reads stored facts, without temporal operators.
fn is_plain(context: &Context<'_>, literal: &Literal) -> bool {
    let place = context.place;
    let signature = place.program().predicate_of(place.file, &literal.atom).map(|found| &found.signature);
    !literal.is_temporal() && signature.is_none_or(is_stored)
}

/// True if the facts of a predicate are stored: not temporal, external, deferred, reflected or moded.
pub(super) fn is_stored(signature: &Signature) -> bool {
    let special =
        signature.temporal || signature.external || signature.deferred || signature.reflects.is_some();
    !special && signature.modes.is_empty()
}
