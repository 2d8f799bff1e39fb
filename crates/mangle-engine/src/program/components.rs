//! Strongly connected components of a graph, with Tarjan's algorithm.
//!
//! The search uses its own stack, so long chains cannot overflow the call stack. A component
//! follows the components that it depends on, which is the order of evaluation.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

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
