//! What a stratum depends on: the relations that its plans look into, those of called predicates included.

use rustc_hash::FxHashSet;

use super::{Compiled, RelationId, Step, StepKind};

/// The relations outside a stratum that it looks into.
pub(super) fn reads(compiled: &Compiled, stratum: usize) -> Vec<RelationId> {
    let Some(stratum) = compiled.strata.get(stratum) else { return Vec::new() };
    let mut found = Reads { compiled, seen: FxHashSet::default(), called: FxHashSet::default() };
    stratum.plans.iter().for_each(|plan| found.steps(&plan.steps));
    let merges = compiled.merges.iter().filter(|merge| stratum.relations.contains(&merge.all));
    merges.for_each(|merge| found.call(merge.predicate));
    for aggregate in &stratum.aggregates {
        found.seen.insert(aggregate.rows.relation);
    }
    for relation in &stratum.relations {
        found.seen.remove(relation);
    }
    let mut reads: Vec<_> = found.seen.into_iter().collect();
    reads.sort_unstable();
    reads
}

struct Reads<'c> {
    compiled: &'c Compiled,
    seen: FxHashSet<RelationId>,
    called: FxHashSet<RelationId>,
}

impl Reads<'_> {
    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            match &step.kind {
                StepKind::Match(found) | StepKind::Absent(found) => {
                    self.seen.insert(found.relation);
                }
                StepKind::Call(found) => self.call(found.relation),
                _ => {}
            }
        }
    }

    fn call(&mut self, relation: RelationId) {
        if self.called.insert(relation) {
            let rules = self.compiled.deferred.get(&relation).map_or(&[][..], Vec::as_slice);
            rules.iter().for_each(|rule| self.steps(&rule.plan.steps));
        }
    }
}
