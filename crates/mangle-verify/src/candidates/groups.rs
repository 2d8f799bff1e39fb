//! Groups of places whose values are compared with each other. All places of a group have the same
//! candidate values.

use std::collections::BTreeMap;

use super::flow::Flow;
use super::graph::{Comparison, Graph};
use super::needs::Need;

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
