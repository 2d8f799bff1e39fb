//! Dependencies of a stratum: the relations that it reads, and the time of evaluation. Includes the
//! dependencies of called predicates.

use rustc_hash::FxHashSet;

use super::{Bound, CompiledProgram, Let, Lookup, RelationId, RowArgs, Step, StepKind};

/// The relations outside of a stratum that it reads, and true if it depends on the time of
/// evaluation.
pub(super) fn reads(compiled: &CompiledProgram, stratum: usize) -> (Vec<RelationId>, bool) {
    let Some(stratum) = compiled.strata.get(stratum) else { return (Vec::new(), false) };
    let (seen, called) = (FxHashSet::default(), FxHashSet::default());
    let mut found = Reads { compiled, seen, called, depends_on_time: false };
    stratum.plans.iter().for_each(|plan| found.steps(&plan.steps));
    let merges = compiled.merges.iter().filter(|merge| stratum.relations.contains(&merge.candidates));
    merges.for_each(|merge| found.call(merge.predicate));
    for aggregate in &stratum.aggregates {
        found.lookup(&aggregate.rows);
        found.steps(&aggregate.finish);
        for step in &aggregate.lets {
            let (Let::Compute(steps) | Let::Reduce { args: RowArgs { steps, .. }, .. }) = step;
            found.steps(steps);
        }
    }
    for relation in &stratum.relations {
        found.seen.remove(relation);
    }
    let mut reads: Vec<_> = found.seen.iter().copied().collect();
    reads.sort_unstable();
    (reads, found.depends_on_time)
}

struct Reads<'c> {
    compiled: &'c CompiledProgram,
    seen: FxHashSet<RelationId>,
    called: FxHashSet<RelationId>,
    depends_on_time: bool,
}

impl Reads<'_> {
    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            match &step.kind {
                StepKind::Match(found) | StepKind::Absent(found) => self.lookup(found),
                StepKind::Call(found) => self.call(found.relation),
                StepKind::Compute { function, .. } => self.depends_on_time |= function.reads_clock(),
                StepKind::Instant { bound, .. } => self.bound(*bound),
                _ => {}
            }
        }
    }

    fn lookup(&mut self, found: &Lookup) {
        self.seen.insert(found.relation);
        if let Some(bounds) = found.when.as_deref().map(|when| when.bounds()) {
            self.bound(bounds.start);
            self.bound(bounds.end);
        }
    }

    /// Relative bounds depend on the time. Computed bounds may depend on it.
    fn bound(&mut self, bound: Bound) {
        self.depends_on_time |= !matches!(bound, Bound::Instant(_));
    }

    fn call(&mut self, relation: RelationId) {
        if self.called.insert(relation) {
            let rules = self.compiled.deferred.get(&relation).map_or(&[][..], Vec::as_slice);
            rules.iter().for_each(|rule| self.steps(&rule.plan.steps));
        }
    }
}
