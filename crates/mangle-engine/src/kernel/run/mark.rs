//! What relations were at a mark, so that it can be told what is different since.
//!
//! A relation with derived tuples is kept as it was, which costs nothing, since evaluating it makes a new one. Of one with
//! given tuples alone, which is changed in place, it is kept which of them came and went.

use rustc_hash::FxHashMap;

use super::super::ValueId;
use super::super::maybe_shared::MaybeShared;
use super::super::relation::Relation;
use super::fact_change::FactChange;
use crate::program::PredicateId;

/// In what the facts of a predicate differ from what they were.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The predicate whose facts differ.
    pub predicate: PredicateId,
    /// The numbers of the tuples that were not there.
    pub added: Vec<u32>,
    /// The tuples that were there.
    pub removed: Vec<Box<[ValueId]>>,
}

/// A relation at a mark.
#[derive(Debug, Default)]
pub(super) struct RelationMark {
    /// All of it, if it had derived tuples.
    whole: Option<MaybeShared<Relation>>,
    /// Else the tuples that came and went since, and whether they were there.
    moved: FxHashMap<Box<[ValueId]>, bool>,
}

impl RelationMark {
    /// A relation that is about to change; `None` for one without derived tuples.
    pub(super) fn of(relation: Option<&mut MaybeShared<Relation>>) -> Self {
        Self { whole: relation.map(MaybeShared::share), moved: FxHashMap::default() }
    }

    /// Takes note of a change of given tuples, and of those that it takes away.
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

    /// In what `now` differs, whose first `given` tuples are given.
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
