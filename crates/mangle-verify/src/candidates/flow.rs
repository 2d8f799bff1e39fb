//! The flow of values through a graph: the values of the program at each node, and the input places
//! whose values arrive unchanged.
//!
//! The edges of the graph by node determine the nodes that depend on the facts of a world.

use std::cell::Cell;
use std::collections::BTreeSet;

use mangle_engine::kernel::{Clock, Datum, ValueId, Values};
use rustc_hash::{FxHashMap, FxHashSet};

use super::graph::{Computation, Graph, Node, Part};
use crate::obstacle::Budget;

/// The maximum number of values per node.
const MAX_VALUES: usize = 4_000;

/// The maximum number of argument combinations per function.
const MAX_RESULTS: usize = 10_000;

/// The maximum number of rounds through all rules.
const MAX_ROUNDS: usize = 64;

/// The maximum depth of parts that are followed.
const MAX_DEPTH: usize = 4;

/// A place in the facts of a world: a column of an input, or a part of its value.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) input: u16,
    pub(super) column: u16,
    pub(super) path: Vec<Part>,
}

/// The values and origins of each node.
pub(super) struct Flow<'c> {
    pub(super) places: Vec<Place>,
    numbers: FxHashMap<Place, u32>,
    values: Vec<BTreeSet<ValueId>>,
    /// The numbers of the places whose values reach a node.
    origins: Vec<BTreeSet<u32>>,
    /// For each node, the nodes whose values over several rows are the elements of its lists.
    elements: Vec<BTreeSet<Node>>,
    /// Edges from the elements of such lists to the nodes that extract them.
    from_lists: BTreeSet<(Node, Node)>,
    pub(super) cuts: &'c Truncations<'c>,
}

impl<'c> Flow<'c> {
    /// Creates a flow without values and origins.
    pub(super) fn new(graph: &Graph, cuts: &'c Truncations<'c>) -> Self {
        let count = graph.constants.len();
        let mut flow = Self {
            places: Vec::new(),
            numbers: FxHashMap::default(),
            values: vec![BTreeSet::new(); count],
            origins: vec![BTreeSet::new(); count],
            elements: vec![BTreeSet::new(); count],
            from_lists: BTreeSet::new(),
            cuts,
        };
        for (values, constant) in flow.values.iter_mut().zip(&graph.constants) {
            values.extend(constant);
        }
        for (element, list) in &graph.lists {
            flow.elements.get_mut(*list as usize).into_iter().for_each(|all| _ = all.insert(*element));
        }
        flow
    }

    /// Returns the number of a place, which is added if it is new.
    pub(super) fn place(&mut self, place: Place) -> u32 {
        if let Some(known) = self.numbers.get(&place) {
            return *known;
        }
        let number = u32::try_from(self.places.len()).unwrap_or(u32::MAX);
        self.numbers.insert(place.clone(), number);
        self.places.push(place);
        number
    }

    /// Returns the number of a place, if it is known.
    pub(super) fn find(&self, place: &Place) -> Option<u32> {
        self.numbers.get(place).copied()
    }

    /// Adds an input place whose values reach a node.
    pub(super) fn add_origin(&mut self, node: Node, place: u32) {
        self.origins.get_mut(node as usize).into_iter().for_each(|origins| _ = origins.insert(place));
    }

    pub(super) fn add_value(&mut self, node: Node, value: ValueId) {
        let Some(values) = self.values.get_mut(node as usize) else { return };
        if values.len() < MAX_VALUES {
            values.insert(value);
        } else if !values.contains(&value) {
            self.cuts.add("too many values of the program meet one argument");
        }
    }

    /// Propagates values and origins until nothing changes.
    pub(super) fn follow(&mut self, graph: &Graph, values: &mut Values, clock: Clock) {
        for _ in 0..MAX_ROUNDS {
            if self.cuts.is_over(values) {
                return;
            }
            let before = self.size();
            for &(from, to) in &graph.flows {
                self.copy(from, to);
            }
            for &(whole, part, node) in &graph.parts {
                self.take_part(values, whole, part, node);
            }
            for (from, to) in self.from_lists.clone() {
                self.copy(from, to);
            }
            for computation in &graph.computations {
                self.compute(values, clock, computation);
            }
            if self.size() == before {
                return;
            }
        }
        self.cuts.add("the rules compute values without end");
    }

    fn size(&self) -> usize {
        let values: usize = self.values.iter().map(BTreeSet::len).sum();
        let origins: usize = self.origins.iter().map(BTreeSet::len).sum();
        values + origins + self.elements.iter().map(BTreeSet::len).sum::<usize>() + self.from_lists.len()
    }

    pub(super) fn values_at(&self, node: Node) -> &BTreeSet<ValueId> {
        static NONE: BTreeSet<ValueId> = BTreeSet::new();
        self.values.get(node as usize).unwrap_or(&NONE)
    }

    /// Returns the nodes whose values over several rows are the elements of the lists of a node.
    pub(super) fn elements_at(&self, node: Node) -> &BTreeSet<Node> {
        static NONE: BTreeSet<Node> = BTreeSet::new();
        self.elements.get(node as usize).unwrap_or(&NONE)
    }

    /// Returns the numbers of the places whose values reach a node.
    pub(super) fn origins_at(&self, node: Node) -> &BTreeSet<u32> {
        static NONE: BTreeSet<u32> = BTreeSet::new();
        self.origins.get(node as usize).unwrap_or(&NONE)
    }

    fn copy(&mut self, from: Node, to: Node) {
        let known = self.values_at(to);
        let new: Vec<ValueId> = self.values_at(from).difference(known).copied().collect();
        new.into_iter().for_each(|value| self.add_value(to, value));
        let new: Vec<u32> = self.origins_at(from).difference(self.origins_at(to)).copied().collect();
        new.into_iter().for_each(|place| self.add_origin(to, place));
        let lists = self.elements.get(from as usize).cloned().unwrap_or_default();
        self.elements.get_mut(to as usize).into_iter().for_each(|all| all.extend(&lists));
    }

    fn take_part(&mut self, values: &Values, whole: Node, part: Part, node: Node) {
        for value in self.values_at(whole).clone() {
            let found: Vec<ValueId> = match (values.get(value), part) {
                (Datum::Pair(first, _), Part::First) => vec![*first],
                (Datum::Pair(_, second), Part::Second) => vec![*second],
                (Datum::List(elements), Part::Element) => elements.to_vec(),
                (Datum::Struct(entries) | Datum::Map(entries), Part::Under(label)) => {
                    entries.iter().filter(|(key, _)| *key == label).map(|(_, value)| *value).collect()
                }
                _ => Vec::new(),
            };
            found.into_iter().for_each(|value| self.add_value(node, value));
        }
        if part == Part::Element {
            let lists = self.elements.get(whole as usize).into_iter().flatten();
            let from_lists: Vec<_> = lists.map(|element| (*element, node)).collect();
            self.from_lists.extend(from_lists);
        }
        for origin in self.origins_at(whole).clone() {
            let Some(place) = self.places.get(origin as usize) else { continue };
            if place.path.len() >= MAX_DEPTH {
                self.cuts.add("a value has parts that are too deep");
                continue;
            }
            let mut place = place.clone();
            place.path.push(part);
            let place = self.place(place);
            self.add_origin(node, place);
        }
    }

    fn compute(&mut self, values: &mut Values, clock: Clock, computation: &Computation) {
        for args in self.arguments(&computation.args) {
            if self.cuts.is_over(values) {
                return;
            }
            if let Ok(value) = computation.function.apply(values, &args, &clock) {
                self.add_value(computation.result, value);
            }
        }
    }

    /// Returns all combinations of the values of several nodes.
    fn arguments(&self, nodes: &[Node]) -> Vec<Vec<ValueId>> {
        let options: Vec<Vec<ValueId>> =
            nodes.iter().map(|node| self.values_at(*node).iter().copied().collect()).collect();
        self.combinations(&options)
    }

    /// Returns the Cartesian product. Empty if it is too large.
    pub(super) fn combinations(&self, options: &[Vec<ValueId>]) -> Vec<Vec<ValueId>> {
        let count = options.iter().fold(1usize, |count, options| count.saturating_mul(options.len()));
        if count > MAX_RESULTS {
            self.cuts.add("a function has too many combinations of arguments");
            return Vec::new();
        }
        combinations(options)
    }
}

/// Returns the Cartesian product.
fn combinations(options: &[Vec<ValueId>]) -> Vec<Vec<ValueId>> {
    let mut all: Vec<Vec<ValueId>> = vec![Vec::new()];
    for options in options {
        let longer = all
            .iter()
            .flat_map(|args| options.iter().map(move |value| args.iter().copied().chain([*value]).collect()));
        all = longer.collect();
    }
    all
}

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

/// Records the first truncated list.
#[derive(Debug)]
pub(super) struct Truncations<'b> {
    first: Cell<Option<&'static str>>,
    budget: &'b Budget,
}

impl<'b> Truncations<'b> {
    /// Creates a record without truncated lists.
    pub(super) fn new(budget: &'b Budget) -> Self {
        Self { first: Cell::new(None), budget }
    }

    /// Records a truncated list with its reason.
    pub(super) fn add(&self, reason: &'static str) {
        if self.first.get().is_none() {
            self.first.set(Some(reason));
        }
    }

    /// Truncates a list to `most` elements.
    pub(super) fn shorten<T>(&self, list: &mut Vec<T>, most: usize, reason: &'static str) {
        if list.len() > most {
            list.truncate(most);
            self.add(reason);
        }
    }

    /// True if the budget for computing values is exhausted.
    pub(super) fn is_over(&self, values: &Values) -> bool {
        let is_over = self.budget.is_over(values);
        if is_over {
            self.add("the values take too much time or memory");
        }
        is_over
    }

    /// Returns the reason for the first truncated list, if any.
    pub(super) fn first(&self) -> Option<&'static str> {
        self.first.get()
    }
}
