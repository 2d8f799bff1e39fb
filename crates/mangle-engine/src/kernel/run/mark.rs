//! Tracks the differences of relations since a mark.
//!
//! A relation with derived tuples is kept as a whole, which costs nothing because an evaluation
//! replaces it. A relation with only given tuples is changed in place, so the changes are recorded.

use rustc_hash::FxHashMap;

use super::super::ValueId;
use super::super::maybe_shared::MaybeShared;
use super::super::relation::Relation;
use super::fact_change::FactChange;
use crate::program::PredicateId;

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
