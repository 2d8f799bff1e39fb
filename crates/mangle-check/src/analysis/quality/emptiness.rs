//! Which predicates can have facts at all.
//!
//! A predicate may have facts if it has one in the program, if somebody else may add them, or if
//! one of its rules has no positive premise that is certainly empty. Everything that remains is
//! empty, above all circles without a beginning. One pass over the edges of the dependency graph.

use rustc_hash::FxHashMap;

use mangle_engine::program::graph::{Edge, Graph};
use mangle_engine::program::{Predicate, PredicateId, Program};

/// For each predicate of a program whether it can have facts.
pub(super) struct Emptiness {
    possible: Vec<bool>,
}

/// A rule: index of its file and its item.
type RuleKey = (u32, u32);

impl Emptiness {
    /// Finds out for all predicates of `program`.
    pub(super) fn new(program: &Program, graph: &Graph) -> Self {
        let mut emptiness = Self { possible: vec![false; program.predicates.len()] };
        let mut work: Vec<PredicateId> = Vec::new();
        for (id, predicate) in (0u32..).map(PredicateId).zip(&program.predicates) {
            if is_given(program, predicate) || fires_at_once(program, predicate, graph, id) {
                emptiness.mark(id, &mut work);
            }
        }
        let (mut waiting, asked_by) = positive_edges(program, graph);
        while let Some(id) = work.pop() {
            for edge in asked_by.get(id.0 as usize).into_iter().flatten() {
                let Some(left) = waiting.get_mut(&(edge.file, edge.item)) else { continue };
                *left = left.saturating_sub(1);
                if *left == 0 {
                    emptiness.mark(edge.from, &mut work);
                }
            }
        }
        emptiness
    }

    fn mark(&mut self, id: PredicateId, work: &mut Vec<PredicateId>) {
        if let Some(possible) = self.possible.get_mut(id.0 as usize)
            && !*possible
        {
            *possible = true;
            work.push(id);
        }
    }

    /// Whether the predicate has no facts, whatever happens.
    pub(super) fn is_empty(&self, id: PredicateId) -> bool {
        self.possible.get(id.0 as usize) == Some(&false)
    }

    /// Whether any predicate is empty.
    pub(super) fn any(&self) -> bool {
        self.possible.contains(&false)
    }
}

/// How many positive premises of each rule ask for something that is not known to have facts yet,
/// and for each predicate the edges that ask for it.
fn positive_edges<'g>(program: &Program, graph: &'g Graph) -> (FxHashMap<RuleKey, u32>, Vec<Vec<&'g Edge>>) {
    let mut waiting: FxHashMap<RuleKey, u32> = FxHashMap::default();
    let mut asked_by = vec![Vec::new(); program.predicates.len()];
    for edge in graph.edges().iter().filter(|edge| !edge.negated) {
        *waiting.entry((edge.file, edge.item)).or_default() += 1;
        if let Some(askers) = asked_by.get_mut(edge.to.0 as usize) {
            askers.push(edge);
        }
    }
    (waiting, asked_by)
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

/// Whether a rule has no positive premise at all, or could not be read whole.
fn fires_at_once(program: &Program, predicate: &Predicate, graph: &Graph, id: PredicateId) -> bool {
    if !predicate.signature.has_rules {
        return false;
    }
    let rules = program.rules(predicate).count();
    let mut edges: Vec<RuleKey> =
        graph.edges_from(id).iter().filter(|edge| !edge.negated).map(|edge| (edge.file, edge.item)).collect();
    edges.sort_unstable();
    edges.dedup();
    // Each rule with a positive premise has an edge; a damaged one has none.
    edges.len() < rules
}
