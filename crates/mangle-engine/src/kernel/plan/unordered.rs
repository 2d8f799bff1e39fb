//! Finds premises on derived temporal predicates, whose results depend on a random order of
//! evaluation.
//!
//! The engine has no dependency edges for temporal premises. The rule is evaluated before or after
//! the facts that the premise needs, depending on the iteration order of maps in the engine.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{CompiledProgram, Plan, Reading, RelationId, RuleId, StepKind};
use crate::program::PredicateId;
use crate::program::graph::Graph;

/// A lookup that may or may not find derived facts, depending on a random order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnorderedRead {
    /// The clause.
    pub rule: RuleId,
    /// The premise with the lookup.
    pub premise: u32,
    /// The relation for the derived tuples of the clause.
    pub(in crate::kernel) target: RelationId,
    /// The temporal predicate.
    pub predicate: PredicateId,
    /// The position of the premise among the lookups of the plan.
    pub(in crate::kernel) support: usize,
}

/// The unordered reads of a program in the engine's reading.
pub(super) fn unordered_reads(compiled: &CompiledProgram, graph: &Graph) -> Vec<UnorderedRead> {
    if compiled.reading != Reading::Engine || !compiled.temporal.contains(&true) {
        return Vec::new();
    }
    let is_temporal = |relation: &RelationId| compiled.temporal.get(*relation as usize) == Some(&true);
    let derived: FxHashSet<RelationId> =
        compiled.plans().map(|plan| plan.target).filter(|target| is_temporal(target)).collect();
    if derived.is_empty() {
        return Vec::new();
    }
    let mut order = Order { graph, before: FxHashMap::default() };
    let mut reads = Vec::new();
    for plan in compiled.plans() {
        let Some(head) = compiled.rules.get(plan.rule.0 as usize).map(|rule| rule.predicate) else {
            continue;
        };
        for (premise, relation, support) in lookups(plan) {
            let predicate = PredicateId(relation);
            if derived.contains(&relation) && head != predicate && !order.is_before(predicate, head) {
                reads.push(UnorderedRead {
                    rule: plan.rule,
                    premise,
                    target: plan.target,
                    predicate,
                    support,
                });
            }
        }
    }
    reads
}

/// The lookups of a plan: premise, relation, and position among the lookups.
fn lookups(plan: &Plan) -> impl Iterator<Item = (u32, RelationId, usize)> {
    let found = plan.steps.iter().filter_map(|step| match &step.kind {
        StepKind::Match(found) => Some((step.premise, found.relation)),
        _ => None,
    });
    found.enumerate().map(|(at, (premise, relation))| (premise, relation, at))
}

/// The evaluation order according to the dependency edges of the engine.
struct Order<'g> {
    graph: &'g Graph,
    /// For each predicate, all predicates that are evaluated before it or together with it.
    before: FxHashMap<PredicateId, FxHashSet<PredicateId>>,
}

impl Order<'_> {
    fn is_before(&mut self, one: PredicateId, other: PredicateId) -> bool {
        let graph = self.graph;
        let before = self.before.entry(other).or_insert_with(|| {
            let (mut seen, mut open) = (FxHashSet::default(), vec![other]);
            while let Some(predicate) = open.pop() {
                let edges = graph.edges_from(predicate).iter();
                let visible = edges.filter(|edge| !edge.temporal && !edge.dropped);
                open.extend(visible.map(|edge| edge.to).filter(|to| seen.insert(*to)));
            }
            seen
        });
        before.contains(&one)
    }
}
