//! The edges of a value flow graph by node, and the nodes that depend on the facts of a world.

use rustc_hash::FxHashSet;

use super::flow::Flow;
use super::graph::{Computation, Graph, Node};

/// The incoming and outgoing edges of each node.
pub(super) struct Edges {
    /// The nodes whose values flow to a node.
    pub(super) before: Vec<Vec<Node>>,
    /// The nodes that receive the values of a node.
    pub(super) after: Vec<Vec<Node>>,
    /// The numbers of the computations with this result.
    pub(super) results: Vec<Vec<usize>>,
    /// The nodes whose values are aggregated by sum, average, minimum or maximum.
    pub(super) folded: Vec<Vec<Node>>,
    /// True if the values of a node come from a world, directly or computed.
    varies: Vec<bool>,
    /// True if the value of a computation can become its own argument.
    recursive: Vec<bool>,
    /// True if the values of a node are computed from values of a world.
    is_computed: Vec<bool>,
}

impl Edges {
    /// Collects the edges of a graph.
    pub(super) fn new(graph: &Graph, flow: &Flow<'_>) -> Self {
        let count = graph.constants.len();
        let mut edges = Self {
            before: vec![Vec::new(); count],
            after: vec![Vec::new(); count],
            results: vec![Vec::new(); count],
            folded: vec![Vec::new(); count],
            varies: vec![false; count],
            recursive: Vec::new(),
            is_computed: vec![false; count],
        };
        let flows = graph.flows.iter().chain(&flow.from_lists);
        for &(from, to) in flows {
            push(&mut edges.before, to, from);
            push(&mut edges.after, from, to);
        }
        for (number, computation) in graph.computations.iter().enumerate() {
            push(&mut edges.results, computation.result, number);
        }
        for &(from, to) in &graph.folds {
            push(&mut edges.folded, to, from);
        }
        edges.spread(graph, flow);
        edges
    }

    /// Marks the nodes that depend on a world.
    fn spread(&mut self, graph: &Graph, flow: &Flow<'_>) {
        let count = u32::try_from(graph.constants.len()).unwrap_or(u32::MAX);
        let mut uses: Vec<Vec<Node>> = vec![Vec::new(); graph.constants.len()];
        for computation in &graph.computations {
            computation.args.iter().for_each(|arg| push(&mut uses, *arg, computation.result));
        }
        let made = graph.folds.iter().chain(&graph.lists);
        made.for_each(|&(from, to)| push(&mut uses, from, to));
        self.recursive = recursive(graph, &self.after, &uses);
        let mut pending: Vec<(Node, bool)> =
            (0..count).filter(|node| !flow.origins_at(*node).is_empty()).map(|node| (node, false)).collect();
        while let Some((node, is_computed)) = pending.pop() {
            let at = node as usize;
            let known = if is_computed { &mut self.is_computed } else { &mut self.varies };
            match known.get_mut(at) {
                Some(known) if !*known => *known = true,
                _ => continue,
            }
            if is_computed {
                self.varies.get_mut(at).into_iter().for_each(|varies| *varies = true);
            }
            let after = self.after.get(at).into_iter().flatten();
            pending.extend(after.map(|next| (*next, is_computed)));
            pending.extend(uses.get(at).into_iter().flatten().map(|next| (*next, true)));
        }
    }

    /// True if the values of a node come from a world.
    pub(super) fn varies(&self, node: Node) -> bool {
        self.varies.get(node as usize) == Some(&true)
    }

    /// True if the value of a computation can become its own argument.
    pub(super) fn is_recursive(&self, computation: usize) -> bool {
        self.recursive.get(computation) == Some(&true)
    }

    /// True if the values of a node are computed from values of a world.
    pub(super) fn is_computed(&self, node: Node) -> bool {
        self.is_computed.get(node as usize) == Some(&true)
    }
}

/// Returns one flag per computation, true if it reaches its own arguments.
fn recursive(graph: &Graph, after: &[Vec<Node>], uses: &[Vec<Node>]) -> Vec<bool> {
    let reaches_itself = |computation: &Computation| {
        let mut seen = FxHashSet::default();
        let mut pending = vec![computation.result];
        while let Some(node) = pending.pop() {
            if seen.insert(node) {
                pending.extend(at(after, node).iter().chain(at(uses, node)));
            }
        }
        computation.args.iter().any(|arg| seen.contains(arg))
    };
    graph.computations.iter().map(reaches_itself).collect()
}

fn push<T>(all: &mut [Vec<T>], node: Node, value: T) {
    if let Some(of_node) = all.get_mut(node as usize) {
        of_node.push(value);
    }
}

/// Returns the list of a node, or an empty list.
pub(super) fn at<T>(all: &[Vec<T>], node: Node) -> &[T] {
    all.get(node as usize).map_or(&[], Vec::as_slice)
}
