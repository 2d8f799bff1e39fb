//! Premises on temporal predicates that rules derive. The engine makes no edges for temporal premises, so that it
//! evaluates the rule before or after the facts that it asks for, in an order that its maps choose at random.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Compiled, Plan, Reading, RelationId, RuleId, StepKind};
use crate::program::PredicateId;
use crate::program::graph::Graph;

/// A lookup that finds derived facts or not, as the order happens to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnorderedRead {
    /// The clause.
    pub rule: RuleId,
    /// The premise that looks up.
    pub premise: u32,
    /// Where the clause adds tuples.
    pub(in crate::kernel) target: RelationId,
    /// The temporal predicate.
    pub predicate: PredicateId,
    /// The place of the premise among those that find tuples.
    pub(in crate::kernel) support: usize,
}

/// The unordered reads of a program in the engine's reading.
pub(super) fn unordered_reads(compiled: &Compiled, graph: &Graph) -> Vec<UnorderedRead> {
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

/// The premises of a plan that find tuples, the relations they look in, and their places among each other.
fn lookups(plan: &Plan) -> impl Iterator<Item = (u32, RelationId, usize)> {
    let found = plan.steps.iter().filter_map(|step| match &step.kind {
        StepKind::Match(found) => Some((step.premise, found.relation)),
        _ => None,
    });
    found.enumerate().map(|(at, (premise, relation))| (premise, relation, at))
}

/// The order that the engine sees.
struct Order<'g> {
    graph: &'g Graph,
    /// All predicates that are evaluated before or together with one.
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
