//! Evaluates one plan with nested loops over its steps.

use std::ops::Range;

use super::super::plan::{AFTER_BODY, DeferredRule, Lookup, MAX_CALL_DEPTH, Plan, Step, StepKind, write};
use super::super::relation::Chain;
use super::super::{Failure, ValueId, compare};
use super::limits::{STEPS_BETWEEN_CHECKS, StopReason};
use super::{Run, Stop, boxed};
use crate::kernel::Reading;
use crate::kernel::relation::Columns;
use mangle_syntax::syntax::ast::Operator;

/// A round of a stratum: the sizes of its relations before and after the previous round.
pub(super) struct Round<'r> {
    pub(super) relations: &'r [u32],
    pub(super) low: &'r [u32],
    pub(super) high: &'r [u32],
    /// The step that reads the results of the previous round. Earlier steps read everything, and
    /// later steps read the state before the previous round, so that no combination repeats.
    pub(super) delta: usize,
    /// The number of tuples that the other steps read. Overrides the rule of `delta`.
    pub(super) others: Option<&'r [u32]>,
}

impl Round<'_> {
    fn range(&self, relation: u32, step: usize) -> Option<Range<u32>> {
        let at = self.relations.iter().position(|known| *known == relation)?;
        let (low, high) = (*self.low.get(at)?, *self.high.get(at)?);
        if let Some(others) = self.others.filter(|_| step != self.delta) {
            return Some(0..*others.get(at)?);
        }
        Some(match step.cmp(&self.delta) {
            std::cmp::Ordering::Less => 0..high,
            std::cmp::Ordering::Equal => low..high,
            std::cmp::Ordering::Greater => 0..low,
        })
    }
}

/// The state of one plan evaluation.
struct Frame<'p> {
    plan: &'p Plan,
    /// The tuple range and lookup method of each step.
    looks: Vec<LookupRange>,
    row: Vec<ValueId>,
    support: Vec<u32>,
    head: Vec<ValueId>,
    /// Receives the derived tuples instead of a relation.
    given: Option<Vec<Box<[ValueId]>>>,
    /// The step that reads the results of a round.
    delta: usize,
    /// True if the head loses its interval.
    forgets: bool,
    /// True if head tuples are added without changes.
    is_plain: bool,
}

/// The tuple range and lookup method of a step.
#[derive(Clone, Copy, Default)]
struct LookupRange {
    /// The first number, and the number after the last.
    range: (u32, u32),
    way: LookupMethod,
}

/// The lookup method of a step.
#[derive(Clone, Copy, Default)]
enum LookupMethod {
    /// Scans all tuples.
    #[default]
    All,
    /// The key is the whole tuple.
    Whole,
    /// Uses an index that is built on first use.
    Unknown,
    /// Uses an index.
    Index(usize),
}

impl LookupRange {
    fn range(self) -> Range<u32> {
        self.range.0..self.range.1
    }
}

impl Run<'_> {
    /// Evaluates a plan over all tuples, or over the results of a round.
    pub(super) fn evaluate(&mut self, plan: &Plan, round: Option<&Round<'_>>) -> Result<(), Stop> {
        let forgets = round.is_some_and(|round| round.delta < plan.steps.len()) && self.loses_intervals(plan);
        let mut frame = Frame {
            plan,
            looks: Vec::with_capacity(plan.steps.len()),
            row: vec![ValueId(0); usize::from(plan.slots)],
            support: Vec::new(),
            head: Vec::new(),
            given: None,
            delta: round.map_or(plan.steps.len(), |round| round.delta),
            forgets,
            is_plain: !self.loses_intervals(plan) && self.compiled.merge_into(plan.target).is_none(),
        };
        for (at, step) in plan.steps.iter().enumerate() {
            let look = self.look(step, at, round);
            frame.looks.push(look);
        }
        self.step(&mut frame, 0)
    }

    fn look(&self, step: &Step, at: usize, round: Option<&Round<'_>>) -> LookupRange {
        let (StepKind::Match(found) | StepKind::Absent(found)) = &step.kind else {
            return LookupRange::default();
        };
        let all = 0..self.len(found.relation);
        let range = round.and_then(|round| round.range(found.relation, at)).unwrap_or(all);
        let Some(relation) = self.model.relations.get(found.relation as usize) else {
            return LookupRange::default();
        };
        let way = match found.columns {
            _ if found.is_whole(relation) => LookupMethod::Whole,
            0 => LookupMethod::All,
            _ => LookupMethod::Unknown,
        };
        LookupRange { range: (range.start, range.end), way }
    }

    /// The lookup range of a step. Builds the index if it is missing.
    fn looked(&mut self, frame: &mut Frame<'_>, at: usize, found: &Lookup) -> Result<LookupRange, Stop> {
        let mut look = frame.looks.get(at).copied().unwrap_or_default();
        if let LookupMethod::Unknown = look.way {
            let index = self.index(found.relation, found.columns, look.range.1);
            look.way =
                LookupMethod::Index(index.map_err(|reason| stop(frame, frame.plan.steps.get(at), reason))?);
            frame.looks.get_mut(at).into_iter().for_each(|known| *known = look);
        }
        Ok(look)
    }

    /// The index over some columns of a relation that contains all tuples below `end`. For an empty
    /// range `usize::MAX`, which is not an index.
    pub(super) fn index(&mut self, relation: u32, columns: Columns, end: u32) -> Result<usize, StopReason> {
        if end == 0 {
            return Ok(usize::MAX);
        }
        let relation = relation as usize;
        loop {
            let Some(found) = self.model.relations.get_mut(relation) else { return Ok(usize::MAX) };
            if let Some(index) = found.index_up_to(columns, end) {
                return Ok(index);
            }
            found.make_mut().index(columns, end, STEPS_BETWEEN_CHECKS);
            self.recount(u32::try_from(relation).unwrap_or(u32::MAX));
            self.meter.take_steps(STEPS_BETWEEN_CHECKS as usize)?;
        }
    }

    fn step(&mut self, frame: &mut Frame<'_>, at: usize) -> Result<(), Stop> {
        let plan = frame.plan;
        let Some(step) = plan.steps.get(at) else { return self.emit(frame) };
        self.count(frame, step)?;
        match &step.kind {
            StepKind::Match(found) => self.matches(frame, at, found),
            StepKind::Absent(found) => match self.any(frame, at, found)? {
                true => Ok(()),
                false => self.step(frame, at + 1),
            },
            StepKind::Call(found) => self.call(frame, at, found),
            StepKind::Compute { slot, function, args } => {
                let args: smallvec::SmallVec<[ValueId; 4]> =
                    args.iter().map(|arg| arg.read(&frame.row)).collect();
                let weighed = self.meter.count_value_steps(&self.model.values, &args);
                weighed.map_err(|reason| stop(frame, Some(step), reason))?;
                match function.apply(&mut self.model.values, &args, &self.clock) {
                    Ok(value) => {
                        self.meter.values(&self.model.values);
                        write(&mut frame.row, *slot, value);
                        self.step(frame, at + 1)
                    }
                    Err(failure) => self.fail(frame, step, failure),
                }
            }
            StepKind::Instant { slot, bound } => {
                match bound.value(&mut self.model.values, &self.clock, &frame.row) {
                    Ok(value) => {
                        write(&mut frame.row, *slot, value);
                        self.step(frame, at + 1)
                    }
                    Err(failure) => self.fail(frame, step, failure),
                }
            }
            StepKind::Compare { operator, left, right } => {
                let (left, right) = (left.read(&frame.row), right.read(&frame.row));
                let holds = match operator {
                    Operator::Equal => Ok(left == right),
                    Operator::NotEqual => Ok(left != right),
                    _ => compare(&self.model.values, *operator, left, right),
                };
                match holds {
                    Ok(true) => self.step(frame, at + 1),
                    Ok(false) => Ok(()),
                    Err(failure) => self.fail(frame, step, failure),
                }
            }
            StepKind::Solve { builtin, args, outputs, negated, .. } => {
                let args: smallvec::SmallVec<[Option<ValueId>; 4]> =
                    args.iter().map(|arg| arg.map(|arg| arg.read(&frame.row))).collect();
                let known: smallvec::SmallVec<[ValueId; 4]> = args.iter().copied().flatten().collect();
                let weighed = self.meter.count_value_steps(&self.model.values, &known);
                weighed.map_err(|reason| stop(frame, Some(step), reason))?;
                let mut found = Vec::new();
                match builtin.solve(&mut self.model.values, &args, &mut found) {
                    Ok(0) if *negated => self.step(frame, at + 1),
                    Ok(_) if *negated => Ok(()),
                    Ok(solutions) => {
                        for solution in 0..solutions {
                            let start = solution * outputs.len();
                            for (slot, value) in outputs.iter().zip(found.iter().skip(start)) {
                                write(&mut frame.row, *slot, *value);
                            }
                            self.count(frame, step)?;
                            self.step(frame, at + 1)?;
                        }
                        Ok(())
                    }
                    Err(failure) => self.fail(frame, step, failure),
                }
            }
            StepKind::Never => Ok(()),
            StepKind::Fail(failure) => self.fail(frame, step, failure.clone()),
        }
    }

    /// Continues with each matching tuple.
    fn matches(&mut self, frame: &mut Frame<'_>, at: usize, found: &Lookup) -> Result<(), Stop> {
        let look = self.looked(frame, at, found)?;
        let relation = found.relation as usize;
        let Some(tuples) = self.model.relations.get(relation) else { return Ok(()) };
        match look.way {
            LookupMethod::Whole => {
                let number = tuples.find(&key_of(&frame.row, found));
                let number = number.filter(|number| look.range().contains(number));
                number.map_or(Ok(()), |number| self.matched(frame, at, found, number))
            }
            LookupMethod::Index(index) => {
                let mut chain = tuples.chain(index, &key_of(&frame.row, found), &look.range());
                if frame.is_plain && at + 1 == frame.plan.steps.len() && found.is_plain() {
                    return self.last(frame, at, found, chain);
                }
                while let Some(number) = self.model.relations.get(relation).and_then(|it| it.next(&mut chain))
                {
                    self.matched(frame, at, found, number)?;
                }
                Ok(())
            }
            LookupMethod::All | LookupMethod::Unknown => {
                look.range().try_for_each(|number| self.matched(frame, at, found, number))
            }
        }
    }

    /// Adds the head for each tuple of a lookup that is the last step. The innermost loop of most
    /// rules.
    fn last(
        &mut self,
        frame: &mut Frame<'_>,
        at: usize,
        found: &Lookup,
        mut chain: Chain,
    ) -> Result<(), Stop> {
        let relation = found.relation as usize;
        frame.support.push(0);
        while let Some(tuples) = self.model.relations.get(relation) {
            let Some(number) = tuples.next(&mut chain) else { break };
            if let Err(reason) = self.meter.step() {
                return Err(stop(frame, frame.plan.steps.get(at), reason));
            }
            if !tuples.is_visible(number, at == frame.delta) {
                continue;
            }
            found.fill(tuples.tuple(number), &mut frame.row);
            frame.head.clear();
            frame.head.extend(frame.plan.head.iter().map(|source| source.read(&frame.row)));
            frame.support.last_mut().into_iter().for_each(|last| *last = number);
            let added = self.add(frame.plan.target, &frame.head, frame.plan.rule, &frame.support, true);
            added.map_err(|reason| stop(frame, None, reason))?;
        }
        frame.support.pop();
        Ok(())
    }

    /// Continues with a tuple that has the key, if it satisfies all other conditions.
    #[inline]
    fn matched(&mut self, frame: &mut Frame<'_>, at: usize, found: &Lookup, number: u32) -> Result<(), Stop> {
        if let Some(step) = frame.plan.steps.get(at) {
            self.count(frame, step)?;
        }
        let Some(tuples) = self.model.relations.get(found.relation as usize) else { return Ok(()) };
        let tuple = tuples.tuple(number);
        let (values, row) = (&self.model.values, &mut frame.row);
        if !tuples.is_visible(number, at == frame.delta)
            || !found.fits(tuple, row)
            || !found.interval_matches(values, &self.clock, tuple, row)
        {
            return Ok(());
        }
        found.fill(tuple, row);
        frame.support.push(number);
        let result = self.step(frame, at + 1);
        frame.support.pop();
        result
    }

    /// True if any tuple matches.
    fn any(&mut self, frame: &mut Frame<'_>, at: usize, found: &Lookup) -> Result<bool, Stop> {
        let look = self.looked(frame, at, found)?;
        let key = key_of(&frame.row, found);
        let Some(tuples) = self.model.relations.get(found.relation as usize) else { return Ok(false) };
        let mut chain = match look.way {
            LookupMethod::Whole => return Ok(tuples.find(&key).is_some()),
            LookupMethod::Index(index) => Some(tuples.chain(index, &key, &look.range())),
            LookupMethod::All | LookupMethod::Unknown => None,
        };
        let mut numbers = look.range();
        loop {
            let next = match &mut chain {
                Some(chain) => tuples.next(chain),
                None => numbers.next(),
            };
            let Some(number) = next else { return Ok(false) };
            if found.fits(tuples.tuple(number), &frame.row) {
                return Ok(true);
            }
            self.meter.step().map_err(|reason| stop(frame, None, reason))?;
        }
    }

    /// Evaluates the rules of a predicate on demand, and continues with each matching tuple.
    fn call(&mut self, frame: &mut Frame<'_>, at: usize, found: &Lookup) -> Result<(), Stop> {
        let compiled = self.compiled;
        let rules = compiled.rules_for_call(found);
        let open = compiled.open_inputs(found);
        if self.depth == MAX_CALL_DEPTH {
            let failure = Failure::wrong("a deferred predicate asks for itself too often");
            return frame.plan.steps.get(at).map_or(Ok(()), |step| self.fail(frame, step, failure));
        }
        let lacks =
            |rule: &DeferredRule| rule.inputs.iter().any(|(column, _)| found.source(*column).is_none());
        if rules.iter().any(lacks) {
            let failure = Failure::wrong("it is called without a value for an argument of mode \"+\"");
            return frame.plan.steps.get(at).map_or(Ok(()), |step| self.fail(frame, step, failure));
        }
        for rule in rules {
            self.depth += 1;
            let row = &frame.row;
            let given = self.call_rule(rule, |column| found.source(column).map(|source| source.read(row)));
            self.depth -= 1;
            let given = given?;
            for tuple in &given {
                if found.differs_in_shared_input(tuple, open) {
                    continue;
                }
                if let Some((one, other)) = found.first_mismatch(tuple, &frame.row) {
                    if compiled.reading == Reading::Engine {
                        let failure = Failure::cannot_unify(&self.model.values, one, other);
                        let failed =
                            frame.plan.steps.get(at).map_or(Ok(()), |step| self.fail(frame, step, failure));
                        self.release_tuples(&given);
                        return failed;
                    }
                    continue;
                }
                found.fill(tuple, &mut frame.row);
                self.step(frame, at + 1)?;
            }
            self.release_tuples(&given);
        }
        Ok(())
    }

    /// Releases the memory of the tuples of a called rule.
    pub(super) fn release_tuples(&mut self, given: &[Box<[ValueId]>]) {
        self.meter.release(given.len() * given.first().map_or(0, |tuple| boxed(tuple.len())));
    }

    /// The tuples of one rule of a called predicate. Their memory is counted until
    /// [`Run::release_tuples`].
    pub(super) fn call_rule(
        &mut self,
        rule: &DeferredRule,
        input: impl Fn(u16) -> Option<ValueId>,
    ) -> Result<Vec<Box<[ValueId]>>, Stop> {
        let mut frame = Frame {
            plan: &rule.plan,
            looks: Vec::new(),
            row: vec![ValueId(0); usize::from(rule.plan.slots)],
            support: Vec::new(),
            head: Vec::new(),
            given: Some(Vec::new()),
            delta: rule.plan.steps.len(),
            forgets: false,
            is_plain: false,
        };
        if !rule.fill(&mut frame.row, input) {
            return Ok(Vec::new());
        }
        for (at, step) in rule.plan.steps.iter().enumerate() {
            let look = self.look(step, at, None);
            frame.looks.push(look);
        }
        self.step(&mut frame, 0)?;
        Ok(frame.given.unwrap_or_default())
    }

    /// Adds the tuple of the head.
    fn emit(&mut self, frame: &mut Frame<'_>) -> Result<(), Stop> {
        let mut head = std::mem::take(&mut frame.head);
        head.clear();
        head.extend(frame.plan.head.iter().map(|source| source.read(&frame.row)));
        if let (true, [.., start, end]) = (frame.forgets, head.as_mut_slice()) {
            [*start, *end] = self.no_interval;
        }
        if let Some(given) = &mut frame.given {
            given.push(head.as_slice().into());
            self.meter.add_bytes(boxed(head.len()));
            frame.head = head;
            return Ok(());
        }
        if let Some(merge) = self.compiled.merge_into(frame.plan.target) {
            let merged = self.merge(merge, &mut head, frame.plan.rule, &frame.support);
            frame.head = head;
            return merged;
        }
        if let Some(failure) = self.invalid_interval(frame.plan.target, &head) {
            frame.head = head;
            return self.failed(frame.plan.rule, AFTER_BODY, failure, &frame.row);
        }
        self.record_rederived(frame.plan.target, &head);
        let added = self.add(frame.plan.target, &head, frame.plan.rule, &frame.support, true);
        frame.head = head;
        added.map_err(|reason| stop(frame, None, reason))
    }

    fn count(&mut self, frame: &Frame<'_>, step: &Step) -> Result<(), Stop> {
        self.meter.step().map_err(|reason| stop(frame, Some(step), reason))
    }

    fn fail(&mut self, frame: &Frame<'_>, step: &Step, failure: Failure) -> Result<(), Stop> {
        self.failed(frame.plan.rule, step.premise, failure, &frame.row)
    }
}

fn stop(frame: &Frame<'_>, step: Option<&Step>, reason: StopReason) -> Stop {
    Stop { rule: Some(frame.plan.rule), premise: step.map(|step| step.premise), reason }
}

fn key_of(row: &[ValueId], found: &Lookup) -> smallvec::SmallVec<[ValueId; 8]> {
    found.key.iter().map(|source| source.read(row)).collect()
}
