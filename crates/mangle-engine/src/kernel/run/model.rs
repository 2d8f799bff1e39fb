//! Result of an evaluation: the tuples of each relation with their first derivations, the values in
//! a row that failed, and the differences since a mark.

use rustc_hash::FxHashMap;

use super::{Stop, boxed};
use crate::kernel::collections::{ChunkedVec, MaybeShared};
use crate::kernel::plan::{AFTER_BODY, CompiledProgram, Lookup, Plan, RelationId, RuleId, StepKind};
use crate::kernel::relation::Relation;
use crate::kernel::{Failure, ValueId, Values};
use crate::program::PredicateId;
use mangle_settings::StoreSet;

/// The facts that follow from a program.
#[derive(Debug, Default)]
pub struct Model {
    /// The values of the tuples.
    pub values: Values,
    pub(in crate::kernel) relations: Vec<MaybeShared<Relation>>,
    pub(in crate::kernel) reasons: Vec<MaybeShared<Reasons>>,
    /// Rows that were lost because of a failure. In the engine's reading, the first failure stops
    /// the evaluation.
    pub errors: Vec<RowError>,
    /// The limit or error that stopped the evaluation early.
    pub stopped: Option<Stop>,
    /// The number of steps of the last evaluation.
    pub steps: u64,
    /// The peak memory of relations, values and reasons during the last evaluation, in bytes.
    pub peak_bytes: usize,
}

/// A row of a body that a failure ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowError {
    /// The clause.
    pub rule: RuleId,
    /// The premise, or [`AFTER_BODY`](crate::kernel::AFTER_BODY).
    pub premise: u32,
    /// The failure.
    pub failure: Failure,
    /// The registers at the time of the failure.
    pub row: Box<[ValueId]>,
    /// The stratum that was evaluated.
    pub(super) stratum: u32,
}

impl Model {
    /// The tuples of a predicate.
    #[must_use]
    pub fn relation(&self, predicate: PredicateId) -> Option<&Relation> {
        self.relations.get(predicate.0 as usize).map(|relation| &**relation)
    }

    /// The source of a tuple that was copied by a merge or union. Any other tuple is its own
    /// origin.
    pub(in crate::kernel) fn origin(
        &self,
        compiled: &CompiledProgram,
        relation: RelationId,
        number: u32,
    ) -> (RelationId, u32) {
        let merge = compiled.merge_of(relation);
        let kept = self.reason(relation, number).map(|reason| reason.support);
        let is_union =
            compiled.division.as_ref().is_some_and(|division| division.store_of(relation).is_none());
        match (merge, kept) {
            (Some(merge), Some([number])) => (merge.candidates, *number),
            (None, Some([copy, number])) if is_union => self.origin(compiled, *copy, *number),
            _ => (relation, number),
        }
    }

    /// The stores that contain the fact with this number. Empty if the program is not divided into
    /// stores.
    #[must_use]
    pub fn stores_of(&self, compiled: &CompiledProgram, predicate: PredicateId, number: u32) -> StoreSet {
        let Some((division, relation)) = compiled.division.as_ref().zip(self.relation(predicate)) else {
            return StoreSet::default();
        };
        let tuple = relation.tuple(number);
        let has_it = |copy: &PredicateId| self.relation(*copy).is_some_and(|copy| copy.find(tuple).is_some());
        let copies = compiled.copies_of(predicate).filter(has_it);
        copies
            .filter_map(|copy| division.store_of(copy.0))
            .map(StoreSet::one)
            .fold(StoreSet::default(), StoreSet::union)
    }

    /// Returns an independent copy that shares unchanged parts.
    pub(in crate::kernel) fn fork(&mut self) -> Self {
        Self {
            values: self.values.share(),
            relations: self.relations.iter_mut().map(MaybeShared::share).collect(),
            reasons: self.reasons.iter_mut().map(MaybeShared::share).collect(),
            errors: self.errors.clone(),
            stopped: self.stopped.clone(),
            steps: self.steps,
            peak_bytes: self.peak_bytes,
        }
    }

    /// The memory of relations, values and reasons in bytes. Parts that forks share count in each.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let relations: usize = self.relations.iter().map(|relation| relation.bytes()).sum();
        let reasons: usize = self.reasons.iter().map(|reasons| reasons.bytes()).sum();
        relations + reasons + self.values.bytes_in_all()
    }

    /// The derivation of the tuple with this number.
    #[must_use]
    pub fn derivation(&self, predicate: PredicateId, number: u32) -> Option<Derivation<'_>> {
        self.reason(predicate.0, number)
    }

    /// The derivation of the tuple with this number.
    pub(in crate::kernel) fn reason(&self, relation: u32, number: u32) -> Option<Derivation<'_>> {
        self.reasons.get(relation as usize)?.get(number)
    }
}

/// The derivation of a tuple.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Derivation<'m> {
    /// The clause.
    pub rule: RuleId,
    /// The tuples that the positive premises matched, in the order of the plan. Empty for a fact.
    pub support: &'m [u32],
}

/// The number of entries in a chunk of the support, as a power of two.
const CHUNK_BITS: u32 = 14;

/// The first derivation of each tuple of a relation.
#[derive(Debug, Clone, Default)]
pub(in crate::kernel) struct Reasons {
    /// The clause of each tuple, and the start of its support.
    rules: ChunkedVec<(RuleId, u32)>,
    /// The support of each tuple, preceded by its length. A support longer than a chunk has its own
    /// chunk.
    pieces: Vec<Vec<u32>>,
    /// The capacity of the chunks in entries.
    capacity: usize,
}

impl Reasons {
    pub(super) fn push(&mut self, rule: RuleId, support: &[u32]) {
        let needed = support.len() + 1;
        let fits = |piece: &&mut Vec<u32>| piece.len() + needed <= 1 << CHUNK_BITS;
        if self.pieces.last_mut().filter(fits).is_none() {
            // The first chunk does not reserve capacity.
            let room = if self.pieces.is_empty() { 0 } else { needed.max(1 << CHUNK_BITS) };
            self.pieces.push(Vec::with_capacity(room));
            self.capacity += room;
        }
        let at = self.pieces.len().saturating_sub(1);
        let Some(piece) = self.pieces.last_mut() else { return };
        let start = at << CHUNK_BITS | piece.len();
        let before = piece.capacity();
        piece.push(u32::try_from(support.len()).unwrap_or(u32::MAX));
        piece.extend_from_slice(support);
        self.capacity += piece.capacity() - before;
        self.rules.push((rule, u32::try_from(start).unwrap_or(u32::MAX)));
    }

    /// Keeps the first `len` derivations.
    pub(super) fn truncate(&mut self, len: u32) {
        let Some((_, start)) = self.rules.get(len as usize).copied() else { return };
        let (at, within) = place(start);
        self.pieces.truncate(at + 1);
        self.pieces.last_mut().into_iter().for_each(|piece| piece.truncate(within));
        self.capacity = self.pieces.iter().map(Vec::capacity).sum();
        self.rules.truncate(len as usize);
    }

    /// The clause of a tuple.
    pub(super) fn rule(&self, number: u32) -> RuleId {
        self.rules.get(number as usize).map_or(RuleId::ASSERTED, |(rule, _)| *rule)
    }

    pub(super) fn get(&self, number: u32) -> Option<Derivation<'_>> {
        let (rule, start) = *self.rules.get(number as usize)?;
        let (at, within) = place(start);
        let (len, rest) = self.pieces.get(at)?.get(within..)?.split_first()?;
        Some(Derivation { rule, support: rest.get(..*len as usize)? })
    }

    /// The allocated memory in bytes.
    pub(in crate::kernel) fn bytes(&self) -> usize {
        let pieces = self.pieces.capacity() * size_of::<Vec<u32>>();
        self.rules.bytes() + self.capacity * size_of::<u32>() + pieces
    }
}

/// The chunk of a start, and the offset within the chunk.
fn place(start: u32) -> (usize, usize) {
    ((start >> CHUNK_BITS) as usize, (start & ((1 << CHUNK_BITS) - 1)) as usize)
}

/// The maximum number of characters of a value.
const MAX_VALUE_CHARACTERS: usize = 40;

/// The value of an argument of a premise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// The index of the premise in the clause.
    pub premise: u32,
    /// The index of the argument, from 0.
    pub argument: u16,
    /// The printed value, at most 40 characters.
    pub value: String,
}

impl Model {
    /// The arguments that had a value when a row failed, in the order of evaluation. Empty if the
    /// error occurred in an aggregation over groups of rows.
    #[must_use]
    pub fn bindings(&self, compiled: &CompiledProgram, error: &RowError) -> Vec<Binding> {
        let Some(plan) = plan_of_row(compiled, error) else { return Vec::new() };
        let mut bindings = Vec::new();
        for step in plan.steps.iter().take_while(|step| step.premise != error.premise) {
            if let StepKind::Match(found) | StepKind::Call(found) = &step.kind {
                bindings.extend(self.bound(compiled, step.premise, found, error));
            }
        }
        bindings
    }

    fn bound<'m>(
        &'m self,
        compiled: &CompiledProgram,
        premise: u32,
        found: &'m Lookup,
        error: &'m RowError,
    ) -> impl Iterator<Item = Binding> + use<'m> {
        let arity = compiled.arity(found.relation);
        let binds = found.binds.iter().filter(move |(column, _)| usize::from(*column) < arity);
        binds.filter_map(move |&(argument, slot)| {
            let value = *error.row.get(usize::from(slot))?;
            Some(Binding { premise, argument, value: self.values.short(value, MAX_VALUE_CHARACTERS) })
        })
    }
}

/// The plan whose registers the error row contains.
fn plan_of_row<'c>(compiled: &'c CompiledProgram, error: &RowError) -> Option<&'c Plan> {
    let mut aggregates = compiled.strata.iter().flat_map(|stratum| &stratum.aggregates);
    if error.premise == AFTER_BODY && aggregates.any(|aggregate| aggregate.rule == error.rule) {
        return None;
    }
    let deferred = compiled.deferred.values().flatten().map(|deferred| &deferred.plan);
    let mut plans = compiled.plans().chain(deferred);
    plans.find(|plan| plan.rule == error.rule)
}

/// The differences of the facts of a predicate since a mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The predicate.
    pub predicate: PredicateId,
    /// The numbers of the new tuples.
    pub added: Vec<u32>,
    /// The removed tuples.
    pub removed: Vec<Box<[ValueId]>>,
}

#[derive(Debug, Default)]
pub(super) struct RelationMark {
    /// The whole relation, if it had derived tuples.
    whole: Option<MaybeShared<Relation>>,
    /// Otherwise the added and removed tuples, each with true if it existed at the mark.
    moved: FxHashMap<Box<[ValueId]>, bool>,
}

impl RelationMark {
    /// Marks a relation before a change. `None` for a relation without derived tuples.
    pub(super) fn new(relation: Option<&mut MaybeShared<Relation>>) -> Self {
        Self { whole: relation.map(MaybeShared::share), moved: FxHashMap::default() }
    }

    /// Records a change of given tuples, and the tuples that it removes.
    pub(super) fn note(&mut self, change: &FactChange, gone: Vec<Box<[ValueId]>>) {
        if self.whole.is_some() {
            return;
        }
        if let FactChange::Assert(tuple, _) = change {
            self.moved.entry(tuple.clone()).or_insert(false);
        }
        gone.into_iter().for_each(|tuple| {
            self.moved.entry(tuple).or_insert(true);
        });
    }

    /// The differences of `now`, whose first `given` tuples are given.
    pub(super) fn difference(&self, predicate: PredicateId, now: &Relation, given: u32) -> Difference {
        let len = u32::try_from(now.len()).unwrap_or(u32::MAX);
        let Some(whole) = &self.whole else {
            let moved = |was_there: bool| {
                self.moved.iter().filter(move |(_, was)| **was == was_there).map(|(tuple, _)| tuple)
            };
            let removed = moved(true).filter(|tuple| now.find(tuple).is_none()).cloned().collect();
            let derived = (given..len).filter(|number| !self.moved.contains_key(now.tuple(*number)));
            let mut added: Vec<u32> =
                moved(false).filter_map(|tuple| now.find(tuple)).chain(derived).collect();
            added.sort_unstable();
            return Difference { predicate, added, removed };
        };
        let added = (0..len).filter(|number| whole.find(now.tuple(*number)).is_none()).collect();
        let removed = whole.tuples().filter(|tuple| now.find(tuple).is_none()).map(Into::into).collect();
        Difference { predicate, added, removed }
    }
}

/// An assertion or retraction of a fact.
#[derive(Debug, Clone)]
pub(super) enum FactChange {
    Assert(Box<[ValueId]>, RuleId),
    Retract(Box<[ValueId]>),
    /// Retracts all facts that have no clause.
    Forget,
}

impl FactChange {
    /// The clause of the fact.
    pub(super) fn rule(&self) -> Option<RuleId> {
        match self {
            Self::Assert(_, rule) => Some(*rule).filter(|rule| *rule != RuleId::ASSERTED),
            Self::Retract(_) | Self::Forget => None,
        }
    }

    /// The memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>()
            + match self {
                Self::Assert(tuple, _) | Self::Retract(tuple) => boxed(tuple.len()),
                Self::Forget => 0,
            }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn reasons(sizes: &[usize]) -> Reasons {
        let mut reasons = Reasons::default();
        for (number, size) in (0u32..).zip(sizes) {
            reasons.push(RuleId(number), &vec![number; *size]);
        }
        reasons
    }

    #[test]
    fn supports_of_all_sizes_are_kept_and_cut_off() {
        let sizes: Vec<usize> = (0..3000).map(|at| if at % 500 == 7 { 20_000 } else { at % 90 }).collect();
        let mut all = reasons(&sizes);
        for len in [3000, 2501, 1008, 1007, 1, 0] {
            all.truncate(len);
            for number in 0..len {
                let found = all.get(number).unwrap();
                assert_eq!(found.rule, RuleId(number));
                assert_eq!(found.support, vec![number; sizes[number as usize]]);
            }
            assert_eq!(all.get(len), None);
            all.push(RuleId(9), &[1, 2]);
            assert_eq!(all.get(len).unwrap().support, [1, 2]);
            all.truncate(len);
        }
    }
}
