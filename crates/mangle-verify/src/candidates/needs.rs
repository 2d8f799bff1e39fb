//! The number and kinds of distinct values that each node needs, propagated from comparisons and
//! counts to the origins of values.
//!
//! Places whose values are compared with each other form a group. All places of a group have the same
//! candidate values.

use std::collections::{BTreeMap, BTreeSet};

use mangle_engine::types::Base;

use super::flow::{Edges, Flow, at};
use super::graph::{Comparison, Graph, Node};

/// The number of fresh values per kind for a joined place.
pub(super) const FRESH: usize = 3;

/// The maximum number of distinct values of a node.
const MAX_DISTINCT: usize = 16;

/// The needs of a node.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Need {
    /// True if the node is compared with another value of a world, or its rows are counted.
    pub(super) is_joined: bool,
    /// The minimum number of fresh values. Zero if there is no requirement.
    pub(super) distinct: usize,
    /// The number of values on each side of a bound.
    pub(super) width: usize,
    /// The kinds of values that the rules require.
    pub(super) kinds: BTreeSet<Base>,
}

impl Need {
    /// Adds the needs of another node. Returns true if anything changed.
    fn extend(&mut self, other: &Self) -> bool {
        let before = self.clone();
        self.is_joined |= other.is_joined;
        self.distinct = self.distinct.max(other.distinct);
        self.width = self.width.max(other.width);
        self.kinds.extend(&other.kinds);
        *self != before
    }
}

/// Computes the needs of each node.
pub(super) fn needs(graph: &Graph, edges: &Edges, facts: usize) -> Vec<Need> {
    let mut needs = vec![Need::default(); graph.constants.len()];
    let mut add = |node: Node, need: Need| {
        needs.get_mut(node as usize).into_iter().for_each(|known| _ = known.extend(&need));
    };
    for &(one, meeting, other) in &graph.comparisons {
        if edges.varies(one) && edges.varies(other) && !meeting.is_parameterized() {
            let need = Need { is_joined: true, ..Need::default() };
            add(one, need.clone());
            add(other, need);
        }
        for node in [one, other] {
            add(node, Need { kinds: kind_of_test(meeting).into_iter().collect(), ..Need::default() });
        }
    }
    let takes_length = graph.computations.iter().any(|computation| computation.function.name() == "list:len");
    for reduced in &graph.reduced {
        // A list for each order of the rows would be too many.
        let is_counted = !reduced.is_list || takes_length;
        let width = if reduced.columns.len() == 1 && is_counted { facts } else { 1 };
        let distinct = if is_counted { facts.clamp(FRESH, MAX_DISTINCT) } else { FRESH };
        for column in &reduced.columns {
            add(*column, Need { is_joined: true, distinct, width, ..Need::default() });
        }
    }
    for (node, size) in compared_together(graph, edges) {
        let distinct = if size > 2 { size.max(facts).clamp(FRESH, MAX_DISTINCT) } else { FRESH };
        add(node, Need { distinct, width: size.min(facts), ..Need::default() });
    }
    for computation in &graph.computations {
        for (number, arg) in computation.args.iter().enumerate() {
            let kinds = kind_of_argument(computation.function.name(), number).into_iter().collect();
            add(*arg, Need { kinds, ..Need::default() });
        }
    }
    spread(graph, edges, &mut needs);
    needs
}

fn kind_of_test(meeting: Comparison) -> Option<Base> {
    match meeting {
        Comparison::Prefix | Comparison::Suffix | Comparison::Contains | Comparison::Matches => {
            Some(Base::String)
        }
        Comparison::NamePrefix => Some(Base::Name),
        Comparison::Remainder => Some(Base::Number),
        Comparison::Equal | Comparison::Unequal | Comparison::Order | Comparison::Length => None,
    }
}

/// Returns the kind of a function argument, if only one kind is allowed.
fn kind_of_argument(function: &str, number: usize) -> Option<Base> {
    Some(match (function, number) {
        ("plus" | "minus" | "mult" | "div" | "mod" | "number:to_string" | "time:from_unix_nanos", _)
        | ("duration:from_nanos", _)
        | ("string:replace", 3)
        | ("duration:mult", 1) => Base::Number,
        ("float64:to_string" | "float:plus" | "float:mult" | "float:div" | "sqrt", _) => Base::Float,
        (
            "string:concat" | "string:replace" | "time:parse_rfc3339" | "time:parse_civil" | "duration:parse",
            _,
        ) => Base::String,
        ("name:to_string" | "name:root" | "name:tip" | "name:list", _) => Base::Name,
        ("time:add", 1) => Base::Duration,
        ("time:format" | "time:trunc" | "time:format_civil" | "time:trunc_civil", 1..) => return None,
        (name, _) if name.starts_with("duration:from") => return None,
        (name, _) if name.starts_with("duration:") => Base::Duration,
        (name, _) if name.starts_with("time:") => Base::Time,
        _ => return None,
    })
}

/// Returns the nodes that `!=` and order comparisons connect in a rule, each with the size of its
/// component.
fn compared_together(graph: &Graph, edges: &Edges) -> Vec<(Node, usize)> {
    let mut next: Vec<Vec<Node>> = vec![Vec::new(); graph.constants.len()];
    for &(one, meeting, other) in &graph.comparisons {
        let is_apart = matches!(meeting, Comparison::Unequal | Comparison::Order);
        if is_apart && edges.varies(one) && edges.varies(other) {
            for (from, to) in [(one, other), (other, one)] {
                next.get_mut(from as usize).into_iter().for_each(|all| all.push(to));
            }
        }
    }
    let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
    for node in (0u32..).zip(&next).filter(|(_, all)| !all.is_empty()).map(|(node, _)| node) {
        if !seen.insert(node) {
            continue;
        }
        let mut together = vec![node];
        let mut first = 0;
        while let Some(&node) = together.get(first) {
            first += 1;
            together.extend(at(&next, node).iter().copied().filter(|other| seen.insert(*other)));
        }
        found.extend(together.iter().map(|node| (*node, together.len())));
    }
    found
}

/// Propagates needs to the origins of values.
fn spread(graph: &Graph, edges: &Edges, needs: &mut [Need]) {
    let mut pending: Vec<Node> = (0u32..)
        .zip(needs.iter())
        .filter(|(_, need)| **need != Need::default())
        .map(|(node, _)| node)
        .collect();
    while let Some(node) = pending.pop() {
        let Some(need) = needs.get(node as usize).cloned() else { continue };
        let without_kinds = Need { kinds: BTreeSet::new(), ..need.clone() };
        let before = at(&edges.before, node).iter().map(|before| (*before, &need));
        let computations = at(&edges.results, node).iter().filter_map(|at| graph.computations.get(*at));
        let args = computations.flat_map(|computation| &computation.args).map(|arg| (*arg, &without_kinds));
        let folded = at(&edges.folded, node).iter().map(|arg| (*arg, &without_kinds));
        for (before, need) in before.chain(args).chain(folded) {
            if needs_more(needs, before, need) {
                pending.push(before);
            }
        }
    }
}

fn needs_more(needs: &mut [Need], node: Node, need: &Need) -> bool {
    needs.get_mut(node as usize).is_some_and(|known| known.extend(need))
}

/// The groups of places.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// The group of each place.
    pub(super) of_place: Vec<u32>,
    /// The needs of each group.
    pub(super) needs: Vec<Need>,
    /// For each group, true if it has several places.
    pub(super) is_shared: Vec<bool>,
}

/// The minimum number of inequalities for a group to need as many values as a world has facts.
const INEQUALITIES: usize = 2;

impl Groups {
    /// Computes the groups of places.
    pub(super) fn new(graph: &Graph, flow: &Flow<'_>, needs: &[Need], facts: usize) -> Self {
        let mut parents: Vec<u32> = (0u32..).take(flow.places.len()).collect();
        for (one, meeting, other) in &graph.comparisons {
            let (ones, others) = (flow.origins_at(*one), flow.origins_at(*other));
            if meeting.is_comparison() && !ones.is_empty() && !others.is_empty() {
                let mut all = ones.iter().chain(others);
                let Some(first) = all.next() else { continue };
                all.for_each(|place| unite(&mut parents, *first, *place));
            }
        }
        let mut groups = Self::default();
        let mut numbers: BTreeMap<u32, u32> = BTreeMap::new();
        for place in (0u32..).take(flow.places.len()) {
            let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            let group = *numbers.entry(root(&parents, place)).or_insert(next);
            if group == next {
                groups.needs.push(Need::default());
                groups.is_shared.push(false);
            } else if let Some(is_shared) = groups.is_shared.get_mut(group as usize) {
                *is_shared = true;
            }
            groups.of_place.push(group);
        }
        groups.need(graph, flow, needs, facts);
        groups
    }

    pub(super) fn group(&self, place: u32) -> Option<usize> {
        self.of_place.get(place as usize).map(|group| *group as usize)
    }

    /// Adds the needs of each node to the groups of its origins.
    fn need(&mut self, graph: &Graph, flow: &Flow<'_>, needs: &[Need], facts: usize) {
        for (node, need) in (0u32..).zip(needs) {
            for group in flow.origins_at(node).iter().filter_map(|place| self.of_place.get(*place as usize)) {
                self.needs.get_mut(*group as usize).into_iter().for_each(|known| _ = known.extend(need));
            }
        }
        let mut inequalities = vec![0usize; self.needs.len()];
        for (one, meeting, other) in &graph.comparisons {
            let (ones, others) = (flow.origins_at(*one), flow.origins_at(*other));
            if *meeting == Comparison::Unequal
                && !others.is_empty()
                && let Some(group) = ones.first().and_then(|place| self.group(*place))
            {
                inequalities.get_mut(group).into_iter().for_each(|count| *count += 1);
            }
        }
        for (need, count) in self.needs.iter_mut().zip(inequalities) {
            if count >= INEQUALITIES {
                need.distinct = need.distinct.max(facts);
            }
        }
    }
}

fn root(parents: &[u32], mut place: u32) -> u32 {
    while let Some(parent) = parents.get(place as usize).filter(|parent| **parent != place) {
        place = *parent;
    }
    place
}

fn unite(parents: &mut [u32], one: u32, other: u32) {
    let (one, other) = (root(parents, one), root(parents, other));
    parents.get_mut(one.max(other) as usize).into_iter().for_each(|parent| *parent = one.min(other));
}
