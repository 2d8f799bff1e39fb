//! The values that a world can supply at each node: values of the origin places, and results of
//! functions.

use std::collections::BTreeMap;

use mangle_engine::kernel::{Clock, Datum, ValueId, Values};

use super::demands::{ArgumentValues, Demands, MAX_STEPS, Provenance, add_tagged};
use super::flow::{Flow, at};
use super::graph::{Comparison, Node};
use super::needs::{FRESH, Groups};

/// The maximum number of world-dependent values of a function.
const MAX_COMPUTED: usize = 1_000;

/// The maximum number of transitions between places through functions.
const MAX_CROSSINGS: u8 = 2;

/// The maximum total number of values of all arguments of a function with several world-dependent
/// arguments.
const MAX_COMBINED: usize = 24;

/// The maximum number of texts of a world as patterns of a test.
const MAX_TESTS: usize = 12;

/// The tag of a fresh value.
const FRESH_TAG: Provenance =
    Provenance { crossings: 0, steps: 0, is_met: false, is_bound: false, is_near: false, is_fresh: true };

/// The values that a world can supply.
#[derive(Debug, Default)]
pub(super) struct WorldValues {
    /// The group of each place.
    group_of: Vec<u32>,
    /// The fresh values of each group.
    fresh: Vec<Vec<ValueId>>,
    /// The values of each group.
    pub(super) of_group: Vec<BTreeMap<ValueId, Provenance>>,
    /// The results of functions at each node.
    computed: Vec<BTreeMap<ValueId, Provenance>>,
}

impl ArgumentValues for WorldValues {
    /// Fresh values come first.
    fn some_at(&self, flow: &Flow<'_>, node: Node, most: usize) -> Vec<ValueId> {
        let groups = self.groups(flow, node);
        let fresh = groups.iter().filter_map(|group| self.fresh.get(*group)).flatten().copied();
        let mut all: Vec<ValueId> = fresh.take(most.min(FRESH)).collect();
        let computed = self.computed.get(node as usize).into_iter().flatten();
        all.extend(computed.filter(|(_, tag)| tag.crossings == 0).map(|(value, _)| *value).take(FRESH));
        let known = groups.iter().filter_map(|group| self.of_group.get(*group)).flatten();
        let mut others: Vec<(Provenance, ValueId)> = known.map(|(value, tag)| (*tag, *value)).collect();
        others.retain(|(tag, value)| tag.crossings == 0 && tag.steps == 0 && !all.contains(value));
        others.sort_unstable();
        let rest = others.split_off(most.saturating_sub(all.len()).min(others.len()));
        if rest.iter().any(|(tag, _)| tag.is_met || tag.is_bound) {
            flow.cuts.add("a function of several inputs meets too many of their values");
        }
        all.extend(others.into_iter().map(|(_, value)| value));
        all
    }
}

impl WorldValues {
    /// Creates values with only the fresh values.
    pub(super) fn new(groups: &Groups, fresh: Vec<Vec<ValueId>>, nodes: usize) -> Self {
        let of_group = vec![BTreeMap::new(); fresh.len()];
        Self { group_of: groups.of_place.clone(), fresh, of_group, computed: vec![BTreeMap::new(); nodes] }
    }

    /// Returns the groups of a node's origins.
    fn groups(&self, flow: &Flow<'_>, node: Node) -> Vec<usize> {
        let groups = flow.origins_at(node).iter().filter_map(|place| self.group_of.get(*place as usize));
        let mut groups: Vec<usize> = groups.map(|group| *group as usize).collect();
        groups.sort_unstable();
        groups.dedup();
        groups
    }

    /// Returns the values that a world supplies at a node unchanged.
    fn plain(&self, flow: &Flow<'_>, node: Node) -> BTreeMap<ValueId, Provenance> {
        let mut all = BTreeMap::new();
        for group in self.groups(flow, node) {
            let fresh = self.fresh.get(group).into_iter().flatten().map(|value| (*value, FRESH_TAG));
            let known = self.of_group.get(group).into_iter().flatten().map(|(value, tag)| (*value, *tag));
            fresh.chain(known).for_each(|(value, tag)| _ = add_tagged(&mut all, value, tag));
        }
        all
    }

    /// Adds the demanded values of the places and computes functions of them. Returns true if
    /// anything changed.
    pub(super) fn update(&mut self, demands: &Demands<'_>, values: &mut Values, clock: Clock) -> bool {
        let mut is_new = false;
        for (node, wanted) in (0u32..).zip(&demands.of) {
            if wanted.is_empty() {
                continue;
            }
            for group in self.groups(demands.flow, node) {
                let Some(known) = self.of_group.get_mut(group) else { continue };
                for (value, tag) in wanted {
                    is_new |= add_tagged(known, *value, *tag);
                }
            }
        }
        is_new |= self.take_tests(demands);
        for _ in 0..MAX_STEPS {
            if !self.compute(demands, values, clock) {
                break;
            }
            is_new = true;
        }
        is_new
    }

    /// Adds the patterns of text tests as values of places. Returns true if anything changed.
    fn take_tests(&mut self, demands: &Demands<'_>) -> bool {
        let mut is_new = false;
        for (node, tests) in (0u32..).zip(&demands.tests).filter(|(_, tests)| !tests.is_empty()) {
            let texts = tests.iter().filter(|(meeting, _)| !meeting.is_parameterized());
            for group in self.groups(demands.flow, node) {
                let Some(known) = self.of_group.get_mut(group) else { continue };
                for (_, text) in texts.clone() {
                    is_new |= add_tagged(known, *text, Provenance::default());
                }
            }
        }
        is_new
    }

    /// Applies all functions once. Returns true if anything changed.
    fn compute(&mut self, demands: &Demands<'_>, values: &mut Values, clock: Clock) -> bool {
        let mut is_new = false;
        for (number, computation) in demands.graph.computations.iter().enumerate() {
            if !demands.edges.is_computed(computation.result) {
                continue;
            }
            for args in self.arguments(demands, values, &computation.args) {
                if demands.flow.cuts.is_over(values) {
                    return false;
                }
                let is_near = args.iter().any(|(_, tag)| tag.is_near);
                let varies = |(node, _): &(&Node, _)| demands.edges.varies(**node);
                let is_fresh =
                    computation.args.iter().zip(&args).filter(varies).all(|(_, (_, tag))| tag.is_fresh);
                let tag = Provenance {
                    is_near,
                    is_fresh,
                    ..args.iter().map(|(_, tag)| *tag).max().unwrap_or_default()
                };
                let tag = tag.step(demands.edges.is_recursive(number));
                let args: Vec<ValueId> = args.into_iter().map(|(value, _)| value).collect();
                if tag.steps <= MAX_STEPS
                    && let Ok(value) = computation.function.apply(values, &args, &clock)
                {
                    is_new |= self.add(demands, computation.result, value, tag);
                }
            }
        }
        is_new
    }

    /// Adds a value to a node and to all nodes that it flows to. Returns true if any node changed.
    fn add(&mut self, demands: &Demands<'_>, node: Node, value: ValueId, tag: Provenance) -> bool {
        let tag = Provenance { is_bound: false, is_met: false, ..tag };
        let (mut pending, mut is_new) = (vec![node], false);
        while let Some(node) = pending.pop() {
            let Some(known) = self.computed.get_mut(node as usize) else { continue };
            if known.len() >= MAX_COMPUTED && !known.contains_key(&value) {
                demands.flow.cuts.add("too many values are computed from those of a world");
                continue;
            }
            if add_tagged(known, value, tag) {
                is_new = true;
                pending.extend(at(&demands.edges.after, node));
            }
        }
        is_new
    }

    /// Returns the world-dependent arguments of a function: all values if one argument depends on a
    /// world, or some values.
    fn arguments(
        &self,
        demands: &Demands<'_>,
        values: &mut Values,
        nodes: &[Node],
    ) -> Vec<Vec<(ValueId, Provenance)>> {
        let mut distinct: Vec<Node> =
            nodes.iter().copied().filter(|node| demands.edges.varies(*node)).collect();
        distinct.sort_unstable();
        distinct.dedup();
        let mut of_world = |node: Node| -> Vec<(ValueId, Provenance)> {
            if distinct.len() > 1 {
                let most = MAX_COMBINED / distinct.len().min(MAX_COMBINED);
                let some = self.some_at(demands.flow, node, most).into_iter();
                return some.map(|value| (value, Provenance::default())).collect();
            }
            let mut all = self.plain(demands.flow, node);
            for (value, tag) in self.computed.get(node as usize).into_iter().flatten() {
                add_tagged(&mut all, *value, *tag);
            }
            for (bound, tag) in all.clone().into_iter().filter(|(_, tag)| tag.is_bound) {
                for direction in [-1, 1] {
                    let neighbour = moved(values, bound, direction);
                    let tag = Provenance { is_bound: false, is_near: true, ..tag };
                    neighbour.into_iter().for_each(|value| _ = add_tagged(&mut all, value, tag));
                }
            }
            all.into_iter().collect()
        };
        let options: Vec<BTreeMap<ValueId, Provenance>> = nodes
            .iter()
            .map(|node| {
                let known = demands.flow.values_at(*node).iter().map(|value| (*value, Provenance::default()));
                known.chain(of_world(*node)).collect()
            })
            .collect();
        same_for_same(demands.flow, nodes, &options)
    }

    /// Demands the values of each compared node at the other node.
    pub(super) fn cross(&self, demands: &mut Demands<'_>, values: &Values) {
        for &(one, meeting, other) in &demands.graph.comparisons {
            for (to, from) in [(one, other), (other, one)] {
                if !demands.edges.varies(to) || !demands.edges.varies(from) {
                    continue;
                }
                if meeting.is_comparison() {
                    self.cross_values(demands, values, to, meeting, from);
                } else if to == one {
                    let some = self.some_at(demands.flow, from, MAX_TESTS);
                    some.into_iter().for_each(|value| demands.test(to, meeting, value));
                }
            }
        }
    }

    fn cross_values(
        &self,
        demands: &mut Demands<'_>,
        values: &Values,
        to: Node,
        meeting: Comparison,
        from: Node,
    ) {
        let mut found: Vec<(ValueId, Provenance)> = self
            .computed
            .get(from as usize)
            .into_iter()
            .flatten()
            .map(|(value, tag)| (*value, *tag))
            .collect();
        if demands.edges.is_computed(to) {
            found.extend(self.plain(demands.flow, from));
        }
        // Texts that are computed from texts of the program do not become parts of other texts.
        let may_cross = |(value, tag): &(ValueId, Provenance)| match values.get(*value) {
            Datum::String(_) if !tag.is_fresh => tag.crossings == 0,
            _ => tag.crossings < MAX_CROSSINGS,
        };
        for (value, tag) in found.into_iter().filter(may_cross) {
            // A bound that is compared with another bound needs no neighbors.
            let is_bound =
                tag.is_bound || (meeting == Comparison::Order && tag.crossings == 0 && !tag.is_near);
            let tag =
                Provenance { crossings: tag.crossings + 1, steps: 0, is_bound, is_met: !is_bound, ..tag };
            demands.demand(to, value, tag);
        }
    }
}

/// Returns all combinations of arguments that assign equal values to equal nodes.
fn same_for_same(
    flow: &Flow<'_>,
    nodes: &[Node],
    options: &[BTreeMap<ValueId, Provenance>],
) -> Vec<Vec<(ValueId, Provenance)>> {
    let mut distinct: Vec<(Node, Vec<ValueId>)> = Vec::new();
    for (node, options) in nodes.iter().zip(options) {
        if !distinct.iter().any(|(known, _)| known == node) {
            distinct.push((*node, options.keys().copied().collect()));
        }
    }
    let lists: Vec<Vec<ValueId>> = distinct.iter().map(|(_, options)| options.clone()).collect();
    let arguments = |chosen: Vec<ValueId>| {
        let args = nodes.iter().zip(options).filter_map(|(node, options)| {
            let at = distinct.iter().position(|(known, _)| known == node)?;
            let value = chosen.get(at)?;
            Some((*value, options.get(value).copied().unwrap_or_default()))
        });
        args.collect()
    };
    flow.combinations(&lists).into_iter().map(arguments).collect()
}

/// Returns a number, float, instant or duration that is increased by `by`.
#[allow(clippy::cast_precision_loss)] // neighbors are near
pub(super) fn moved(values: &mut Values, value: ValueId, by: i64) -> Option<ValueId> {
    match *values.get(value) {
        Datum::Number(number) => number.checked_add(by).map(|number| values.number(number)),
        Datum::Float(bits) => {
            let float = f64::from_bits(bits);
            let moved = float + by as f64;
            (moved.is_finite() && moved != float).then(|| values.float(moved))
        }
        Datum::Time(instant) => instant.checked_add(by).map(|instant| values.time(instant)),
        Datum::Duration(length) => length.checked_add(by).map(|length| values.duration(length)),
        _ => None,
    }
}
