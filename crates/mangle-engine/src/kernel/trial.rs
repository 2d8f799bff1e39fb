//! A body gone through over a finished model, as proofs and obstacles do it.
//!
//! Finds the ways in which the steps of a plan hold, one after the other, until an [`Observer`] has seen enough. The
//! observer narrows the ways down, and is told where each ends. Nothing is added to the model but values.

mod lookup;

use std::cell::Cell;

use smallvec::SmallVec;

use self::lookup::Lookups;
pub(super) use self::lookup::{LookupKey, known};
use super::plan::{Compiled, DEEPEST_CALL, DeferredRule, Match, Plan, Step, StepKind, ValueSource, write};
use super::{Clock, Failure, Model, ValueId, Values, compare};
use mangle_syntax::syntax::ast::Operator;

/// Somebody who has a plan gone through.
pub(super) trait Observer {
    /// The only tuple that the lookup of a step may find, if there is but one.
    fn only(&self, _step: usize) -> Option<u32> {
        None
    }

    /// What a register must hold, if that is known.
    fn wanted(&self, _slot: u16) -> Option<ValueId> {
        None
    }

    /// Whether a register may hold a value.
    fn admits(&self, _values: &Values, _slot: u16, _value: ValueId) -> bool {
        true
    }

    /// A step looks at a tuple that fits.
    fn found(&mut self, _step: usize, _number: u32) {}

    /// A step does not hold.
    fn blocked(&mut self, _sight: &StepView<'_>, _step: usize, _cause: Cause) {}

    /// All steps hold. Says whether that is enough.
    fn arrived(&mut self, row: &[ValueId]) -> bool;
}

/// What can be seen at a step.
pub(super) struct StepView<'s> {
    /// How many tuples may still be looked at for those that come near.
    pub(super) near_left: &'s Cell<usize>,
    pub(super) model: &'s Model,
    pub(super) compiled: &'s Compiled,
    pub(super) plan: &'s Plan,
    pub(super) row: &'s [ValueId],
}

/// What the registers of a plan must hold for its head to have these arguments (`None`: any).
///
/// # Errors
/// When it never has them: the first argument that is another, and what it is.
pub(super) fn fixed(
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

/// Why a step does not hold.
pub(super) enum Cause {
    /// No tuple fits, or no comparison or built-in predicate holds.
    Untrue,
    /// This tuple should not be there.
    Present(u32),
    /// A register would get this value, which is not the wanted one.
    Value(ValueId),
    /// Something has no value.
    Failed(Failure),
}

/// How it ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TrialEnd {
    /// The observer has seen enough.
    Enough,
    /// There is no other way.
    Blocked,
    /// There are more ways than anybody looks at.
    TooMany,
}

/// Plans gone through over a model.
pub(super) struct Trial<'m> {
    pub(super) model: &'m mut Model,
    pub(super) compiled: &'m Compiled,
    clock: Clock,
    /// How many steps are left.
    left: u32,
    /// How many are left besides, for further plans.
    reserve: u32,
    depth: u32,
    lookups: Lookups,
    near_left: Cell<usize>,
}

/// How many steps several plans may take together.
const MOST_STEPS_IN_ALL: u32 = 4_000_000;

/// How many tuples are looked at for those that come near, for several plans together.
const MOST_NEAR_IN_ALL: usize = 5_000_000;

impl<'m> Trial<'m> {
    /// For a trial of at most so many steps.
    pub(super) fn new(model: &'m mut Model, compiled: &'m Compiled, clock: Clock, steps: u32) -> Self {
        let (lookups, near_left) = (Lookups::default(), Cell::new(MOST_NEAR_IN_ALL));
        Self { model, compiled, clock, left: steps, reserve: MOST_STEPS_IN_ALL, depth: 0, lookups, near_left }
    }

    /// Gives so many steps for another plan, as long as there are any.
    pub(super) fn refill(&mut self, steps: u32) {
        self.left = steps.min(self.reserve);
        self.reserve -= self.left;
    }

    /// Keeps what the last plan did not need for further ones.
    pub(super) fn save(&mut self) {
        self.reserve += std::mem::take(&mut self.left);
    }

    /// How many steps are left.
    pub(super) fn left(&self) -> u32 {
        self.left
    }

    /// Goes through a plan. `row` has its registers, and has them as they were then where the observer had enough.
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

    /// Whether an observer lets a register hold a value.
    fn is_admitted(&self, observer: &dyn Observer, slot: u16, value: ValueId) -> bool {
        observer.wanted(slot).is_none_or(|wanted| wanted == value)
            && observer.admits(&self.model.values, slot, value)
    }

    /// One step more. False when there are too many.
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

    /// Goes on with each tuple that fits.
    fn matches(
        &mut self,
        plan: &Plan,
        at: usize,
        found: &Match,
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
            let is_then = || found.is_then(&self.model.values, &self.clock, tuple, row);
            let is_there = relation.is_seen(number, false) || observer.only(at).is_some();
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

    /// The first tuple that a negation forbids.
    fn first(&mut self, found: &Match, row: &[ValueId]) -> Result<Option<u32>, TrialEnd> {
        let known = known(found, self.compiled, row, &|_| None);
        let Some(candidates) = self.lookups.candidates(self.model, found, &known, None) else {
            return Ok(None);
        };
        for number in candidates {
            if !self.spend() {
                return Err(TrialEnd::TooMany);
            }
            let Some(relation) = self.model.relations.get(found.relation as usize) else { break };
            if relation.is_seen(number, false) && lookup::fits(relation.tuple(number), found, &known) {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }

    /// Goes on with each solution of a built-in predicate.
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
        let args: SmallVec<[Option<ValueId>; 4]> =
            args.iter().map(|arg| arg.map(|arg| arg.read(row))).collect();
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

    /// Goes on with each tuple that the rules of a predicate give that is evaluated where it is asked for.
    fn call(
        &mut self,
        plan: &Plan,
        at: usize,
        found: &Match,
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

    /// The tuples that one rule of a called predicate gives.
    fn called(
        &mut self,
        rule: &DeferredRule,
        found: &Match,
        row: &[ValueId],
    ) -> Result<Vec<Box<[ValueId]>>, TrialEnd> {
        let mut inner = vec![ValueId(0); usize::from(rule.plan.slots)];
        let is_filled = rule.fill(&mut inner, |column| found.source(column).map(|source| source.read(row)));
        if !is_filled || self.depth == DEEPEST_CALL {
            return Ok(Vec::new());
        }
        let mut given = TupleCollector { plan: &rule.plan, tuples: Vec::new() };
        self.depth += 1;
        let end = self.run(&rule.plan, &mut inner, &mut given);
        self.depth -= 1;
        if end == TrialEnd::TooMany { Err(end) } else { Ok(given.tuples) }
    }
}

/// Whether an observer lets the registers that a lookup fills hold what a tuple has.
fn is_admitted(observer: &dyn Observer, model: &Model, found: &Match, tuple: &[ValueId]) -> bool {
    found.binds.iter().all(|(column, slot)| {
        tuple.get(usize::from(*column)).is_none_or(|value| observer.admits(&model.values, *slot, *value))
    })
}

/// Collects what a called rule gives.
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
