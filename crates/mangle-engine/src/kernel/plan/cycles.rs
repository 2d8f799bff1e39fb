//! Rejects rules that depend on a negation or aggregation of their own results.
//!
//! No evaluation order exists for such rules. The engine rejects the whole program, but this crate
//! evaluates the remaining rules.

use super::{Aggregate, ClauseFault, CompiledProgram, Plan, StepKind, Stratum};
use crate::kernel::Failure;

/// Removes the rules of such cycles and records a fault for each.
pub(super) fn reject_negative_cycles(compiled: &mut CompiledProgram) {
    let predicates = compiled.predicate_count;
    for stratum in &mut compiled.strata {
        let faults = faults(stratum, predicates);
        if !faults.is_empty() {
            stratum.plans.clear();
            stratum.aggregates.clear();
            compiled.faults.extend(faults);
        }
    }
}

fn faults(stratum: &Stratum, predicates: u32) -> Vec<ClauseFault> {
    let negations = stratum.plans.iter().flat_map(|plan| {
        let own = plan.steps.iter().filter(|step| match &step.kind {
            StepKind::Absent(found) => stratum.relations.contains(&found.relation),
            _ => false,
        });
        own.map(|step| ClauseFault {
            rule: plan.rule,
            premise: Some(step.premise),
            failure: Failure::wrong(
                "what is negated here depends on this rule: neither can be evaluated first",
            ),
        })
    });
    let counts = stratum.aggregates.iter().filter(|aggregate| counts_itself(aggregate, stratum, predicates));
    let counts = counts.map(|aggregate| ClauseFault {
        rule: aggregate.rule,
        premise: None,
        failure: Failure::wrong("its groups depend on what it gives: neither can be evaluated first"),
    });
    negations.chain(counts).collect()
}

/// True if the rows of an aggregation depend on its own stratum.
fn counts_itself(aggregate: &Aggregate, stratum: &Stratum, predicates: u32) -> bool {
    let grows = |relation: u32| relation < predicates && stratum.relations.contains(&relation);
    let reads = |plan: &Plan| {
        plan.steps.iter().any(|step| matches!(&step.kind, StepKind::Match(found) if grows(found.relation)))
    };
    let mut bodies = stratum.plans.iter().filter(|plan| plan.target == aggregate.rows.relation);
    grows(aggregate.rows.relation) || bodies.any(|plan| reads(plan))
}
