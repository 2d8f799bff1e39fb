//! Dependencies between predicates: the edges that start from each predicate, and the cycles.
//!
//! Built once, then updated after each edit. [`super::graph`] has the order of evaluation of the
//! whole program.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

use super::graph::{Edge, components, dropped_negations};
use super::shared::{SharedList, unchanging};
use super::{Difference, Predicate, PredicateId, Program, UseKind};
use mangle_syntax::parallel;

/// The minimum number of predicates per thread.
const MIN_PREDICATES_PER_THREAD: usize = 512;

/// The predicates of a component.
pub type Members = SmallVec<[PredicateId; 1]>;

/// The edges and components of a program.
///
/// A component is a set of predicates that all depend on each other, or a single predicate. A
/// component is identified by one of its members.
#[derive(Debug, Clone, Default)]
pub struct Dependencies {
    /// The edges that start from each predicate, sorted by file, statement and position.
    edges: SharedList<Arc<[Edge]>>,
    /// For each predicate in a component of several predicates, the members, sorted by key.
    components: Arc<FxHashMap<PredicateId, Arc<[PredicateId]>>>,
    /// One member of each component with a cycle.
    cyclic: Arc<BTreeSet<PredicateId>>,
}

impl Dependencies {
    /// The dependencies of the rules of `program`. Rules with syntax errors have no edges.
    #[must_use]
    pub fn new(program: &Program) -> Self {
        let predicates: Vec<&Predicate> = program.predicates.numbered().collect();
        let edges =
            parallel::map(&predicates, MIN_PREDICATES_PER_THREAD, |predicate| edges_from(program, predicate));
        let edges = edges.into_iter().collect();
        let mut all = Self { edges, ..Self::default() };
        let roots =
            (0..program.predicates.count()).filter_map(|at| Some(PredicateId(u32::try_from(at).ok()?)));
        let found = all.search(roots);
        all.adopt(program, found);
        all
    }

    /// The dependencies of `new`, updated from `old` by `difference`.
    #[must_use]
    pub(super) fn after(&self, old: &Program, new: &Program, difference: &Difference) -> Self {
        let mut all = self.clone();
        while all.edges.len() < new.predicates.count() {
            all.edges.push(Arc::from([]));
        }
        let mut heads: BTreeSet<PredicateId> = difference.heads.iter().copied().collect();
        for &id in &difference.signatures {
            let before = old.predicates.list.get(id.0 as usize);
            // The edges of a premise, and ignored negations, depend only on these two properties.
            let after = &new.get(id).signature;
            if before.is_none_or(|before| {
                before.signature.reflects != after.reflects || before.signature.modes != after.modes
            }) {
                heads.extend(new.users(new.get(id)));
                heads.insert(id);
            }
        }
        let mut changed = Vec::new();
        for head in heads {
            let edges = edges_from(new, new.get(head));
            let Some(slot) = all.edges.get_mut(head.0 as usize) else { continue };
            let before = std::mem::replace(slot, edges);
            if targets(&before) != targets(slot) {
                changed.push(head);
            }
        }
        if !changed.is_empty() {
            all.find_components(new, &changed);
        }
        all
    }

    /// Recomputes the components of predicates with changed edge targets. Every component that
    /// appears or disappears contains such a predicate, and all its members are reachable from it.
    fn find_components(&mut self, program: &Program, changed: &[PredicateId]) {
        let mut roots: Vec<PredicateId> = Vec::new();
        for &id in changed {
            roots.extend(self.members(id));
        }
        let found = self.search(roots.into_iter());
        let (components, cyclic) = (Arc::make_mut(&mut self.components), Arc::make_mut(&mut self.cyclic));
        for id in found.iter().flatten() {
            components.remove(id);
            cyclic.remove(id);
        }
        self.adopt(program, found);
    }

    fn adopt(&mut self, program: &Program, found: Vec<Members>) {
        for mut members in found {
            if let [only] = members[..] {
                if self.edges_from(only).iter().any(|edge| edge.to == only) {
                    Arc::make_mut(&mut self.cyclic).insert(only);
                }
                continue;
            }
            members.sort_unstable_by_key(|id| program.get(*id).key);
            let members: Arc<[PredicateId]> = members.to_vec().into();
            Arc::make_mut(&mut self.cyclic).extend(members.first());
            let components = Arc::make_mut(&mut self.components);
            components.extend(members.iter().map(|id| (*id, Arc::clone(&members))));
        }
    }

    /// The edges that start from `predicate`.
    #[must_use]
    pub fn edges_from(&self, predicate: PredicateId) -> &[Edge] {
        self.edges.get(predicate.0 as usize).map_or(&[], |edges| edges)
    }

    /// The member that represents the component of a predicate.
    #[must_use]
    pub fn component(&self, predicate: PredicateId) -> PredicateId {
        self.components.get(&predicate).and_then(|members| members.first()).copied().unwrap_or(predicate)
    }

    /// The predicates in the component of `predicate`, sorted by key.
    #[must_use]
    pub fn members(&self, predicate: PredicateId) -> Members {
        match self.components.get(&predicate) {
            Some(members) => members.iter().copied().collect(),
            None => smallvec![predicate],
        }
    }

    /// The components with a cycle, each as its representative.
    pub fn cyclic(&self) -> impl Iterator<Item = PredicateId> {
        self.cyclic.iter().copied()
    }

    /// True if an edge stays inside its component and therefore lies on a cycle.
    #[must_use]
    pub fn is_recursive(&self, edge: &Edge) -> bool {
        self.component(edge.from) == self.component(edge.to)
    }

    /// The edges of a component that lie on a cycle.
    pub fn recursive_edges(&self, members: &[PredicateId]) -> impl Iterator<Item = &Edge> {
        let edges = members.iter().flat_map(|member| self.edges_from(*member));
        edges.filter(|edge| self.is_recursive(edge))
    }

    /// The components of the members without the negations that the engine ignores.
    #[must_use]
    pub fn parts_for_engine(&self, members: &[PredicateId]) -> Vec<Members> {
        if !self.recursive_edges(members).any(|edge| edge.dropped) {
            return vec![members.iter().copied().collect()];
        }
        let seen: Vec<Vec<u32>> = members
            .iter()
            .map(|member| {
                let edges = self.edges_from(*member).iter().filter(|edge| !edge.dropped);
                edges.filter(|edge| self.is_recursive(edge)).map(|edge| edge.to.0).collect()
            })
            .collect();
        let places: FxHashMap<u32, usize> = members.iter().map(|member| member.0).zip(0..).collect();
        let target = |node: u32, at: usize| seen.get(*places.get(&node)?)?.get(at).copied();
        let found = components(members.iter().map(|member| member.0), target);
        found.into_iter().map(|part| part.into_iter().map(PredicateId).collect()).collect()
    }

    /// All components in evaluation order: each after its dependencies. Traverses the whole
    /// program.
    #[must_use]
    pub fn strata(&self) -> Vec<Members> {
        let all = (0..self.edges.len()).filter_map(|at| Some(PredicateId(u32::try_from(at).ok()?)));
        let mut strata = self.search(all);
        strata.iter_mut().for_each(|members| {
            if members.len() > 1 {
                *members = self.members(members.first().copied().unwrap_or(PredicateId(0)));
            }
        });
        strata
    }

    /// Returns a shortest path between two predicates of the same component over the edges that
    /// `allowed` accepts. Empty if both are the same predicate, `None` if no path exists.
    #[must_use]
    pub fn path(
        &self,
        from: PredicateId,
        to: PredicateId,
        allowed: impl Fn(&Edge) -> bool,
    ) -> Option<Vec<&Edge>> {
        let component = self.component(from);
        let mut reached_by: FxHashMap<PredicateId, &Edge> = FxHashMap::default();
        let mut queue = VecDeque::from([from]);
        while let Some(node) = queue.pop_front() {
            if node == to {
                return Some(walk_back(&reached_by, from, to));
            }
            for edge in self.edges_from(node) {
                let new = edge.to != from && !reached_by.contains_key(&edge.to);
                if new && self.component(edge.to) == component && allowed(edge) {
                    reached_by.insert(edge.to, edge);
                    queue.push_back(edge.to);
                }
            }
        }
        None
    }

    /// The components of all predicates reachable from `roots`, each after its dependencies.
    fn search(&self, roots: impl Iterator<Item = PredicateId>) -> Vec<Members> {
        let target = |node: u32, at: usize| self.edges_from(PredicateId(node)).get(at).map(|edge| edge.to.0);
        let found = components(roots.map(|root| root.0), target);
        found.into_iter().map(|members| members.into_iter().map(PredicateId).collect()).collect()
    }
}

/// A queue of components without duplicates, in order of insertion.
#[derive(Debug, Default)]
pub struct PendingComponents {
    queue: VecDeque<PredicateId>,
    queued: BTreeSet<PredicateId>,
}

impl PendingComponents {
    /// Adds the component of a predicate, unless it is already queued.
    pub fn add(&mut self, program: &Program, predicate: PredicateId) {
        let component = program.dependencies().component(predicate);
        if self.queued.insert(component) {
            self.queue.push_back(component);
        }
    }

    /// Adds the components whose rules use a predicate.
    pub fn add_users(&mut self, program: &Program, predicate: PredicateId) {
        program.users(program.get(predicate)).for_each(|user| self.add(program, user));
    }

    /// Removes the next component and returns its members.
    #[must_use]
    pub fn next(&mut self, program: &Program) -> Option<Members> {
        let next = self.queue.pop_front()?;
        self.queued.remove(&next);
        Some(program.dependencies().members(next))
    }
}

fn walk_back<'g>(
    reached_by: &FxHashMap<PredicateId, &'g Edge>,
    from: PredicateId,
    to: PredicateId,
) -> Vec<&'g Edge> {
    let mut path = Vec::new();
    let mut at = to;
    while at != from
        && let Some(&edge) = reached_by.get(&at)
    {
        path.push(edge);
        at = edge.from;
    }
    path.reverse();
    path
}

fn targets(edges: &[Edge]) -> FxHashSet<PredicateId> {
    edges.iter().map(|edge| edge.to).collect()
}

/// The edges of the rules of a predicate.
fn edges_from(program: &Program, predicate: &Predicate) -> Arc<[Edge]> {
    let Some(from) = program.id(predicate.key).filter(|_| predicate.signature.has_rules) else {
        return Arc::default();
    };
    let mut edges = Vec::new();
    for (file_index, key) in &predicate.files {
        let Some(file) = program.files.get(*file_index as usize) else { continue };
        let Some(in_file) = file.predicates.get(key) else { continue };
        for &at in &in_file.rules {
            let Some(item) = file.items.get(at as usize).filter(|item| !item.statement.damaged) else {
                continue;
            };
            let Some(clause) = item.statement.clause() else { continue };
            let dropped = dropped_negations(program, file, clause);
            for literal in clause.literals().filter(|literal| !literal.atom.is_builtin()) {
                let Some(to) = program.id_of(file, &literal.atom) else { continue };
                let kind = UseKind::from_literal(literal);
                // The Go implementation replaces calls of a predicate that reflects a name prefix
                // by a test of the name. Such a call is not a dependency.
                if kind == UseKind::Positive && program.get(to).signature.reflects.is_some() {
                    continue;
                }
                edges.push(Edge {
                    from,
                    to,
                    file: *file_index,
                    item: at,
                    range: literal.atom.name.range,
                    negated: kind == UseKind::Negated,
                    dropped: kind == UseKind::Negated && dropped.contains(&literal.atom.name.range),
                    temporal: kind == UseKind::Temporal,
                    grouped: clause.aggregates(),
                });
            }
        }
    }
    unchanging(edges)
}
