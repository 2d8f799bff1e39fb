//! Compiles predicates with descriptors that change the evaluation: predicates with merged facts
//! (`fundep` and `merge`), and `deferred()` predicates in calls that lack some inputs.
//!
//! Derived facts of a merged predicate are added to a separate relation, which rules of the same
//! stratum use. At the end of the stratum, the kept facts are moved to the relation of the
//! predicate.

use super::compile::{CompiledClause, Compiler};
use super::{DeferredRule, Merge, Plan, RelationId, Rule, RuleId, Step, StepKind, open_inputs};
use crate::kernel::{Failure, Reading};
use crate::program::{self, Mode, PredicateId, PredicateKey};

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

    /// Compiles the rules of deferred predicates for calls that lack some inputs. The engine then
    /// evaluates the rule for all values.
    pub(super) fn compile_open_calls(&mut self) {
        let steps = self.compiled.plans().flat_map(|plan| &plan.steps);
        let deferred = self.compiled.deferred.values().flatten().flat_map(|rule| &rule.plan.steps);
        let mut calls: Vec<(RelationId, u64)> =
            steps.chain(deferred).filter_map(|step| self.open_call(step)).collect();
        calls.sort_unstable();
        while let Some((relation, open)) = calls.pop() {
            if self.compiled.open_calls.contains_key(&(relation, open)) {
                continue;
            }
            let rules = self.rules_with_open(relation, open);
            calls.extend(
                rules.iter().flat_map(|rule| &rule.plan.steps).filter_map(|step| self.open_call(step)),
            );
            self.compiled.open_calls.insert((relation, open), rules);
        }
    }

    /// The predicate that a step calls without values for some inputs, and the columns of the
    /// inputs.
    fn open_call(&self, step: &Step) -> Option<(RelationId, u64)> {
        let StepKind::Call(found) = &step.kind else { return None };
        let open = open_inputs(found, self.compiled.deferred.get(&found.relation)?);
        (open != 0).then_some((found.relation, open))
    }

    /// The rules of a deferred predicate, compiled without the columns `open` as inputs.
    fn rules_with_open(&mut self, relation: RelationId, open: u64) -> Vec<DeferredRule> {
        let program = self.program;
        let mut modes = program.get(PredicateId(relation)).signature.modes.clone();
        for (at, mode) in modes.iter_mut().enumerate().take(64) {
            if open & (1 << at) != 0 {
                *mode = Mode::Output;
            }
        }
        let ids: Vec<RuleId> =
            self.compiled.deferred.get(&relation).into_iter().flatten().map(|rule| rule.plan.rule).collect();
        let mut rules = Vec::new();
        for id in ids {
            let Some(Rule { file, item, .. }) = self.rules.get(id.0 as usize).copied() else { continue };
            let Some(file) = program.files.iter().find(|one| one.id == file) else { continue };
            let Some(item) = file.items.get(item as usize) else { continue };
            let Some(clause) = item.statement.clause() else { continue };
            let text = file.statement_text(item);
            let outcome = self.outcome(file, text, id, PredicateId(relation), clause, Some(&modes));
            if let Ok(CompiledClause::Deferred(rule)) = outcome {
                rules.push(rule);
            }
        }
        rules
    }
}
