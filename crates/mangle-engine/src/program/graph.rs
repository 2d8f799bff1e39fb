//! Dependency graph: edges from the head of a rule to the predicates of its body, strongly
//! connected components, and the order of evaluation.
//!
//! The Go implementation has no edges for temporal premises. Here such edges exist, marked with
//! [`Edge::temporal`]. All algorithms are linear in the number of premises and do not recurse, so a
//! chain of 100,000 predicates cannot overflow the stack.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::rewrite::{ClauseSignatures, Rewriting};
use super::{FileSummary, PredicateId, Program, UseKind};
use mangle_syntax::syntax::ast::{Clause, Literal, Premise};
use mangle_syntax::text::TextRange;

/// A premise, as an edge from the predicate of the head to the predicate of the premise.
#[derive(Debug, Clone, Copy)]
pub struct Edge {
    /// The predicate of the head.
    pub from: PredicateId,
    /// The predicate of the premise.
    pub to: PredicateId,
    /// The file of the rule: an index into [`Program::files`].
    pub file: u32,
    /// The rule: an index into the items of the file.
    pub item: u32,
    /// The predicate name in the premise, relative to the start of the statement.
    pub range: TextRange,
    /// True if the premise is negated.
    pub negated: bool,
    /// True if the premise is a negation that the engine ignores. The engine then has no edge for
    /// it.
    pub dropped: bool,
    /// True if the premise is temporal. The Go implementation then has no edge for it.
    pub temporal: bool,
    /// True if the rule aggregates. All its premises must then be complete before it runs.
    pub grouped: bool,
}

impl Edge {
    /// True if the target must be complete before the rule runs: it is negated, or the rule
    /// aggregates.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        self.negated || self.grouped
    }
}

/// A set of predicates that all depend on each other, or a single predicate. A component depends
/// only on components with smaller numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ComponentId(pub u32);

/// The dependency graph of a program.
#[derive(Debug, Default)]
pub struct Graph {
    edges: Edges,
    component_of: Vec<ComponentId>,
    /// The predicates, grouped by component.
    members: Vec<PredicateId>,
    /// The start of each component in `members`, plus the end of the last component.
    starts: Vec<u32>,
}

impl Graph {
    /// The graph of the rules of `program`. Rules with syntax errors have no edges.
    #[must_use]
    pub fn new(program: &Program) -> Self {
        Self::of_edges(edges_of(program), program.predicates.count())
    }

    fn of_edges(edges: Vec<Edge>, count: usize) -> Self {
        let edges = Edges::sorted(edges, count);
        let all = 0..u32::try_from(count).unwrap_or(u32::MAX);
        let found = components(all, |node, at| edges.from(PredicateId(node)).get(at).map(|edge| edge.to.0));
        let mut graph = Self { component_of: vec![ComponentId(0); count], edges, ..Self::default() };
        graph.starts.push(0);
        for (component, members) in (0u32..).map(ComponentId).zip(found) {
            members.iter().for_each(|node| graph.component_of[*node as usize] = component);
            graph.members.extend(members.into_iter().map(PredicateId));
            graph.starts.push(u32::try_from(graph.members.len()).unwrap_or(u32::MAX));
        }
        graph
    }

    /// All edges, sorted by their source predicate.
    #[must_use]
    pub fn edges(&self) -> &[Edge] {
        &self.edges.list
    }

    /// The edges that start from `predicate`.
    #[must_use]
    pub fn edges_from(&self, predicate: PredicateId) -> &[Edge] {
        self.edges.from(predicate)
    }

    /// The component of a predicate.
    #[must_use]
    pub fn component(&self, predicate: PredicateId) -> ComponentId {
        self.component_of.get(predicate.0 as usize).copied().unwrap_or(ComponentId(0))
    }

    /// The number of components.
    #[must_use]
    pub fn component_count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The predicates of a component.
    #[must_use]
    pub fn members(&self, component: ComponentId) -> &[PredicateId] {
        let at = component.0 as usize;
        match (self.starts.get(at), self.starts.get(at + 1)) {
            (Some(&start), Some(&end)) => self.members.get(start as usize..end as usize).unwrap_or(&[]),
            _ => &[],
        }
    }

    /// The components in evaluation order: each after its dependencies.
    pub fn strata(&self) -> impl Iterator<Item = &[PredicateId]> {
        (0u32..).take(self.component_count()).map(|at| self.members(ComponentId(at)))
    }

    /// For each predicate, its stratum. Negation and aggregation raise the stratum by one, other
    /// premises keep it.
    ///
    /// All members of a component have the same stratum, even if a cycle through negation makes
    /// that invalid.
    #[must_use]
    pub fn strata_of_predicates(&self) -> Vec<u32> {
        let mut strata = vec![0; self.component_of.len()];
        for members in self.strata() {
            let edges = members.iter().flat_map(|member| self.edges_from(*member));
            let below = |edge: &Edge| {
                let below = strata.get(edge.to.0 as usize).copied().unwrap_or(0);
                if self.is_recursive(edge) { 0 } else { below + u32::from(edge.is_negative()) }
            };
            let stratum = edges.map(below).max().unwrap_or(0);
            for member in members {
                if let Some(slot) = strata.get_mut(member.0 as usize) {
                    *slot = stratum;
                }
            }
        }
        strata
    }

    /// True if an edge stays inside its component and therefore lies on a cycle.
    #[must_use]
    pub fn is_recursive(&self, edge: &Edge) -> bool {
        self.component(edge.from) == self.component(edge.to)
    }

    /// The graph without the negations that the engine ignores. `None` if no cycle contains one.
    #[must_use]
    pub fn without_dropped(&self) -> Option<Self> {
        if !self.recursive_edges().any(|edge| edge.dropped) {
            return None;
        }
        let edges = self.edges.list.iter().filter(|edge| !edge.dropped).copied().collect();
        Some(Self::of_edges(edges, self.component_of.len()))
    }

    /// The edges that lie on a cycle.
    pub fn recursive_edges(&self) -> impl Iterator<Item = &Edge> {
        self.edges.list.iter().filter(|edge| self.is_recursive(edge))
    }
}

/// Edges sorted by their source predicate.
#[derive(Debug, Default)]
struct Edges {
    list: Vec<Edge>,
    /// The start of the edges of each predicate, plus the end of the last.
    starts: Vec<u32>,
}

impl Edges {
    /// Sorts the edges with a counting sort, which is stable.
    fn sorted(unsorted: Vec<Edge>, nodes: usize) -> Self {
        let mut starts = vec![0u32; nodes + 1];
        for edge in &unsorted {
            if let Some(count) = starts.get_mut(edge.from.0 as usize + 1) {
                *count += 1;
            }
        }
        let mut total = 0;
        for start in &mut starts {
            total += *start;
            *start = total;
        }
        let mut next = starts.clone();
        let mut list = unsorted.clone();
        for edge in unsorted {
            if let Some(at) = next.get_mut(edge.from.0 as usize)
                && let Some(slot) = list.get_mut(*at as usize)
            {
                *slot = edge;
                *at += 1;
            }
        }
        Self { list, starts }
    }

    fn from(&self, predicate: PredicateId) -> &[Edge] {
        let at = predicate.0 as usize;
        match (self.starts.get(at), self.starts.get(at + 1)) {
            (Some(&start), Some(&end)) => self.list.get(start as usize..end as usize).unwrap_or(&[]),
            _ => &[],
        }
    }
}

/// True if the engine ignores the negated premise with its predicate name at `range`.
pub(super) fn is_dropped(program: &Program, file: &FileSummary, item: u32, range: TextRange) -> bool {
    let clause = file.items.get(item as usize).and_then(|item| item.statement.clause());
    clause.is_some_and(|clause| dropped_negations(program, file, clause).contains(&range))
}

/// The predicate name ranges of the negations that the engine ignores.
pub(super) fn dropped_negations(program: &Program, file: &FileSummary, clause: &Clause) -> Vec<TextRange> {
    if !clause.literals().any(Literal::is_negated) {
        return Vec::new();
    }
    let signatures = ClauseSignatures::new(clause, |atom| Some(&program.predicate_of(file, atom)?.signature));
    let rewriting = Rewriting::new(clause, &signatures, program.embedding.capabilities());
    let premises = (0u32..).zip(&clause.premises);
    let dropped = premises.filter_map(|(at, premise)| match premise {
        Premise::Literal(literal) if literal.is_negated() => {
            let is_kept = rewriting.order.iter().any(|step| step.premise == at);
            (!is_kept).then_some(literal.atom.name.range)
        }
        _ => None,
    });
    dropped.collect()
}

/// Properties of a rule that its edges need.
#[derive(Clone, Copy)]
struct Rule {
    head: PredicateId,
    grouped: bool,
}

/// The edges of all rules, in an order independent of hashing.
fn edges_of(program: &Program) -> Vec<Edge> {
    let rules = rules_of(program);
    let mut edges = Vec::new();
    for (to, predicate) in program.predicates.with_ids() {
        for (file_index, key) in &predicate.files {
            let Some(file) = program.files.get(*file_index as usize) else { continue };
            let Some(in_file) = file.predicates.get(key) else { continue };
            let Some(rules) = rules.get(*file_index as usize) else { continue };
            for used in &in_file.uses {
                let Some(Some(rule)) = rules.get(used.item as usize) else { continue };
                // The Go implementation replaces calls of a predicate that reflects a name prefix
                // by a test of the name. Such a call is not a dependency.
                if used.kind == UseKind::Positive && predicate.signature.reflects.is_some() {
                    continue;
                }
                edges.push(Edge {
                    from: rule.head,
                    to,
                    file: *file_index,
                    item: used.item,
                    range: used.range,
                    negated: used.kind == UseKind::Negated,
                    dropped: used.kind == UseKind::Negated
                        && is_dropped(program, file, used.item, used.range),
                    temporal: used.kind == UseKind::Temporal,
                    grouped: rule.grouped,
                });
            }
        }
    }
    edges
}

/// For each file, the rule of each item. `None` for other items and for damaged rules.
fn rules_of(program: &Program) -> Vec<Vec<Option<Rule>>> {
    let mut rules: Vec<Vec<Option<Rule>>> =
        program.files.iter().map(|file| vec![None; file.items.len()]).collect();
    for (head, predicate) in program.predicates.with_ids() {
        for (file_index, key) in &predicate.files {
            let Some(file) = program.files.get(*file_index as usize) else { continue };
            let Some(in_file) = file.predicates.get(key) else { continue };
            let Some(rules) = rules.get_mut(*file_index as usize) else { continue };
            for &at in &in_file.rules {
                let Some(statement) = file.items.get(at as usize).map(|item| &item.statement) else {
                    continue;
                };
                let clause = statement.clause().filter(|_| !statement.damaged);
                if let (Some(clause), Some(slot)) = (clause, rules.get_mut(at as usize)) {
                    *slot = Some(Rule { head, grouped: clause.aggregates() });
                }
            }
        }
    }
    rules
}

/// The nodes of a component. Most components have one node.
type Nodes = SmallVec<[u32; 1]>;

/// Returns the components of all nodes reachable from `roots`, each after its dependencies.
/// `target` returns the target of the n-th edge of a node, or `None` after the last edge. Linear in
/// nodes and edges.
pub(super) fn components(
    roots: impl Iterator<Item = u32>,
    target: impl Fn(u32, usize) -> Option<u32>,
) -> Vec<Nodes> {
    let (known, open, path, found) = (FxHashMap::default(), Vec::new(), Vec::new(), Vec::new());
    let mut search = Search { target, known, open, path, found };
    roots.for_each(|root| search.start_at(root));
    search.found
}

struct Search<F> {
    target: F,
    /// For each node, its discovery number (from 1) and the lowest discovery number that it
    /// reaches. The latter is `u32::MAX` once its component is complete.
    known: FxHashMap<u32, (u32, u32)>,
    /// The nodes of incomplete components.
    open: Vec<u32>,
    /// The nodes on the path to the current node, with the number of edges already followed.
    path: Vec<(u32, usize)>,
    found: Vec<Nodes>,
}

impl<F: Fn(u32, usize) -> Option<u32>> Search<F> {
    fn start_at(&mut self, root: u32) {
        if !self.known.contains_key(&root) {
            self.enter(root);
            while let Some((node, followed)) = self.path.pop() {
                self.step(node, followed);
            }
        }
    }

    fn enter(&mut self, node: u32) {
        let clock = u32::try_from(self.known.len() + 1).unwrap_or(u32::MAX);
        self.known.insert(node, (clock, clock));
        self.open.push(node);
        self.path.push((node, 0));
    }

    /// Follows the next edge of `node`, or leaves the node after the last edge.
    fn step(&mut self, node: u32, followed: usize) {
        let Some(to) = (self.target)(node, followed) else {
            self.leave(node);
            return;
        };
        self.path.push((node, followed + 1));
        match self.known.get(&to).copied() {
            None => self.enter(to),
            Some((_, u32::MAX)) => {}
            Some((seen, _)) => self.lower(node, seen),
        }
    }

    fn lower(&mut self, node: u32, to: u32) {
        if let Some((_, lowest)) = self.known.get_mut(&node) {
            *lowest = (*lowest).min(to);
        }
    }

    fn leave(&mut self, node: u32) {
        let Some((discovered, lowest)) = self.known.get(&node).copied() else { return };
        if lowest == discovered {
            self.complete(node);
        } else if let Some(&(parent, _)) = self.path.last() {
            self.lower(parent, lowest);
        }
    }

    fn complete(&mut self, root: u32) {
        let mut members = Nodes::new();
        while let Some(node) = self.open.pop() {
            if let Some((_, lowest)) = self.known.get_mut(&node) {
                *lowest = u32::MAX;
            }
            members.push(node);
            if node == root {
                break;
            }
        }
        self.found.push(members);
    }
}
