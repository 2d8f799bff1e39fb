//! Evaluation of the steps of a plan, for every combination of the previous steps.

use mangle_engine::kernel::plan::{Bound, Lookup, MAX_CALL_DEPTH, Slot, Step, StepKind, ValueSource};
use mangle_engine::kernel::{Builtin, Failure, Function, RuleId, ValueId, compare};
use mangle_syntax::syntax::ast::Operator;
use rustc_hash::FxHashMap;

use super::Evaluation;
use super::relation::{Computed, Frame, Test};
use super::slots::{Term, Uses};
use crate::circuit::Literal;
use crate::obstacle::Obstacle;

impl Evaluation<'_> {
    /// Continues at a step of a plan with the condition `guard`.
    pub(super) fn step(
        &mut self,
        frame: &mut Frame<'_>,
        at: usize,
        guard: Literal,
        uses: &Uses,
    ) -> Result<(), Obstacle> {
        self.tick()?;
        if guard == self.circuit.no() {
            return Ok(());
        }
        let plan = frame.plan;
        let Some(step) = plan.steps.get(at) else {
            let head = plan.head.iter().map(|source| self.read(*source, &frame.row)).collect();
            frame.out.push((head, guard, uses.clone()));
            return Ok(());
        };
        match &step.kind {
            StepKind::Match(found) => self.matches(frame, at, found, guard, uses),
            StepKind::Absent(found) => {
                let lookup = self.lookup(found, &frame.row);
                let present = self.is_present(lookup)?;
                let guard = self.circuit.both(guard, !present);
                self.step(frame, at + 1, guard, uses)
            }
            StepKind::Call(found) => self.call(frame, at, found, guard, uses),
            StepKind::Compute { .. } | StepKind::Instant { .. } => {
                let guard = self.compute(plan.rule, step, &mut frame.row, guard)?;
                self.step(frame, at + 1, guard, uses)
            }
            StepKind::Compare { operator, left, right } => {
                let (left, right) = (self.read(*left, &frame.row), self.read(*right, &frame.row));
                let holds = self.compare(plan.rule, *operator, left, right, guard)?;
                self.step(frame, at + 1, holds, uses)
            }
            StepKind::Solve { builtin, args, outputs, negated, .. } => {
                let call = BuiltinCall { builtin: *builtin, args, outputs, negated: *negated };
                self.solve(frame, at, call, guard, uses)
            }
            StepKind::Never => Ok(()),
            StepKind::Fail(_) => {
                self.fails(plan.rule, guard);
                Ok(())
            }
        }
    }

    /// Returns the term of a source.
    pub(super) fn read(&mut self, source: ValueSource, row: &[Term]) -> Term {
        match source {
            ValueSource::Value(value) => self.terms.value(value),
            ValueSource::Slot(slot) => {
                row.get(usize::from(slot)).copied().unwrap_or_else(|| self.terms.value(ValueId(0)))
            }
        }
    }

    /// Evaluates a step that computes a value. Returns the condition that the value exists.
    pub(super) fn compute(
        &mut self,
        rule: mangle_engine::kernel::RuleId,
        step: &Step,
        row: &mut [Term],
        guard: Literal,
    ) -> Result<Literal, Obstacle> {
        let Some((slot, computed)) = self.computed(step, row)? else { return Ok(guard) };
        let fails = self.circuit.both(guard, computed.fails);
        self.fails(rule, fails);
        write(row, slot, computed.term);
        Ok(self.circuit.both(guard, computed.succeeds))
    }

    /// Returns the result of a computing step and its register. `None` for other steps.
    pub(super) fn computed(
        &mut self,
        step: &Step,
        row: &[Term],
    ) -> Result<Option<(Slot, Computed)>, Obstacle> {
        match &step.kind {
            StepKind::Compute { slot, function, args } => {
                let args: Box<[Term]> = args.iter().map(|arg| self.read(*arg, row)).collect();
                Ok(Some((*slot, self.applied(*function, args)?)))
            }
            StepKind::Instant { slot, bound } => Ok(Some((*slot, self.instant(*bound, row)?))),
            _ => Ok(None),
        }
    }

    fn applied(&mut self, function: Function, args: Box<[Term]>) -> Result<Computed, Obstacle> {
        let key = (function.name(), args);
        if let Some(known) = self.memo.computed.get(&key) {
            return Ok(*known);
        }
        let clock = self.setting.clock;
        let computed = self.map(&key.1, |values, args| function.apply(values, args, &clock))?;
        self.memo.computed.insert(key, computed);
        Ok(computed)
    }

    /// Returns the term of the results of `apply` for each combination of values.
    fn map(
        &mut self,
        args: &[Term],
        mut apply: impl FnMut(&mut mangle_engine::kernel::Values, &[ValueId]) -> Result<ValueId, Failure>,
    ) -> Result<Computed, Obstacle> {
        let combinations = self.terms.combinations(&mut self.circuit, args)?;
        let (mut order, mut cases) = (Vec::new(), FxHashMap::<ValueId, Vec<Literal>>::default());
        let mut failing = Vec::new();
        for (number, (args, literal)) in combinations.into_iter().enumerate() {
            if number % 64 == 63 {
                self.check_budget()?;
            }
            match apply(&mut self.values, &args) {
                Ok(value) => cases
                    .entry(value)
                    .or_insert_with(|| {
                        order.push(value);
                        Vec::new()
                    })
                    .push(literal),
                Err(_) => failing.push(literal),
            }
        }
        let mut options = Vec::with_capacity(order.len());
        for value in order {
            let literal = self.circuit.any(cases.remove(&value).unwrap_or_default());
            options.push((value, literal));
        }
        let succeeds = self.circuit.any(options.iter().map(|(_, literal)| *literal).collect::<Vec<_>>());
        let term = self.terms.choice(&self.circuit, options);
        let fails = self.circuit.any(failing);
        Ok(Computed { term, succeeds, fails })
    }

    fn instant(&mut self, bound: Bound, row: &[Term]) -> Result<Computed, Obstacle> {
        let clock = self.setting.clock;
        let args: Vec<Term> = match bound {
            Bound::Value(source) | Bound::Stored(source) => vec![self.read(source, row)],
            Bound::Instant(_) | Bound::Ago(_) => Vec::new(),
        };
        self.map(&args, |values, args| {
            let row = args.first().copied().map_or_else(Vec::new, |value| vec![value]);
            let bound = match (bound, args.first()) {
                (Bound::Value(_), Some(_)) => Bound::Value(ValueSource::Slot(0)),
                (Bound::Stored(_), Some(_)) => Bound::Stored(ValueSource::Slot(0)),
                (bound, _) => bound,
            };
            bound.value(values, &clock, &row)
        })
    }

    fn compared(&mut self, operator: Operator, left: Term, right: Term) -> Result<Test, Obstacle> {
        let key = (operator, left, right);
        if let Some(known) = self.memo.tests.get(&key) {
            return Ok(*known);
        }
        let no = self.circuit.no();
        let test = match operator {
            Operator::Equal => Test { holds: self.terms.equal(&mut self.circuit, left, right), fails: no },
            Operator::NotEqual => {
                Test { holds: !self.terms.equal(&mut self.circuit, left, right), fails: no }
            }
            _ => {
                let (mut holds, mut fails) = (Vec::new(), Vec::new());
                for (values, literal) in self.terms.combinations(&mut self.circuit, &[left, right])? {
                    let [left, right] = values.as_slice() else { continue };
                    match compare(&self.values, operator, *left, *right) {
                        Ok(true) => holds.push(literal),
                        Ok(false) => {}
                        Err(_) => fails.push(literal),
                    }
                }
                Test { holds: self.circuit.any(holds), fails: self.circuit.any(fails) }
            }
        };
        self.memo.tests.insert(key, test);
        Ok(test)
    }

    /// Returns the condition of a comparison. A failure stops the evaluation.
    fn compare(
        &mut self,
        rule: RuleId,
        operator: Operator,
        left: Term,
        right: Term,
        guard: Literal,
    ) -> Result<Literal, Obstacle> {
        let test = self.compared(operator, left, right)?;
        let fails = self.circuit.both(guard, test.fails);
        self.fails(rule, fails);
        Ok(self.circuit.both(guard, test.holds))
    }

    /// Evaluates a built-in predicate and continues with each of its solutions.
    fn solve(
        &mut self,
        frame: &mut Frame<'_>,
        at: usize,
        call: BuiltinCall<'_>,
        guard: Literal,
        uses: &Uses,
    ) -> Result<(), Obstacle> {
        let BuiltinCall { builtin, args, outputs, negated } = call;
        let known: Vec<Term> = args.iter().flatten().map(|arg| self.read(*arg, &frame.row)).collect();
        let combinations = self.terms.combinations(&mut self.circuit, &known)?;
        let (mut order, mut cases) = (Vec::new(), FxHashMap::<Vec<ValueId>, Vec<Literal>>::default());
        let mut failing = Vec::new();
        for (number, (values, literal)) in combinations.into_iter().enumerate() {
            if number % 64 == 63 {
                self.check_budget()?;
            }
            let mut values = values.into_iter();
            let args: Vec<Option<ValueId>> = args.iter().map(|arg| arg.and_then(|_| values.next())).collect();
            let mut found = Vec::new();
            let solutions = match builtin.solve(&mut self.values, &args, &mut found) {
                Ok(count) if negated => usize::from(count == 0),
                Ok(count) => count,
                Err(_) => {
                    failing.push(literal);
                    continue;
                }
            };
            for solution in 0..solutions {
                let values = found.iter().skip(solution * outputs.len()).take(outputs.len());
                let solution: Vec<ValueId> = values.copied().filter(|_| !negated).collect();
                let known = cases.entry(solution.clone()).or_insert_with(|| {
                    order.push(solution);
                    Vec::new()
                });
                known.push(literal);
            }
        }
        let failing = self.circuit.any(failing);
        let fails = self.circuit.both(guard, failing);
        self.fails(frame.plan.rule, fails);
        for solution in order {
            let holds = self.circuit.any(cases.remove(&solution).unwrap_or_default());
            for (slot, value) in outputs.iter().zip(&solution) {
                let term = self.terms.value(*value);
                write(&mut frame.row, *slot, term);
            }
            let guard = self.circuit.both(guard, holds);
            self.step(frame, at + 1, guard, uses)?;
        }
        Ok(())
    }

    /// Evaluates the rules of a called predicate and continues with their tuples.
    fn call(
        &mut self,
        frame: &mut Frame<'_>,
        at: usize,
        found: &Lookup,
        guard: Literal,
        uses: &Uses,
    ) -> Result<(), Obstacle> {
        let compiled = self.setting.compiled;
        let rules = compiled.deferred.get(&found.relation).map_or(&[][..], Vec::as_slice);
        let lacks =
            rules.iter().any(|rule| rule.inputs.iter().any(|(column, _)| found.source(*column).is_none()));
        if frame.depth >= MAX_CALL_DEPTH || lacks {
            self.fails(frame.plan.rule, guard);
            return Ok(());
        }
        for rule in rules {
            let mut inner = Frame::new(&rule.plan, &mut self.terms);
            inner.depth = frame.depth + 1;
            for (column, slot) in &rule.inputs {
                if let Some(source) = found.source(*column) {
                    let term = self.read(source, &frame.row);
                    write(&mut inner.row, *slot, term);
                }
            }
            self.step(&mut inner, 0, guard, uses)?;
            self.go_on(frame, at, found, inner.out, None)?;
        }
        Ok(())
    }
}

/// A call of a built-in predicate: known arguments, and slots for the others.
#[derive(Clone, Copy)]
struct BuiltinCall<'c> {
    builtin: Builtin,
    args: &'c [Option<ValueSource>],
    outputs: &'c [Slot],
    negated: bool,
}

/// Writes a register of a row.
pub(super) fn write(row: &mut [Term], slot: Slot, term: Term) {
    if let Some(register) = row.get_mut(usize::from(slot)) {
        *register = term;
    }
}
