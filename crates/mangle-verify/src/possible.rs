//! A check for predicates that have no fact in any world.

use mangle_engine::kernel::CompiledProgram;
use mangle_engine::kernel::plan::{RelationId, Step, StepKind};
use mangle_engine::program::PredicateId;
use rustc_hash::FxHashSet;

use crate::candidates::InputPredicate;

/// Returns the reason that no world has a fact of `goal`, or `None` if a fact may exist.
///
/// A reason exists if each rule needs a fact that neither inputs nor facts nor other rules provide.
pub(crate) fn obstacle(
    compiled: &CompiledProgram,
    goal: PredicateId,
    inputs: &[InputPredicate],
) -> Option<String> {
    let possible = possible(compiled, inputs);
    (!possible.contains(&goal.0)).then(|| match missing(compiled, goal, &possible) {
        Some(name) => format!("no fact of `{name}` can ever be derived"),
        None => "none of its rules can fire".to_owned(),
    })
}

/// Returns the relations that may have a tuple.
fn possible(compiled: &CompiledProgram, inputs: &[InputPredicate]) -> FxHashSet<RelationId> {
    let given = inputs
        .iter()
        .flat_map(|input| &input.predicates)
        .chain(compiled.facts().iter().map(|fact| &fact.predicate));
    let mut possible: FxHashSet<RelationId> = given.map(|predicate| compiled.entry(*predicate)).collect();
    loop {
        let before = possible.len();
        for stratum in &compiled.strata {
            for plan in &stratum.plans {
                if fires(&plan.steps, &possible) {
                    possible.insert(plan.target);
                }
            }
            for aggregate in &stratum.aggregates {
                if possible.contains(&aggregate.rows.relation) {
                    possible.insert(aggregate.target);
                }
            }
        }
        for merge in &compiled.merges {
            if possible.contains(&merge.candidates) {
                possible.insert(merge.result);
            }
        }
        if possible.len() == before {
            return possible;
        }
    }
}

/// True if all steps of a rule may succeed.
fn fires(steps: &[Step], possible: &FxHashSet<RelationId>) -> bool {
    steps.iter().all(|step| match &step.kind {
        StepKind::Match(found) => possible.contains(&found.relation),
        StepKind::Never | StepKind::Fail(_) => false,
        _ => true,
    })
}

/// Returns the missing predicate of the only rule of `goal`.
fn missing(
    compiled: &CompiledProgram,
    goal: PredicateId,
    possible: &FxHashSet<RelationId>,
) -> Option<String> {
    let plans = compiled.plans();
    let mut plans = plans.filter(|plan| plan.target == goal.0);
    let (only, None) = (plans.next()?, plans.next()) else { return None };
    let lacking = only.steps.iter().find_map(|step| match &step.kind {
        StepKind::Match(found) if !possible.contains(&found.relation) => Some(found.relation),
        _ => None,
    })?;
    (lacking < compiled.predicates()).then(|| {
        format!(
            "{}/{}",
            compiled.name(PredicateId(lacking)),
            compiled.arities.get(lacking as usize).unwrap_or(&0)
        )
    })
}
