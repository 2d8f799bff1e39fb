//! Encoding of the steps of a plan, for every combination of the previous steps.

use mangle_engine::kernel::plan::{
    BEGINNING, Bound, Bounds, END, IntervalCondition, Lookup, MAX_CALL_DEPTH, Plan, Slot, Step, StepKind,
    ValueSource,
};
use mangle_engine::kernel::{RuleId, ValueId};
use mangle_syntax::syntax::ast::Operator;
use rustc_hash::FxHashMap;

use super::encoder::{Encoder, Tuple};
use super::expr::{Expr, Kind, Sort};
use crate::obstacle::Obstacle;
use crate::symbolic::Uses;

/// A derivation of the head of a plan: the tuple, its condition, the facts that it uses, and the
/// stages of recursive tuples.
pub(crate) type Row = (Box<[Expr]>, Expr, Uses, Vec<Expr>);

/// The state of a plan during encoding.
pub(crate) struct Frame<'p> {
    pub(crate) plan: &'p Plan,
    pub(crate) registers: Vec<Expr>,
    pub(crate) out: Vec<Row>,
    /// The number of surrounding predicate calls.
    depth: u32,
}

/// The conditions of a row.
#[derive(Clone)]
pub(crate) struct Path {
    pub(crate) guard: Expr,
    pub(crate) uses: Uses,
    pub(crate) stages: Vec<Expr>,
}

impl Encoder<'_> {
    /// Returns the derivations of a plan.
    pub(crate) fn rows(&mut self, plan: &Plan) -> Result<Vec<Row>, Obstacle> {
        let mut frame = self.frame(plan)?;
        let path =
            Path { guard: self.exprs.bool(true), uses: Uses::none(self.slots.len()), stages: Vec::new() };
        self.step(&mut frame, 0, &path)?;
        Ok(frame.out)
    }

    fn frame<'p>(&mut self, plan: &'p Plan) -> Result<Frame<'p>, Obstacle> {
        let registers = self.registers(usize::from(plan.slots))?;
        Ok(Frame { plan, registers, out: Vec::new(), depth: 0 })
    }

    /// Creates registers without values.
    pub(crate) fn registers(&mut self, count: usize) -> Result<Vec<Expr>, Obstacle> {
        let zero = self.exprs.int(0);
        let unset = self.exprs.make(Kind::Number, &[zero]);
        Ok(vec![unset; count])
    }

    fn step(&mut self, frame: &mut Frame<'_>, at: usize, path: &Path) -> Result<(), Obstacle> {
        self.tick()?;
        if self.exprs.as_bool(path.guard) == Some(false) {
            return Ok(());
        }
        let plan = frame.plan;
        let Some(step) = plan.steps.get(at) else {
            let head = plan.head.iter().map(|source| self.read(*source, &frame.registers));
            let head = head.collect::<Result<_, _>>()?;
            frame.out.push((head, path.guard, path.uses.clone(), path.stages.clone()));
            return Ok(());
        };
        match &step.kind {
            StepKind::Match(found) => self.matches(frame, at, found, path),
            StepKind::Absent(found) => {
                let present = self.is_present(found, &frame.registers)?;
                let absent = self.exprs.not(present);
                let path = self.narrowed(path, absent);
                self.step(frame, at + 1, &path)
            }
            StepKind::Call(found) => self.call(frame, at, found, path),
            StepKind::Compute { .. } | StepKind::Instant { .. } => {
                let guard = self.compute(plan.rule, step, &mut frame.registers, path.guard)?;
                self.step(frame, at + 1, &Path { guard, ..path.clone() })
            }
            StepKind::Compare { operator, left, right } => {
                let left = self.read(*left, &frame.registers)?;
                let right = self.read(*right, &frame.registers)?;
                let (holds, fails) = self.compared(*operator, left, right);
                let fails = self.exprs.and([path.guard, fails]);
                self.fails(plan.rule, fails);
                let path = self.narrowed(path, holds);
                self.step(frame, at + 1, &path)
            }
            StepKind::Solve { .. } => self.solve(frame, at, step, path),
            StepKind::Never => Ok(()),
            StepKind::Fail(_) => {
                self.fails(plan.rule, path.guard);
                Ok(())
            }
        }
    }

    fn narrowed(&mut self, path: &Path, condition: Expr) -> Path {
        Path { guard: self.exprs.and([path.guard, condition]), ..path.clone() }
    }

    /// Returns the expression of a source.
    pub(crate) fn read(&mut self, source: ValueSource, registers: &[Expr]) -> Result<Expr, Obstacle> {
        match source {
            ValueSource::Value(value) => self.constant(value),
            ValueSource::Slot(slot) => match registers.get(usize::from(slot)) {
                Some(value) => Ok(*value),
                None => self.constant(ValueId(0)),
            },
        }
    }

    /// Encodes a step that computes a value. Returns the condition that the value exists.
    pub(crate) fn compute(
        &mut self,
        rule: RuleId,
        step: &Step,
        registers: &mut [Expr],
        guard: Expr,
    ) -> Result<Expr, Obstacle> {
        let Some((slot, value, succeeds)) = self.computed(step, registers)? else { return Ok(guard) };
        let not = self.exprs.not(succeeds);
        let fails = self.exprs.and([guard, not]);
        self.fails(rule, fails);
        write(registers, slot, value);
        Ok(self.exprs.and([guard, succeeds]))
    }

    /// Returns the value that a step computes, its register, and the condition that the value
    /// exists.
    pub(crate) fn computed(
        &mut self,
        step: &Step,
        registers: &[Expr],
    ) -> Result<Option<(Slot, Expr, Expr)>, Obstacle> {
        match &step.kind {
            StepKind::Compute { slot, function, args } => {
                let mut values = Vec::with_capacity(args.len());
                for arg in args {
                    values.push(self.read(*arg, registers)?);
                }
                let (value, succeeds) = self.applied(*function, values)?;
                Ok(Some((*slot, value, succeeds)))
            }
            StepKind::Instant { slot, bound } => {
                let (instant, succeeds) = self.instant(*bound, registers)?;
                let value = self.exprs.make(Kind::Time, &[instant]);
                Ok(Some((*slot, value, succeeds)))
            }
            _ => Ok(None),
        }
    }

    /// Returns the instant of a bound, and the condition that it is an instant.
    fn instant(&mut self, bound: Bound, registers: &[Expr]) -> Result<(Expr, Expr), Obstacle> {
        let yes = self.exprs.bool(true);
        Ok(match bound {
            Bound::Instant(instant) => (self.exprs.int(instant.into()), yes),
            Bound::Ago(length) => {
                let instant = self.setting.clock.now_ns.saturating_sub(length);
                (self.exprs.int(instant.into()), yes)
            }
            Bound::Value(source) | Bound::Stored(source) => {
                let value = self.read(source, registers)?;
                let is_time = self.exprs.is(Kind::Time, value);
                let is_number = self.exprs.is(Kind::Number, value);
                let time = self.exprs.content(Kind::Time, 0, value, Sort::Int);
                let number = self.exprs.content(Kind::Number, 0, value, Sort::Int);
                let instant = match self.exprs.as_bool(is_time) {
                    Some(true) => time,
                    Some(false) => number,
                    None => self.exprs.ite(is_time, time, number),
                };
                (instant, self.exprs.or([is_time, is_number]))
            }
        })
    }

    /// Returns the condition of a comparison, and the condition that it fails.
    fn compared(&mut self, operator: Operator, left: Expr, right: Expr) -> (Expr, Expr) {
        let no = self.exprs.bool(false);
        let equal = match operator {
            Operator::Equal => return (self.exprs.equal(left, right), no),
            Operator::NotEqual => {
                let equal = self.exprs.equal(left, right);
                return (self.exprs.not(equal), no);
            }
            Operator::LessEqual | Operator::GreaterEqual => true,
            Operator::Less | Operator::Greater => false,
        };
        let is_turned = matches!(operator, Operator::Greater | Operator::GreaterEqual);
        self.ordered_values(Kind::Number, if is_turned { [right, left] } else { [left, right] }, equal)
    }

    /// Returns the condition of an order comparison of two values, and the condition that a value
    /// has the wrong kind.
    pub(crate) fn ordered_values(&mut self, kind: Kind, values: [Expr; 2], or_equal: bool) -> (Expr, Expr) {
        let are = values.map(|value| self.exprs.is(kind, value));
        let are = self.exprs.and(are);
        let [left, right] = values.map(|value| self.exprs.content(kind, 0, value, Sort::Int));
        let holds = if or_equal { self.exprs.less_equal(left, right) } else { self.exprs.less(left, right) };
        (self.exprs.and([are, holds]), self.exprs.not(are))
    }

    /// Returns the condition that a tuple matches a lookup.
    fn fits(&mut self, found: &Lookup, registers: &[Expr], tuple: &[Expr]) -> Result<Expr, Obstacle> {
        let mut parts = Vec::new();
        for (column, value) in (0u16..).zip(tuple) {
            if let Some(source) = found.source(column) {
                let wanted = self.read(source, registers)?;
                let equal = self.exprs.equal(wanted, *value);
                if self.exprs.as_bool(equal) == Some(false) {
                    return Ok(equal);
                }
                parts.push(equal);
            }
        }
        for (one, other) in &found.same {
            if let (Some(one), Some(other)) = (tuple.get(usize::from(*one)), tuple.get(usize::from(*other))) {
                parts.push(self.exprs.equal(*one, *other));
            }
        }
        if let Some(then) = self.is_then(found, registers, tuple)? {
            parts.push(then);
        }
        Ok(self.exprs.and(parts))
    }

    fn is_then(
        &mut self,
        found: &Lookup,
        registers: &[Expr],
        tuple: &[Expr],
    ) -> Result<Option<Expr>, Obstacle> {
        let (Some(when), [.., start, end]) = (found.when.as_deref(), tuple) else { return Ok(None) };
        let Bounds { start: from, end: to } = when.bounds();
        let is_contained = !matches!(when, IntervalCondition::Overlaps(_));
        let (from, is_from) = self.instant(from, registers)?;
        let (to, is_to) = self.instant(to, registers)?;
        let mut of = |value: Expr, limitless: i64| {
            let is_time = self.exprs.is(Kind::Time, value);
            let time = self.exprs.content(Kind::Time, 0, value, Sort::Int);
            let other = self.exprs.int(if is_contained { limitless.into() } else { 0 });
            if self.exprs.as_bool(is_time) == Some(false) {
                other
            } else {
                self.exprs.ite(is_time, time, other)
            }
        };
        let (start, end) = (of(*start, BEGINNING), of(*end, END));
        let mut parts = vec![is_from, is_to];
        if is_contained {
            parts.extend([self.exprs.less_equal(start, from), self.exprs.less_equal(to, end)]);
        }
        if !matches!(when, IntervalCondition::Contains(_)) {
            parts.extend([
                self.exprs.less_equal(start, end),
                self.exprs.less_equal(start, to),
                self.exprs.less_equal(from, end),
            ]);
        }
        Ok(Some(self.exprs.and(parts)))
    }

    /// Returns the condition that any tuple matches.
    fn is_present(&mut self, found: &Lookup, registers: &[Expr]) -> Result<Expr, Obstacle> {
        let count = self.relations.get(found.relation as usize).map_or(0, |relation| relation.tuples.len());
        let mut present = Vec::new();
        for at in 0..count {
            self.tick()?;
            let tuple =
                self.relations.get(found.relation as usize).and_then(|relation| relation.tuples.get(at));
            let Some((values, holds)) = tuple.map(|tuple| (tuple.values.clone(), tuple.holds)) else { break };
            let fits = self.fits(found, registers, &values)?;
            present.push(self.exprs.and([holds, fits]));
        }
        Ok(self.exprs.or(present))
    }

    /// Encodes a built-in predicate and continues with each of its solutions.
    fn solve(&mut self, frame: &mut Frame<'_>, at: usize, step: &Step, path: &Path) -> Result<(), Obstacle> {
        let StepKind::Solve { builtin, name, args, outputs, negated } = &step.kind else { return Ok(()) };
        let mut known = Vec::with_capacity(args.len());
        for arg in args {
            known.push(match arg {
                Some(source) => Some(self.read(*source, &frame.registers)?),
                None => None,
            });
        }
        let solved = self.solved(*builtin, name.as_str(), &known, outputs.len())?;
        let fails = self.exprs.and([path.guard, solved.fails]);
        self.fails(frame.plan.rule, fails);
        if *negated {
            let any: Vec<Expr> = solved.solutions.iter().map(|(holds, _)| *holds).collect();
            let any = self.exprs.or(any);
            let parts = [self.exprs.not(any), self.exprs.not(solved.fails)];
            let none = self.exprs.and(parts);
            let path = self.narrowed(path, none);
            return self.step(frame, at + 1, &path);
        }
        for (holds, values) in solved.solutions {
            for (slot, value) in outputs.iter().zip(&values) {
                write(&mut frame.registers, *slot, *value);
            }
            let path = self.narrowed(path, holds);
            self.step(frame, at + 1, &path)?;
        }
        Ok(())
    }

    /// Returns the tuples of a relation that may match.
    fn fitting(&mut self, frame: &Frame<'_>, found: &Lookup) -> Result<Vec<Tuple>, Obstacle> {
        let count = self.relations.get(found.relation as usize).map_or(0, |relation| relation.tuples.len());
        let mut tuples = Vec::new();
        for number in 0..count {
            self.tick()?;
            let tuple =
                self.relations.get(found.relation as usize).and_then(|relation| relation.tuples.get(number));
            let Some(tuple) = tuple.cloned() else { break };
            let fits = self.fits(found, &frame.registers, &tuple.values)?;
            let holds = self.exprs.and([tuple.holds, fits]);
            if self.exprs.as_bool(holds) != Some(false) {
                tuples.push(Tuple { holds, ..tuple });
            }
        }
        Ok(tuples)
    }

    /// Continues with each matching tuple.
    fn matches(
        &mut self,
        frame: &mut Frame<'_>,
        at: usize,
        found: &Lookup,
        path: &Path,
    ) -> Result<(), Obstacle> {
        let tuples = self.fitting(frame, found)?;
        let keeps_apart = self.recursive.contains(&found.relation);
        let mut order: Vec<Box<[Expr]>> = Vec::new();
        let mut ways: FxHashMap<Box<[Expr]>, Vec<(_, Uses, _)>> = FxHashMap::default();
        for Tuple { values, holds, uses, stage } in tuples {
            let Some(uses) = path.uses.join(&uses) else { continue };
            let taken = taken(found, &values);
            let known = ways.entry(taken.clone()).or_insert_with(|| {
                order.push(taken);
                Vec::new()
            });
            match known.first_mut().filter(|_| !keeps_apart) {
                Some((all, known, _)) => {
                    *all = self.exprs.or([*all, holds]);
                    known.meet(&uses);
                }
                None => known.push((holds, uses, stage)),
            }
        }
        for taken in order {
            for (holds, uses, stage) in ways.remove(&taken).unwrap_or_default() {
                fill(found, &taken, &mut frame.registers);
                let mut stages = path.stages.clone();
                stages.extend(stage);
                let guard = self.exprs.and([path.guard, holds]);
                self.step(frame, at + 1, &Path { guard, uses, stages })?;
            }
        }
        Ok(())
    }

    /// Encodes the rules of a called predicate and continues with their tuples.
    fn call(
        &mut self,
        frame: &mut Frame<'_>,
        at: usize,
        found: &Lookup,
        path: &Path,
    ) -> Result<(), Obstacle> {
        let compiled = self.setting.compiled;
        let rules = compiled.deferred.get(&found.relation).map_or(&[][..], Vec::as_slice);
        let lacks =
            rules.iter().any(|rule| rule.inputs.iter().any(|(column, _)| found.source(*column).is_none()));
        if frame.depth >= MAX_CALL_DEPTH || lacks {
            self.fails(frame.plan.rule, path.guard);
            return Ok(());
        }
        for rule in rules {
            let mut inner = self.frame(&rule.plan)?;
            inner.depth = frame.depth + 1;
            for (column, slot) in &rule.inputs {
                if let Some(source) = found.source(*column) {
                    let value = self.read(source, &frame.registers)?;
                    write(&mut inner.registers, *slot, value);
                }
            }
            self.step(&mut inner, 0, path)?;
            for (values, guard, uses, stages) in inner.out {
                let fits = self.fits(found, &frame.registers, &values)?;
                let guard = self.exprs.and([guard, fits]);
                fill(found, &taken(found, &values), &mut frame.registers);
                self.step(frame, at + 1, &Path { guard, uses, stages })?;
            }
        }
        Ok(())
    }
}

/// Returns the expressions that a row reads from a tuple.
fn taken(found: &Lookup, tuple: &[Expr]) -> Box<[Expr]> {
    let at = |column: usize| tuple.get(column).copied();
    let binds = found.binds.iter().filter_map(|(column, _)| at(usize::from(*column)));
    let start = found.ends.0.and_then(|_| at(tuple.len().checked_sub(2)?));
    let end = found.ends.1.and_then(|_| at(tuple.len().checked_sub(1)?));
    binds.chain(start).chain(end).collect()
}

/// Writes expressions from a tuple to the registers of a row.
fn fill(found: &Lookup, taken: &[Expr], registers: &mut [Expr]) {
    let slots = found.binds.iter().map(|(_, slot)| *slot).chain(found.ends.0).chain(found.ends.1);
    slots.zip(taken).for_each(|(slot, value)| write(registers, slot, *value));
}

/// Writes a register of a row.
pub(crate) fn write(registers: &mut [Expr], slot: Slot, value: Expr) {
    if let Some(register) = registers.get_mut(usize::from(slot)) {
        *register = value;
    }
}
