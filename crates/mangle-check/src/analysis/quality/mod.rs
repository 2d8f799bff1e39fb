//! Quality rules (`MG8xx`): programs that the engine evaluates as written, but that are probably
//! wrong or needlessly complicated.
//!
//! Findings are certain about their claim, but their value depends on the program. Rules with
//! mostly unhelpful findings are off by default. `tests/corpora/README.md` has the reviewed
//! samples.

mod contradiction;
mod emptiness;
mod facts;
mod join_order;
mod matching;
mod negation;
mod never_fires;
mod product;
mod repeated_premise;
mod shadowing;
mod subsumption;
mod unused;

pub(crate) use emptiness::Emptiness;

use super::{CheckContext, Family, ProgramCheck, ProgramContext, ProgramFindings};
use mangle_engine::program::PredicateId;
use mangle_syntax::lint::Finding;
use mangle_syntax::syntax::ast::Clause;

pub(super) const FAMILY: Family = Family {
    rules: &[
        &contradiction::CONTRADICTORY_PREMISES,
        &negation::NEGATION_ALWAYS_FALSE,
        &negation::NEGATION_ALWAYS_TRUE,
        &never_fires::RULE_NEVER_FIRES,
        &shadowing::RULE_SHADOWED_BY_FACT,
        &subsumption::SUBSUMED_RULE,
        &repeated_premise::REPEATED_PREMISE,
        &product::CARTESIAN_PRODUCT,
        &join_order::JOIN_ORDER,
        &unused::PREDICATE_UNUSED,
    ],
    clause: Some(check_clause),
    declaration: None,
    program: &[ProgramCheck::Predicate(check_predicate), ProgramCheck::Cycle(never_fires::check_cycle)],
};

/// Maximum number of premises. Clauses with more were not written by hand.
const PREMISES: usize = 64;

fn check_clause(context: &CheckContext<'_>, clause: &Clause, out: &mut Vec<Finding>) {
    if !(2..=PREMISES).contains(&clause.premises.len()) {
        return;
    }
    contradiction::check(context, clause, out);
    repeated_premise::check(context, clause, out);
    let before = out.len();
    product::check(context, clause, out);
    if out.len() == before {
        join_order::check(context, clause, out);
    }
}

fn check_predicate(context: &ProgramContext<'_>, id: PredicateId, out: &mut ProgramFindings) {
    let program = context.program;
    let predicate = program.get(id);
    shadowing::check(program, predicate, out);
    subsumption::check(program, predicate, out);
    negation::check(context, id, out);
    never_fires::check(context, id, out);
    unused::check(program, predicate, out);
}

#[cfg(test)]
mod tests;
