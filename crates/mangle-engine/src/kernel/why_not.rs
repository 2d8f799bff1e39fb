//! Explains missing facts: for each rule, the first premise without a solution, its pattern, and
//! similar facts.

use super::plan::{
    AFTER_BODY, Aggregate, CompiledProgram, Lookup, Plan, RuleId, Slot, Step, StepKind, Stratum, ValueSource,
};
use super::plan_replay::{
    Cause, LookupKey, Observer, PlanReplay, StepView, TrialEnd, known, required_registers,
};
use super::{Clock, Model, ValueId, Values};
use crate::program::PredicateId;
use mangle_syntax::text::Symbol;

/// The maximum number of tuples to examine per rule.
const MAX_STEPS: u32 = 200_000;

/// The maximum number of tuples to compare in a search for similar facts.
const MAX_COMPARED: usize = 50_000;

/// The maximum size of the explanation texts in bytes. Further rules are not explained.
const MAX_BYTES: usize = 1 << 20;

/// The maximum number of similar facts.
const MAX_SIMILAR_FACTS: usize = 3;

/// The obstacle of a rule that did not derive a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Miss {
    /// The clause.
    pub rule: RuleId,
    /// The obstacle.
    pub obstacle: Obstacle,
    /// The store with the furthest attempt, if the program is divided into stores.
    pub store: Option<&'static str>,
}

/// An obstacle to a derivation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Obstacle {
    /// The head has a different argument.
    Head {
        /// The index of the argument, from 0.
        argument: usize,
        /// The value in the head.
        has: String,
    },
    /// A premise has no solution for any solution of the previous premises.
    Premise {
        /// The index of the premise in the clause.
        premise: u32,
        /// The pattern in the attempt that came furthest: `door(/d,_)` or `2 < 1`.
        asked: String,
        /// Similar facts. For a negation, the fact that exists.
        near: Vec<String>,
    },
    /// The aggregation has no group with these values.
    Groups {
        /// Similar groups.
        near: Vec<String>,
    },
    /// The rule has too many solutions to examine all of them.
    TooMany,
}

/// A restriction on the value of a variable in an explanation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restriction {
    /// The variable of the clause.
    pub variable: Symbol,
    /// The allowed values. The first one is shown.
    pub values: Vec<ValueId>,
    /// Allows any value whose text contains this part, instead of `values`.
    pub part: Option<String>,
}

impl Restriction {
    fn admits(&self, values: &Values, value: ValueId) -> bool {
        match &self.part {
            Some(part) => values.display(value).to_string().contains(part.as_str()),
            None => self.values.contains(&value),
        }
    }

    /// The allowed value, if only one is allowed.
    fn only(&self) -> Option<ValueId> {
        match (&self.part, &self.values[..]) {
            (None, [only]) => Some(*only),
            _ => None,
        }
    }
}

/// The atom of a premise: its predicate and arguments. `None` matches any value.
pub(super) type AtomPattern = (PredicateId, Vec<Option<ValueId>>);

/// An obstacle. For a premise that is not negated, also its atom without a match.
type Stop = (Obstacle, Option<AtomPattern>);

impl Obstacle {
    /// A sort key that increases with the progress of the rule.
    fn reach(&self) -> (u8, u32) {
        match self {
            Self::Head { .. } => (0, 0),
            Self::Premise { premise, .. } => (1, *premise),
            Self::Groups { .. } => (2, 0),
            Self::TooMany => (3, 0),
        }
    }

    /// The size of the texts in bytes.
    fn bytes(&self) -> usize {
        let of = |facts: &[String]| facts.iter().map(String::len).sum::<usize>();
        match self {
            Self::Head { has, .. } => has.len(),
            Self::Premise { asked, near, .. } => asked.len() + of(near),
            Self::Groups { near } => of(near),
            Self::TooMany => 0,
        }
    }
}

/// Misses, with the size of their texts in bytes.
#[derive(Default)]
struct Misses {
    all: Vec<(Miss, Option<AtomPattern>)>,
    bytes: usize,
}

impl Misses {
    fn push(&mut self, rule: RuleId, stop: Stop) {
        self.bytes += stop.0.bytes();
        let (obstacle, asked) = if self.bytes > MAX_BYTES { (Obstacle::TooMany, None) } else { stop };
        self.all.push((Miss { rule, obstacle, store: None }, asked));
    }

    /// The rules that fail in every store. Each has the store with its furthest attempt.
    fn in_every_store(compiled: &CompiledProgram, stores: Vec<(PredicateId, Self)>) -> Self {
        let mut all: Vec<(Miss, Option<AtomPattern>)> = Vec::new();
        let mut counts: rustc_hash::FxHashMap<RuleId, usize> = rustc_hash::FxHashMap::default();
        let count = stores.len();
        for (copy, misses) in stores {
            for (mut miss, asked) in misses.all {
                *counts.entry(miss.rule).or_default() += 1;
                miss.store = compiled.store_name(copy.0);
                match all.iter_mut().find(|(known, _)| known.rule == miss.rule) {
                    Some(known) if known.0.obstacle.reach() < miss.obstacle.reach() => *known = (miss, asked),
                    Some(_) => {}
                    None => all.push((miss, asked)),
                }
            }
        }
        all.retain(|(miss, _)| counts.get(&miss.rule) == Some(&count));
        Self { all, bytes: 0 }
    }
}

impl Model {
    /// Explains why no fact of a predicate has these arguments. An argument of `None` matches any
    /// value. Rules that derive such a fact are omitted.
    #[must_use]
    pub fn why_not(
        &mut self,
        compiled: &CompiledProgram,
        clock: Clock,
        predicate: PredicateId,
        wanted: &[Option<ValueId>],
    ) -> Vec<Miss> {
        self.stops(compiled, clock, predicate, wanted).into_iter().map(|(miss, _)| miss).collect()
    }

    /// Same as [`Model::why_not`], with the atoms that had no match.
    pub(super) fn stops(
        &mut self,
        compiled: &CompiledProgram,
        clock: Clock,
        predicate: PredicateId,
        wanted: &[Option<ValueId>],
    ) -> Vec<(Miss, Option<AtomPattern>)> {
        let copies = compiled.copies_of(predicate);
        let stores = copies.map(|copy| (copy, self.misses(compiled, clock, copy, wanted))).collect();
        Misses::in_every_store(compiled, stores).all
    }

    /// The misses of the rules of one relation.
    fn misses(
        &mut self,
        compiled: &CompiledProgram,
        clock: Clock,
        predicate: PredicateId,
        wanted: &[Option<ValueId>],
    ) -> Misses {
        let mut misses = Misses::default();
        let mut trial = PlanReplay::new(self, compiled, clock, MAX_STEPS);
        for stratum in &compiled.strata {
            let entry = compiled.entry(predicate);
            for plan in stratum.plans.iter().filter(|plan| plan.target == entry) {
                let obstacle = probe(&mut trial, plan, wanted);
                obstacle.into_iter().for_each(|obstacle| misses.push(plan.rule, obstacle));
            }
            for aggregate in stratum.aggregates.iter().filter(|aggregate| aggregate.target == predicate.0) {
                if !gives(trial.model, aggregate, wanted) {
                    let obstacle = group(&mut trial, stratum, aggregate, wanted);
                    misses.push(aggregate.rule, obstacle);
                }
            }
        }
        for rule in compiled.deferred.get(&predicate.0).map_or(&[][..], Vec::as_slice) {
            let obstacle = probe(&mut trial, &rule.plan, wanted);
            obstacle.into_iter().for_each(|obstacle| misses.push(rule.plan.rule, obstacle));
        }
        misses
    }

    /// The obstacle of one rule if its variables satisfy `restrictions` and its head has these
    /// arguments. `None` if the rule succeeds.
    ///
    /// An argument of `None` matches any value. The arguments of an aggregation are ignored.
    pub(super) fn stop_of_rule(
        &mut self,
        compiled: &CompiledProgram,
        clock: Clock,
        rule: RuleId,
        wanted: &[Option<ValueId>],
        restrictions: &[Restriction],
    ) -> Option<(Miss, Option<AtomPattern>)> {
        let rows = compiled.strata.iter().flat_map(|stratum| &stratum.aggregates);
        let rows: Vec<Plan> = rows.filter(|aggregate| aggregate.rule == rule).map(rows_plan).collect();
        let called = compiled.deferred.values().flatten().map(|called| &called.plan);
        let own = compiled.plans().chain(called).filter(|plan| plan.rule == rule);
        let wanted = if rows.is_empty() { wanted } else { &[] };
        let mut plans: Vec<&Plan> = own.collect();
        if plans.is_empty() {
            plans.extend(&rows);
        }
        // Without stores, a rule has one plan, or several plans with the same body.
        let count = if compiled.division.is_some() { plans.len() } else { 1 };
        let mut furthest: Option<(Miss, Option<AtomPattern>)> = None;
        for plan in plans.into_iter().take(count) {
            let mut trial = PlanReplay::new(self, compiled, clock, MAX_STEPS);
            let (obstacle, asked) = match Probe::new(trial.model, plan, wanted)
                .and_then(|probe| probe.with(&trial.model.values, restrictions))
            {
                Ok(probe) => run(&mut trial, plan, probe)?,
                Err(obstacle) => (obstacle, None),
            };
            if furthest.as_ref().is_none_or(|(known, _)| known.obstacle.reach() < obstacle.reach()) {
                let store = compiled.store_name(plan.target);
                furthest = Some((Miss { rule, obstacle, store }, asked));
            }
        }
        furthest
    }

    /// The facts of a predicate that have most of these arguments, with the most similar first.
    #[must_use]
    pub fn near(
        &self,
        compiled: &CompiledProgram,
        predicate: PredicateId,
        wanted: &[Option<ValueId>],
    ) -> Vec<String> {
        let Some(relation) = self.relation(predicate) else { return Vec::new() };
        let asked = wanted.iter().flatten().count();
        let score = |tuple: &[ValueId]| {
            wanted.iter().zip(tuple).filter(|(wanted, value)| wanted.as_ref() == Some(value)).count()
        };
        let mut best: Vec<(usize, &[ValueId])> = Vec::new();
        for tuple in relation.tuples().take(MAX_COMPARED) {
            let score = score(tuple);
            // A fact without a common argument is not similar, unless a single argument is known.
            if score == 0 && asked > 1 {
                continue;
            }
            let at = best.partition_point(|(other, _)| *other >= score);
            if at < MAX_SIMILAR_FACTS {
                best.insert(at, (score, tuple));
                best.truncate(MAX_SIMILAR_FACTS);
            }
        }
        best.into_iter().map(|(_, tuple)| self.fact(compiled, predicate, tuple)).collect()
    }
}

/// The obstacle between the body of a plan and a head with these arguments, if one exists.
fn probe(trial: &mut PlanReplay<'_>, plan: &Plan, wanted: &[Option<ValueId>]) -> Option<Stop> {
    match Probe::new(trial.model, plan, wanted) {
        Ok(probe) => run(trial, plan, probe),
        Err(obstacle) => Some((obstacle, None)),
    }
}

/// The obstacle of a probe, if one exists.
fn run(trial: &mut PlanReplay<'_>, plan: &Plan, mut probe: Probe<'_>) -> Option<Stop> {
    let mut row = vec![ValueId(0); usize::from(plan.slots)];
    trial.refill(MAX_STEPS);
    let end = trial.run(plan, &mut row, &mut probe);
    trial.save();
    match end {
        TrialEnd::Enough => None,
        TrialEnd::TooMany => Some((Obstacle::TooMany, None)),
        // A rule without steps has a fixed head.
        TrialEnd::Blocked => probe.furthest.map(|(_, stop)| stop),
    }
}

/// A plan over the rows of an aggregation of a single relation.
fn rows_plan(aggregate: &Aggregate) -> Plan {
    Plan {
        rule: aggregate.rule,
        steps: [Step { premise: 0, kind: StepKind::Match(aggregate.rows.clone()) }].into(),
        slots: aggregate.slots,
        target: aggregate.target,
        head: Box::default(),
        variables: aggregate.variables.clone(),
    }
}

/// True if an aggregation derived a tuple with these arguments.
fn gives(model: &Model, aggregate: &Aggregate, wanted: &[Option<ValueId>]) -> bool {
    let Some(relation) = model.relations.get(aggregate.target as usize) else { return false };
    let is_wanted = |tuple: &[ValueId]| {
        wanted.iter().zip(tuple).all(|(wanted, value)| wanted.is_none_or(|wanted| wanted == *value))
    };
    let mut found = (0u32..).zip(relation.tuples()).filter(|(_, tuple)| is_wanted(tuple));
    found.any(|(number, _)| {
        model.reason(aggregate.target, number).is_some_and(|reason| reason.rule == aggregate.rule)
    })
}

/// The obstacle of an aggregation: its group has no row, or its result has a different value.
fn group(
    trial: &mut PlanReplay<'_>,
    stratum: &Stratum,
    aggregate: &Aggregate,
    wanted: &[Option<ValueId>],
) -> Stop {
    let rows = &aggregate.rows;
    // The required values of the columns in the rows of the group.
    let columns = trial.model.relations.get(rows.relation as usize).map_or(0, |relation| relation.arity());
    let mut of_rows: LookupKey = std::iter::repeat_n(None, columns).collect();
    for (column, at) in (0u16..).zip(&mut of_rows) {
        if let Some(ValueSource::Value(value)) = rows.source(column) {
            *at = Some(value);
        }
    }
    // The column of the rows for an argument of the head.
    let column_of = |source: &ValueSource| {
        let is_it = |(_, bound): &&(u16, u16)| *source == ValueSource::Slot(*bound);
        rows.binds.iter().find(is_it).map(|(column, _)| usize::from(*column))
    };
    for (source, wanted) in aggregate.head.iter().zip(wanted) {
        if let Some(at) = column_of(source).and_then(|column| of_rows.get_mut(column)) {
            *at = at.or(*wanted);
        }
    }
    let is_row = |tuple: &[ValueId]| {
        of_rows.iter().zip(tuple).all(|(wanted, value)| wanted.is_none_or(|wanted| wanted == *value))
    };
    let relation = trial.model.relations.get(rows.relation as usize);
    if relation.is_some_and(|relation| relation.tuples().any(is_row)) {
        let near = trial.model.near(trial.compiled, PredicateId(aggregate.target), wanted);
        return (Obstacle::Groups { near }, None);
    }
    match stratum.plans.iter().find(|plan| plan.target == rows.relation && plan.rule == aggregate.rule) {
        Some(plan) => match probe(trial, plan, &of_rows).unwrap_or((Obstacle::TooMany, None)) {
            (Obstacle::Head { argument: column, has }, asked) => {
                let argument = aggregate.head.iter().position(|source| column_of(source) == Some(column));
                (Obstacle::Head { argument: argument.unwrap_or(0), has }, asked)
            }
            other => other,
        },
        None => {
            let (model, compiled) = (&*trial.model, trial.compiled);
            let obstacle = Obstacle::Premise {
                premise: 0,
                asked: atom(model, compiled, rows.relation, &of_rows),
                near: model.near(compiled, PredicateId(rows.relation), &of_rows),
            };
            (obstacle, Some((PredicateId(rows.relation), of_rows.to_vec())))
        }
    }
}

/// Prints an atom of a predicate, with `_` for unknown arguments.
fn atom(model: &Model, compiled: &CompiledProgram, relation: u32, known: &[Option<ValueId>]) -> String {
    let shown = |value: &Option<ValueId>| {
        value.map_or_else(|| "_".to_owned(), |value| model.values.display(value).to_string())
    };
    let args: Vec<_> = known.iter().take(compiled.arity(relation)).map(shown).collect();
    format!("{}({})", compiled.name(PredicateId(relation)), args.join(","))
}

/// The most similar facts of a predicate, within the remaining number of comparisons.
fn near(sight: &StepView<'_>, predicate: PredicateId, known: &LookupKey) -> Vec<String> {
    let count = sight.model.relation(predicate).map_or(0, |relation| relation.len().min(MAX_COMPARED));
    match sight.near_left.get().checked_sub(count) {
        Some(left) => {
            sight.near_left.set(left);
            sight.model.near(sight.compiled, predicate, known)
        }
        None => Vec::new(),
    }
}

/// An observer that records the obstacle at the furthest step of a body.
struct Probe<'p> {
    plan: &'p Plan,
    /// The required register values for the head.
    fixed: Vec<Option<ValueId>>,
    /// Restrictions on other registers.
    bound: Vec<(Slot, &'p Restriction)>,
    /// The furthest step, and its obstacle.
    furthest: Option<(usize, Stop)>,
}

impl<'p> Probe<'p> {
    /// Returns the obstacle as an error if the head can never match.
    fn new(model: &Model, plan: &'p Plan, wanted: &[Option<ValueId>]) -> Result<Self, Obstacle> {
        let fixed = required_registers(plan, wanted).map_err(|(argument, value)| Obstacle::Head {
            argument,
            has: model.values.display(value).to_string(),
        })?;
        Ok(Self { plan, fixed, bound: Vec::new(), furthest: None })
    }

    /// Adds restrictions. Returns the obstacle as an error if the head can then never match.
    fn with(mut self, values: &Values, restrictions: &'p [Restriction]) -> Result<Self, Obstacle> {
        for restriction in restrictions {
            let of = self.plan.variables.iter().find(|(name, _)| *name == restriction.variable);
            let Some((_, slot)) = of else { continue };
            let is_other = self.wanted(*slot).is_some_and(|value| !restriction.admits(values, value));
            let argument = self.plan.head.iter().position(|source| *source == ValueSource::Slot(*slot));
            if let (true, Some(argument), Some(shown)) = (is_other, argument, restriction.values.first()) {
                return Err(Obstacle::Head { argument, has: values.display(*shown).to_string() });
            }
            self.bound.push((*slot, restriction));
        }
        Ok(self)
    }

    /// The value to print for a register in an atom without a match.
    fn shown(&self, slot: u16) -> Option<ValueId> {
        let first = |(_, restriction): &(u16, &Restriction)| restriction.values.first().copied();
        self.wanted(slot).or_else(|| self.bound.iter().find(|(of, _)| *of == slot).and_then(first))
    }

    fn obstacle(&self, sight: &StepView<'_>, step: usize, cause: Cause) -> Option<Stop> {
        let step = self.plan.steps.get(step)?;
        let behind = step.premise == AFTER_BODY;
        let mut atom = None;
        let (asked, near) = match (cause, &step.kind) {
            (Cause::Value(value), _) if behind => {
                let has = sight.model.values.display(value).to_string();
                return Some((Obstacle::Head { argument: self.argument(&step.kind), has }, None));
            }
            (Cause::Failed(failure), _) if behind => {
                let argument = self.argument(&step.kind);
                return Some((Obstacle::Head { argument, has: format!("without a value: {failure}") }, None));
            }
            (Cause::Value(value), _) => {
                (format!("the value {}", sight.model.values.display(value)), Vec::new())
            }
            (Cause::Failed(failure), _) => (failure.to_string(), Vec::new()),
            (Cause::Present(number), StepKind::Absent(found)) => {
                let predicate = PredicateId(found.relation);
                let tuple =
                    sight.model.relation(predicate).map_or(&[][..], |relation| relation.tuple(number));
                let fact = sight.model.fact(sight.compiled, predicate, tuple);
                (format!("!{}", self.asked(sight, found).0), vec![fact])
            }
            (_, StepKind::Match(found)) => {
                let (asked, known) = self.asked(sight, found);
                let near = near(sight, PredicateId(found.relation), &known);
                atom = Some((PredicateId(found.relation), known.to_vec()));
                (asked, near)
            }
            (_, StepKind::Call(found)) => {
                let (asked, known) = self.asked(sight, found);
                atom = Some((PredicateId(found.relation), known.to_vec()));
                (asked, Vec::new())
            }
            (_, kind) => (test(sight, kind), Vec::new()),
        };
        Some((Obstacle::Premise { premise: step.premise, asked, near }, atom))
    }

    /// The pattern of a lookup, as text and as values.
    fn asked(&self, sight: &StepView<'_>, found: &Lookup) -> (String, LookupKey) {
        let known = known(found, sight.compiled, sight.row, &|slot| self.shown(slot));
        (atom(sight.model, sight.compiled, found.relation, &known), known)
    }

    /// The index of the head argument that a step computes. Zero if it computes a part of one.
    fn argument(&self, kind: &StepKind) -> usize {
        let computed = match kind {
            StepKind::Compute { slot, .. } | StepKind::Instant { slot, .. } => Some(ValueSource::Slot(*slot)),
            _ => None,
        };
        self.plan.head.iter().position(|source| Some(*source) == computed).unwrap_or(0)
    }
}

impl Observer for Probe<'_> {
    fn wanted(&self, slot: u16) -> Option<ValueId> {
        let bound =
            || self.bound.iter().find(|(of, _)| *of == slot).and_then(|(_, restriction)| restriction.only());
        self.fixed.get(usize::from(slot)).copied().flatten().or_else(bound)
    }

    fn admits(&self, values: &Values, slot: u16, value: ValueId) -> bool {
        self.bound
            .iter()
            .filter(|(of, _)| *of == slot)
            .all(|(_, restriction)| restriction.admits(values, value))
    }

    fn blocked(&mut self, sight: &StepView<'_>, step: usize, cause: Cause) {
        // Steps of a called rule are not steps of this plan.
        let is_own = std::ptr::eq(sight.plan, self.plan);
        if is_own && self.furthest.as_ref().is_none_or(|(furthest, _)| step > *furthest) {
            self.furthest = self.obstacle(sight, step, cause).map(|stop| (step, stop));
        }
    }

    fn arrived(&mut self, _row: &[ValueId]) -> bool {
        true
    }
}

/// Prints a comparison or built-in predicate with its values, for example `2 < 1`.
fn test(sight: &StepView<'_>, kind: &StepKind) -> String {
    let value = |source: ValueSource| sight.model.values.display(source.read(sight.row)).to_string();
    match kind {
        StepKind::Compare { operator, left, right } => {
            format!("{} {} {}", value(*left), operator.as_str(), value(*right))
        }
        StepKind::Solve { name, args, negated, .. } => {
            let args: Vec<String> =
                args.iter().map(|arg| arg.map_or_else(|| "_".to_owned(), value)).collect();
            format!("{}{name}({})", if *negated { "!" } else { "" }, args.join(","))
        }
        _ => "a premise that never holds".to_owned(),
    }
}
