//! The number of world facts that a derivation needs.
//!
//! A violating world can lose the facts that its derivation does not need, if the negated
//! predicates are monotone. These predicates must be derived without negation and aggregation, so
//! that fewer facts derive fewer of them.

use mangle_engine::kernel::plan::{Plan, RelationId, StepKind};
use mangle_engine::kernel::{CompiledProgram, Reading};
use mangle_engine::program::PredicateId;
use mangle_syntax::syntax::ast::Operator;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::cone::Cone;

/// The relations that a rule reads, each with true if the premise is negated.
type Lookups = Vec<(RelationId, bool)>;

/// Returns the maximum number of facts of a minimal world with a fact of `goal`. `None` if no bound
/// is known.
///
/// The caller checks that worlds of this size do not stop the evaluation in rules of the cone.
pub(crate) fn derivation_size(
    compiled: &CompiledProgram,
    cone: &Cone,
    goal: PredicateId,
    forbidden: &[PredicateId],
    inputs: &FxHashSet<RelationId>,
) -> Option<usize> {
    let mut sizes =
        Sizes { compiled, cone, inputs, known: FxHashMap::default(), monotone: FxHashMap::default() };
    if !forbidden.iter().all(|predicate| sizes.is_monotone(predicate.0)) || sizes.is_risky_elsewhere() {
        return None;
    }
    sizes.max_facts(goal.0)
}

struct Sizes<'s> {
    compiled: &'s CompiledProgram,
    cone: &'s Cone,
    inputs: &'s FxHashSet<RelationId>,
    /// `None` during the computation, and for relations without a bound.
    known: FxHashMap<RelationId, Option<usize>>,
    monotone: FxHashMap<RelationId, bool>,
}

impl Sizes<'_> {
    fn plans(&self, relation: RelationId) -> Vec<&Plan> {
        self.compiled.plans().filter(|plan| plan.target == relation).collect()
    }

    /// True if a relation is aggregated, merged, or evaluated on demand.
    fn is_special(&self, relation: RelationId) -> bool {
        self.compiled.merges.iter().any(|merge| merge.result == relation || merge.candidates == relation)
            || self.compiled.deferred.contains_key(&relation)
            || self
                .compiled
                .strata
                .iter()
                .flat_map(|stratum| &stratum.aggregates)
                .any(|aggregate| aggregate.target == relation)
    }

    /// Returns the maximum number of facts that the derivation of a tuple needs.
    fn max_facts(&mut self, relation: RelationId) -> Option<usize> {
        if !self.cone.varies(relation) {
            return Some(0);
        }
        if let Some(known) = self.known.get(&relation) {
            return *known;
        }
        self.known.insert(relation, None);
        let size = self.computed(relation);
        self.known.insert(relation, size);
        size
    }

    fn computed(&mut self, relation: RelationId) -> Option<usize> {
        if self.is_special(relation) {
            return None;
        }
        let mut most = usize::from(self.inputs.contains(&relation));
        let steps: Vec<Lookups> = self.plans(relation).into_iter().map(lookups).collect::<Option<_>>()?;
        for lookups in steps {
            let mut sum = 0_usize;
            for (read, is_negated) in lookups {
                if !is_negated {
                    sum = sum.saturating_add(self.max_facts(read)?);
                } else if !self.is_monotone(read) {
                    return None;
                }
            }
            most = most.max(sum);
        }
        Some(most)
    }

    /// True if a relation has no additional tuples in a world with fewer facts.
    fn is_monotone(&mut self, relation: RelationId) -> bool {
        if !self.cone.varies(relation) {
            return true;
        }
        if let Some(known) = self.monotone.get(&relation) {
            return *known;
        }
        // A cycle of positive rules is monotone.
        self.monotone.insert(relation, true);
        let steps: Option<Vec<Lookups>> = self.plans(relation).into_iter().map(lookups).collect();
        let is_monotone = !self.is_special(relation)
            && steps.is_some_and(|steps| {
                steps.into_iter().flatten().all(|(read, is_negated)| {
                    if is_negated { !self.cone.varies(read) } else { self.is_monotone(read) }
                })
            });
        self.monotone.insert(relation, is_monotone);
        is_monotone
    }

    /// True if a rule outside of the cone may stop the evaluation only in a smaller world.
    fn is_risky_elsewhere(&mut self) -> bool {
        if self.compiled.reading != Reading::Engine {
            return false;
        }
        let elsewhere: Vec<(bool, Option<Lookups>)> = self
            .compiled
            .plans()
            .filter(|plan| !self.cone.needs(plan.target) && self.cone.varies(plan.target))
            .map(|plan| (may_fail(plan), lookups(plan)))
            .collect();
        let plans_are_risky = elsewhere.into_iter().any(|(may_fail, lookups)| {
            may_fail
                && lookups.is_none_or(|lookups| {
                    lookups.into_iter().any(|(read, is_negated)| {
                        if is_negated { self.cone.varies(read) } else { !self.is_monotone(read) }
                    })
                })
        });
        let aggregates = self.compiled.strata.iter().flat_map(|stratum| &stratum.aggregates);
        let mut elsewhere =
            aggregates.filter(|one| !self.cone.needs(one.target) && self.cone.varies(one.target));
        plans_are_risky || elsewhere.next().is_some()
    }
}

/// Returns the relations that a plan reads, each with true for a negated premise. `None` if it
/// calls a predicate.
fn lookups(plan: &Plan) -> Option<Lookups> {
    let mut lookups = Vec::new();
    for step in &plan.steps {
        match &step.kind {
            StepKind::Match(found) => lookups.push((found.relation, false)),
            StepKind::Absent(found) => lookups.push((found.relation, true)),
            StepKind::Call(_) => return None,
            _ => {}
        }
    }
    Some(lookups)
}

/// True if a step of a plan can stop the evaluation.
fn may_fail(plan: &Plan) -> bool {
    plan.steps.iter().any(|step| match &step.kind {
        StepKind::Match(_) | StepKind::Absent(_) | StepKind::Never => false,
        StepKind::Compare { operator, .. } => !matches!(operator, Operator::Equal | Operator::NotEqual),
        _ => true,
    })
}
