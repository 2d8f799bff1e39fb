//! Why a fact holds: the rule that first gave it, what each premise found, and so on down to facts.
//!
//! A run keeps the rule and the tuples that its premises found for each derived tuple. The rest is worked out
//! here, by going through the plan again with those tuples in hand.

use std::fmt::Write as _;

use rustc_hash::FxHashMap;

use super::plan::{
    Aggregate, BEHIND_BODY, Compiled, Match, Plan, RelationId, RuleId, Source, StepKind, write,
};
use super::{Clock, Model, ValueId};
use crate::program::PredicateId;

/// How many facts a proof has at most; what is beyond is not unfolded.
const MOST_NODES: usize = 4096;

/// A proof: facts and what each follows from. The first is the one that was asked about. A fact that is used
/// twice is listed once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proof {
    /// The facts.
    pub nodes: Vec<ProofNode>,
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
    /// A built-in, a comparison or a function that holds for these values: `2 < 3`.
    Holds(String),
    /// The rows of a group, by their indices.
    Rows(Vec<usize>),
}

/// A tuple: its relation and its number.
type Key = (RelationId, u32);

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
        let mut explanation = Explanation {
            model: self,
            compiled,
            clock,
            places: FxHashMap::default(),
            proof: Proof::default(),
            next: 0,
        };
        explanation.place((predicate.0, number));
        explanation.unfold();
        explanation.proof
    }
}

struct Explanation<'m> {
    model: &'m mut Model,
    compiled: &'m Compiled,
    clock: Clock,
    places: FxHashMap<Key, usize>,
    proof: Proof,
    /// The first node that is not unfolded yet.
    next: usize,
}

impl Explanation<'_> {
    /// The node of a tuple, made if there is none yet.
    fn place(&mut self, key: Key) -> usize {
        let key = self.origin(key);
        if let Some(&place) = self.places.get(&key) {
            return place;
        }
        let place = self.proof.nodes.len();
        self.places.insert(key, place);
        let derivation = self.model.reason(key.0, key.1);
        let rule = derivation.map_or(RuleId(u32::MAX), |derivation| derivation.rule);
        let fact = self.text(key);
        self.proof.nodes.push(ProofNode { fact, rule, steps: Vec::new(), folded: false });
        place
    }

    /// Where a fact that was kept of several was derived.
    fn origin(&self, (relation, number): Key) -> Key {
        let merge = self.compiled.merge_of(relation);
        let kept = self.model.reason(relation, number).map(|reason| reason.support);
        match (merge, kept) {
            (Some(merge), Some([number])) => (merge.all, *number),
            _ => (relation, number),
        }
    }

    fn text(&self, (relation, number): Key) -> String {
        let Some(found) = self.model.relations.get(relation as usize) else { return String::new() };
        self.model.fact(self.compiled, PredicateId(relation), found.tuple(number))
    }

    /// Adds the reasons of every node, in the order in which they came.
    fn unfold(&mut self) {
        let mut keys: Vec<Key> = self.places.keys().copied().collect();
        while let Some(&key) = keys.get(self.next) {
            let place = self.next;
            self.next += 1;
            let is_full = self.proof.nodes.len() >= MOST_NODES;
            let steps = if is_full { Vec::new() } else { self.steps(key, &mut keys) };
            if let Some(node) = self.proof.nodes.get_mut(place) {
                node.folded = is_full;
                node.steps = steps;
            }
        }
    }

    /// What the premises of a tuple's rule found; tuples that are new are added to `keys`.
    fn steps(&mut self, (relation, number): Key, keys: &mut Vec<Key>) -> Vec<ProofStep> {
        let Some(derivation) = self.model.reason(relation, number) else { return Vec::new() };
        let (rule, support) = (derivation.rule, derivation.support.to_vec());
        let compiled = self.compiled;
        if let Some(aggregate) = compiled.aggregate_of(rule, relation) {
            return vec![self.rows(aggregate, &support, keys)];
        }
        if let Some(plan) = compiled.plan_of(rule, relation) {
            return self.replay(plan, &support, keys);
        }
        // A value that was made of those of two facts.
        let fact = |number: u32| ProofStep {
            premise: BEHIND_BODY,
            ground: Ground::Fact(self.known((relation, number), keys)),
        };
        support.into_iter().map(fact).collect()
    }

    fn known(&mut self, key: Key, keys: &mut Vec<Key>) -> usize {
        let key = self.origin(key);
        let place = self.place(key);
        if place == keys.len() {
            keys.push(key);
        }
        place
    }

    fn rows(&mut self, aggregate: &Aggregate, support: &[u32], keys: &mut Vec<Key>) -> ProofStep {
        let rows = support.iter().map(|&number| self.known((aggregate.rows.relation, number), keys));
        ProofStep { premise: 0, ground: Ground::Rows(rows.collect()) }
    }

    /// Goes through a plan with the tuples that its lookups found.
    fn replay(&mut self, plan: &Plan, support: &[u32], keys: &mut Vec<Key>) -> Vec<ProofStep> {
        let mut row = vec![ValueId(0); usize::from(plan.slots)];
        let mut found = support.iter();
        let mut steps = Vec::new();
        for step in &plan.steps {
            let ground = match &step.kind {
                StepKind::Match(looked) => {
                    let Some(&number) = found.next() else { break };
                    self.bind(looked, number, &mut row);
                    Some(Ground::Fact(self.known((looked.relation, number), keys)))
                }
                StepKind::Absent(looked) => Some(Ground::Absent(self.pattern(looked, &row))),
                StepKind::Compare { operator, left, right } => Some(Ground::Holds(format!(
                    "{} {} {}",
                    self.value(*left, &row),
                    operator.as_str(),
                    self.value(*right, &row)
                ))),
                StepKind::Compute { slot, function, args } => {
                    let args: Vec<ValueId> = args.iter().map(|arg| arg.read(&row)).collect();
                    let value = function.apply(&mut self.model.values, &args, &self.clock).ok();
                    value.into_iter().for_each(|value| write(&mut row, *slot, value));
                    None
                }
                StepKind::Solve { name, args, negated, .. } => {
                    let args: Vec<String> = args
                        .iter()
                        .map(|arg| arg.map_or("_".to_owned(), |arg| self.value(arg, &row)))
                        .collect();
                    let sign = if *negated { "!" } else { "" };
                    Some(Ground::Holds(format!("{sign}{}({})", name, args.join(","))))
                }
                StepKind::Call(looked) => Some(Ground::Holds(self.pattern(looked, &row))),
                StepKind::Instant { .. } | StepKind::Never | StepKind::Fail(_) => None,
            };
            steps.extend(ground.map(|ground| ProofStep { premise: step.premise, ground }));
        }
        steps
    }

    fn bind(&self, looked: &Match, number: u32, row: &mut [ValueId]) {
        let Some(relation) = self.model.relations.get(looked.relation as usize) else { return };
        let tuple = relation.tuple(number);
        for (column, slot) in &looked.binds {
            tuple.get(usize::from(*column)).into_iter().for_each(|value| write(row, *slot, *value));
        }
        if let [.., start, end] = *tuple {
            looked.ends.1.into_iter().for_each(|slot| write(row, slot, end));
            looked.ends.0.into_iter().for_each(|slot| write(row, slot, start));
        }
    }

    fn value(&self, source: Source, row: &[ValueId]) -> String {
        self.model.values.display(source.read(row)).to_string()
    }

    /// What was looked for: known values, and `_` for the others.
    fn pattern(&self, looked: &Match, row: &[ValueId]) -> String {
        let mut text = format!("{}(", self.compiled.name(PredicateId(looked.relation)));
        let mut key = looked.key.iter();
        for column in 0..self.compiled.arity(looked.relation) {
            let known = (column < 64 && looked.columns & (1 << column) != 0).then(|| key.next()).flatten();
            let value = known.map_or_else(|| "_".to_owned(), |source| self.value(*source, row));
            let _ = write!(text, "{}{value}", if column > 0 { "," } else { "" });
        }
        text.push(')');
        text
    }
}
