//! Result of an evaluation: the tuples of each relation with their first derivations.

use super::super::maybe_shared::MaybeShared;
use super::super::plan::{CompiledProgram, RuleId};
use super::super::relation::Relation;
use super::super::{Failure, ValueId, Values};
use super::Stop;
use super::derivation::Derivation;
use super::reasons::Reasons;
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
        (relation, number): (u32, u32),
    ) -> (u32, u32) {
        let merge = compiled.merge_of(relation);
        let kept = self.reason(relation, number).map(|reason| reason.support);
        let is_union =
            compiled.division.as_ref().is_some_and(|division| division.store_of(relation).is_none());
        match (merge, kept) {
            (Some(merge), Some([number])) => (merge.candidates, *number),
            (None, Some([copy, number])) if is_union => self.origin(compiled, (*copy, *number)),
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
