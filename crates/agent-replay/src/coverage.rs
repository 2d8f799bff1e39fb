//! Coverage of rules that permit or deny, over all sessions.

use rustc_hash::FxHashSet;

use super::constitution::Constitution;
use mangle_engine::kernel::{Clock, Kernel, RuleId};
use mangle_engine::program::PredicateId;

/// The rules that fired.
#[derive(Debug, Clone, Default)]
pub struct Coverage {
    fired: FxHashSet<RuleId>,
}

impl Coverage {
    /// Adds the coverage of other sessions under the same constitution.
    pub fn add(&mut self, other: &Self) {
        self.fired.extend(&other.fired);
    }

    /// Records the rules that fire during the verdict about a request.
    pub(super) fn take(&mut self, constitution: &Constitution, kernel: &mut Kernel, clock: Clock) {
        for predicate in predicates(constitution) {
            let rules: Vec<RuleId> = rules_of(constitution, predicate).collect();
            if rules.iter().all(|rule| self.fired.contains(rule)) {
                continue;
            }
            let arity = constitution.program.get(predicate).key.arity;
            let any = vec![None; usize::from(arity)];
            let misses = kernel.model_mut().why_not(&constitution.compiled, clock, predicate, &any);
            let holds = |rule: &RuleId| !misses.iter().any(|miss| miss.rule == *rule);
            self.fired.extend(rules.into_iter().filter(holds));
        }
    }

    /// All rules that permit or deny, in program order, with true for each rule that fired.
    pub fn rules<'c>(&'c self, constitution: &'c Constitution) -> impl Iterator<Item = (RuleId, bool)> + 'c {
        let mut all: Vec<RuleId> =
            predicates(constitution).flat_map(|predicate| rules_of(constitution, predicate)).collect();
        all.sort_unstable();
        all.dedup();
        all.into_iter().map(|rule| (rule, self.fired.contains(&rule)))
    }
}

fn predicates(constitution: &Constitution) -> impl Iterator<Item = PredicateId> + '_ {
    let roles = &constitution.roles;
    roles.permit.iter().chain(&roles.deny).chain(&roles.block).copied()
}

/// The rules of a predicate that can be evaluated, without facts.
fn rules_of(constitution: &Constitution, predicate: PredicateId) -> impl Iterator<Item = RuleId> + '_ {
    let compiled = &constitution.compiled;
    let rules =
        (0u32..).map(RuleId).zip(compiled.rules.iter()).filter(move |(_, rule)| rule.predicate == predicate);
    let is_rule = |(id, rule): &(RuleId, &mangle_engine::kernel::Rule)| {
        let item = constitution.program.file(rule.file).and_then(|file| file.items.get(rule.item as usize));
        let clause = item.and_then(|item| item.statement.clause());
        clause.is_some_and(|clause| !clause.is_fact())
            && !compiled.faults.iter().any(|fault| fault.rule == *id)
    };
    rules.filter(is_rule).map(|(id, _)| id)
}
