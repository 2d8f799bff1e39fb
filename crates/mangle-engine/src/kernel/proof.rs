//! Why a fact holds: the rule that first gave it, what each premise found, and so on down to facts.
//!
//! A run keeps the rule and the tuples that its premises found for each derived tuple. The rest is worked out
//! here, by going through the plan again with those tuples in hand, until it gives the tuple.

use std::fmt::Write as _;

use rustc_hash::FxHashMap;

use super::plan::{Aggregate, BEHIND_BODY, Compiled, Match, Plan, RelationId, RuleId, StepKind, ValueSource};
use super::trial::{Observer, Trial, TrialEnd};
use super::{Clock, Model, ValueId};
use crate::program::PredicateId;

/// How many facts a proof has at most; what is beyond is not unfolded.
const MOST_NODES: usize = 4096;

/// How many bytes of text a proof has at about; what is beyond is not unfolded.
const MOST_BYTES: usize = 1 << 18;

/// How many steps it takes at most to go through the rule of one fact again.
const MOST_STEPS: u32 = 100_000;

/// The same for all facts of a proof; what is beyond is not unfolded.
const MOST_STEPS_IN_ALL: u32 = 2_000_000;

/// A proof: facts and what each follows from. The first is the one that was asked about. A fact that is used
/// twice is listed once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proof {
    /// The facts.
    pub nodes: Vec<ProofNode>,
    /// How many steps it took to find it: premises that were tried again.
    pub steps: u32,
    /// The store in which the fact follows, if the program is divided into stores.
    pub store: Option<&'static str>,
}

/// A fact in a proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProofNode {
    /// The fact as the engine prints it; a row that an aggregation counts, as values alone.
    pub fact: String,
    /// The clause that gave it.
    pub rule: RuleId,
    /// What its premises found, in the order of evaluation. Empty for a fact of the program.
    pub steps: Vec<ProofStep>,
    /// Whether its own reasons were left out, because the proof is too large.
    pub folded: bool,
}

/// What a premise found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProofStep {
    /// The premise: its index in the clause.
    pub premise: u32,
    /// What makes it hold.
    pub ground: Ground,
}

/// What makes a premise hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ground {
    /// A fact of the proof, by its index.
    Fact(usize),
    /// No fact like this: `locked(/d,_)`.
    Absent(String),
    /// A negation that this reading does not look at, as it is written.
    Dropped(String),
    /// A built-in, a comparison or a function that holds for these values: `2 < 3`.
    Holds(String),
    /// The rows of a group.
    Rows {
        /// The first of them, by their indices.
        first: Vec<usize>,
        /// How many there are.
        count: usize,
    },
}

/// A tuple: its relation and its number.
pub(super) type TupleKey = (RelationId, u32);

impl Model {
    /// Why the tuple of this number is in the relation of a predicate.
    #[must_use]
    pub fn explain(
        &mut self,
        compiled: &Compiled,
        clock: Clock,
        predicate: PredicateId,
        number: u32,
    ) -> Proof {
        Explanation::new(self, compiled, clock).explain((predicate.0, number))
    }

    /// The same for a rule, and tuples that its premises find, other than the first that gave the tuple.
    pub(super) fn explain_way(&mut self, compiled: &Compiled, clock: Clock, way: TupleDerivation) -> Proof {
        let tuple = way.tuple;
        let mut explanation = Explanation::new(self, compiled, clock);
        explanation.way = Some(way);
        explanation.explain(tuple)
    }
}

/// A way in which a tuple follows.
pub(super) struct TupleDerivation {
    pub(super) tuple: TupleKey,
    pub(super) rule: RuleId,
    /// The tuples that its positive premises find, in the order of its plan.
    pub(super) support: Vec<u32>,
}

struct Explanation<'m> {
    model: &'m mut Model,
    compiled: &'m Compiled,
    clock: Clock,
    places: FxHashMap<TupleKey, usize>,
    proof: Proof,
    /// The first node that is not unfolded yet.
    next: usize,
    /// What is told of a tuple in place of its first derivation.
    way: Option<TupleDerivation>,
    /// How many bytes the texts of the proof have.
    bytes: usize,
    /// How many steps are left.
    steps_left: u32,
}

impl<'m> Explanation<'m> {
    fn new(model: &'m mut Model, compiled: &'m Compiled, clock: Clock) -> Self {
        let (places, proof) = (FxHashMap::default(), Proof::default());
        Self {
            model,
            compiled,
            clock,
            places,
            proof,
            next: 0,
            way: None,
            bytes: 0,
            steps_left: MOST_STEPS_IN_ALL,
        }
    }

    fn explain(mut self, tuple: TupleKey) -> Proof {
        self.proof.store = self.compiled.store_name(self.origin(tuple).0);
        self.place(tuple);
        self.unfold();
        self.proof.steps = MOST_STEPS_IN_ALL - self.steps_left;
        self.proof
    }

    /// The rule that gave a tuple, and the tuples that its premises found.
    fn derivation(&self, key: TupleKey) -> Option<(RuleId, &[u32])> {
        if let Some(way) = self.way.as_ref().filter(|way| way.tuple == key) {
            return Some((way.rule, &way.support));
        }
        self.model.reason(key.0, key.1).map(|derivation| (derivation.rule, derivation.support))
    }

    /// The node of a tuple, made if there is none yet.
    fn place(&mut self, key: TupleKey) -> usize {
        let key = self.origin(key);
        if let Some(&place) = self.places.get(&key) {
            return place;
        }
        let place = self.proof.nodes.len();
        self.places.insert(key, place);
        let rule = self.derivation(key).map_or(RuleId::ASSERTED, |(rule, _)| rule);
        let fact = self.text(key);
        self.bytes += fact.len();
        self.proof.nodes.push(ProofNode { fact, rule, steps: Vec::new(), folded: false });
        place
    }

    fn origin(&self, key: TupleKey) -> TupleKey {
        self.model.origin(self.compiled, key)
    }

    fn text(&self, (relation, number): TupleKey) -> String {
        let Some(found) = self.model.relations.get(relation as usize) else { return String::new() };
        self.model.fact(self.compiled, PredicateId(relation), found.tuple(number))
    }

    /// Adds the reasons of every node, in the order in which they came.
    fn unfold(&mut self) {
        let mut keys: Vec<TupleKey> = self.places.keys().copied().collect();
        while let Some(&key) = keys.get(self.next) {
            let place = self.next;
            self.next += 1;
            let is_full = self.is_full();
            let steps = if is_full { Vec::new() } else { self.steps(key, &mut keys) };
            if let Some(node) = self.proof.nodes.get_mut(place) {
                node.folded = is_full;
                node.steps = steps;
            }
        }
    }

    /// Whether nothing more is unfolded.
    fn is_full(&self) -> bool {
        self.proof.nodes.len() >= MOST_NODES || self.bytes >= MOST_BYTES || self.steps_left == 0
    }

    /// What the premises of a tuple's rule found; tuples that are new are added to `keys`.
    fn steps(&mut self, (relation, number): TupleKey, keys: &mut Vec<TupleKey>) -> Vec<ProofStep> {
        let Some((rule, support)) = self.derivation((relation, number)) else { return Vec::new() };
        let support = support.to_vec();
        let mut steps = self.steps_by(rule, (relation, number), support, keys);
        // Of an aggregation, its rows tell.
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
        (relation, number): TupleKey,
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
        // A value that was made of those of two facts.
        let fact = |number: u32| ProofStep {
            premise: BEHIND_BODY,
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

    /// Goes through a plan with the tuples that its lookups found.
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
        let steps = MOST_STEPS.min(self.steps_left);
        let mut trial = Trial::new(self.model, self.compiled, self.clock, steps);
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

    /// What makes a step hold that finds no tuple.
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
                // What a negation does not bind is not there.
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

    /// How many bytes the text of a ground has; a fact is named again where it is used again.
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

    /// What was looked for: known values, and `_` for the others.
    fn pattern(&self, looked: &Match, row: &[ValueId], bound: &dyn Fn(u16) -> Option<ValueSource>) -> String {
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

/// Follows the tuples that were found until the head is the tuple that is to be explained.
struct Replay<'p> {
    plan: &'p Plan,
    /// What each step found.
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
