//! Predicates whose facts are merged (`fundep` and `merge`): what is derived for them goes to a relation of its own,
//! which the rules of the same stratum see, and when the stratum is done, what is kept of it becomes theirs.

use super::compile::Compiler;
use super::{Merge, Plan, RelationId, StepKind};
use crate::kernel::{Failure, Reading};
use crate::program::{self, PredicateId, PredicateKey};

impl Compiler<'_> {
    /// Makes the relations of all merges that the engine carries out.
    pub(super) fn find_merges(&mut self) {
        for (kept, predicate) in (0u32..).zip(self.program.predicates.numbered()) {
            let Some(merge) = predicate.signature.merge.as_ref().filter(|_| !predicate.signature.temporal)
            else {
                continue;
            };
            let decides = merge.predicate.and_then(|name| {
                let id = self.program.id(PredicateKey { name, arity: 3 })?;
                self.program.get(id).signature.has_rules.then_some(id)
            });
            if let (Some(decides), [target]) = (decides, merge.targets.as_slice()) {
                let made = self.merge(kept, merge, *target, decides);
                self.compiled.merges.push(made);
            }
        }
    }

    fn merge(
        &mut self,
        kept: RelationId,
        merge: &program::Merge,
        target: u16,
        decides: PredicateId,
    ) -> Merge {
        let arity = self.compiled.arities.get(kept as usize).copied().unwrap_or(0);
        let name = self.compiled.name(PredicateId(kept));
        let all = self.hidden(arity, name);
        let component = self.graph.component(PredicateId(kept));
        self.stratum(component, |stratum| stratum.relations.push(all));
        // The engine counts the columns and takes as many from the first on.
        let first = (0u16..).take(merge.sources.len());
        let keys = match self.compiled.reading {
            Reading::Engine => first.fold(0, |keys, column| keys | 1 << column.min(63)),
            Reading::Intended => merge.sources.iter().fold(0, |keys, column| keys | 1 << (*column).min(63)),
        };
        Merge { kept, all, keys, target, predicate: decides.0 }
    }

    /// Whether rules of a predicate are asked which of two values is kept.
    pub(super) fn decides(&self, predicate: PredicateId) -> bool {
        self.compiled.merges.iter().any(|merge| merge.predicate == predicate.0)
    }

    /// Lets a plan for a predicate add to what is being merged.
    pub(super) fn enter_merge(&self, mut plan: Plan, predicate: PredicateId) -> Plan {
        plan.target = self.compiled.entry(PredicateId(plan.target));
        self.see_merge(plan, predicate)
    }

    /// Lets a plan see what is being merged in the stratum of a predicate.
    pub(super) fn see_merge(&self, mut plan: Plan, predicate: PredicateId) -> Plan {
        let graph = self.graph;
        let here = graph.component(predicate);
        for step in &mut plan.steps {
            if let StepKind::Match(found) = &mut step.kind
                && found.relation < self.compiled.predicates()
                && graph.component(PredicateId(found.relation)) == here
            {
                found.relation = self.compiled.entry(PredicateId(found.relation));
            }
        }
        plan
    }

    /// The engine gives up when it has to merge several columns at once.
    pub(super) fn cannot_merge(&self, predicate: PredicateId) -> Option<Failure> {
        let merge = self.program.get(predicate).signature.merge.as_ref()?;
        let count = merge.targets.len();
        (count != 1)
            .then(|| Failure::wrong(format!("a `fundep` on {count} columns, where the engine merges one")))
    }
}
