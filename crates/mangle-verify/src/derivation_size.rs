//! The number of facts of a world that a derivation needs.
//!
//! A world that breaks a property and has more facts than its derivation needs can lose the others, if that takes nothing away: if what
//! the rules negate is derived without negation and aggregation, so that fewer facts derive less of it.

use mangle_engine::kernel::plan::{Plan, RelationId, StepKind};
use mangle_engine::kernel::{CompiledProgram, Reading};
use mangle_engine::program::PredicateId;
use mangle_syntax::syntax::ast::Operator;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::cone::Cone;

/// The relations that a rule reads, each with true if the premise is negated.
type Lookups = Vec<(RelationId, bool)>;

/// The most facts that a minimal world with a fact of `goal` needs; `None` if there may be no such number. Worlds of so many facts may
/// not stop the evaluation in rules of the cone: the caller checks that.
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
    sizes.of(goal.0)
}

struct Sizes<'s> {
    compiled: &'s CompiledProgram,
    cone: &'s Cone,
    inputs: &'s FxHashSet<RelationId>,
    /// `None` while a relation is being looked at, and for relations without a bound.
    known: FxHashMap<RelationId, Option<usize>>,
    monotone: FxHashMap<RelationId, bool>,
}

impl Sizes<'_> {
    fn plans(&self, relation: RelationId) -> Vec<&Plan> {
        self.compiled.plans().filter(|plan| plan.target == relation).collect()
    }

    /// True if a relation is derived by an aggregation, merged, or evaluated where it is read.
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

    /// The most facts that the derivation of a tuple needs.
    fn of(&mut self, relation: RelationId) -> Option<usize> {
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
                    sum = sum.saturating_add(self.of(read)?);
                } else if !self.is_monotone(read) {
                    return None;
                }
            }
            most = most.max(sum);
        }
        Some(most)
    }

    /// True if a relation has no more tuples if a world has fewer facts.
    fn is_monotone(&mut self, relation: RelationId) -> bool {
        if !self.cone.varies(relation) {
            return true;
        }
        if let Some(known) = self.monotone.get(&relation) {
            return *known;
        }
        // A circle of positive rules is monotone.
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

    /// True if a rule that the question does not depend on may stop the evaluation in a smaller world only.
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

/// The relations that a plan reads, and if it requires that nothing is found; `None` if it calls a predicate.
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
