//! Divides a program into stores. Each store evaluates all rules over its own facts, and a union
//! relation per predicate contains the facts of all stores.
//!
//! Each store has a copy of every relation, and a copy of every plan. The union relations have no
//! plans: their strata unite the copies. Evaluation, proofs and forks need no special cases for
//! stores.

use std::sync::Arc;

use super::{
    Aggregate, CompiledProgram, DeferredRule, Fact, Let, Merge, Plan, RelationId, Step, StepKind, Stratum,
    UnorderedRead,
};
use crate::program::{PredicateId, Program};
use mangle_settings::{StoreSet, Stores};
use mangle_syntax::text::FileId;

/// The stores of a compiled program, and the numbering of their relations.
#[derive(Debug, Clone)]
pub struct Division {
    /// The stores.
    pub stores: Arc<Stores>,
    /// The number of relations per store.
    stride: u32,
    /// The stores that keep asserted facts, by predicate.
    keepers: Arc<[StoreSet]>,
    /// The files with asserted facts: samples and tests, sorted.
    samples: Arc<[FileId]>,
}

impl Division {
    fn copy(&self, relation: RelationId, store: usize) -> RelationId {
        let store = u32::try_from(store).unwrap_or(u32::MAX);
        relation.saturating_add(self.stride.saturating_mul(store.saturating_add(1)))
    }

    /// The store of a copy. `None` for a union relation.
    #[must_use]
    pub fn store_of(&self, relation: RelationId) -> Option<usize> {
        let part = relation.checked_div(self.stride)?.checked_sub(1)?;
        usize::try_from(part).ok()
    }

    /// The predicate of a copy.
    pub(in crate::kernel) fn original(&self, predicate: PredicateId) -> PredicateId {
        PredicateId(predicate.0.checked_rem(self.stride).unwrap_or(predicate.0))
    }

    /// The stores that keep asserted facts of a predicate.
    pub(in crate::kernel) fn keepers(&self, predicate: PredicateId) -> StoreSet {
        self.keepers.get(predicate.0 as usize).copied().unwrap_or_default()
    }
}

impl CompiledProgram {
    /// The relations with facts of a predicate that rules use: the predicate itself, or its copy in
    /// each store.
    pub(in crate::kernel) fn copies_of(
        &self,
        predicate: PredicateId,
    ) -> impl Iterator<Item = PredicateId> + use<> {
        let is_union = |division: &&Division| division.store_of(predicate.0).is_none();
        let copies = self.division.as_ref().filter(is_union).map(|division| {
            let stores = 0..division.stores.names().len();
            stores.map(|store| PredicateId(division.copy(predicate.0, store))).collect::<Vec<_>>()
        });
        copies.unwrap_or_else(|| vec![predicate]).into_iter()
    }

    pub(in crate::kernel) fn store_name(&self, relation: RelationId) -> Option<&'static str> {
        let division = self.division.as_ref()?;
        Some(division.stores.name(division.store_of(relation)?))
    }

    /// The relations that receive a given fact.
    pub(in crate::kernel) fn relations_of(&self, fact: &Fact) -> Vec<RelationId> {
        let Some(division) = &self.division else { return vec![self.entry(fact.predicate)] };
        // Every store loads the whole program. Asserted facts come from samples and the host.
        let file = self.rule(fact.rule).map(|rule| rule.file);
        let is_asserted = file.is_none_or(|file| division.samples.binary_search(&file).is_ok());
        let stores = if is_asserted { division.keepers(fact.predicate) } else { division.stores.all() };
        self.relations_in(fact.predicate, stores)
    }

    /// The relations for given facts of a predicate in the given stores.
    pub(in crate::kernel) fn relations_in(
        &self,
        predicate: PredicateId,
        stores: StoreSet,
    ) -> Vec<RelationId> {
        let Some(division) = &self.division else { return vec![self.entry(predicate)] };
        let copies = stores.iter().map(|store| division.copy(predicate.0, store));
        let mut all: Vec<_> = copies.map(|copy| self.entry(PredicateId(copy))).collect();
        // A merged fact may be replaced in its store.
        let is_merged = self.copies_of(predicate).next().is_some_and(|copy| self.merge_of(copy.0).is_some());
        all.extend((!is_merged).then_some(predicate.0));
        all
    }
}

/// Divides a program into stores.
pub(super) fn divide(undivided: CompiledProgram, program: &Program, stores: &Arc<Stores>) -> CompiledProgram {
    let stride = u32::try_from(undivided.arities.len()).unwrap_or(u32::MAX);
    let keepers = program.predicates.numbered().map(|predicate| stores.keepers(predicate.key.name));
    let division = Division {
        stores: Arc::clone(stores),
        stride,
        keepers: keepers.collect(),
        samples: program.embedding.separate_files.as_slice().into(),
    };
    let mut divided = CompiledProgram { division: Some(division.clone()), ..empty(&undivided) };
    for store in 0..stores.names().len() {
        Shift(division.copy(0, store)).add(&undivided, &mut divided);
    }
    for predicate in 0..undivided.predicate_count {
        let copies = (0..stores.names().len()).map(|store| division.copy(predicate, store)).collect();
        let at = u32::try_from(divided.strata.len()).unwrap_or(u32::MAX);
        divided.strata_of.get_mut(predicate as usize).into_iter().for_each(|of| *of = at);
        divided.strata.push(unite(predicate, copies));
    }
    divided
}

/// A stratum that unites the copies of a predicate.
fn unite(predicate: RelationId, copies: Vec<RelationId>) -> Stratum {
    Stratum { relations: vec![predicate], reads: copies.clone(), copies, ..Stratum::default() }
}

/// The program without plans.
fn empty(undivided: &CompiledProgram) -> CompiledProgram {
    CompiledProgram {
        strata: Vec::new(),
        strata_of: vec![u32::MAX; undivided.arities.len()],
        deferred: Default::default(),
        open_calls: Default::default(),
        merges: Vec::new(),
        unordered: Vec::new(),
        ..undivided.clone()
    }
}

/// Renumbers the relations of plans by adding an offset.
#[derive(Clone, Copy)]
struct Shift(u32);

impl Shift {
    /// Adds the copy of one store to a divided program.
    fn add(self, undivided: &CompiledProgram, divided: &mut CompiledProgram) {
        divided.arities.extend(&undivided.arities);
        divided.temporal.extend(&undivided.temporal);
        divided.names.extend(&undivided.names);
        divided.deferred_predicates.extend(undivided.deferred_predicates.iter().map(|id| self.relation(*id)));
        let first = u32::try_from(divided.strata.len()).unwrap_or(u32::MAX);
        let strata = undivided.strata_of.iter().map(|at| at.saturating_add(first));
        divided.strata_of.extend(strata);
        divided.strata.extend(undivided.strata.iter().map(|stratum| self.stratum(stratum)));
        let deferred = |rules: &Vec<DeferredRule>| rules.iter().map(|rule| self.deferred(rule)).collect();
        let rules = undivided.deferred.iter().map(|(id, rules)| (self.relation(*id), deferred(rules)));
        divided.deferred.extend(rules);
        let open = undivided.open_calls.iter();
        let open = open.map(|((id, columns), rules)| ((self.relation(*id), *columns), deferred(rules)));
        divided.open_calls.extend(open);
        divided.merges.extend(undivided.merges.iter().map(|merge| Merge {
            result: self.relation(merge.result),
            candidates: self.relation(merge.candidates),
            predicate: self.relation(merge.predicate),
            ..*merge
        }));
        divided.unordered.extend(undivided.unordered.iter().map(|read| UnorderedRead {
            target: self.relation(read.target),
            predicate: PredicateId(self.relation(read.predicate.0)),
            ..*read
        }));
    }

    fn relation(self, relation: RelationId) -> RelationId {
        relation.saturating_add(self.0)
    }

    fn stratum(self, stratum: &Stratum) -> Stratum {
        let all = |relations: &[RelationId]| relations.iter().map(|id| self.relation(*id)).collect();
        Stratum {
            relations: all(&stratum.relations),
            reads: all(&stratum.reads),
            depends_on_time: stratum.depends_on_time,
            plans: stratum.plans.iter().map(|plan| Arc::new(self.plan(plan))).collect(),
            aggregates: stratum.aggregates.iter().map(|aggregate| self.aggregate(aggregate)).collect(),
            copies: Vec::new(),
        }
    }

    fn plan(self, plan: &Plan) -> Plan {
        Plan { steps: self.steps(&plan.steps), target: self.relation(plan.target), ..plan.clone() }
    }

    fn deferred(self, rule: &DeferredRule) -> DeferredRule {
        DeferredRule { plan: self.plan(&rule.plan), inputs: rule.inputs.clone() }
    }

    fn steps(self, steps: &[Step]) -> Box<[Step]> {
        let mut steps: Box<[Step]> = steps.into();
        for step in &mut steps {
            if let StepKind::Match(found) | StepKind::Absent(found) | StepKind::Call(found) = &mut step.kind {
                found.relation = self.relation(found.relation);
            }
        }
        steps
    }

    fn aggregate(self, aggregate: &Aggregate) -> Aggregate {
        let mut shifted = aggregate.clone();
        shifted.rows.relation = self.relation(aggregate.rows.relation);
        shifted.target = self.relation(aggregate.target);
        shifted.finish = self.steps(&aggregate.finish);
        for step in &mut shifted.lets {
            match step {
                Let::Reduce { args, .. } => args.steps = self.steps(&args.steps),
                Let::Compute(steps) => *steps = self.steps(steps),
            }
        }
        shifted
    }
}
