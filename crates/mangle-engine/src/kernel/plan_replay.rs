//! Replays the body of a rule over a finished model, for proofs and explanations.
//!
//! Enumerates the solutions of the steps of a plan until an [`Observer`] ends the search. The
//! observer restricts the solutions, and is notified of each solution and each failed step. The
//! model is unchanged, except for new values.

mod lookup;

use std::cell::Cell;

use smallvec::SmallVec;

use self::lookup::Lookups;
pub(super) use self::lookup::{LookupKey, known};
use super::plan::{
    CompiledProgram, DeferredRule, Lookup, MAX_CALL_DEPTH, Plan, Step, StepKind, ValueSource, write,
};
use super::{Clock, Failure, Model, ValueId, Values, compare};
use mangle_syntax::syntax::ast::Operator;

/// Controls the replay of a plan.
pub(super) trait Observer {
    /// The only tuple that the lookup of a step may match, if it is restricted.
    fn only(&self, _step: usize) -> Option<u32> {
        None
    }

    /// The required value of a register, if it is known.
    fn wanted(&self, _slot: u16) -> Option<ValueId> {
        None
    }

    /// True if a register may have a value.
    fn admits(&self, _values: &Values, _slot: u16, _value: ValueId) -> bool {
        true
    }

    /// Called for each matching tuple of a step.
    fn found(&mut self, _step: usize, _number: u32) {}

    /// Called if a step does not hold.
    fn blocked(&mut self, _sight: &StepView<'_>, _step: usize, _cause: Cause) {}

    /// Called for each solution of all steps. Returns true to end the replay.
    fn arrived(&mut self, row: &[ValueId]) -> bool;
}

/// The state of the replay at a step.
pub(super) struct StepView<'s> {
    /// The remaining number of tuples to compare in searches for similar facts.
    pub(super) near_left: &'s Cell<usize>,
    pub(super) model: &'s Model,
    pub(super) compiled: &'s CompiledProgram,
    pub(super) plan: &'s Plan,
    pub(super) row: &'s [ValueId],
}

/// Returns the required register values for a head with these arguments. `None` matches any value.
///
/// # Errors
/// If the head never has the arguments: the index and value of the first different argument.
pub(super) fn required_registers(
    plan: &Plan,
    wanted: &[Option<ValueId>],
) -> Result<Vec<Option<ValueId>>, (usize, ValueId)> {
    let mut fixed: Vec<Option<ValueId>> = vec![None; usize::from(plan.slots)];
    for (argument, (wanted, source)) in wanted.iter().zip(&plan.head).enumerate() {
        let Some(wanted) = *wanted else { continue };
        let known = match source {
            ValueSource::Value(value) => Some(*value),
            ValueSource::Slot(slot) => {
                fixed.get_mut(usize::from(*slot)).and_then(|fixed| fixed.replace(wanted))
            }
        };
        if let Some(value) = known.filter(|value| *value != wanted) {
            return Err((argument, value));
        }
    }
    Ok(fixed)
}

/// The cause of a failed step.
pub(super) enum Cause {
    /// No tuple matches, or a comparison or built-in predicate does not hold.
    Untrue,
    /// The tuple with this number exists, although the premise is negated.
    Present(u32),
    /// A register would receive this value instead of its required value.
    Value(ValueId),
    /// A value could not be computed.
    Failed(Failure),
}

/// The result of a replay.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TrialEnd {
    /// The observer ended the replay.
    Enough,
    /// No further solution exists.
    Blocked,
    /// The limit of steps is reached.
    TooMany,
}

/// Replays plans over a model.
pub(super) struct PlanReplay<'m> {
    pub(super) model: &'m mut Model,
    pub(super) compiled: &'m CompiledProgram,
    clock: Clock,
    /// The number of remaining steps for the current plan.
    left: u32,
    /// The number of remaining steps for later plans.
    reserve: u32,
    depth: u32,
    lookups: Lookups,
    near_left: Cell<usize>,
}

/// The maximum number of steps for several plans together.
const MAX_TOTAL_STEPS: u32 = 4_000_000;

/// The maximum number of tuples to compare in searches for similar facts, for several plans
/// together.
const MAX_TOTAL_SIMILAR: usize = 5_000_000;

impl<'m> PlanReplay<'m> {
    /// A replay of at most `steps` steps.
    pub(super) fn new(model: &'m mut Model, compiled: &'m CompiledProgram, clock: Clock, steps: u32) -> Self {
        let (lookups, near_left) = (Lookups::default(), Cell::new(MAX_TOTAL_SIMILAR));
        Self { model, compiled, clock, left: steps, reserve: MAX_TOTAL_STEPS, depth: 0, lookups, near_left }
    }

    /// Sets the steps for another plan, limited by the remaining total.
    pub(super) fn refill(&mut self, steps: u32) {
        self.left = steps.min(self.reserve);
        self.reserve -= self.left;
    }

    /// Adds the unused steps of the last plan to the remaining total.
    pub(super) fn save(&mut self) {
        self.reserve += std::mem::take(&mut self.left);
    }

    /// The number of remaining steps.
    pub(super) fn left(&self) -> u32 {
        self.left
    }

    /// Replays a plan. `row` has its registers. If the observer ends the replay, `row` keeps their
    /// values.
    pub(super) fn run(&mut self, plan: &Plan, row: &mut [ValueId], observer: &mut dyn Observer) -> TrialEnd {
        self.step(plan, 0, row, observer)
    }

    fn step(&mut self, plan: &Plan, at: usize, row: &mut [ValueId], observer: &mut dyn Observer) -> TrialEnd {
        let Some(step) = plan.steps.get(at) else {
            return if observer.arrived(row) { TrialEnd::Enough } else { TrialEnd::Blocked };
        };
        if !self.spend() {
            return TrialEnd::TooMany;
        }
        match &step.kind {
            StepKind::Match(found) => self.matches(plan, at, found, row, observer),
            StepKind::Absent(found) => match self.first(found, row) {
                Ok(None) => self.step(plan, at + 1, row, observer),
                Ok(Some(number)) => self.blocked(plan, at, row, observer, Cause::Present(number)),
                Err(end) => end,
            },
            StepKind::Call(found) => self.call(plan, at, found, row, observer),
            StepKind::Solve { .. } => self.solve(plan, at, row, observer),
            StepKind::Compute { .. } | StepKind::Instant { .. } => {
                let (slot, value) = match self.compute(step, row) {
                    Ok(computed) => computed,
                    Err(failure) => return self.blocked(plan, at, row, observer, Cause::Failed(failure)),
                };
                if !self.is_admitted(observer, slot, value) {
                    return self.blocked(plan, at, row, observer, Cause::Value(value));
                }
                write(row, slot, value);
                self.step(plan, at + 1, row, observer)
            }
            StepKind::Compare { operator, left, right } => {
                let (left, right) = (left.read(row), right.read(row));
                let holds = match operator {
                    Operator::Equal => Ok(left == right),
                    Operator::NotEqual => Ok(left != right),
                    _ => compare(&self.model.values, *operator, left, right),
                };
                match holds {
                    Ok(true) => self.step(plan, at + 1, row, observer),
                    Ok(false) => self.blocked(plan, at, row, observer, Cause::Untrue),
                    Err(failure) => self.blocked(plan, at, row, observer, Cause::Failed(failure)),
                }
            }
            StepKind::Never => self.blocked(plan, at, row, observer, Cause::Untrue),
            StepKind::Fail(failure) => self.blocked(plan, at, row, observer, Cause::Failed(failure.clone())),
        }
    }

    /// True if the observer accepts a value for a register.
    fn is_admitted(&self, observer: &dyn Observer, slot: u16, value: ValueId) -> bool {
        observer.wanted(slot).is_none_or(|wanted| wanted == value)
            && observer.admits(&self.model.values, slot, value)
    }

    /// Counts a step. Returns false if the limit is reached.
    fn spend(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left > 0
    }

    fn blocked(
        &self,
        plan: &Plan,
        at: usize,
        row: &[ValueId],
        observer: &mut dyn Observer,
        cause: Cause,
    ) -> TrialEnd {
        let near_left = &self.near_left;
        let sight = StepView { near_left, model: self.model, compiled: self.compiled, plan, row };
        observer.blocked(&sight, at, cause);
        TrialEnd::Blocked
    }

    fn compute(&mut self, step: &Step, row: &[ValueId]) -> Result<(u16, ValueId), Failure> {
        let model = &mut *self.model;
        match &step.kind {
            StepKind::Compute { slot, function, args } => {
                let args: SmallVec<[ValueId; 4]> = args.iter().map(|arg| arg.read(row)).collect();
                Ok((*slot, function.apply(&mut model.values, &args, &self.clock)?))
            }
            StepKind::Instant { slot, bound } => {
                Ok((*slot, bound.value(&mut model.values, &self.clock, row)?))
            }
            _ => Err(Failure::wrong("nothing is computed here")),
        }
    }

    /// Continues with each matching tuple.
    fn matches(
        &mut self,
        plan: &Plan,
        at: usize,
        found: &Lookup,
        row: &mut [ValueId],
        observer: &mut dyn Observer,
    ) -> TrialEnd {
        let known = known(found, self.compiled, row, &|slot| observer.wanted(slot));
        let Some(candidates) = self.lookups.candidates(self.model, found, &known, observer.only(at)) else {
            return self.blocked(plan, at, row, observer, Cause::Untrue);
        };
        let mut any = false;
        for number in candidates {
            if !self.spend() {
                return TrialEnd::TooMany;
            }
            let Some(relation) = self.model.relations.get(found.relation as usize) else { break };
            let tuple = relation.tuple(number);
            let is_then = || found.interval_matches(&self.model.values, &self.clock, tuple, row);
            let is_there = relation.is_visible(number, false) || observer.only(at).is_some();
            let is_fit =
                || lookup::fits(tuple, found, &known) && is_admitted(observer, self.model, found, tuple);
            if !is_there || !is_fit() || !is_then() {
                continue;
            }
            found.fill(tuple, row);
            any = true;
            observer.found(at, number);
            let end = self.step(plan, at + 1, row, observer);
            if end != TrialEnd::Blocked {
                return end;
            }
        }
        if any { TrialEnd::Blocked } else { self.blocked(plan, at, row, observer, Cause::Untrue) }
    }

    /// The first tuple that matches a negated premise.
    fn first(&mut self, found: &Lookup, row: &[ValueId]) -> Result<Option<u32>, TrialEnd> {
        let known = known(found, self.compiled, row, &|_| None);
        let Some(candidates) = self.lookups.candidates(self.model, found, &known, None) else {
            return Ok(None);
        };
        for number in candidates {
            if !self.spend() {
                return Err(TrialEnd::TooMany);
            }
            let Some(relation) = self.model.relations.get(found.relation as usize) else { break };
            if relation.is_visible(number, false) && lookup::fits(relation.tuple(number), found, &known) {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }

    /// Continues with each solution of a built-in predicate.
    fn solve(
        &mut self,
        plan: &Plan,
        at: usize,
        row: &mut [ValueId],
        observer: &mut dyn Observer,
    ) -> TrialEnd {
        let Some(StepKind::Solve { builtin, args, outputs, negated, .. }) =
            plan.steps.get(at).map(|step| &step.kind)
        else {
            return TrialEnd::Blocked;
        };
        let args: SmallVec<[_; 4]> = args.iter().map(|arg| arg.map(|arg| arg.read(row))).collect();
        let mut found = Vec::new();
        let solutions = match builtin.solve(&mut self.model.values, &args, &mut found) {
            Ok(solutions) => solutions,
            Err(failure) => return self.blocked(plan, at, row, observer, Cause::Failed(failure)),
        };
        if *negated {
            return match solutions {
                0 => self.step(plan, at + 1, row, observer),
                _ => self.blocked(plan, at, row, observer, Cause::Untrue),
            };
        }
        let mut any = false;
        for solution in 0..solutions {
            if !self.spend() {
                return TrialEnd::TooMany;
            }
            let given = outputs.iter().zip(found.iter().skip(solution * outputs.len()));
            if given.clone().any(|(slot, value)| !self.is_admitted(observer, *slot, *value)) {
                continue;
            }
            given.for_each(|(slot, value)| write(row, *slot, *value));
            any = true;
            let end = self.step(plan, at + 1, row, observer);
            if end != TrialEnd::Blocked {
                return end;
            }
        }
        if any { TrialEnd::Blocked } else { self.blocked(plan, at, row, observer, Cause::Untrue) }
    }

    /// Continues with each tuple of a predicate that is evaluated on demand.
    fn call(
        &mut self,
        plan: &Plan,
        at: usize,
        found: &Lookup,
        row: &mut [ValueId],
        observer: &mut dyn Observer,
    ) -> TrialEnd {
        let compiled = self.compiled;
        let known = known(found, compiled, row, &|slot| observer.wanted(slot));
        let mut any = false;
        for rule in compiled.deferred.get(&found.relation).map_or(&[][..], Vec::as_slice) {
            let tuples = match self.called(rule, found, row) {
                Ok(tuples) => tuples,
                Err(end) => return end,
            };
            for tuple in tuples.iter().filter(|tuple| lookup::fits(tuple, found, &known)) {
                if !is_admitted(observer, self.model, found, tuple) {
                    continue;
                }
                found.fill(tuple, row);
                any = true;
                let end = self.step(plan, at + 1, row, observer);
                if end != TrialEnd::Blocked {
                    return end;
                }
            }
        }
        if any { TrialEnd::Blocked } else { self.blocked(plan, at, row, observer, Cause::Untrue) }
    }

    /// The tuples of one rule of a called predicate.
    fn called(
        &mut self,
        rule: &DeferredRule,
        found: &Lookup,
        row: &[ValueId],
    ) -> Result<Vec<Box<[ValueId]>>, TrialEnd> {
        let mut inner = vec![ValueId(0); usize::from(rule.plan.slots)];
        let is_filled = rule.fill(&mut inner, |column| found.source(column).map(|source| source.read(row)));
        if !is_filled || self.depth == MAX_CALL_DEPTH {
            return Ok(Vec::new());
        }
        let mut given = TupleCollector { plan: &rule.plan, tuples: Vec::new() };
        self.depth += 1;
        let end = self.run(&rule.plan, &mut inner, &mut given);
        self.depth -= 1;
        if end == TrialEnd::TooMany { Err(end) } else { Ok(given.tuples) }
    }
}

/// True if the observer accepts the values of a tuple for the registers of a lookup.
fn is_admitted(observer: &dyn Observer, model: &Model, found: &Lookup, tuple: &[ValueId]) -> bool {
    found.binds.iter().all(|(column, slot)| {
        tuple.get(usize::from(*column)).is_none_or(|value| observer.admits(&model.values, *slot, *value))
    })
}

/// Collects the tuples of a called rule.
struct TupleCollector<'p> {
    plan: &'p Plan,
    tuples: Vec<Box<[ValueId]>>,
}

impl Observer for TupleCollector<'_> {
    fn arrived(&mut self, row: &[ValueId]) -> bool {
        self.tuples.push(self.plan.head.iter().map(|source| source.read(row)).collect());
        false
    }
}
