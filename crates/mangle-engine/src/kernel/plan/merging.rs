//! Compiles predicates with merged facts (`fundep` and `merge`).
//!
//! Derived facts of such a predicate are added to a separate relation, which rules of the same
//! stratum use. At the end of the stratum, the kept facts are moved to the relation of the
//! predicate.

use super::compile::Compiler;
use super::{Merge, Plan, RelationId, StepKind};
use crate::kernel::{Failure, Reading};
use crate::program::{self, PredicateId, PredicateKey};

impl Compiler<'_> {
    /// Creates the relations of all merges that the engine performs.
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
        // The engine counts the columns, and uses the same number of columns from the first on.
        let first = (0u16..).take(merge.sources.len());
        let keys = match self.compiled.reading {
            Reading::Engine => first.fold(0, |keys, column| keys | 1 << column.min(63)),
            Reading::Intended => merge.sources.iter().fold(0, |keys, column| keys | 1 << (*column).min(63)),
        };
        Merge { result: kept, candidates: all, keys, target, predicate: decides.0 }
    }

    /// True if a predicate is the merge predicate of another predicate.
    pub(super) fn is_merge_predicate(&self, predicate: PredicateId) -> bool {
        self.compiled.merges.iter().any(|merge| merge.predicate == predicate.0)
    }

    /// Redirects the results of a plan to the relation for merging.
    pub(super) fn redirect_target(&self, mut plan: Plan, predicate: PredicateId) -> Plan {
        plan.target = self.compiled.entry(PredicateId(plan.target));
        self.redirect_lookups(plan, predicate)
    }

    /// Redirects lookups of a plan in its own stratum to the relation for merging.
    pub(super) fn redirect_lookups(&self, mut plan: Plan, predicate: PredicateId) -> Plan {
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

    /// The failure of the engine for a merge of several columns.
    pub(super) fn cannot_merge(&self, predicate: PredicateId) -> Option<Failure> {
        let merge = self.program.get(predicate).signature.merge.as_ref()?;
        let count = merge.targets.len();
        (count != 1)
            .then(|| Failure::wrong(format!("a `fundep` on {count} columns, where the engine merges one")))
    }
}
