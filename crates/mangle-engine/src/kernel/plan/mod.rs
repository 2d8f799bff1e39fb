//! Evaluation plans of rules: the sequence of lookups, computations and comparisons, and the tuple
//! to add.
//!
//! `compile` converts the clauses of a program to [`Plan`]s over numbered registers, in the premise
//! order of one of two readings (`order`). The set of filled registers is known statically at each
//! step.
//!
//! A premise that would stop the engine becomes a step. Such a step stops the evaluation only if it
//! is reached.

mod body;
mod compile;
mod division;
mod lookup;
mod special_predicates;
mod strata;
mod temporal;
mod transform;

pub use compile::{compile, compile_sharing, compile_with_intended_files};
pub use division::Division;
pub use lookup::{BEGINNING, Bound, Bounds, END, IntervalCondition, Lookup, ValueSource};
pub(in crate::kernel) use lookup::{NOW_NAME, nanos, write};
pub use mangle_settings::Reading;
use mangle_settings::versions::{EngineCapabilities, SameRoundJoins};
pub use strata::UnorderedRead;

use std::sync::Arc;

use super::relation::Columns;
use super::{Builtin, Failure, Function, Reducer, ValueId, Values};
use crate::program::PredicateId;
use mangle_syntax::syntax::ast::Operator;
use mangle_syntax::text::{FileId, StatementId, Symbol};

/// A register for the value of a variable or an intermediate result.
pub type Slot = u16;

/// A relation of a [`CompiledProgram`]. Predicates are first, in the order of their ids, followed
/// by relations for the rows of aggregations.
pub type RelationId = u32;

/// The premise index of failures after the premises: in the transform or the head.
pub const AFTER_BODY: u32 = u32::MAX;

/// A step of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The index of the premise, or [`AFTER_BODY`].
    pub premise: u32,
    /// The operation.
    pub kind: StepKind,
}

/// The operation of a step on a row of registers.
#[derive(Debug, Clone, PartialEq)]
pub enum StepKind {
    /// Continues with each matching tuple.
    Match(Lookup),
    /// Continues if no tuple matches.
    Absent(Lookup),
    /// Continues with each matching tuple of a predicate that is evaluated on demand.
    Call(Lookup),
    /// Computes a value.
    Compute {
        /// The register for the value.
        slot: Slot,
        /// The function.
        function: Function,
        /// The arguments.
        args: Box<[ValueSource]>,
    },
    /// Computes an instant.
    Instant {
        /// The register for the instant.
        slot: Slot,
        /// The source of the instant.
        bound: Bound,
    },
    /// Compares two values with `=`, `!=`, `<`, `<=`, `>` or `>=`.
    Compare {
        /// The operator.
        operator: Operator,
        /// The left value.
        left: ValueSource,
        /// The right value.
        right: ValueSource,
    },
    /// Solves a built-in predicate.
    Solve {
        /// The predicate.
        builtin: Builtin,
        /// The name, including the colon.
        name: Symbol,
        /// The arguments. `None` for arguments that receive a value.
        args: Box<[Option<ValueSource>]>,
        /// The registers of the arguments without a value, from left to right.
        outputs: Box<[Slot]>,
        /// True if it is negated.
        negated: bool,
    },
    /// Never holds.
    Never,
    /// Stops the engine if it is reached.
    Fail(Failure),
}

/// The evaluation plan of a rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The clause.
    pub rule: RuleId,
    /// The steps of the body, in order.
    pub steps: Box<[Step]>,
    /// The number of registers.
    pub slots: u16,
    /// The relation for the derived tuples.
    pub target: RelationId,
    /// The sources of the columns of the derived tuple.
    pub head: Box<[ValueSource]>,
    /// The registers of the variables of the clause.
    pub variables: Box<[(Symbol, Slot)]>,
}

/// An aggregation over the rows of a relation.
#[derive(Debug, Clone)]
pub struct Aggregate {
    /// The clause.
    pub rule: RuleId,
    /// The rows: tuples of the only premise, or of a relation for the rows.
    pub rows: Lookup,
    /// The registers of the group key.
    pub keys: Box<[Slot]>,
    /// The computations for each group, in order.
    pub lets: Box<[Let]>,
    /// The number of registers.
    pub slots: u16,
    /// The relation for the derived tuples.
    pub target: RelationId,
    /// The sources of the columns of the derived tuple.
    pub head: Box<[ValueSource]>,
    /// The registers of the variables of the rows.
    pub variables: Box<[(Symbol, Slot)]>,
    /// The steps after the `let` statements that compute the columns of the head.
    pub finish: Box<[Step]>,
}

/// A `let V = …` after `do`.
#[derive(Debug, Clone)]
pub enum Let {
    /// Reduces the rows of a group.
    Reduce {
        /// The register for the value.
        slot: Slot,
        /// The reducer.
        reducer: Reducer,
        /// The arguments.
        args: RowArgs,
    },
    /// Computes a value from the group key and earlier values.
    Compute(Box<[Step]>),
}

/// The arguments of a reducer, which are evaluated for each row of a group.
#[derive(Debug, Clone)]
pub struct RowArgs {
    /// The steps that compute arguments that are expressions. A row is skipped if a step fails.
    pub steps: Box<[Step]>,
    /// The sources of the arguments. `None` if one is never bound: all rows are then skipped.
    pub sources: Option<Box<[ValueSource]>>,
}

/// The maximum depth of nested calls of predicates that are evaluated on demand.
pub const MAX_CALL_DEPTH: u32 = 64;

/// A rule of a predicate that is evaluated on demand.
#[derive(Debug, Clone)]
pub struct DeferredRule {
    /// The plan. Its tuples are returned to the caller instead of being added to a relation.
    pub plan: Plan,
    /// The columns of the inputs, and the registers that the caller fills.
    pub inputs: Box<[(u16, Slot)]>,
}

impl DeferredRule {
    /// Fills the input registers of `row`. Returns false if an input has no value, or if two inputs
    /// of the same variable have different values. The rule then derives nothing.
    pub(in crate::kernel) fn fill(
        &self,
        row: &mut [ValueId],
        input: impl Fn(u16) -> Option<ValueId>,
    ) -> bool {
        self.inputs.iter().enumerate().all(|(at, (column, slot))| {
            let Some(value) = input(*column) else { return false };
            let before = self.inputs.iter().take(at).find(|(_, before)| before == slot);
            let is_same = before.is_none_or(|(column, _)| input(*column) == Some(value));
            write(row, *slot, value);
            is_same
        })
    }
}

/// The merge of the facts of a predicate: one of several facts with equal key columns is kept.
#[derive(Debug, Clone)]
pub struct Merge {
    /// The relation for the kept facts, complete at the end of the stratum.
    pub result: RelationId,
    /// The relation for facts during derivation, including replaced facts.
    pub candidates: RelationId,
    /// The key columns.
    pub keys: Columns,
    /// The merged column.
    pub target: u16,
    /// The predicate that selects one of two values.
    pub predicate: RelationId,
}

/// A clause of a program: an index into [`CompiledProgram::rules`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RuleId(pub u32);

impl RuleId {
    /// The id for asserted facts, which have no clause.
    pub const ASSERTED: Self = Self(u32::MAX);
}

/// The location of a clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// The file.
    pub file: FileId,
    /// The statement.
    pub statement: StatementId,
    /// The index of the statement in its file.
    pub item: u32,
    /// The predicate of the head.
    pub predicate: PredicateId,
}

/// A clause that cannot be evaluated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClauseFault {
    /// The clause.
    pub rule: RuleId,
    /// The premise. `None` for the head.
    pub premise: Option<u32>,
    /// The reason.
    pub failure: Failure,
}

/// A unit of evaluation: the rules of predicates that depend on each other.
#[derive(Debug, Clone, Default)]
pub struct Stratum {
    /// The relations that grow in the stratum: its predicates, the rows of its aggregations, and
    /// the relations for merging.
    pub relations: Vec<RelationId>,
    /// All other relations that the stratum depends on.
    pub reads: Vec<RelationId>,
    /// True if the stratum depends on the time of evaluation.
    pub depends_on_time: bool,
    /// The plans. Evaluated once, and then repeatedly for new tuples until a fixed point.
    pub plans: Vec<Arc<Plan>>,
    /// The aggregations, which are evaluated after the plans.
    pub aggregates: Vec<Aggregate>,
    /// For a union relation of a [`Division`], the copies of the predicate in the stores.
    pub copies: Vec<RelationId>,
}

/// A program that is compiled in one reading.
#[derive(Debug, Clone)]
pub struct CompiledProgram {
    /// The reading.
    pub reading: Reading,
    /// The behavior that differs between engine versions.
    pub capabilities: EngineCapabilities,
    /// All clauses with a plan.
    pub rules: Arc<[Rule]>,
    /// The constants of the program.
    pub values: Arc<Values>,
    /// The number of columns of each relation. Temporal predicates have two additional columns.
    pub arities: Vec<usize>,
    /// For each relation, true if it is temporal.
    pub temporal: Vec<bool>,
    /// The predicates that are evaluated on demand.
    pub(super) deferred_predicates: rustc_hash::FxHashSet<RelationId>,
    /// The number of relations that are predicates.
    pub(super) predicate_count: u32,
    /// The names of the predicates.
    pub(super) names: Vec<Symbol>,
    /// The facts of the program.
    pub(super) facts: Arc<[Fact]>,
    /// The strata, in the order of evaluation.
    pub strata: Vec<Stratum>,
    /// The stratum of each relation.
    pub(super) strata_of: Vec<u32>,
    /// The rules of predicates that are evaluated on demand.
    pub deferred: rustc_hash::FxHashMap<RelationId, Vec<DeferredRule>>,
    /// Variants of the deferred rules for calls without values for some inputs, by input columns.
    pub(super) open_calls: rustc_hash::FxHashMap<(RelationId, Columns), Vec<DeferredRule>>,
    /// The merges.
    pub merges: Vec<Merge>,
    /// The premises with a result that depends on a random order in the engine.
    pub unordered: Vec<UnorderedRead>,
    /// The negations that this reading ignores: the premise and its text.
    pub(super) dropped: rustc_hash::FxHashMap<RuleId, Vec<(u32, Box<str>)>>,
    /// The clauses that cannot be evaluated.
    pub faults: Vec<ClauseFault>,
    /// The stores of a divided program. Each has a copy of every relation and rule.
    pub division: Option<Division>,
}

/// A given fact, as opposed to a derived one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// The predicate.
    pub predicate: PredicateId,
    /// The arguments. For a temporal predicate, followed by the two ends of the interval.
    pub tuple: Box<[ValueId]>,
    /// The clause of the fact, or [`RuleId::ASSERTED`].
    pub rule: RuleId,
}

/// The input columns of a called predicate without a value in the call.
pub(super) fn open_inputs(call: &Lookup, rules: &[DeferredRule]) -> Columns {
    let inputs = rules.iter().flat_map(|rule| &rule.inputs).map(|(column, _)| *column);
    let open = inputs.filter(|column| *column < 64 && call.source(*column).is_none());
    open.fold(0, |all, column| all | 1 << column)
}

impl CompiledProgram {
    /// True if rules do not combine two facts of the same round.
    pub(super) fn misses_same_round_joins(&self) -> bool {
        self.reading == Reading::Engine && self.capabilities.same_round_joins == SameRoundJoins::Missed
    }

    /// The facts of the program, in source order.
    #[must_use]
    pub fn facts(&self) -> &[Fact] {
        &self.facts
    }

    /// The number of predicates.
    #[must_use]
    pub fn predicates(&self) -> u32 {
        self.predicate_count
    }

    /// The name of a predicate, qualified by its package.
    #[must_use]
    pub fn name(&self, predicate: PredicateId) -> Symbol {
        self.names.get(predicate.0 as usize).copied().unwrap_or_else(|| Symbol::new(""))
    }

    /// The plans of all strata.
    pub fn plans(&self) -> impl Iterator<Item = &Plan> {
        self.strata.iter().flat_map(|stratum| &stratum.plans).map(|plan| &**plan)
    }

    /// The rules that can derive facts of a predicate, in the order of their numbers. Facts of the
    /// program are excluded.
    #[must_use]
    pub fn rules_of(&self, predicate: PredicateId) -> Vec<RuleId> {
        // All stores have the same rules.
        let predicate = self.copies_of(predicate).next().unwrap_or(predicate);
        let entry = self.entry(predicate);
        let plans = self.plans().filter(|plan| plan.target == entry).map(|plan| plan.rule);
        let aggregates = self.strata.iter().flat_map(|stratum| &stratum.aggregates);
        let aggregates = aggregates.filter(|made| made.target == predicate.0).map(|made| made.rule);
        let deferred = self.deferred.get(&predicate.0).into_iter().flatten().map(|rule| rule.plan.rule);
        let mut all: Vec<RuleId> = plans.chain(aggregates).chain(deferred).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The rules that a call of a deferred predicate evaluates.
    pub(super) fn rules_for_call(&self, call: &Lookup) -> &[DeferredRule] {
        let open = self.open_calls.get(&(call.relation, self.open_inputs(call)));
        open.or_else(|| self.deferred.get(&call.relation)).map_or(&[], Vec::as_slice)
    }

    /// The input columns without a value in a call.
    pub(super) fn open_inputs(&self, call: &Lookup) -> Columns {
        open_inputs(call, self.deferred.get(&call.relation).map_or(&[], Vec::as_slice))
    }

    /// A premise with a random order that the facts of a predicate depend on, if one exists.
    #[must_use]
    pub fn unordered_dependency(&self, predicate: PredicateId) -> Option<&UnorderedRead> {
        if self.unordered.is_empty() {
            return None;
        }
        let below: Vec<_> = self.strata_below(predicate).flat_map(|stratum| &stratum.relations).collect();
        self.unordered.iter().find(|read| below.contains(&&read.target))
    }

    /// The strata that the facts of a predicate depend on.
    pub(super) fn strata_below(&self, predicate: PredicateId) -> impl Iterator<Item = &Stratum> {
        let (mut seen, mut open) = (rustc_hash::FxHashSet::default(), vec![predicate.0]);
        let mut strata = std::collections::BTreeSet::new();
        while let Some(relation) = open.pop() {
            let Some(at) = self.strata_of.get(relation as usize) else { continue };
            if let Some(stratum) = self.strata.get(*at as usize).filter(|_| strata.insert(*at)) {
                let others = stratum.relations.iter().chain(&stratum.reads).copied();
                open.extend(others.filter(|other| seen.insert(*other)));
            }
        }
        strata.into_iter().filter_map(|at| self.strata.get(at as usize))
    }

    /// True if the predicate is temporal.
    #[must_use]
    pub fn is_temporal(&self, predicate: PredicateId) -> bool {
        self.temporal.get(predicate.0 as usize) == Some(&true)
    }

    /// The merge that uses a relation for its derived facts.
    pub(super) fn merge_into(&self, all: RelationId) -> Option<&Merge> {
        self.merges.iter().find(|merge| merge.candidates == all)
    }

    /// The merge that uses a relation for its kept facts.
    #[must_use]
    pub fn merge_of(&self, kept: RelationId) -> Option<&Merge> {
        self.merges.iter().find(|merge| merge.result == kept)
    }

    /// The relation that receives new facts of a predicate.
    #[must_use]
    pub fn entry(&self, predicate: PredicateId) -> RelationId {
        self.merge_of(predicate.0).map_or(predicate.0, |merge| merge.candidates)
    }

    /// The number of columns of a relation, without the interval of a temporal predicate.
    pub(super) fn arity(&self, relation: RelationId) -> usize {
        let columns = self.arities.get(relation as usize).copied().unwrap_or(0);
        if self.is_temporal(PredicateId(relation)) { columns.saturating_sub(2) } else { columns }
    }

    /// The stratum that derives the tuples of a relation.
    pub(super) fn stratum_of(&self, relation: RelationId) -> Option<&Stratum> {
        self.strata.get(*self.strata_of.get(relation as usize)? as usize)
    }

    /// The plan of a clause that adds to a relation.
    pub(super) fn plan_of(&self, rule: RuleId, relation: RelationId) -> Option<&Plan> {
        let plans = &self.stratum_of(relation)?.plans;
        plans.iter().find(|plan| plan.rule == rule && plan.target == relation).map(|plan| &**plan)
    }

    /// The aggregation of a clause that adds to a relation.
    pub(super) fn aggregate_of(&self, rule: RuleId, relation: RelationId) -> Option<&Aggregate> {
        let all = &self.stratum_of(relation)?.aggregates;
        all.iter().find(|aggregate| aggregate.rule == rule && aggregate.target == relation)
    }

    /// The clause with this id.
    #[must_use]
    pub fn rule(&self, id: RuleId) -> Option<&Rule> {
        self.rules.get(id.0 as usize)
    }
}
