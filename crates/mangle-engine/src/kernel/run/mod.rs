//! Semi-naive evaluation, stratum by stratum. Rules are evaluated once, and then for the tuples of
//! the previous round. Aggregations are last.
//!
//! The input is a [`CompiledProgram`] with limits and cancellation. The result is a [`Model`], or a
//! [`Kernel`] for facts that change. If an evaluation stops early, the model contains the facts
//! that were derived until then.

mod aggregate;
mod incremental;
mod join;
mod limits;
mod merging;
mod model;

pub use incremental::Kernel;
pub use limits::{Limits, STEPS_BETWEEN_CHECKS, Stop, StopReason};
pub use model::{Binding, Derivation, Difference, Model, RowError};

use std::sync::Arc;

use limits::Meter;

use super::plan::{BEGINNING, CompiledProgram, END, NOW_NAME, Plan, RuleId, StepKind, Stratum, nanos};
use super::{Clock, Datum, Failure, Reading, ValueId};
use mangle_syntax::text::Cancel;

/// The maximum number of recorded errors per rule.
const ERRORS_KEPT: usize = 8;

/// Evaluates a program.
#[must_use]
pub fn run(compiled: &Arc<CompiledProgram>, limits: Limits, clock: Clock, cancel: &Cancel) -> Model {
    let mut kernel = Kernel::new(Arc::clone(compiled));
    kernel.evaluate(limits, clock, cancel);
    kernel.into_model()
}

/// The state of an evaluation.
struct Run<'c> {
    compiled: &'c CompiledProgram,
    clock: Clock,
    meter: Meter<'c>,
    model: Model,
    /// The current stratum.
    stratum: u32,
    /// The number of nested calls of deferred predicates.
    depth: u32,
    /// The ends that mark a missing interval.
    no_interval: [ValueId; 2],
    /// The numbers of temporal facts that rules of the current stratum derived again in the first
    /// round.
    derived_again: std::collections::BTreeSet<u32>,
    /// The facts that were replaced in the last rounds.
    stale: merging::ReplacedFacts,
    /// The memory of each relation and its reasons, in bytes, as last reported to the meter.
    counted: Vec<usize>,
}

impl<'c> Run<'c> {
    fn new(compiled: &'c CompiledProgram, mut model: Model, clock: Clock, mut meter: Meter<'c>) -> Self {
        let no_interval =
            [END, BEGINNING].map(|end| model.values.intern(Datum::Time(end)).unwrap_or(ValueId(0)));
        let relations = model.relations.iter().zip(&model.reasons);
        let counted: Vec<usize> =
            relations.map(|(relation, reasons)| relation.bytes() + reasons.bytes()).collect();
        meter.add_bytes(counted.iter().sum::<usize>());
        meter.add_bytes(model.values.bytes_in_all() - model.values.bytes());
        meter.values(&model.values);
        Self {
            compiled,
            clock,
            meter,
            model,
            stratum: 0,
            depth: 0,
            no_interval,
            derived_again: std::collections::BTreeSet::new(),
            stale: merging::ReplacedFacts::default(),
            counted,
        }
    }

    /// Updates the memory of a relation in the meter.
    fn recount(&mut self, relation: u32) {
        let at = relation as usize;
        let found = self.model.relations.get(at).zip(self.model.reasons.get(at));
        let now = found.map_or(0, |(relation, reasons)| relation.bytes() + reasons.bytes());
        if let Some(counted) = self.counted.get_mut(at) {
            self.meter.release(std::mem::replace(counted, now));
            self.meter.add_bytes(now);
        }
    }

    fn stratum(&mut self, stratum: &Stratum) -> Result<(), Stop> {
        if !stratum.copies.is_empty() {
            return self.unite(stratum);
        }
        self.stale = merging::ReplacedFacts::default();
        let start = self.lengths(stratum);
        self.derived_again.clear();
        for plan in &stratum.plans {
            // The tuples of this round are processed in the next one. Only temporal rules of the
            // engine also find the tuples of earlier temporal rules.
            let high = if self.loses_intervals(plan) { self.lengths(stratum) } else { start.clone() };
            let delta = plan.steps.len();
            let round =
                join::Round { relations: &stratum.relations, low: &high, high: &high, delta, others: None };
            self.evaluate(plan, Some(&round))?;
        }
        if stratum.plans.iter().any(|plan| recursive_steps(plan, stratum).next().is_some()) {
            self.run_without_intervals(stratum, &start)?;
            self.rounds(stratum, start)?;
        }
        self.publish_merged(stratum)?;
        stratum.aggregates.iter().try_for_each(|aggregate| self.aggregate(aggregate))
    }

    /// Evaluates the rules for the tuples of the previous round until a fixed point. `low` is the
    /// state before that round.
    ///
    /// From the second of these rounds on, some engines never combine two facts of the same round.
    /// The remaining premises of a rule do not find such facts.
    fn rounds(&mut self, stratum: &Stratum, mut low: Vec<u32>) -> Result<(), Stop> {
        self.keep_stale(stratum);
        let mut is_first = true;
        loop {
            self.stale.next_round();
            let high = self.lengths(stratum);
            if low == high {
                return Ok(());
            }
            for plan in stratum.plans.iter().filter(|plan| !self.loses_intervals(plan)).collect::<Vec<_>>() {
                for delta in recursive_steps(plan, stratum) {
                    let relations = &stratum.relations;
                    let is_late = !is_first && self.compiled.misses_same_round_joins();
                    let others = is_late.then_some(low.as_slice());
                    let round = join::Round { relations, low: &low, high: &high, delta, others };
                    self.evaluate(plan, Some(&round))?;
                }
            }
            is_first = false;
            low = high;
        }
    }

    /// Reproduces the second round of the engine for temporal rules.
    ///
    /// From this round on, recursive rules lose the intervals of derived facts, and later rounds do
    /// not see these facts. The round starts with all facts that the first round derived, including
    /// already known facts.
    fn run_without_intervals(&mut self, stratum: &Stratum, start: &[u32]) -> Result<(), Stop> {
        let all = self.lengths(stratum);
        let forgetful: Vec<_> = stratum.plans.iter().filter(|plan| self.loses_intervals(plan)).collect();
        let again: Vec<u32> = std::mem::take(&mut self.derived_again).into_iter().collect();
        let again = again.iter().map(|number| (vec![*number; all.len()], vec![*number + 1; all.len()]));
        let ranges: Vec<_> = std::iter::once((start.to_vec(), all.clone())).chain(again).collect();
        for plan in forgetful {
            for delta in recursive_steps(plan, stratum) {
                for (low, high) in &ranges {
                    let relations = &stratum.relations;
                    let round = join::Round { relations, low, high, delta, others: Some(&all) };
                    self.evaluate(plan, Some(&round))?;
                }
            }
        }
        Ok(())
    }

    /// In the engine's reading, records that a rule derives a known temporal fact again.
    fn record_rederived(&mut self, relation: u32, tuple: &[ValueId]) {
        let is_temporal = self.compiled.temporal.get(relation as usize) == Some(&true);
        if !is_temporal || self.compiled.reading != Reading::Engine {
            return;
        }
        let found = self.model.relations.get(relation as usize);
        if let Some(number) = found.and_then(|found| found.find(tuple)) {
            self.derived_again.insert(number);
        }
    }

    /// The failure of the engine for a temporal fact with an interval that ends before it starts.
    fn invalid_interval(&self, relation: u32, tuple: &[ValueId]) -> Option<Failure> {
        let is_temporal = self.compiled.temporal.get(relation as usize) == Some(&true);
        if !is_temporal || self.compiled.reading != Reading::Engine {
            return None;
        }
        let values = &self.model.values;
        let [.., start, end] = tuple else { return None };
        let is_instant =
            |end: &ValueId| !matches!(values.get(*end), Datum::Name(name) if &**name == NOW_NAME);
        if [*start, *end] == self.no_interval || !is_instant(start) || !is_instant(end) {
            return None;
        }
        let (first, last) = (nanos(values, *start), nanos(values, *end));
        let is_bounded =
            values.get(*start) != &Datum::Time(BEGINNING) && values.get(*end) != &Datum::Time(END);
        (is_bounded && first > last).then(|| {
            let [start, end] = [first, last].map(super::Bound::At);
            Failure::wrong(format!("invalid temporal interval: start {start} > end {end}"))
        })
    }

    fn loses_intervals(&self, plan: &Plan) -> bool {
        self.compiled.reading == Reading::Engine
            && self.compiled.temporal.get(plan.target as usize) == Some(&true)
    }

    fn lengths(&self, stratum: &Stratum) -> Vec<u32> {
        stratum.relations.iter().map(|&relation| self.len(relation)).collect()
    }

    fn len(&self, relation: u32) -> u32 {
        self.model
            .relations
            .get(relation as usize)
            .map_or(0, |found| u32::try_from(found.len()).unwrap_or(u32::MAX))
    }

    /// Adds a tuple with the tuples of its derivation.
    fn add(
        &mut self,
        relation: u32,
        tuple: &[ValueId],
        rule: RuleId,
        support: &[u32],
        derived: bool,
    ) -> Result<(), StopReason> {
        let Some(found) = self.model.relations.get_mut(relation as usize) else { return Ok(()) };
        if let Some(number) = found.make_mut().insert(tuple) {
            if let Some(reasons) = self.model.reasons.get_mut(relation as usize) {
                reasons.make_mut().push(rule, support);
            }
            if is_counted(number, tuple.len() + support.len()) {
                self.recount(relation);
            }
            self.meter.fact(derived)?;
        }
        Ok(())
    }

    /// Handles a failure. In the engine's reading it stops the evaluation, otherwise only the row
    /// is lost.
    fn failed(&mut self, rule: RuleId, premise: u32, failure: Failure, row: &[ValueId]) -> Result<(), Stop> {
        if self.model.errors.iter().filter(|error| error.rule == rule).count() < ERRORS_KEPT {
            self.model.errors.push(RowError {
                rule,
                premise,
                failure: failure.clone(),
                row: row.into(),
                stratum: self.stratum,
            });
        }
        match self.compiled.reading {
            Reading::Engine => {
                Err(Stop { rule: Some(rule), premise: Some(premise), reason: StopReason::Failed(failure) })
            }
            Reading::Intended => Ok(()),
        }
    }
}

/// The maximum number of tuples of a relation between updates of the meter.
const UNCOUNTED: u32 = 256;

/// True if the meter is updated after this tuple, which has `width` values and reasons.
fn is_counted(number: u32, width: usize) -> bool {
    number.is_multiple_of(UNCOUNTED) || number.is_power_of_two() || width > UNCOUNTED as usize
}

/// The memory of a boxed tuple in bytes.
fn boxed(width: usize) -> usize {
    size_of::<Box<[ValueId]>>() + (width * size_of::<ValueId>()).next_multiple_of(16)
}

/// The steps of a plan that look up tuples of the stratum itself.
fn recursive_steps<'p>(plan: &'p Plan, stratum: &'p Stratum) -> impl Iterator<Item = usize> + 'p {
    plan.steps.iter().enumerate().filter_map(|(at, step)| match &step.kind {
        StepKind::Match(found) if stratum.relations.contains(&found.relation) => Some(at),
        _ => None,
    })
}

impl Run<'_> {
    /// Adds the tuples of the copies of a predicate to its union relation.
    ///
    /// If several stores derive a fact, the first store is used. The reason of a united tuple is
    /// its clause in the store, and the position of the copy.
    fn unite(&mut self, stratum: &Stratum) -> Result<(), Stop> {
        let Some(&target) = stratum.relations.first() else { return Ok(()) };
        for &copy in &stratum.copies {
            for number in 0..self.len(copy) {
                let found = self.model.relations.get(copy as usize);
                let found = found.filter(|relation| relation.is_visible(number, false));
                let Some(tuple) = found.map(|relation| relation.tuple(number).to_vec()) else { continue };
                let rule = self.model.reason(copy, number).map_or(RuleId::ASSERTED, |reason| reason.rule);
                let stop = |reason| Stop { rule: Some(rule), premise: None, reason };
                self.meter.step().map_err(stop)?;
                self.add(target, &tuple, rule, &[copy, number], false).map_err(stop)?;
            }
        }
        Ok(())
    }
}
