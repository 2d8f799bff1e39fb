//! Proofs of facts: the rule that first derived a fact, the facts that its premises matched, and
//! recursively their proofs.
//!
//! An evaluation stores the rule and the matched tuples for each derived tuple. The remaining
//! details are reconstructed here by replaying the plan with these tuples.

use std::fmt::Write as _;

use rustc_hash::FxHashMap;

use super::plan::{
    AFTER_BODY, Aggregate, CompiledProgram, Lookup, Plan, RelationId, RuleId, StepKind, ValueSource,
};
use super::plan_replay::{Observer, PlanReplay, TrialEnd};
use super::{Clock, Model, ValueId};
use crate::program::PredicateId;

/// The maximum number of facts in a proof. Further facts are not expanded.
const MAX_NODES: usize = 4096;

/// The approximate maximum size of the text of a proof in bytes. Further facts are not expanded.
const MAX_BYTES: usize = 1 << 18;

/// The maximum number of steps to replay the rule of one fact.
const MAX_STEPS: u32 = 100_000;

/// The maximum number of steps to replay all rules of a proof. Further facts are not expanded.
const MAX_TOTAL_STEPS: u32 = 2_000_000;

/// A proof: facts with their derivations. The first fact is the proved one. A fact that is used
/// several times is listed once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proof {
    /// The facts.
    pub nodes: Vec<ProofNode>,
    /// The number of replayed steps.
    pub steps: u32,
    /// The store that derives the fact, if the program is divided into stores.
    pub store: Option<&'static str>,
}

/// A fact in a proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProofNode {
    /// The fact in the notation of the engine. A row of an aggregation has only values.
    pub fact: String,
    /// The clause that derived the fact.
    pub rule: RuleId,
    /// The matches of the premises, in the order of evaluation. Empty for a fact of the program.
    pub steps: Vec<ProofStep>,
    /// True if the derivation was omitted because the proof is too large.
    pub is_truncated: bool,
}

/// The match of a premise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProofStep {
    /// The index of the premise in the clause.
    pub premise: u32,
    /// The fact or test that makes the premise hold.
    pub ground: Ground,
}

/// A fact or test that makes a premise hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ground {
    /// A fact of the proof, by index.
    Fact(usize),
    /// No fact matches a pattern such as `locked(/d,_)`.
    Absent(String),
    /// A negation that this reading ignores, as written in the source.
    Dropped(String),
    /// A built-in, comparison or function that holds for the values, for example `2 < 3`.
    Holds(String),
    /// The rows of a group.
    Rows {
        /// The indexes of the first rows.
        first: Vec<usize>,
        /// The number of rows.
        count: usize,
    },
}

/// A tuple: its relation and its number.
pub(super) type TupleKey = (RelationId, u32);

impl Model {
    /// Returns a proof of the tuple with this number in the relation of a predicate.
    #[must_use]
    pub fn explain(
        &mut self,
        compiled: &CompiledProgram,
        clock: Clock,
        predicate: PredicateId,
        number: u32,
    ) -> Proof {
        Explanation::new(self, compiled, clock).explain((predicate.0, number))
    }

    /// Returns a proof by a derivation other than the stored one.
    pub(super) fn explain_derivation(
        &mut self,
        compiled: &CompiledProgram,
        clock: Clock,
        way: TupleDerivation,
    ) -> Proof {
        let tuple = way.tuple;
        let mut explanation = Explanation::new(self, compiled, clock);
        explanation.derivation = Some(way);
        explanation.explain(tuple)
    }
}

pub(super) struct TupleDerivation {
    pub(super) tuple: TupleKey,
    pub(super) rule: RuleId,
    /// The tuples that the positive premises match, in the order of the plan.
    pub(super) support: Vec<u32>,
}

struct Explanation<'m> {
    model: &'m mut Model,
    compiled: &'m CompiledProgram,
    clock: Clock,
    places: FxHashMap<TupleKey, usize>,
    proof: Proof,
    /// The index of the first node without a derivation.
    next: usize,
    /// A derivation that replaces the stored derivation of its tuple.
    derivation: Option<TupleDerivation>,
    /// The size of the texts of the proof in bytes.
    bytes: usize,
    /// The number of remaining steps.
    steps_left: u32,
}

impl<'m> Explanation<'m> {
    fn new(model: &'m mut Model, compiled: &'m CompiledProgram, clock: Clock) -> Self {
        let (places, proof) = (FxHashMap::default(), Proof::default());
        Self {
            model,
            compiled,
            clock,
            places,
            proof,
            next: 0,
            derivation: None,
            bytes: 0,
            steps_left: MAX_TOTAL_STEPS,
        }
    }

    fn explain(mut self, tuple: TupleKey) -> Proof {
        self.proof.store = self.compiled.store_name(self.origin(tuple).0);
        self.place(tuple);
        self.unfold();
        self.proof.steps = MAX_TOTAL_STEPS - self.steps_left;
        self.proof
    }

    /// The rule and the matched tuples of a derivation.
    fn derivation(&self, key: TupleKey) -> Option<(RuleId, &[u32])> {
        if let Some(way) = self.derivation.as_ref().filter(|way| way.tuple == key) {
            return Some((way.rule, &way.support));
        }
        self.model.reason(key.0, key.1).map(|derivation| (derivation.rule, derivation.support))
    }

    /// The index of the node of a tuple. Adds the node if it does not exist.
    fn place(&mut self, key: TupleKey) -> usize {
        let key = self.origin(key);
        if let Some(&place) = self.places.get(&key) {
            return place;
        }
        let place = self.proof.nodes.len();
        self.places.insert(key, place);
        let rule = self.derivation(key).map_or(RuleId::ASSERTED, |(rule, _)| rule);
        let fact = self.text(key.0, key.1);
        self.bytes += fact.len();
        self.proof.nodes.push(ProofNode { fact, rule, steps: Vec::new(), is_truncated: false });
        place
    }

    fn origin(&self, key: TupleKey) -> TupleKey {
        self.model.origin(self.compiled, key.0, key.1)
    }

    fn text(&self, relation: RelationId, number: u32) -> String {
        let Some(found) = self.model.relations.get(relation as usize) else { return String::new() };
        self.model.fact(self.compiled, PredicateId(relation), found.tuple(number))
    }

    /// Adds the derivations of all nodes, in the order of the nodes.
    fn unfold(&mut self) {
        let mut keys: Vec<TupleKey> = self.places.keys().copied().collect();
        while let Some(&key) = keys.get(self.next) {
            let place = self.next;
            self.next += 1;
            let is_full = self.is_full();
            let steps = if is_full { Vec::new() } else { self.steps(key.0, key.1, &mut keys) };
            if let Some(node) = self.proof.nodes.get_mut(place) {
                node.is_truncated = is_full;
                node.steps = steps;
            }
        }
    }

    /// True if a limit is reached.
    fn is_full(&self) -> bool {
        self.proof.nodes.len() >= MAX_NODES || self.bytes >= MAX_BYTES || self.steps_left == 0
    }

    /// The matches of the premises of a tuple. New tuples are added to `keys`.
    fn steps(&mut self, relation: RelationId, number: u32, keys: &mut Vec<TupleKey>) -> Vec<ProofStep> {
        let Some((rule, support)) = self.derivation((relation, number)) else { return Vec::new() };
        let support = support.to_vec();
        let mut steps = self.steps_by(rule, relation, number, support, keys);
        // The rows of an aggregation list the dropped negations.
        let is_row_or_fact = self.compiled.aggregate_of(rule, relation).is_none();
        let dropped = self.compiled.dropped.get(&rule).filter(|_| is_row_or_fact);
        for (premise, written) in dropped.into_iter().flatten() {
            let at = steps.partition_point(|step| step.premise < *premise);
            let ground = Ground::Dropped(written.to_string());
            steps.insert(at, ProofStep { premise: *premise, ground });
        }
        steps
    }

    fn steps_by(
        &mut self,
        rule: RuleId,
        relation: RelationId,
        number: u32,
        support: Vec<u32>,
        keys: &mut Vec<TupleKey>,
    ) -> Vec<ProofStep> {
        let compiled = self.compiled;
        if let Some(aggregate) = compiled.aggregate_of(rule, relation) {
            return vec![self.rows(aggregate, &support, keys)];
        }
        if let Some(plan) = compiled.plan_of(rule, relation) {
            let tuple = self.model.relations.get(relation as usize).map(|found| found.tuple(number));
            let tuple: Vec<ValueId> = tuple.unwrap_or_default().to_vec();
            return self.replay(plan, &tuple, &support, keys);
        }
        // A merged value, from the values of two facts.
        let fact = |number: u32| ProofStep {
            premise: AFTER_BODY,
            ground: Ground::Fact(self.known((relation, number), keys)),
        };
        support.into_iter().map(fact).collect()
    }

    fn known(&mut self, key: TupleKey, keys: &mut Vec<TupleKey>) -> usize {
        let key = self.origin(key);
        let place = self.place(key);
        if place == keys.len() {
            keys.push(key);
        }
        place
    }

    fn rows(&mut self, aggregate: &Aggregate, support: &[u32], keys: &mut Vec<TupleKey>) -> ProofStep {
        let mut first = Vec::new();
        for &number in support {
            if self.is_full() {
                break;
            }
            first.push(self.known((aggregate.rows.relation, number), keys));
        }
        ProofStep { premise: 0, ground: Ground::Rows { first, count: support.len() } }
    }

    /// Replays a plan with the tuples that its lookups matched.
    fn replay(
        &mut self,
        plan: &Plan,
        tuple: &[ValueId],
        support: &[u32],
        keys: &mut Vec<TupleKey>,
    ) -> Vec<ProofStep> {
        let lookups = plan.steps.iter().map(|step| matches!(step.kind, StepKind::Match(_)));
        let mut found = support.iter().copied();
        let only = lookups.map(|is_lookup| is_lookup.then(|| found.next()).flatten()).collect();
        let temporal = self.compiled.is_temporal(PredicateId(plan.target));
        let args = tuple.len().saturating_sub(if temporal { 2 } else { 0 });
        let mut replay = Replay { plan, only, args: tuple.get(..args).unwrap_or(tuple) };
        let mut row = vec![ValueId(0); usize::from(plan.slots)];
        let steps = MAX_STEPS.min(self.steps_left);
        let mut trial = PlanReplay::new(self.model, self.compiled, self.clock, steps);
        let is_known = trial.run(plan, &mut row, &mut replay) == TrialEnd::Enough;
        self.steps_left = self.steps_left.saturating_sub(steps - trial.left());
        let steps = plan.steps.iter().zip(replay.only);
        let mut all = Vec::new();
        for (step, number) in steps {
            let ground = match (&step.kind, number) {
                (StepKind::Match(looked), Some(number)) => {
                    Some(Ground::Fact(self.known((looked.relation, number), keys)))
                }
                _ if is_known => self.ground(&step.kind, &row),
                _ => None,
            };
            self.bytes += ground.as_ref().map_or(0, |ground| self.bytes_of(ground));
            all.extend(ground.map(|ground| ProofStep { premise: step.premise, ground }));
        }
        all
    }

    /// The ground of a step other than a lookup.
    fn ground(&self, kind: &StepKind, row: &[ValueId]) -> Option<Ground> {
        Some(match kind {
            StepKind::Absent(looked) => Ground::Absent(self.pattern(looked, row, &|_| None)),
            StepKind::Call(looked) => {
                Ground::Holds(self.pattern(looked, row, &|slot| Some(ValueSource::Slot(slot))))
            }
            StepKind::Compare { operator, left, right } => {
                let (left, right) = (self.value(*left, row), self.value(*right, row));
                Ground::Holds(format!("{left} {} {right}", operator.as_str()))
            }
            StepKind::Solve { name, args, outputs, negated, .. } => {
                // A negation has no outputs.
                let mut outputs = outputs.iter().filter(|_| !negated);
                let shown = |arg: &Option<ValueSource>| {
                    let source = arg.or_else(|| outputs.next().map(|slot| ValueSource::Slot(*slot)));
                    source.map_or_else(|| "_".to_owned(), |source| self.value(source, row))
                };
                let args: Vec<String> = args.iter().map(shown).collect();
                Ground::Holds(format!("{}{name}({})", if *negated { "!" } else { "" }, args.join(",")))
            }
            _ => return None,
        })
    }

    /// The size of the text of a ground in bytes. A fact counts at each use.
    fn bytes_of(&self, ground: &Ground) -> usize {
        match ground {
            Ground::Absent(text) | Ground::Dropped(text) | Ground::Holds(text) => text.len(),
            Ground::Fact(at) => self.proof.nodes.get(*at).map_or(0, |node| node.fact.len()),
            Ground::Rows { .. } => 0,
        }
    }

    fn value(&self, source: ValueSource, row: &[ValueId]) -> String {
        self.model.values.display(source.read(row)).to_string()
    }

    /// The pattern of a lookup: known values, and `_` for others.
    fn pattern(
        &self,
        looked: &Lookup,
        row: &[ValueId],
        bound: &dyn Fn(u16) -> Option<ValueSource>,
    ) -> String {
        let mut text = format!("{}(", self.compiled.name(PredicateId(looked.relation)));
        for column in 0..u16::try_from(self.compiled.arity(looked.relation)).unwrap_or(u16::MAX) {
            let slot = looked.binds.iter().find(|(at, _)| *at == column).map(|(_, slot)| *slot);
            let source = looked.source(column).or_else(|| slot.and_then(bound));
            let value = source.map_or_else(|| "_".to_owned(), |source| self.value(source, row));
            let _ = write!(text, "{}{value}", if column > 0 { "," } else { "" });
        }
        text.push(')');
        text
    }
}

/// Follows the matched tuples until the head equals the tuple to explain.
struct Replay<'p> {
    plan: &'p Plan,
    /// The number of the tuple of each step.
    only: Vec<Option<u32>>,
    /// The arguments of the tuple.
    args: &'p [ValueId],
}

impl Observer for Replay<'_> {
    fn only(&self, step: usize) -> Option<u32> {
        self.only.get(step).copied().flatten()
    }

    fn arrived(&mut self, row: &[ValueId]) -> bool {
        self.plan.head.iter().zip(self.args).all(|(source, value)| source.read(row) == *value)
    }
}
