//! Demanded values of each node.
//!
//! Demands start at constants and bounds in comparisons. Demands are followed backward, through
//! rules and inverse functions, to the places of the inputs.
//!
//! Each demanded or computed value has a provenance tag.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use mangle_engine::kernel::{Clock, Datum, ValueId, Values};

use super::flow::{Edges, Flow, at};
use super::graph::{Comparison, Computation, Graph, Node};
use super::inverse::{Call, Piece, inverse, part_of_fold, part_of_test, pieces_of};

/// The maximum number of demanded values per node.
const MAX_WANTED: usize = 2_000;

/// The maximum number of values per argument that are tried if a function has several variable
/// arguments.
const MAX_OTHERS: usize = 10;

/// The maximum number of combinations of constant parts of a concatenation.
const MAX_PIECES: usize = 400;

/// The values of function arguments that come from a world.
pub(super) trait ArgumentValues {
    /// Returns at most `most` values that a world can supply at a node.
    fn some_at(&self, flow: &Flow<'_>, node: Node, most: usize) -> Vec<ValueId>;
}

/// An implementation without values.
struct NoValues;

impl ArgumentValues for NoValues {
    fn some_at(&self, _: &Flow<'_>, _: Node, _: usize) -> Vec<ValueId> {
        Vec::new()
    }
}

/// A demand on a node.
#[derive(Debug, Clone, Copy)]
enum Demand {
    Value(ValueId),
    Test(Comparison, ValueId),
}

/// Demanded values and tests of each node.
pub(super) struct Demands<'w> {
    pub(super) graph: &'w Graph,
    pub(super) flow: &'w Flow<'w>,
    pub(super) edges: &'w Edges,
    clock: Clock,
    pub(super) of: Vec<BTreeMap<ValueId, Provenance>>,
    pub(super) tests: Vec<BTreeSet<(Comparison, ValueId)>>,
    pending: VecDeque<(Node, Demand)>,
}

impl<'w> Demands<'w> {
    /// Starts with the constants that nodes are compared with in the rules.
    pub(super) fn new(
        graph: &'w Graph,
        flow: &'w Flow<'w>,
        edges: &'w Edges,
        values: &mut Values,
        clock: Clock,
    ) -> Self {
        let count = graph.constants.len();
        let (of, tests) = (vec![BTreeMap::new(); count], vec![BTreeSet::new(); count]);
        let mut demands = Self { graph, flow, edges, clock, of, tests, pending: VecDeque::new() };
        for &(one, meeting, other) in &graph.comparisons {
            for value in flow.values_at(other) {
                demands.meet(one, meeting, *value, Provenance::from_comparison(meeting));
            }
            if meeting.is_comparison() {
                flow.values_at(one).iter().for_each(|value| {
                    demands.meet(other, meeting, *value, Provenance::from_comparison(meeting))
                });
            }
        }
        for divisor in &graph.divisors {
            for zero in [values.number(0), values.float(0.0)] {
                demands.demand(*divisor, zero, Provenance::from_comparison(Comparison::Equal));
            }
        }
        demands
    }

    /// Adds a comparison of a node with a value.
    pub(super) fn meet(&mut self, node: Node, meeting: Comparison, value: ValueId, tag: Provenance) {
        if meeting.is_comparison() {
            self.demand(node, value, tag);
        } else {
            self.test(node, meeting, value);
        }
    }

    /// Adds a demanded value of a node.
    pub(super) fn demand(&mut self, node: Node, value: ValueId, tag: Provenance) {
        if !self.edges.varies(node) || tag.steps > MAX_STEPS {
            return;
        }
        let Some(known) = self.of.get_mut(node as usize) else { return };
        if known.len() >= MAX_WANTED && !known.contains_key(&value) {
            self.flow.cuts.add("too many values meet one argument");
            return;
        }
        if add_tagged(known, value, tag) {
            self.pending.push_back((node, Demand::Value(value)));
        }
    }

    /// Adds a test of a node with a text, a name or a length.
    pub(super) fn test(&mut self, node: Node, meeting: Comparison, value: ValueId) {
        if !self.edges.varies(node) {
            return;
        }
        let Some(known) = self.tests.get_mut(node as usize) else { return };
        if known.insert((meeting, value)) {
            self.pending.push_back((node, Demand::Test(meeting, value)));
        }
    }

    /// Follows all demands back to their origins.
    pub(super) fn follow(&mut self, values: &mut Values, world: &dyn ArgumentValues) {
        while let Some((node, wanted)) = self.pending.pop_front() {
            if self.flow.cuts.is_over(values) {
                return;
            }
            let edges = self.edges;
            for before in at(&edges.before, node) {
                match wanted {
                    Demand::Value(value) => self.demand(*before, value, self.tag(node, value)),
                    Demand::Test(meeting, value) => self.test(*before, meeting, value),
                }
            }
            if let Demand::Value(value) = wanted {
                if let Datum::List(elements) = values.get(value).clone() {
                    let tag = self.tag(node, value);
                    for from in self.flow.elements_at(node) {
                        elements.iter().for_each(|element| self.demand(*from, *element, tag));
                    }
                }
                let tag = self.tag(node, value);
                if tag.crossings == 0 && tag.steps == 0 {
                    for element in at(&edges.folded, node) {
                        part_of_fold(values, value)
                            .into_iter()
                            .for_each(|part| self.demand(*element, part, tag.step(false)));
                    }
                }
            }
            for number in at(&edges.results, node) {
                match wanted {
                    Demand::Value(value) => self.invert(values, world, *number, value),
                    Demand::Test(meeting, value) => self.invert_test(values, *number, meeting, value),
                }
            }
        }
    }

    fn tag(&self, node: Node, value: ValueId) -> Provenance {
        self.of.get(node as usize).and_then(|all| all.get(&value)).copied().unwrap_or_default()
    }

    /// Demands the texts that make a concatenation have a value.
    fn invert_concatenation(
        &mut self,
        values: &mut Values,
        computation: &Computation,
        wanted: Node,
        value: ValueId,
        tag: Provenance,
    ) {
        let Datum::String(text) = values.get(value).clone() else { return };
        for pieces in self.pieces(values, computation, wanted) {
            if self.flow.cuts.is_over(values) {
                return;
            }
            for part in pieces_of(&text, &pieces) {
                let part = values.string(&part);
                self.demand(wanted, part, tag);
            }
        }
    }

    /// Demands the arguments that make a function have a value.
    fn invert(&mut self, values: &mut Values, world: &dyn ArgumentValues, number: usize, value: ValueId) {
        let Some(computation) = self.graph.computations.get(number) else { return };
        let tag = self.tag(computation.result, value).step(self.edges.is_recursive(number));
        if tag.steps > MAX_STEPS {
            return;
        }
        let function = computation.function.name();
        let mut nodes = computation.args.clone();
        nodes.sort_unstable();
        nodes.dedup();
        for wanted in nodes.into_iter().filter(|node| self.edges.varies(*node)) {
            match function {
                "list:len" => self.test(wanted, Comparison::Length, value),
                "string:concat" => self.invert_concatenation(values, computation, wanted, value, tag),
                _ => {
                    for args in self.others(world, computation, wanted, tag) {
                        if self.flow.cuts.is_over(values) {
                            return;
                        }
                        if let ("mod", [None, Some(divisor)]) = (function, args.as_slice())
                            && let Ok(remainder) = values.pair(*divisor, value)
                        {
                            self.test(wanted, Comparison::Remainder, remainder);
                        }
                        let call = Call { function, args: &args, result: value };
                        let found = inverse(values, self.clock, &call);
                        found.into_iter().for_each(|found| self.demand(wanted, found, tag));
                    }
                }
            }
        }
    }

    /// Demands argument tests that make the value of a function pass a test.
    fn invert_test(&mut self, values: &mut Values, number: usize, meeting: Comparison, test: ValueId) {
        let Some(computation) = self.graph.computations.get(number) else { return };
        let Datum::String(text) = values.get(test).clone() else { return };
        let function = computation.function.name();
        for wanted in computation.args.clone().into_iter().filter(|node| self.edges.varies(*node)) {
            match function {
                "string:concat" => {
                    for pieces in self.pieces(values, computation, wanted) {
                        if self.flow.cuts.is_over(values) {
                            return;
                        }
                        for (meeting, text) in part_of_test(meeting, &text, &pieces) {
                            let text = values.string(&text);
                            self.meet(
                                wanted,
                                meeting,
                                text,
                                Provenance::from_comparison(meeting).step(false),
                            );
                        }
                    }
                }
                "string:replace" => {
                    self.test(wanted, meeting, test);
                    self.invert(values, &NoValues, number, test);
                }
                "name:to_string" | "number:to_string" | "float64:to_string" => {
                    self.invert(values, &NoValues, number, test);
                }
                _ => {}
            }
        }
    }

    /// Returns the parts of a concatenation, for each combination of its constant arguments.
    fn pieces(&self, values: &Values, computation: &Computation, wanted: Node) -> Vec<Vec<Piece>> {
        let text = |value: &ValueId| match values.get(*value) {
            Datum::String(text) | Datum::Name(text) => Some(Piece::Text(text.to_string())),
            Datum::Number(number) => Some(Piece::Text(number.to_string())),
            _ => None,
        };
        let mut all: Vec<Vec<Piece>> = vec![Vec::new()];
        for arg in &computation.args {
            let mut options: Vec<Piece> = Vec::new();
            if *arg == wanted {
                options.push(Piece::Wanted);
            } else {
                options.extend(self.flow.values_at(*arg).iter().filter_map(text));
                options.extend(self.edges.varies(*arg).then_some(Piece::Open));
            }
            if all.len().saturating_mul(options.len()) > MAX_PIECES {
                self.flow.cuts.add("a concatenation has too many constant parts");
                return Vec::new();
            }
            let longer = all.iter().flat_map(|pieces| {
                options.iter().map(move |piece| pieces.iter().cloned().chain([piece.clone()]).collect())
            });
            all = longer.collect();
        }
        all
    }

    /// Returns values of the arguments of a call that are not `wanted`.
    ///
    /// The number of tried values per argument decreases with the number of arguments and with the
    /// distance from the comparison.
    fn others(
        &self,
        world: &dyn ArgumentValues,
        computation: &Computation,
        wanted: Node,
        tag: Provenance,
    ) -> Vec<Vec<Option<ValueId>>> {
        let others: Vec<Node> = computation.args.iter().copied().filter(|node| *node != wanted).collect();
        let open = others.iter().filter(|node| self.edges.varies(**node)).count();
        let most = MAX_OTHERS / open.max(usize::from(tag.steps)).clamp(1, MAX_OTHERS);
        let options: Vec<Vec<ValueId>> = others
            .iter()
            .map(|node| {
                let known = self.flow.values_at(*node).iter().copied();
                known.chain(world.some_at(self.flow, *node, most)).collect()
            })
            .collect();
        let arguments = |others: Vec<ValueId>| {
            let mut others = others.into_iter();
            let args = computation.args.iter();
            args.map(|node| if *node == wanted { None } else { others.next() }).collect()
        };
        self.flow.combinations(&options).into_iter().map(arguments).collect()
    }
}

/// The maximum number of functions that a value is followed through.
pub(super) const MAX_STEPS: u8 = 12;

/// The number of steps for a function whose value can become its own argument.
const RECURSIVE_STEPS: u8 = 4;

/// The provenance of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Provenance {
    /// The number of transitions between places through functions.
    pub(super) crossings: u8,
    /// The number of functions that the value passed through.
    pub(super) steps: u8,
    /// True if the value is compared with `=` or `!=`, or joined in a relation.
    pub(super) is_met: bool,
    /// True if the value is compared by order, so that its neighbors are relevant.
    pub(super) is_bound: bool,
    /// True if the value is only demanded as a neighbor of another value, or computed from such a
    /// neighbor.
    pub(super) is_near: bool,
    /// True if the value is fresh, or computed from fresh values.
    pub(super) is_fresh: bool,
}

impl Provenance {
    /// Creates the tag of a value in this kind of comparison.
    fn from_comparison(meeting: Comparison) -> Self {
        let is_bound = meeting == Comparison::Order;
        Self { is_bound, is_met: !is_bound, ..Self::default() }
    }

    /// Returns the tag after another function.
    pub(super) fn step(self, is_recursive: bool) -> Self {
        let steps = if is_recursive { RECURSIVE_STEPS } else { 1 };
        Self { steps: self.steps.saturating_add(steps), ..self }
    }

    /// Merges the tags of a value with two origins.
    fn with(self, other: Self) -> Self {
        let (crossings, steps) = (self.crossings, self.steps).min((other.crossings, other.steps));
        Self {
            crossings,
            steps,
            is_met: self.is_met || other.is_met,
            is_bound: self.is_bound || other.is_bound,
            is_near: self.is_near && other.is_near,
            is_fresh: self.is_fresh || other.is_fresh,
        }
    }
}

/// Adds a value with a tag. Returns true if anything changed.
pub(super) fn add_tagged(all: &mut BTreeMap<ValueId, Provenance>, value: ValueId, tag: Provenance) -> bool {
    match all.get_mut(&value) {
        Some(known) => {
            let both = known.with(tag);
            std::mem::replace(known, both) != both
        }
        None => {
            all.insert(value, tag);
            true
        }
    }
}
