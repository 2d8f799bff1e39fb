//! Analysis of predicates that cannot have facts.
//!
//! A predicate can have facts if the program has a fact, or if the host can add facts. A rule
//! without a certainly empty positive premise can also derive facts. All other predicates are
//! empty, in particular cycles without a base case.

use rustc_hash::FxHashSet;

use crate::analysis::flow::IncrementalAnalysis;
use mangle_engine::program::{Members, Predicate, PredicateId, Program};

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
        let there = program.files.get(*file as usize).and_then(|file| file.predicates.get(key));
        there.is_some_and(|there| !there.facts.is_empty())
    })
}
