//! Analyses of compiled strata.
//!
//! - The relations that a stratum reads, which decide if a change affects it.
//! - Rules that depend on a negation or aggregation of their own results. The engine rejects the
//!   whole program, but this crate evaluates the remaining rules.
//! - Rules with several lookups in their own stratum. Some engines do not combine two facts of the
//!   same round, so such a rule can miss facts in the engine's reading.
//! - Premises on derived temporal predicates, whose results depend on a random order of evaluation.
//!   The engine has no dependency edges for temporal premises. The rule is evaluated before or after
//!   the facts that the premise needs, depending on the iteration order of maps in the engine.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    Aggregate, Bound, ClauseFault, CompiledProgram, Let, Lookup, Plan, Reading, RelationId, RowArgs, RuleId,
    Step, StepKind, Stratum, ValueSource,
};
use crate::kernel::Failure;
use crate::program::PredicateId;
use crate::program::graph::Graph;

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

/// Removes the rules of such cycles and records a fault for each.
pub(super) fn reject_negative_cycles(compiled: &mut CompiledProgram) {
    let predicates = compiled.predicate_count;
    for stratum in &mut compiled.strata {
        let faults = faults(stratum, predicates);
        if !faults.is_empty() {
            stratum.plans.clear();
            stratum.aggregates.clear();
            compiled.faults.extend(faults);
        }
    }
}

fn faults(stratum: &Stratum, predicates: u32) -> Vec<ClauseFault> {
    let negations = stratum.plans.iter().flat_map(|plan| {
        let own = plan.steps.iter().filter(|step| match &step.kind {
            StepKind::Absent(found) => stratum.relations.contains(&found.relation),
            _ => false,
        });
        own.map(|step| ClauseFault {
            rule: plan.rule,
            premise: Some(step.premise),
            failure: Failure::wrong(
                "what is negated here depends on this rule: neither can be evaluated first",
            ),
        })
    });
    let counts = stratum.aggregates.iter().filter(|aggregate| counts_itself(aggregate, stratum, predicates));
    let counts = counts.map(|aggregate| ClauseFault {
        rule: aggregate.rule,
        premise: None,
        failure: Failure::wrong("its groups depend on what it gives: neither can be evaluated first"),
    });
    negations.chain(counts).collect()
}

/// True if the rows of an aggregation depend on its own stratum.
fn counts_itself(aggregate: &Aggregate, stratum: &Stratum, predicates: u32) -> bool {
    let grows = |relation: u32| relation < predicates && stratum.relations.contains(&relation);
    let reads = |plan: &Plan| {
        plan.steps.iter().any(|step| matches!(&step.kind, StepKind::Match(found) if grows(found.relation)))
    };
    let mut bodies = stratum.plans.iter().filter(|plan| plan.target == aggregate.rows.relation);
    grows(aggregate.rows.relation) || bodies.any(|plan| reads(plan))
}

impl CompiledProgram {
    /// A rule that can miss facts and that the predicate depends on, if one exists.
    #[must_use]
    pub fn incomplete_rule(&self, predicate: PredicateId) -> Option<RuleId> {
        if !self.misses_same_round_joins() {
            return None;
        }
        let strata = self.strata_below(predicate);
        let mut plans = strata.flat_map(|stratum| stratum.plans.iter().map(move |plan| (stratum, plan)));
        plans.find(|(stratum, plan)| can_miss(stratum, plan)).map(|(_, plan)| plan.rule)
    }
}

fn can_miss(stratum: &Stratum, plan: &Plan) -> bool {
    let is_base = |other: &Plan| recursive(stratum, other).next().is_none();
    let is_closed =
        || is_closure(plan) && stratum.plans.iter().all(|other| other.rule == plan.rule || is_base(other));
    recursive(stratum, plan).nth(1).is_some() && !is_closed()
}

fn recursive<'p>(stratum: &'p Stratum, plan: &'p Plan) -> impl Iterator<Item = &'p Lookup> {
    plan.steps.iter().filter_map(|step| match &step.kind {
        StepKind::Match(found) if stratum.relations.contains(&found.relation) => Some(found),
        _ => None,
    })
}

/// True for `p(X, Z) :- p(X, Y), p(Y, Z)`. If all single steps are known after the first round, a
/// longer path also consists of a shorter path and a single step.
fn is_closure(plan: &Plan) -> bool {
    let [one, other] = &*plan.steps else { return false };
    let (StepKind::Match(one), StepKind::Match(other)) = (&one.kind, &other.kind) else { return false };
    let is_own = |found: &Lookup| found.relation == plan.target && found.is_plain();
    let ([ValueSource::Slot(from), ValueSource::Slot(to)], true) =
        (&*plan.head, is_own(one) && is_own(other))
    else {
        return false;
    };
    let ([(0, start), (1, end)], [ValueSource::Slot(key)], [(column, new)]) =
        (&*one.binds, &*other.key, &*other.binds)
    else {
        return false;
    };
    let forwards = (other.columns, *column) == (1, 1) && (start, end, new) == (from, key, to);
    let backwards = (other.columns, *column) == (2, 0) && (start, end, new) == (key, to, from);
    forwards || backwards
}

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
