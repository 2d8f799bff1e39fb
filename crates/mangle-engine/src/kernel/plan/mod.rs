//! Rules as plans: which tuples to look up in which order, what to compute and to compare, and what to add.
//!
//! Takes the clauses of a program (`compile`) in one of two readings (`order`); gives [`Plan`]s over numbered
//! registers. What has a value where is known before anything runs, so a plan never asks whether a register is
//! filled. A premise that would stop the engine is a step of its own: it stops only a run that gets there.

mod body;
mod circles;
mod compile;
mod division;
mod matching;
mod merging;
mod order;
mod reads;
mod rounds;
mod temporal;
mod term;
mod transform;
mod unordered;

pub use compile::{compile, compile_as, compile_beside};
pub use division::Division;
pub use mangle_settings::Reading;
use mangle_settings::versions::{EngineCapabilities, SameRoundJoins};
pub(in crate::kernel) use matching::nanos;
pub(in crate::kernel) use temporal::NOW;
pub use temporal::{BEGINNING, END};
pub use unordered::UnorderedRead;

use std::sync::Arc;

use super::{Builtin, Failure, Function, Reducer, ValueId, Values};
use crate::kernel::relation::columns::Columns;
use crate::program::PredicateId;
use mangle_syntax::syntax::ast::Operator;
use mangle_syntax::text::{FileId, StatementId, Symbol};

/// A register: holds the value of a variable, or something computed.
pub type Slot = u16;

/// A relation of a [`Compiled`] program: first the predicates in the order of their ids, then those that hold the
/// rows of aggregations.
pub type RelationId = u32;

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueSource {
    /// A constant.
    Value(ValueId),
    /// A register.
    Slot(Slot),
}

impl ValueSource {
    /// The value, for a row of registers.
    pub fn read(self, row: &[ValueId]) -> ValueId {
        match self {
            Self::Value(value) => value,
            Self::Slot(slot) => row.get(usize::from(slot)).copied().unwrap_or(ValueId(0)),
        }
    }
}

/// Fills a register of a row.
pub(super) fn write(row: &mut [ValueId], slot: Slot, value: ValueId) {
    if let Some(register) = row.get_mut(usize::from(slot)) {
        *register = value;
    }
}

/// What stands in the place of a premise where something fails behind all of them: in the transform, in the head.
pub const BEHIND_BODY: u32 = u32::MAX;

/// One step of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The premise that it belongs to, or [`BEHIND_BODY`].
    pub premise: u32,
    /// What it does.
    pub kind: StepKind,
}

/// What a step does with a row of registers.
#[derive(Debug, Clone, PartialEq)]
pub enum StepKind {
    /// Each tuple that fits.
    Match(Match),
    /// Nothing, if a tuple fits.
    Absent(Match),
    /// Each tuple that fits, of a predicate that is evaluated where it is asked for.
    Call(Match),
    /// Computes a value.
    Compute {
        /// The register that gets the value.
        slot: Slot,
        /// The function.
        function: Function,
        /// Its arguments.
        args: Box<[ValueSource]>,
    },
    /// An instant.
    Instant {
        /// The register that gets the instant.
        slot: Slot,
        /// What it is computed from.
        bound: Bound,
    },
    /// `=`, `!=`, `<` and their kin between two values.
    Compare {
        /// The operator.
        operator: Operator,
        /// The value on its left.
        left: ValueSource,
        /// The value on its right.
        right: ValueSource,
    },
    /// A built-in predicate: `None` for arguments that get a value.
    Solve {
        /// The predicate.
        builtin: Builtin,
        /// Its name, with the colon.
        name: Symbol,
        /// Its arguments.
        args: Box<[Option<ValueSource>]>,
        /// The registers of the arguments without a value, from left to right.
        outputs: Box<[Slot]>,
        /// Whether it is negated.
        negated: bool,
    },
    /// Never holds.
    Never,
    /// Stops the engine whenever it gets here.
    Fail(Failure),
}

/// A lookup in a relation.
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    /// Where to look.
    pub relation: RelationId,
    /// The columns whose value is known, and the index over them that the lookup uses.
    pub columns: Columns,
    /// A source for each of them, in their order.
    pub key: Box<[ValueSource]>,
    /// Columns that fill a register.
    pub binds: Box<[(u16, Slot)]>,
    /// Pairs of columns that must be equal.
    pub same: Box<[(u16, u16)]>,
    /// Columns beyond the reach of an index that must have a value.
    pub far: Box<[(u16, ValueSource)]>,
    /// What the interval of a temporal tuple, in its last two columns, must be like.
    pub when: Option<Box<IntervalCondition>>,
    /// The registers that its ends fill.
    pub ends: (Option<Slot>, Option<Slot>),
    /// Ends that are no instants, each with the instant that a register gets for it.
    pub replaced_ends: Option<Box<[(ValueId, ValueId)]>>,
}

/// A condition on the interval of a tuple.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum IntervalCondition {
    /// It holds all of this, as a premise with an interval requires. An interval without an instant is in none.
    Covers(Bounds),
    /// It begins no later and ends no sooner, as an operator requires that looks at a whole span.
    Contains(Bounds),
    /// It has an instant in common with this.
    Overlaps(Bounds),
}

/// The two ends of an interval that is asked about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// The first instant of it.
    pub start: Bound,
    /// The last instant of it.
    pub end: Bound,
}

/// An end of an interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    /// An instant in nanoseconds since 1970.
    Instant(i64),
    /// So many nanoseconds before the time of evaluation; after it, where that is negative.
    Ago(i64),
    /// An instant, or a number of nanoseconds, that the rule computes.
    Value(ValueSource),
    /// The same for a head of the engine's reading. There the first instant is not an unbounded start, and the last
    /// one not an unbounded end.
    Stored(ValueSource),
}

impl IntervalCondition {
    /// The interval that is asked about.
    #[must_use]
    pub fn bounds(self) -> Bounds {
        let (Self::Covers(bounds) | Self::Contains(bounds) | Self::Overlaps(bounds)) = self;
        bounds
    }

    /// The same condition on another interval.
    #[must_use]
    pub fn with_bounds(self, bounds: Bounds) -> Self {
        match self {
            Self::Covers(_) => Self::Covers(bounds),
            Self::Contains(_) => Self::Contains(bounds),
            Self::Overlaps(_) => Self::Overlaps(bounds),
        }
    }
}

/// What becomes of each row of a body.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The clause.
    pub rule: RuleId,
    /// What the body does, in this order.
    pub steps: Box<[Step]>,
    /// How many registers it needs.
    pub slots: u16,
    /// Where the rows go.
    pub target: RelationId,
    /// The tuple, a source a column.
    pub head: Box<[ValueSource]>,
    /// The registers of the variables of the clause.
    pub variables: Box<[(Symbol, Slot)]>,
}

/// An aggregation over the rows of a relation.
#[derive(Debug, Clone)]
pub struct Aggregate {
    /// The clause.
    pub rule: RuleId,
    /// The rows: those of the only premise, or of a relation made for them.
    pub rows: Match,
    /// The registers that make a group.
    pub keys: Box<[Slot]>,
    /// What is computed for each group, in this order.
    pub lets: Box<[Let]>,
    /// How many registers it needs.
    pub slots: u16,
    /// Where the tuples go.
    pub target: RelationId,
    /// The tuple, a source a column.
    pub head: Box<[ValueSource]>,
    /// The registers of the variables of the rows.
    pub variables: Box<[(Symbol, Slot)]>,
    /// Steps behind the lets that compute what the head holds.
    pub finish: Box<[Step]>,
}

/// `let V = …` behind `do`.
#[derive(Debug, Clone)]
pub enum Let {
    /// Reduces what the rows of a group give.
    Reduce {
        /// The register that gets the value.
        slot: Slot,
        /// The reducer.
        reducer: Reducer,
        /// What it reduces.
        args: RowArgs,
    },
    /// Computes from the keys and what came before.
    Compute(Box<[Step]>),
}

/// The arguments of a reducer, which each row of a group has anew.
#[derive(Debug, Clone)]
pub struct RowArgs {
    /// Computes the arguments that are expressions. A row in which one of these steps fails is left out.
    pub steps: Box<[Step]>,
    /// Where the arguments come from; `None` where one is never bound, and all rows are left out.
    pub sources: Option<Box<[ValueSource]>>,
}

/// How many calls of predicates may be inside each other that are evaluated where they are asked for.
pub const DEEPEST_CALL: u32 = 64;

/// A rule of a predicate that is evaluated where it is asked for.
#[derive(Debug, Clone)]
pub struct DeferredRule {
    /// Gives the tuples instead of adding them.
    pub plan: Plan,
    /// The registers that the caller fills, and the columns that they are.
    pub inputs: Box<[(u16, Slot)]>,
}

impl DeferredRule {
    /// Fills the registers of `row`. False if an input has no value, or if two inputs that are one variable have different ones: the
    /// rule gives nothing then.
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

/// How the facts of a predicate are merged: of those that agree in some columns one is kept.
#[derive(Debug, Clone)]
pub struct Merge {
    /// Holds the facts that are kept, once its stratum is done.
    pub kept: RelationId,
    /// Holds the facts while they are derived, and those that gave way to others.
    pub all: RelationId,
    /// The columns in which facts agree.
    pub keys: Columns,
    /// The column that is merged.
    pub target: u16,
    /// The predicate that is asked with two values for the one to keep.
    pub predicate: RelationId,
}

/// A clause of a program: an index into [`Compiled::rules`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RuleId(pub u32);

impl RuleId {
    /// What stands for the clause of a fact that no clause gave: somebody asserted it.
    pub const ASSERTED: Self = Self(u32::MAX);
}

/// Where a clause stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// The file that the clause stands in.
    pub file: FileId,
    /// The statement that the clause is.
    pub statement: StatementId,
    /// The index of the statement in its file.
    pub item: u32,
    /// The predicate that it defines.
    pub predicate: PredicateId,
}

/// A clause that cannot be evaluated, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClauseFault {
    /// The clause.
    pub rule: RuleId,
    /// The premise; `None` for the head.
    pub premise: Option<u32>,
    /// Why the clause cannot be evaluated.
    pub failure: Failure,
}

/// What can be evaluated together: the rules of predicates that depend on each other.
#[derive(Debug, Clone, Default)]
pub struct Stratum {
    /// The relations that grow here: those of its predicates, rows of its aggregations, and all that was ever derived
    /// of predicates whose facts are merged.
    pub relations: Vec<RelationId>,
    /// All other relations that something here depends on.
    pub reads: Vec<RelationId>,
    /// Whether something here depends on the time of evaluation.
    pub is_timely: bool,
    /// Those evaluated once, and then again for whatever they add to each other.
    pub plans: Vec<Arc<Plan>>,
    /// Evaluated once the others are done.
    pub aggregates: Vec<Aggregate>,
    /// The relations whose tuples its only relation unites: the copies of a predicate in the stores of a [`Division`].
    pub copies: Vec<RelationId>,
}

/// A program in one reading, ready to be run.
#[derive(Debug, Clone)]
pub struct Compiled {
    /// The reading that the plans are made for.
    pub reading: Reading,
    /// The behavior of the engine in its reading, as far as versions differ.
    pub capabilities: EngineCapabilities,
    /// All clauses with a plan.
    pub rules: Arc<[Rule]>,
    /// The constants of the program.
    pub values: Arc<Values>,
    /// The number of columns of each relation; those of temporal predicates have two more.
    pub arities: Vec<usize>,
    /// Which relations are temporal.
    pub temporal: Vec<bool>,
    /// The predicates that are evaluated where they are asked for.
    pub(super) deferred_predicates: rustc_hash::FxHashSet<RelationId>,
    /// How many of them are predicates.
    pub(super) predicate_count: u32,
    /// The names of the predicates.
    pub(super) names: Vec<Symbol>,
    /// The facts, as values.
    pub(super) facts: Arc<[Fact]>,
    /// What is evaluated together, in the order of evaluation.
    pub strata: Vec<Stratum>,
    /// The stratum of each relation.
    pub(super) strata_of: Vec<u32>,
    /// The rules of predicates that are evaluated where they are asked for.
    pub deferred: rustc_hash::FxHashMap<RelationId, Vec<DeferredRule>>,
    /// The same rules for calls without a value for some inputs, by the columns with these.
    pub(super) open_calls: rustc_hash::FxHashMap<(RelationId, Columns), Vec<DeferredRule>>,
    /// How the facts of some predicates are merged.
    pub merges: Vec<Merge>,
    /// The premises whose result depends on an order that the engine chooses at random.
    pub unordered: Vec<UnorderedRead>,
    /// The negations that this reading does not look at: the premise, and how it is written.
    pub(super) dropped: rustc_hash::FxHashMap<RuleId, Vec<(u32, Box<str>)>>,
    /// What cannot be evaluated.
    pub faults: Vec<ClauseFault>,
    /// The stores that the program is divided into. Each has a copy of every relation and of every rule.
    pub division: Option<Division>,
}

/// A fact that is given, not derived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// The predicate that the fact belongs to.
    pub predicate: PredicateId,
    /// Its arguments, and, if the predicate is temporal, the two ends of the interval in which it holds.
    pub tuple: Box<[ValueId]>,
    /// The clause that gives it, or [`RuleId::ASSERTED`].
    pub rule: RuleId,
}

/// The input columns of a called predicate for which a call has no value.
pub(super) fn open_inputs(call: &Match, rules: &[DeferredRule]) -> Columns {
    let inputs = rules.iter().flat_map(|rule| &rule.inputs).map(|(column, _)| *column);
    let open = inputs.filter(|column| *column < 64 && call.source(*column).is_none());
    open.fold(0, |all, column| all | 1 << column)
}

impl Compiled {
    /// True if no rule combines two facts of one round.
    pub(super) fn misses_same_round_joins(&self) -> bool {
        self.reading == Reading::Engine && self.capabilities.same_round_joins == SameRoundJoins::Missed
    }

    /// The facts of the program, in the order in which they are written.
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

    /// The rules that can give facts of a predicate, in the order of their numbers; facts of the program are none.
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
    pub(super) fn rules_for_call(&self, call: &Match) -> &[DeferredRule] {
        let open = self.open_calls.get(&(call.relation, self.open_inputs(call)));
        open.or_else(|| self.deferred.get(&call.relation)).map_or(&[], Vec::as_slice)
    }

    /// The input columns for which a call has no value.
    pub(super) fn open_inputs(&self, call: &Match) -> Columns {
        open_inputs(call, self.deferred.get(&call.relation).map_or(&[], Vec::as_slice))
    }

    /// A premise with an open order that the facts of a predicate depend on, if there is one.
    #[must_use]
    pub fn unordered_below(&self, predicate: PredicateId) -> Option<&UnorderedRead> {
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

    /// Whether the facts of a predicate hold during intervals.
    #[must_use]
    pub fn is_temporal(&self, predicate: PredicateId) -> bool {
        self.temporal.get(predicate.0 as usize) == Some(&true)
    }

    /// How what is derived into a relation is merged.
    pub(super) fn merge_into(&self, all: RelationId) -> Option<&Merge> {
        self.merges.iter().find(|merge| merge.all == all)
    }

    /// How the facts of a relation were merged.
    #[must_use]
    pub fn merge_of(&self, kept: RelationId) -> Option<&Merge> {
        self.merges.iter().find(|merge| merge.kept == kept)
    }

    /// The relation that facts of a predicate are added to.
    #[must_use]
    pub fn entry(&self, predicate: PredicateId) -> RelationId {
        self.merge_of(predicate.0).map_or(predicate.0, |merge| merge.all)
    }

    /// The number of arguments of the predicate of a relation; of other relations, of columns.
    pub(super) fn arity(&self, relation: RelationId) -> usize {
        let columns = self.arities.get(relation as usize).copied().unwrap_or(0);
        if self.is_temporal(PredicateId(relation)) { columns.saturating_sub(2) } else { columns }
    }

    /// Where a relation grows.
    pub(super) fn stratum_of(&self, relation: RelationId) -> Option<&Stratum> {
        self.strata.get(*self.strata_of.get(relation as usize)? as usize)
    }

    /// The plan of a clause that fills a relation.
    pub(super) fn plan_of(&self, rule: RuleId, relation: RelationId) -> Option<&Plan> {
        let plans = &self.stratum_of(relation)?.plans;
        plans.iter().find(|plan| plan.rule == rule && plan.target == relation).map(|plan| &**plan)
    }

    /// The aggregation of a clause that fills a relation.
    pub(super) fn aggregate_of(&self, rule: RuleId, relation: RelationId) -> Option<&Aggregate> {
        let all = &self.stratum_of(relation)?.aggregates;
        all.iter().find(|aggregate| aggregate.rule == rule && aggregate.target == relation)
    }

    /// The clause of this id.
    #[must_use]
    pub fn rule(&self, id: RuleId) -> Option<&Rule> {
        self.rules.get(id.0 as usize)
    }
}
