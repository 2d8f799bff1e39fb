//! Incremental analyses of predicates over the dependency graph: results are recomputed only if the
//! predicates that a rule uses have changed.
//!
//! [`Emptiness`] finds predicates that cannot have facts. [`StorePossibility`] finds the stores that can
//! have facts of a predicate.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use mangle_engine::program::graph::Edge;
use mangle_engine::program::{Members, PendingComponents, Predicate, PredicateId, Program};
use mangle_settings::{StoreSet, Stores};

/// An incremental property of predicates.
pub(crate) trait IncrementalAnalysis {
    /// Recomputes the property for a component from the predicates that it depends on. Returns the
    /// members whose result has changed.
    fn update(&mut self, program: &Program, members: &[PredicateId]) -> Members;
}

/// Computes the property for all components.
pub(crate) fn begin(flow: &mut dyn IncrementalAnalysis, program: &Program, strata: &[Members]) {
    for members in strata {
        flow.update(program, members);
    }
}

/// Recomputes the property after changes of the `touched` predicates or their rules. Returns the
/// predicates whose result has changed.
pub(crate) fn update(
    flow: &mut dyn IncrementalAnalysis,
    program: &Program,
    touched: impl IntoIterator<Item = PredicateId>,
) -> BTreeSet<PredicateId> {
    let mut pending = PendingComponents::default();
    touched.into_iter().for_each(|id| pending.add(program, id));
    let mut changed = BTreeSet::new();
    while let Some(members) = pending.next(program) {
        for id in flow.update(program, &members) {
            changed.insert(id);
            pending.add_users(program, id);
        }
    }
    changed
}

/// The predicates of a program that cannot have facts.
#[derive(Debug, Default)]
pub(crate) struct Emptiness {
    empty: FxHashSet<PredicateId>,
}

impl Emptiness {
    /// True if the predicate can never have facts.
    pub(super) fn is_empty(&self, id: PredicateId) -> bool {
        self.empty.contains(&id)
    }

    /// True if a rule of the predicate has no positive premise that is certainly empty.
    fn fires(&self, program: &Program, id: PredicateId) -> bool {
        let predicate = program.get(id);
        if !predicate.signature.has_rules {
            return false;
        }
        let edges = program.dependencies().edges_from(id).iter().filter(|edge| !edge.negated);
        let edges: Vec<_> = edges.collect();
        let of_rules = || edges.chunk_by(|one, other| (one.file, one.item) == (other.file, other.item));
        // Each rule with a positive premise has an edge. A rule without positive premises can fire,
        // and so can a rule with syntax errors.
        of_rules().count() < program.rules(predicate).count()
            || of_rules().any(|edges| edges.iter().all(|edge| !self.is_empty(edge.to)))
    }
}

impl IncrementalAnalysis for Emptiness {
    fn update(&mut self, program: &Program, members: &[PredicateId]) -> Members {
        let before: Vec<bool> = members.iter().map(|id| self.is_empty(*id)).collect();
        self.empty.extend(members);
        loop {
            let may_have_facts = |id: &&PredicateId| {
                self.is_empty(**id) && (is_given(program, program.get(**id)) || self.fires(program, **id))
            };
            let found: Members = members.iter().filter(may_have_facts).copied().collect();
            if found.is_empty() {
                break;
            }
            found.iter().for_each(|id| _ = self.empty.remove(id));
        }
        let changed = members.iter().zip(before).filter(|(id, before)| self.is_empty(**id) != *before);
        changed.map(|(id, _)| *id).collect()
    }
}

/// True if the program has facts for the predicate, or the host can add facts.
fn is_given(program: &Program, predicate: &Predicate) -> bool {
    let signature = &predicate.signature;
    let outside = signature.host || signature.extensional || signature.external || signature.deferred;
    // A missing predicate is one mistake, which is reported at its uses.
    if !predicate.exists() {
        return true;
    }
    // Without a list of host predicates, the host can fill every declared predicate without
    // clauses.
    let filled = signature.declared.is_some() && signature.defined.is_none() && !program.knows_host();
    outside || filled || signature.reflects.is_some() || has_fact(program, predicate)
}

fn has_fact(program: &Program, predicate: &Predicate) -> bool {
    predicate.files.iter().any(|(file, key)| {
        let entry = program.files.get(*file as usize).and_then(|file| file.predicates.get(key));
        entry.is_some_and(|entry| !entry.facts.is_empty())
    })
}

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
