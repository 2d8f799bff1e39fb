//! Which predicates can have facts at all.
//!
//! A predicate may have facts if it has one in the program, if somebody else may add them, or if
//! one of its rules has no positive premise that is certainly empty. Everything that remains is
//! empty, above all circles without a beginning.

use rustc_hash::FxHashSet;

use crate::analysis::flow::Flow;
use mangle_engine::program::{Members, Predicate, PredicateId, Program};

/// The predicates of a program that cannot have facts.
#[derive(Debug, Default)]
pub(crate) struct Emptiness {
    empty: FxHashSet<PredicateId>,
}

impl Emptiness {
    /// Whether the predicate has no facts, whatever happens.
    pub(super) fn is_empty(&self, id: PredicateId) -> bool {
        self.empty.contains(&id)
    }

    /// Whether a rule of a predicate has no positive premise that is certainly empty.
    fn fires(&self, program: &Program, id: PredicateId) -> bool {
        let predicate = program.get(id);
        if !predicate.signature.has_rules {
            return false;
        }
        let edges = program.dependencies().edges_from(id).iter().filter(|edge| !edge.negated);
        let edges: Vec<_> = edges.collect();
        let of_rules = || edges.chunk_by(|one, other| (one.file, one.item) == (other.file, other.item));
        // Each rule with a positive premise has an edge; one without any fires at once, and so may a damaged one.
        of_rules().count() < program.rules(predicate).count()
            || of_rules().any(|edges| edges.iter().all(|edge| !self.is_empty(edge.to)))
    }
}

impl Flow for Emptiness {
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

/// Whether facts are in the program, or may come from outside of it.
fn is_given(program: &Program, predicate: &Predicate) -> bool {
    let signature = &predicate.signature;
    let outside = signature.host || signature.extensional || signature.external || signature.deferred;
    // That a predicate does not exist is one mistake, reported where it is used.
    if !predicate.exists() {
        return true;
    }
    // Without a list of what the host adds, it may fill whatever is declared and has no clause.
    let filled = signature.declared.is_some() && signature.defined.is_none() && !program.knows_host();
    outside || filled || signature.reflects.is_some() || has_fact(program, predicate)
}

fn has_fact(program: &Program, predicate: &Predicate) -> bool {
    predicate.files.iter().any(|(file, key)| {
        let there = program.files.get(*file as usize).and_then(|file| file.predicates.get(key));
        there.is_some_and(|there| !there.facts.is_empty())
    })
}
