//! Dependencies of a question: the needed predicates, and the predicates that depend on the inputs.

use mangle_engine::kernel::CompiledProgram;
use mangle_engine::kernel::plan::{Let, RelationId, Step, StepKind};
use mangle_engine::program::PredicateId;
use rustc_hash::{FxHashMap, FxHashSet};

/// The part of a program that a question depends on.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cone {
    needed: FxHashSet<RelationId>,
    varying: FxHashSet<RelationId>,
}

impl Cone {
    /// True if the answer depends on a relation.
    pub(crate) fn needs(&self, relation: RelationId) -> bool {
        self.needed.contains(&relation)
    }

    /// True if a relation depends on the facts of a world.
    pub(crate) fn varies(&self, relation: RelationId) -> bool {
        self.varying.contains(&relation)
    }
}

/// The relations that each relation reads.
pub(crate) struct Dependencies<'c> {
    compiled: &'c CompiledProgram,
    reads: FxHashMap<RelationId, FxHashSet<RelationId>>,
}

impl<'c> Dependencies<'c> {
    /// Reads all rules of a program.
    pub(crate) fn new(compiled: &'c CompiledProgram) -> Self {
        let mut reading = Self { compiled, reads: FxHashMap::default() };
        for stratum in &compiled.strata {
            for plan in &stratum.plans {
                reading.steps(plan.target, &plan.steps);
            }
            for aggregate in &stratum.aggregates {
                reading.add(aggregate.target, aggregate.rows.relation);
                reading.steps(aggregate.target, &aggregate.finish);
                for statement in &aggregate.lets {
                    let (Let::Compute(steps)
                    | Let::Reduce { args: mangle_engine::kernel::plan::RowArgs { steps, .. }, .. }) =
                        statement;
                    reading.steps(aggregate.target, steps);
                }
            }
        }
        for (relation, rules) in &compiled.deferred {
            rules.iter().for_each(|rule| reading.steps(*relation, &rule.plan.steps));
        }
        for merge in &compiled.merges {
            reading.add(merge.result, merge.candidates);
            reading.add(merge.result, merge.predicate);
        }
        reading
    }

    fn steps(&mut self, target: RelationId, steps: &[Step]) {
        for step in steps {
            if let StepKind::Match(found) | StepKind::Absent(found) | StepKind::Call(found) = &step.kind {
                self.add(target, found.relation);
            }
        }
    }

    fn add(&mut self, target: RelationId, read: RelationId) {
        self.reads.entry(target).or_default().insert(read);
    }

    /// Returns the dependencies of `roots`, if the facts of `inputs` vary.
    pub(crate) fn cone(&self, roots: &[PredicateId], inputs: &[PredicateId]) -> Cone {
        let mut needed: FxHashSet<RelationId> = FxHashSet::default();
        let mut pending: Vec<RelationId> = roots.iter().map(|root| root.0).collect();
        while let Some(relation) = pending.pop() {
            if needed.insert(relation) {
                pending.extend(self.reads.get(&relation).into_iter().flatten());
            }
        }
        let inputs = inputs.iter().map(|input| self.compiled.entry(*input)).collect();
        Cone { needed, varying: self.dependents(inputs) }
    }

    /// Returns these relations and all relations that depend on them.
    pub(crate) fn dependents(&self, relations: Vec<RelationId>) -> FxHashSet<RelationId> {
        let mut users: FxHashMap<RelationId, Vec<RelationId>> = FxHashMap::default();
        for (target, reads) in &self.reads {
            reads.iter().for_each(|read| users.entry(*read).or_default().push(*target));
        }
        let mut dependents = FxHashSet::default();
        let mut pending = relations;
        while let Some(relation) = pending.pop() {
            if dependents.insert(relation) {
                pending.extend(users.get(&relation).into_iter().flatten());
            }
        }
        dependents
    }
}
