//! The evaluation: stratum by stratum, each rule once and then again for what the others added (semi-naive, by
//! ranges of tuple numbers), aggregations last.
//!
//! Takes a [`Compiled`] program, limits and a cancellation; gives a [`Model`], or a [`Kernel`] whose facts can change. Whatever ends the run,
//! what was derived until then is in it.

mod aggregate;
mod derivation;
mod fact_change;
mod join;
mod layers;
mod limits;
mod mark;
mod merging;
mod model;
mod reasons;
mod union;

pub use derivation::Derivation;
pub use layers::Kernel;
pub use limits::{Limits, Reason, STEPS_BETWEEN_LOOKS, Stop};
pub use mark::Difference;
pub use model::{Model, RowError};

use std::sync::Arc;

use self::limits::Meter;
use super::plan::{BEGINNING, Compiled, END, NOW, Plan, RuleId, StepKind, Stratum, nanos};
use super::{Clock, Datum, Failure, ValueId};
use crate::kernel::Reading;
use mangle_syntax::text::Cancel;

/// How many errors of one rule are remembered.
const ERRORS_KEPT: usize = 8;

/// Evaluates a program.
#[must_use]
pub fn run(compiled: &Arc<Compiled>, limits: Limits, clock: Clock, cancel: &Cancel) -> Model {
    let mut kernel = Kernel::new(Arc::clone(compiled));
    kernel.evaluate(limits, clock, cancel);
    kernel.into_model()
}

/// A run under way.
struct Run<'c> {
    compiled: &'c Compiled,
    clock: Clock,
    meter: Meter<'c>,
    model: Model,
    /// The stratum at hand.
    stratum: u32,
    /// How many calls of deferred predicates are under way.
    depth: u32,
    /// The ends of the interval that is none.
    no_interval: [ValueId; 2],
    /// The temporal facts of the stratum at hand, by number, that rules derived once more in the first round.
    derived_again: std::collections::BTreeSet<u32>,
    /// What gave way in the last rounds.
    stale: merging::ReplacedFacts,
    /// How many bytes of each relation, with its reasons, the meter has counted.
    counted: Vec<usize>,
}

impl<'c> Run<'c> {
    fn new(compiled: &'c Compiled, mut model: Model, clock: Clock, mut meter: Meter<'c>) -> Self {
        let no_interval =
            [END, BEGINNING].map(|end| model.values.intern(Datum::Time(end)).unwrap_or(ValueId(0)));
        let relations = model.relations.iter().zip(&model.reasons);
        let counted: Vec<usize> =
            relations.map(|(relation, reasons)| relation.bytes() + reasons.bytes()).collect();
        meter.hold(counted.iter().sum::<usize>());
        meter.hold(model.values.bytes_in_all() - model.values.bytes());
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

    /// Lets the meter know how many bytes a relation takes by now.
    fn recount(&mut self, relation: u32) {
        let at = relation as usize;
        let found = self.model.relations.get(at).zip(self.model.reasons.get(at));
        let now = found.map_or(0, |(relation, reasons)| relation.bytes() + reasons.bytes());
        if let Some(counted) = self.counted.get_mut(at) {
            self.meter.release(std::mem::replace(counted, now));
            self.meter.hold(now);
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
            // Nobody looks at what this round adds: that is the next one's. Only the engine's rules find what
            // temporal rules before them added.
            let high = if self.forgets(plan) { self.lengths(stratum) } else { start.clone() };
            let delta = plan.steps.len();
            let round =
                join::Round { relations: &stratum.relations, low: &high, high: &high, delta, others: None };
            self.evaluate(plan, Some(&round))?;
        }
        if stratum.plans.iter().any(|plan| recursive_steps(plan, stratum).next().is_some()) {
            self.forgetful(stratum, &start)?;
            self.rounds(stratum, start)?;
        }
        self.keep(stratum)?;
        stratum.aggregates.iter().try_for_each(|aggregate| self.aggregate(aggregate))
    }

    /// Evaluates the rules for what the last round added, until nothing is. `low`: what there was before it.
    ///
    /// Some engines do not find what the last round added with the other premises of a rule, from the second of these rounds
    /// on: they never combine two facts of the same round.
    fn rounds(&mut self, stratum: &Stratum, mut low: Vec<u32>) -> Result<(), Stop> {
        self.keep_stale(stratum);
        let mut is_first = true;
        loop {
            self.stale.turn();
            let high = self.lengths(stratum);
            if low == high {
                return Ok(());
            }
            for plan in stratum.plans.iter().filter(|plan| !self.forgets(plan)).collect::<Vec<_>>() {
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

    /// From the second round on the engine forgets the intervals of what recursive rules derive, and sees what it
    /// has then no more. The second round starts from all that rules derived in the first one, also if it was known.
    /// Only as it does it.
    fn forgetful(&mut self, stratum: &Stratum, start: &[u32]) -> Result<(), Stop> {
        let all = self.lengths(stratum);
        let forgetful: Vec<_> = stratum.plans.iter().filter(|plan| self.forgets(plan)).collect();
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

    /// Notes a temporal fact that a rule is about to derive although it is known, in the engine's reading.
    fn note_derived(&mut self, relation: u32, tuple: &[ValueId]) {
        let is_temporal = self.compiled.temporal.get(relation as usize) == Some(&true);
        if !is_temporal || self.compiled.reading != Reading::Engine {
            return;
        }
        let found = self.model.relations.get(relation as usize);
        if let Some(number) = found.and_then(|found| found.find(tuple)) {
            self.derived_again.insert(number);
        }
    }

    /// Why the engine does not store a temporal fact: its interval ends before it starts.
    fn inverted(&self, relation: u32, tuple: &[ValueId]) -> Option<Failure> {
        let is_temporal = self.compiled.temporal.get(relation as usize) == Some(&true);
        if !is_temporal || self.compiled.reading != Reading::Engine {
            return None;
        }
        let values = &self.model.values;
        let [.., start, end] = tuple else { return None };
        let is_instant = |end: &ValueId| !matches!(values.get(*end), Datum::Name(name) if &**name == NOW);
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

    fn forgets(&self, plan: &Plan) -> bool {
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

    /// Adds a tuple, with the tuples that it was derived from.
    fn add(
        &mut self,
        relation: u32,
        tuple: &[ValueId],
        rule: RuleId,
        support: &[u32],
        derived: bool,
    ) -> Result<(), Reason> {
        let Some(found) = self.model.relations.get_mut(relation as usize) else { return Ok(()) };
        if let Some(number) = found.own().insert(tuple) {
            if let Some(reasons) = self.model.reasons.get_mut(relation as usize) {
                reasons.own().push(rule, support);
            }
            if is_counted(number, tuple.len() + support.len()) {
                self.recount(relation);
            }
            self.meter.fact(derived)?;
        }
        Ok(())
    }

    /// What a failure does: it ends the run as it would end the engine's, or only this row is lost.
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
                Err(Stop { rule: Some(rule), premise: Some(premise), reason: Reason::Failed(failure) })
            }
            Reading::Intended => Ok(()),
        }
    }
}

/// How many tuples of a relation there may be that the meter does not know of yet.
const UNCOUNTED: u32 = 256;

/// Whether the meter counts a relation again when it has one more tuple, of so many values and reasons.
fn is_counted(number: u32, width: usize) -> bool {
    number.is_multiple_of(UNCOUNTED) || number.is_power_of_two() || width > UNCOUNTED as usize
}

/// The bytes of a tuple in a box of its own.
fn boxed(width: usize) -> usize {
    size_of::<Box<[ValueId]>>() + (width * size_of::<ValueId>()).next_multiple_of(16)
}

/// The steps of a plan that look tuples of the stratum up.
fn recursive_steps<'p>(plan: &'p Plan, stratum: &'p Stratum) -> impl Iterator<Item = usize> + 'p {
    plan.steps.iter().enumerate().filter_map(|(at, step)| match &step.kind {
        StepKind::Match(found) if stratum.relations.contains(&found.relation) => Some(at),
        _ => None,
    })
}
