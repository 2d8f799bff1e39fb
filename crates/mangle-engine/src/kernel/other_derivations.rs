//! Finds alternative derivations of a fact.
//!
//! An evaluation stores one derivation per fact. Others are searched on demand, by evaluating each
//! rule with its head fixed to the fact. Derivations that depend on the fact itself are excluded.

use rustc_hash::FxHashSet;

use super::plan::{CompiledProgram, Plan, RuleId, StepKind};
use super::plan_replay::{Observer, PlanReplay, required_registers};
use super::proof::{TupleDerivation, TupleKey};
use super::{Clock, Model, Proof, ValueId};
use crate::program::PredicateId;

/// The maximum number of tuples to examine per rule.
const MAX_STEPS: u32 = 200_000;

/// The maximum number of facts to examine for a dependency on the fact itself.
const MAX_DEPENDENCIES: usize = 10_000;

impl Model {
    /// Returns at most `most` additional proofs of the tuple with this number, by other rules or
    /// other facts than the stored derivation. Excludes aggregations.
    #[must_use]
    pub fn other_proofs(
        &mut self,
        compiled: &CompiledProgram,
        clock: Clock,
        predicate: PredicateId,
        number: u32,
        most: usize,
    ) -> Vec<Proof> {
        let tuple = self.origin(compiled, predicate.0, number);
        let ways = self.ways(compiled, clock, tuple, most);
        let mut proofs: Vec<Proof> =
            ways.into_iter().map(|way| self.explain_derivation(compiled, clock, way)).collect();
        for (copy, number) in self.in_other_stores(compiled, predicate, number, tuple.0) {
            if proofs.len() < most {
                proofs.push(self.explain(compiled, clock, copy, number));
                let left = most - proofs.len();
                let tuple = self.origin(compiled, copy.0, number);
                let ways = self.ways(compiled, clock, tuple, left);
                proofs.extend(ways.into_iter().map(|way| self.explain_derivation(compiled, clock, way)));
            }
        }
        proofs
    }

    /// The same fact in the stores of a divided program, except the store of the relation `told`.
    fn in_other_stores(
        &self,
        compiled: &CompiledProgram,
        predicate: PredicateId,
        number: u32,
        told: u32,
    ) -> Vec<(PredicateId, u32)> {
        let Some(division) = &compiled.division else { return Vec::new() };
        let Some(union) = self.relation(predicate) else { return Vec::new() };
        let store = division.store_of(told);
        let others = compiled.copies_of(predicate).filter(|copy| division.store_of(copy.0) != store);
        let tuple = union.tuple(number);
        // A given fact is a single fact, even if several stores contain it.
        let others = others.filter(|_| store.is_some());
        others.filter_map(|copy| Some((copy, self.relation(copy)?.find(tuple)?))).collect()
    }

    fn ways(
        &mut self,
        compiled: &CompiledProgram,
        clock: Clock,
        tuple: TupleKey,
        most: usize,
    ) -> Vec<TupleDerivation> {
        let Some(first) = self.reason(tuple.0, tuple.1) else { return Vec::new() };
        let first = (first.rule, first.support.to_vec());
        let Some(values) = self.relations.get(tuple.0 as usize).map(|relation| relation.tuple(tuple.1))
        else {
            return Vec::new();
        };
        let (values, wanted): (Vec<ValueId>, Vec<_>) =
            (values.to_vec(), values.iter().map(|value| Some(*value)).collect());
        let stated = compiled.facts.iter().filter(|fact| {
            *fact.tuple == *values && fact.rule != first.0 && compiled.relations_of(fact).contains(&tuple.0)
        });
        let mut ways: Vec<TupleDerivation> = stated
            .take(most)
            .map(|fact| TupleDerivation { tuple, rule: fact.rule, support: Vec::new() })
            .collect();
        let mut seen = FxHashSet::from_iter([first]);
        for plan in compiled.stratum_of(tuple.0).map_or(&[][..], |stratum| &stratum.plans) {
            if plan.target != tuple.0 || ways.len() >= most {
                continue;
            }
            let Ok(fixed) = required_registers(plan, &wanted) else { continue };
            let mut search = Search {
                plan,
                fixed,
                found: vec![None; plan.steps.len()],
                seen: &mut seen,
                new: Vec::new(),
                most,
            };
            let mut row = vec![ValueId(0); usize::from(plan.slots)];
            PlanReplay::new(self, compiled, clock, MAX_STEPS).run(plan, &mut row, &mut search);
            for support in search.new {
                if ways.len() < most && !self.depends_on(compiled, tuple, plan, &support) {
                    ways.push(TupleDerivation { tuple, rule: plan.rule, support });
                }
            }
        }
        ways
    }

    /// True if the support of a derivation depends on the derived tuple itself.
    fn depends_on(&self, compiled: &CompiledProgram, tuple: TupleKey, plan: &Plan, support: &[u32]) -> bool {
        let mut below: Vec<TupleKey> =
            lookups(compiled, plan.rule, plan.target).zip(support.iter().copied()).collect();
        let mut seen: FxHashSet<TupleKey> = FxHashSet::default();
        while let Some(key) = below.pop() {
            let key = self.origin(compiled, key.0, key.1);
            if key == tuple || seen.len() > MAX_DEPENDENCIES {
                return true;
            }
            let Some(reason) = self.reason(key.0, key.1).filter(|_| seen.insert(key)) else { continue };
            let support = reason.support.iter().copied();
            match compiled.aggregate_of(reason.rule, key.0) {
                Some(aggregate) => below.extend(support.map(|number| (aggregate.rows.relation, number))),
                None if compiled.plan_of(reason.rule, key.0).is_some() => {
                    below.extend(lookups(compiled, reason.rule, key.0).zip(support));
                }
                None => below.extend(support.map(|number| (key.0, number))),
            }
        }
        false
    }
}

/// The relations of the lookups in the plan of a rule, in order.
fn lookups(compiled: &CompiledProgram, rule: RuleId, target: u32) -> impl Iterator<Item = u32> {
    let steps = compiled.plan_of(rule, target).map_or(&[][..], |plan| &plan.steps);
    steps.iter().filter_map(|step| match &step.kind {
        StepKind::Match(found) => Some(found.relation),
        _ => None,
    })
}

/// Searches the derivations of a given tuple by one plan.
struct Search<'s> {
    plan: &'s Plan,
    fixed: Vec<Option<ValueId>>,
    /// The tuple number of each step.
    found: Vec<Option<u32>>,
    seen: &'s mut FxHashSet<(RuleId, Vec<u32>)>,
    new: Vec<Vec<u32>>,
    most: usize,
}

impl Observer for Search<'_> {
    fn wanted(&self, slot: u16) -> Option<ValueId> {
        self.fixed.get(usize::from(slot)).copied().flatten()
    }

    fn found(&mut self, step: usize, number: u32) {
        self.found.get_mut(step).into_iter().for_each(|found| *found = Some(number));
    }

    fn arrived(&mut self, _row: &[ValueId]) -> bool {
        let support: Vec<u32> = self.found.iter().copied().flatten().collect();
        if self.seen.insert((self.plan.rule, support.clone())) {
            self.new.push(support);
        }
        // Some of the derivations may depend on the fact itself.
        self.new.len() >= self.most.saturating_mul(8)
    }
}
