//! Checks of called predicates: `deferred()` predicates, which the engine evaluates on demand, and
//! `external()` predicates, which the host computes.
//!
//! The checks report calls that the engine does not make or makes with wrong arguments. They also
//! report definitions that calls do not use. `mode(…)` declares the inputs and outputs of a call.
//!
//! The rules belong to several groups, so their codes differ.

mod clash;
mod definition;
mod outputs;
mod recursion;
mod stored_reads;

use super::{CheckContext, Family, ProgramCheck};
use mangle_engine::program::Signature;
use mangle_syntax::lint::Finding;
use mangle_syntax::syntax::ast::{Clause, Literal, Premise};

/// The rules about declarations of called predicates.
pub(super) const FAMILY: Family = Family {
    rules: &[&definition::DEFERRED_WITHOUT_MODE, &definition::DEFERRED_FACT],
    clause: Some(check_clause),
    declaration: Some(definition::check),
    program: &[ProgramCheck::Predicate(clash::check), ProgramCheck::Cycle(recursion::check)],
};

/// The rules about calls. The checks of [`FAMILY`] apply them.
pub(super) const SAFETY: Family = Family {
    rules: &[&outputs::DEFERRED_OUTPUT_TAKEN, &stored_reads::CALL_NOT_MADE, &clash::DEFERRED_VARIABLE_CLASH],
    clause: None,
    declaration: None,
    program: &[],
};

/// The rule about recursion. The check of [`FAMILY`] applies it.
pub(super) const RECURSION: Family =
    Family { rules: &[&recursion::DEFERRED_RECURSION], clause: None, declaration: None, program: &[] };

fn check_clause(context: &CheckContext<'_>, clause: &Clause, out: &mut Vec<Finding>) {
    definition::check_clause(context, clause, out);
    stored_reads::check(context, clause, out);
    outputs::check(context, clause, out);
}

/// True if the engine calls the predicate in a premise that supports calls.
fn is_called(signature: &Signature) -> bool {
    signature.deferred || signature.external
}

/// The premises of called predicates, with their indices and signatures. Temporal premises are
/// never calls.
fn calls<'a>(
    context: &'a CheckContext<'_>,
    clause: &'a Clause,
) -> impl Iterator<Item = (usize, &'a Literal, &'a Signature)> {
    clause.premises.iter().enumerate().filter_map(|(at, premise)| {
        let Premise::Literal(literal) = premise else { return None };
        let plain = !literal.is_temporal() && !literal.atom.is_builtin();
        let signature = &context.predicate(&literal.atom).filter(|_| plain)?.signature;
        is_called(signature).then_some((at, literal, signature))
    })
}

#[cfg(test)]
mod tests;
