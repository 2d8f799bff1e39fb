//! Analysis of the stores that can have facts of a predicate.
//!
//! A store can have facts of a predicate in three cases:
//!
//! * The store keeps the predicate.
//! * The program has a fact.
//! * All positive premises of a rule can have facts in the store.
//!
//! A predicate with rules that the settings do not name is only derived. Negations are assumed to
//! hold.

use rustc_hash::FxHashMap;

use crate::analysis::flow::IncrementalAnalysis;
use mangle_engine::program::graph::Edge;
use mangle_engine::program::{Members, Predicate, PredicateId, Program};
use mangle_settings::{StoreSet, Stores};

/// For each predicate, the stores that can have its facts.
#[derive(Debug, Default)]
pub(crate) struct StorePossibility {
    stores: FxHashMap<PredicateId, StoreSet>,
}

impl StorePossibility {
    /// The stores that can have facts of a predicate.
    pub(super) fn stores(&self, id: PredicateId) -> StoreSet {
        self.stores.get(&id).copied().unwrap_or_default()
    }

    /// The stores that can have facts of all positive premises of a rule.
    pub(super) fn of_rule(&self, stores: &Stores, edges: &[Edge]) -> StoreSet {
        let positive = edges.iter().filter(|edge| !edge.negated);
        positive.map(|edge| self.stores(edge.to)).fold(stores.all(), StoreSet::intersection)
    }

    /// The stores that can fire a rule of a predicate.
    fn derived(&self, program: &Program, stores: &Stores, id: PredicateId) -> StoreSet {
        let edges = program.dependencies().edges_from(id);
        let of_rules = || edges.chunk_by(|one, other| (one.file, one.item) == (other.file, other.item));
        // A rule without edges has no premise with a predicate, or has syntax errors.
        if of_rules().count() < program.rules(program.get(id)).count() {
            return stores.all();
        }
        of_rules().map(|edges| self.of_rule(stores, edges)).fold(StoreSet::default(), StoreSet::union)
    }
}

impl IncrementalAnalysis for StorePossibility {
    fn update(&mut self, program: &Program, members: &[PredicateId]) -> Members {
        let Some(stores) = program.embedding.stores.as_deref() else { return Members::default() };
        let before: Vec<StoreSet> = members.iter().map(|id| self.stores(*id)).collect();
        for &id in members {
            self.stores.insert(id, stored(program, stores, program.get(id)));
        }
        loop {
            let mut is_same = true;
            for &id in members {
                let known = self.stores(id);
                let now = known.union(self.derived(program, stores, id));
                is_same &= now == known;
                self.stores.insert(id, now);
            }
            if is_same {
                break;
            }
        }
        let changed = members.iter().zip(before).filter(|(id, before)| self.stores(**id) != *before);
        changed.map(|(id, _)| *id).collect()
    }
}

/// The stores that have facts of a predicate before any rule fires.
fn stored(program: &Program, stores: &Stores, predicate: &Predicate) -> StoreSet {
    let name = predicate.key.name;
    let is_stored = !predicate.signature.has_rules || stores.names_predicate(name);
    let kept = if is_stored { stores.keepers(name) } else { StoreSet::default() };
    // Every store loads the program. The host asserts the facts of samples and tests.
    let facts = predicate.files.iter().filter_map(|(at, key)| {
        let file = program.files.get(*at as usize)?;
        file.predicates.get(key).filter(|there| !there.facts.is_empty()).map(|_| file.id)
    });
    let singles = &program.embedding.separate_files;
    facts.fold(kept, |all, file| match singles.binary_search(&file) {
        Ok(_) => all.union(stores.keepers(name)),
        Err(_) => all.union(stores.all()),
    })
}
