//! Quality rules (`MG8xx`): programs that the engine evaluates as written, but that are probably
//! wrong or needlessly complicated.
//!
//! Findings are certain about their claim, but their value depends on the program. Rules with
//! mostly unhelpful findings are off by default. `tests/corpora/README.md` has the reviewed
//! samples.

mod join_order;
mod known_facts;
mod premises;
mod subsumption;

pub(crate) use super::flow::Emptiness;

use super::{CheckContext, Family, ProgramCheck, ProgramContext, ProgramFindings};
use mangle_engine::program::PredicateId;
use mangle_syntax::lint::Finding;
use mangle_syntax::syntax::ast::Clause;

pub(super) const FAMILY: Family = Family {
    rules: &[
        &premises::CONTRADICTORY_PREMISES,
        &known_facts::NEGATION_ALWAYS_FALSE,
        &known_facts::NEGATION_ALWAYS_TRUE,
        &known_facts::RULE_NEVER_FIRES,
        &known_facts::RULE_SHADOWED_BY_FACT,
        &subsumption::SUBSUMED_RULE,
        &premises::REPEATED_PREMISE,
        &join_order::CARTESIAN_PRODUCT,
        &join_order::JOIN_ORDER,
        &known_facts::PREDICATE_UNUSED,
    ],
    clause: Some(check_clause),
    declaration: None,
    program: &[ProgramCheck::Predicate(check_predicate), ProgramCheck::Cycle(known_facts::check_cycle)],
};

/// Maximum number of premises. Clauses with more were not written by hand.
const PREMISES: usize = 64;

fn check_clause(context: &CheckContext<'_>, clause: &Clause, out: &mut Vec<Finding>) {
    if !(2..=PREMISES).contains(&clause.premises.len()) {
        return;
    }
    premises::check_contradictions(context, clause, out);
    premises::check_repetitions(context, clause, out);
    let before = out.len();
    join_order::check_product(context, clause, out);
    if out.len() == before {
        join_order::check_order(context, clause, out);
    }
}

fn check_predicate(context: &ProgramContext<'_>, id: PredicateId, out: &mut ProgramFindings) {
    let program = context.program;
    let predicate = program.get(id);
    known_facts::check_shadowing(program, predicate, out);
    subsumption::check(program, predicate, out);
    known_facts::check_negations(context, id, out);
    known_facts::check_empty(context, id, out);
    known_facts::check_unused(program, predicate, out);
}

#[cfg(test)]
mod tests;
