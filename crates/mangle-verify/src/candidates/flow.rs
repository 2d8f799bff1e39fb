//! Which values can be at each node, and from which places of the inputs they come.

use std::collections::BTreeSet;

use mangle_engine::kernel::{Clock, Datum, ValueId, Values};
use rustc_hash::FxHashMap;

use super::graph::{Graph, Node, Part};

/// How many values of a node are followed.
const MOST_VALUES: usize = 2_000;

/// How many combinations of arguments a function is computed for.
const MOST_RESULTS: usize = 4_000;

/// A place in the facts of a world: a column of an input, or a part of what is in it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) input: u16,
    pub(super) column: u16,
    pub(super) path: Vec<Part>,
}

/// How a value gets from a place to a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Origin {
    /// The number of the place.
    pub(super) place: u32,
    /// The computation and the argument of it through which the value went; `None` where it is unchanged.
    pub(super) through: Option<(u32, u32)>,
}

/// What can be at each node.
pub(super) struct Flow {
    pub(super) places: Vec<Place>,
    numbers: FxHashMap<Place, u32>,
    pub(super) values: Vec<BTreeSet<ValueId>>,
    pub(super) origins: Vec<BTreeSet<Origin>>,
}

/// How deep the parts of a value are followed.
const DEEPEST: usize = 3;

impl Flow {
    /// No node has a value or an origin yet.
    pub(super) fn new(graph: &Graph) -> Self {
        let count = graph.constants.len();
        let mut flow = Self {
            places: Vec::new(),
            numbers: FxHashMap::default(),
            values: vec![BTreeSet::new(); count],
            origins: vec![BTreeSet::new(); count],
        };
        for (values, constant) in flow.values.iter_mut().zip(&graph.constants) {
            values.extend(constant);
        }
        flow
    }

    /// The number of a place.
    pub(super) fn place(&mut self, place: Place) -> u32 {
        if let Some(known) = self.numbers.get(&place) {
            return *known;
        }
        let number = u32::try_from(self.places.len()).unwrap_or(u32::MAX);
        self.numbers.insert(place.clone(), number);
        self.places.push(place);
        number
    }

    /// The number of a place, if anything comes from there.
    pub(super) fn find(&self, place: &Place) -> Option<u32> {
        self.numbers.get(place).copied()
    }

    /// Facts of an input have their values at a node.
    pub(super) fn add_origin(&mut self, node: Node, place: u32) {
        if let Some(origins) = self.origins.get_mut(node as usize) {
            origins.insert(Origin { place, through: None });
        }
    }

    /// A value can be at a node.
    pub(super) fn add_value(&mut self, node: Node, value: ValueId) {
        if let Some(values) = self.values.get_mut(node as usize).filter(|all| all.len() < MOST_VALUES) {
            values.insert(value);
        }
    }

    /// Follows values and origins until nothing is added.
    pub(super) fn follow(&mut self, graph: &Graph, values: &mut Values, clock: Clock) {
        for _ in 0..64 {
            let before = self.size();
            for &(from, to) in &graph.flows {
                self.copy(from, to);
            }
            for &(whole, part, node) in &graph.parts {
                self.take_part(values, whole, part, node);
            }
            for (number, computation) in (0u32..).zip(&graph.computations) {
                self.compute(values, clock, number, computation);
            }
            if self.size() == before {
                return;
            }
        }
    }

    fn size(&self) -> usize {
        let values: usize = self.values.iter().map(BTreeSet::len).sum();
        values + self.origins.iter().map(BTreeSet::len).sum::<usize>()
    }

    fn at(&self, node: Node) -> (&BTreeSet<ValueId>, &BTreeSet<Origin>) {
        static NO_VALUES: BTreeSet<ValueId> = BTreeSet::new();
        static NO_ORIGINS: BTreeSet<Origin> = BTreeSet::new();
        let node = node as usize;
        (self.values.get(node).unwrap_or(&NO_VALUES), self.origins.get(node).unwrap_or(&NO_ORIGINS))
    }

    /// The values at a node.
    pub(super) fn values_at(&self, node: Node) -> Vec<ValueId> {
        self.at(node).0.iter().copied().collect()
    }

    /// Where the values at a node come from.
    pub(super) fn origins_at(&self, node: Node) -> Vec<Origin> {
        self.at(node).1.iter().copied().collect()
    }

    fn copy(&mut self, from: Node, to: Node) {
        let (values, origins) = self.at(from);
        let (values, origins) = (values.clone(), origins.clone());
        values.into_iter().for_each(|value| self.add_value(to, value));
        self.origins.get_mut(to as usize).into_iter().for_each(|all| all.extend(origins.iter().copied()));
    }

    fn take_part(&mut self, values: &Values, whole: Node, part: Part, node: Node) {
        for value in self.values_at(whole) {
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
        for origin in self.origins_at(whole) {
            let Some(place) = self.places.get(origin.place as usize) else { continue };
            if origin.through.is_none() && place.path.len() < DEEPEST {
                let mut place = place.clone();
                place.path.push(part);
                let place = self.place(place);
                self.add_origin(node, place);
            }
        }
    }

    fn compute(
        &mut self,
        values: &mut Values,
        clock: Clock,
        number: u32,
        computation: &super::graph::Computation,
    ) {
        for (at, arg) in (0u32..).zip(&computation.args) {
            for origin in self.origins_at(*arg).into_iter().filter(|origin| origin.through.is_none()) {
                let through = Origin { place: origin.place, through: Some((number, at)) };
                let result = self.origins.get_mut(computation.result as usize);
                result.into_iter().for_each(|origins| _ = origins.insert(through));
            }
        }
        for args in self.arguments(&computation.args) {
            if let Ok(value) = computation.function.apply(values, &args, &clock) {
                self.add_value(computation.result, value);
            }
        }
    }

    /// The combinations of the values at some nodes; none where there are too many.
    pub(super) fn arguments(&self, nodes: &[Node]) -> Vec<Vec<ValueId>> {
        let mut all: Vec<Vec<ValueId>> = vec![Vec::new()];
        for node in nodes {
            let options = self.at(*node).0;
            if all.len().saturating_mul(options.len()) > MOST_RESULTS {
                return Vec::new();
            }
            let longer = all.iter().flat_map(|args| {
                options.iter().map(move |value| args.iter().copied().chain([*value]).collect())
            });
            all = longer.collect();
        }
        all
    }
}
