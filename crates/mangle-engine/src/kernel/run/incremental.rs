//! Incremental evaluation of a program with changing facts, such as facts of a program, a sample or
//! the turns of a transcript.
//!
//! After facts are asserted or retracted, an evaluation visits only the strata that depend on the
//! changes. If the time differs, strata that depend on the clock are also visited. Propagation ends
//! at a stratum with unchanged relations.
//!
//! In each relation, given facts precede derived facts. Derived facts are removed by truncation. A
//! fork costs one pointer per relation.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::plan::{AFTER_BODY, CompiledProgram, Fact, RelationId, RuleId, Stratum};
use super::super::relation::Relation;
use super::super::{Clock, ValueId, Values};
use super::limits::Meter;
use super::model::{FactChange, Reasons, RelationMark};
use super::{Difference, Limits, Model, Run, Stop, StopReason, boxed};
use crate::kernel::collections::MaybeShared;
use crate::program::PredicateId;
use mangle_syntax::text::Cancel;

/// A compiled program with its given facts and the derived model.
#[derive(Debug)]
pub struct Kernel {
    compiled: Arc<CompiledProgram>,
    /// The clauses with disabled facts.
    without: Arc<FxHashSet<RuleId>>,
    /// The number of loaded facts of the program, including disabled facts.
    loaded: usize,
    /// The number of given tuples of each relation, which precede the derived tuples.
    given: Vec<u32>,
    /// The changes since the last evaluation, by relation.
    changes: FxHashMap<RelationId, Vec<FactChange>>,
    model: Model,
    /// The time of the last complete evaluation.
    evaluated: Option<Clock>,
    /// The changes since the mark, by relation. `None` without a mark.
    marked: Option<FxHashMap<RelationId, RelationMark>>,
    /// The memory of the facts of the program in bytes, excluding relations.
    program_bytes: usize,
}

impl Kernel {
    /// A program with its own facts.
    #[must_use]
    pub fn new(compiled: Arc<CompiledProgram>) -> Self {
        Self::without(compiled, FxHashSet::default())
    }

    /// A program without the facts of some clauses.
    #[must_use]
    pub fn without(compiled: Arc<CompiledProgram>, without: FxHashSet<RuleId>) -> Self {
        // Most relations of a large program stay empty, so all share one empty relation per arity.
        let mut empty: FxHashMap<usize, Arc<Relation>> = FxHashMap::default();
        let relations = compiled.arities.iter().map(|&arity| {
            let relation = empty.entry(arity).or_insert_with(|| Arc::new(Relation::new(arity)));
            MaybeShared::Common(Arc::clone(relation))
        });
        let no_reasons = Arc::new(Reasons::default());
        let model = Model {
            values: Values::fork(Arc::clone(&compiled.values)),
            relations: relations.collect(),
            reasons: compiled.arities.iter().map(|_| MaybeShared::Common(Arc::clone(&no_reasons))).collect(),
            ..Model::default()
        };
        let given = vec![0; compiled.arities.len()];
        let (without, changes) = (Arc::new(without), FxHashMap::default());
        let program_bytes =
            compiled.facts.iter().map(|fact| size_of::<Fact>() + boxed(fact.tuple.len())).sum();
        let (evaluated, marked) = (None, None);
        Self { compiled, without, loaded: 0, given, changes, model, evaluated, marked, program_bytes }
    }

    /// Returns an independent copy.
    #[must_use]
    pub fn fork(&mut self) -> Self {
        Self {
            compiled: Arc::clone(&self.compiled),
            without: Arc::clone(&self.without),
            loaded: self.loaded,
            given: self.given.clone(),
            changes: self.changes.clone(),
            model: self.model.fork(),
            evaluated: self.evaluated,
            marked: None,
            program_bytes: self.program_bytes,
        }
    }

    /// The program.
    #[must_use]
    pub fn compiled(&self) -> &Arc<CompiledProgram> {
        &self.compiled
    }

    /// The values of the facts.
    pub fn values(&mut self) -> &mut Values {
        &mut self.model.values
    }

    /// The result of the last evaluation.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The result of the last evaluation, mutable for queries that intern new values.
    pub fn model_mut(&mut self) -> &mut Model {
        &mut self.model
    }

    /// The result of the last evaluation.
    #[must_use]
    pub fn into_model(self) -> Model {
        self.model
    }

    /// Asserts a fact, effective at the next evaluation. Ignored if the predicate does not exist,
    /// or if the number of values is wrong (see [`Fact::tuple`]).
    pub fn assert(&mut self, fact: &Fact) {
        self.change(fact.predicate, FactChange::Assert(fact.tuple.clone(), fact.rule));
    }

    /// Retracts a given fact, effective at the next evaluation. The fact still holds if it can be
    /// derived.
    pub fn retract(&mut self, predicate: PredicateId, tuple: &[ValueId]) {
        self.change(predicate, FactChange::Retract(tuple.into()));
    }

    /// Retracts all facts of a predicate that [`Kernel::assert`] added without a clause, effective
    /// at the next evaluation.
    pub fn forget(&mut self, predicate: PredicateId) {
        self.change(predicate, FactChange::Forget);
    }

    /// Starts tracking differences from the current facts. A fork has no mark.
    pub fn mark(&mut self) {
        self.marked = Some(FxHashMap::default());
    }

    /// The differences from the facts at the mark, by predicate.
    #[must_use]
    pub fn differences(&self) -> Vec<Difference> {
        let predicates = self.compiled.predicates();
        let marked = self.marked.iter().flatten().filter(|(relation, _)| **relation < predicates);
        let mut all: Vec<_> = marked
            .filter_map(|(relation, past)| {
                let now = self.model.relations.get(*relation as usize)?;
                let given = self.given.get(*relation as usize).copied().unwrap_or(0);
                Some(past.difference(PredicateId(*relation), now, given))
            })
            .collect();
        all.retain(|one| !one.added.is_empty() || !one.removed.is_empty());
        all.sort_unstable_by_key(|one| one.predicate);
        all
    }

    /// True if the fact was given at the last evaluation. False if it is only derived.
    #[must_use]
    pub fn is_given(&self, predicate: PredicateId, tuple: &[ValueId]) -> bool {
        let relation = self.compiled.entry(predicate) as usize;
        let number = self.model.relations.get(relation).and_then(|relation| relation.find(tuple));
        number.zip(self.given.get(relation)).is_some_and(|(number, given)| number < *given)
    }

    /// The numbers of given and derived facts.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        let relations =
            self.model.relations.iter().zip(&self.given).take(self.compiled.predicates() as usize);
        relations.fold((0, 0), |(given, derived), (relation, first)| {
            let first = *first as usize;
            (given + first, derived + relation.len().saturating_sub(first))
        })
    }

    fn change(&mut self, predicate: PredicateId, change: FactChange) {
        let columns = self.compiled.arities.get(predicate.0 as usize);
        let fits = match &change {
            FactChange::Assert(tuple, _) | FactChange::Retract(tuple) => columns == Some(&tuple.len()),
            FactChange::Forget => true,
        };
        if !fits || predicate.0 >= self.compiled.predicates() {
            return;
        }
        let division = self.compiled.division.as_ref();
        let stores = match &change {
            FactChange::Assert(..) => division.map(|division| division.keepers(predicate)),
            FactChange::Retract(_) | FactChange::Forget => division.map(|division| division.stores.all()),
        };
        for relation in self.compiled.relations_in(predicate, stores.unwrap_or_default()) {
            self.changes.entry(relation).or_default().push(change.clone());
        }
    }

    /// Evaluates the program with its current facts.
    pub fn evaluate(&mut self, limits: Limits, clock: Clock, cancel: &Cancel) {
        let compiled = Arc::clone(&self.compiled);
        let (all, is_later) = (self.evaluated.is_none(), self.evaluated != Some(clock));
        self.evaluated = None;
        let mut meter = Meter::new(limits, cancel);
        meter.facts = self.model.relations.iter().map(|relation| relation.len()).sum();
        meter.add_bytes(self.program_bytes);
        meter.add_bytes(self.changes.values().flatten().map(FactChange::bytes).sum());
        let mut wave = IncrementalEvaluation {
            run: Run::new(&compiled, std::mem::take(&mut self.model), clock, meter),
            kernel: self,
            changed: FxHashSet::default(),
            all,
            is_later,
        };
        let result = wave.load().and_then(|()| wave.strata()).and_then(|()| wave.order());
        let Run { mut model, meter, .. } = wave.run;
        (model.steps, model.peak_bytes) = (meter.steps(), meter.peak());
        model.stopped = result.err();
        self.evaluated = model.stopped.is_none().then_some(clock);
        self.model = model;
    }
}

/// An evaluation that propagates changes through the strata.
struct IncrementalEvaluation<'k, 'c> {
    kernel: &'k mut Kernel,
    run: Run<'c>,
    changed: FxHashSet<RelationId>,
    /// True if every stratum is evaluated.
    all: bool,
    /// True if the time differs from the last evaluation.
    is_later: bool,
}

impl IncrementalEvaluation<'_, '_> {
    /// Adds the facts of the program that are not loaded yet.
    fn load(&mut self) -> Result<(), Stop> {
        let facts = self.run.compiled.facts.get(self.kernel.loaded..).unwrap_or(&[]);
        for fact in facts {
            let relations = match self.kernel.without.contains(&fact.rule) {
                true => Vec::new(),
                false => self.run.compiled.relations_of(fact),
            };
            for relation in relations {
                if let Some(failure) = self.run.invalid_interval(relation, &fact.tuple) {
                    self.run.failed(fact.rule, AFTER_BODY, failure, &[])?;
                }
                let added = self.run.add(relation, &fact.tuple, fact.rule, &[], false);
                let counted = self.run.meter.step();
                self.count(relation);
                let stop = |reason| Stop { rule: Some(fact.rule), premise: None, reason };
                added.and(counted).map_err(stop)?;
            }
            self.kernel.loaded += 1;
        }
        Ok(())
    }

    /// Marks all tuples of a relation as given.
    fn count(&mut self, relation: RelationId) {
        let len = self.run.len(relation);
        self.kernel.given.get_mut(relation as usize).into_iter().for_each(|given| *given = len);
    }

    fn strata(&mut self) -> Result<(), Stop> {
        let compiled = self.run.compiled;
        for (at, stratum) in (0u32..).zip(&compiled.strata) {
            self.run.stratum = at;
            if self.is_touched(stratum) {
                self.stratum(stratum)?;
            }
        }
        Ok(())
    }

    /// Returns an error if a fact depends on derived facts of a temporal predicate that the engine
    /// may evaluate later.
    fn order(&mut self) -> Result<(), Stop> {
        let compiled = self.run.compiled;
        for read in &compiled.unordered {
            let given = self.kernel.given.get(read.predicate.0 as usize).copied().unwrap_or(0);
            if self.run.len(read.predicate.0) <= given {
                continue;
            }
            for number in 0..self.run.len(read.target) {
                let counted = self.run.meter.step();
                counted.map_err(|reason| Stop { rule: Some(read.rule), premise: None, reason })?;
                let derivation = self.run.model.reason(read.target, number);
                let derivation = derivation.filter(|derivation| derivation.rule == read.rule);
                let found = derivation.and_then(|derivation| derivation.support.get(read.support));
                if found.is_some_and(|found| *found >= given) {
                    let reason = StopReason::Unordered(compiled.name(read.predicate));
                    return Err(Stop { rule: Some(read.rule), premise: Some(read.premise), reason });
                }
            }
        }
        Ok(())
    }

    fn is_touched(&self, stratum: &Stratum) -> bool {
        self.all
            || (self.is_later && stratum.depends_on_time)
            || stratum.relations.iter().any(|relation| self.kernel.changes.contains_key(relation))
            || stratum.reads.iter().any(|relation| self.changed.contains(relation))
    }

    fn stratum(&mut self, stratum: &Stratum) -> Result<(), Stop> {
        let at = self.run.stratum;
        self.run.model.errors.retain(|error| error.stratum != at);
        let mut before: Vec<(RelationId, Option<MaybeShared<Relation>>)> = Vec::new();
        for &relation in &stratum.relations {
            before.push((relation, self.reset(relation)?));
            self.run.recount(relation);
        }
        // The old relations stay in memory for the comparison, and permanently with a mark.
        let held = before.iter().filter_map(|(_, before)| before.as_ref()).map(|before| before.bytes()).sum();
        self.run.meter.add_bytes(held);
        let result = self.run.stratum(stratum);
        stratum.relations.iter().for_each(|relation| self.run.recount(*relation));
        if self.kernel.marked.is_none() {
            self.run.meter.release(held);
        }
        for (relation, mut before) in before {
            let Some(now) = self.run.model.relations.get(relation as usize) else { continue };
            let given = self.kernel.given.get(relation as usize).map_or(0, |given| *given as usize);
            let is_same = before.as_ref().map_or(now.len() == given, |before| before.is_same(now));
            if !is_same {
                self.changed.insert(relation);
                if let Some(marked) = &mut self.kernel.marked {
                    marked.entry(relation).or_insert_with(|| RelationMark::new(before.as_mut()));
                }
            }
        }
        result
    }

    /// Truncates a relation to its given tuples and applies the changes. Returns the old relation
    /// if it had derived tuples.
    fn reset(&mut self, relation: RelationId) -> Result<Option<MaybeShared<Relation>>, Stop> {
        let mut changes = self.kernel.changes.remove(&relation).unwrap_or_default();
        let at = relation as usize;
        let given = self.kernel.given.get(at).copied().unwrap_or(0);
        let model = &mut self.run.model;
        let Some((found, reasons)) = model.relations.get_mut(at).zip(model.reasons.get_mut(at)) else {
            return Ok(None);
        };
        let derived = found.len().saturating_sub(given as usize);
        let mut before = None;
        if let (Some(marked), true) = (&mut self.kernel.marked, derived > 0 && !changes.is_empty()) {
            marked.entry(relation).or_insert_with(|| RelationMark::new(Some(found)));
        }
        if derived > 0 {
            let prefix = MaybeShared::new(found.prefix(given));
            before = Some(std::mem::replace(found, prefix));
            reasons.make_mut().truncate(given);
            self.run.meter.facts = self.run.meter.facts.saturating_sub(derived);
        }
        let (mut done, mut result) = (0, Ok(()));
        for change in &changes {
            let (found, reasons) = (found.make_mut(), reasons.make_mut());
            let mut gone = Vec::new();
            let is_other = match change {
                FactChange::Assert(tuple, rule) => {
                    let is_new = found.insert(tuple).is_some();
                    is_new.then(|| reasons.push(*rule, &[])).is_some()
                }
                FactChange::Retract(tuple) => {
                    gone.extend(remove(found, reasons, tuple).then(|| tuple.clone()));
                    !gone.is_empty()
                }
                FactChange::Forget => {
                    gone = forget(found, reasons);
                    !gone.is_empty()
                }
            };
            if is_other {
                self.changed.insert(relation);
                if let Some(marked) = &mut self.kernel.marked {
                    marked.entry(relation).or_default().note(change, gone);
                }
            }
            done += 1;
            let meter = &mut self.run.meter;
            let counted = if is_other { meter.fact(false) } else { Ok(()) };
            if let Err(reason) = counted.and_then(|()| meter.step()) {
                result = Err(Stop { rule: change.rule(), premise: None, reason });
                break;
            }
        }
        if done > 0 {
            self.count(relation);
        }
        // Remaining changes wait for the next evaluation.
        changes.drain(..done);
        if !changes.is_empty() {
            self.kernel.changes.insert(relation, changes);
        }
        result.map(|()| before)
    }
}

/// Removes a tuple from a relation that contains only given tuples. Returns false if the tuple is
/// missing.
fn remove(relation: &mut Relation, reasons: &mut Reasons, tuple: &[ValueId]) -> bool {
    let Some(gone) = relation.find(tuple) else { return false };
    keep(relation, reasons, |number, _| number != gone);
    true
}

/// Removes all tuples without a clause from a relation that contains only given tuples. Returns the
/// removed tuples.
fn forget(relation: &mut Relation, reasons: &mut Reasons) -> Vec<Box<[ValueId]>> {
    let numbered = (0u32..).zip(relation.tuples());
    let gone = numbered.filter(|(number, _)| reasons.rule(*number) == RuleId::ASSERTED);
    let gone: Vec<Box<[ValueId]>> = gone.map(|(_, tuple)| tuple.into()).collect();
    if !gone.is_empty() {
        keep(relation, reasons, |_, rule| rule != RuleId::ASSERTED);
    }
    gone
}

/// Keeps the tuples that pass a test of their number and clause, in a relation of given tuples.
fn keep(relation: &mut Relation, reasons: &mut Reasons, stays: impl Fn(u32, RuleId) -> bool) {
    let len = u32::try_from(relation.len()).unwrap_or(u32::MAX);
    let (mut others, mut their_reasons) = (Relation::new(relation.arity()), Reasons::default());
    for number in (0..len).filter(|number| stays(*number, reasons.rule(*number))) {
        others.insert(relation.tuple(number));
        their_reasons.push(reasons.rule(number), &[]);
    }
    (*relation, *reasons) = (others, their_reasons);
}
