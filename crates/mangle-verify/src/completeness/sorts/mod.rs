//! Sorts: equivalence classes of columns, variables and parts between which values flow or are
//! compared.
//!
//! Rules do not distinguish two worlds if the values of a sort are exchanged and every operation on
//! the sort has the same outcome. The operations therefore determine the values that a search
//! needs.
//!
//! Unsupported operations are gaps: they make sorts incomplete.

mod collect;
mod views;

use std::collections::{BTreeMap, BTreeSet};

use mangle_engine::kernel::{Datum, Function, ValueId, Values};
use mangle_engine::types::Base;

use super::condition::Condition;
use super::dataflow::{Dataflow, Node, Part, combinations};
use super::numbers::Chain;

/// The number of a sort.
pub(super) type SortId = u32;

/// The reason for texts that are computed from each other.
const CIRCLE: &str = "texts that the rules compute from each other";

/// The maximum length of a chain of list tails.
const MAX_TAILS: usize = 12;

/// The operations on the values of a sort.
#[derive(Debug, Clone, Default)]
pub(super) struct Sort {
    /// The constants that the values are compared with or include.
    pub(super) constants: BTreeSet<ValueId>,
    /// True if two values of worlds are compared, or values are counted.
    pub(super) is_joined: bool,
    /// The kinds that order comparisons apply to.
    pub(super) orders: BTreeSet<Base>,
    /// Conditions on the text of one value of a kind.
    pub(super) conditions: BTreeSet<(Base, Condition)>,
    /// Computations with one integer of the sort and constants.
    pub(super) chains: BTreeSet<Chain>,
    /// The kinds that operations require.
    pub(super) kinds: BTreeSet<Base>,
    pub(super) parts: BTreeMap<Part, SortId>,
    /// The input columns with these values: input number and column.
    pub(super) places: BTreeSet<(usize, u16)>,
    /// The computations with these results.
    sources: BTreeSet<usize>,
    /// True if an operation on the sort is unsupported.
    pub(super) is_incomplete: bool,
}

impl Sort {
    /// True if the values are only computed: no value of a world, no comparison between values, and
    /// no extracted parts.
    fn is_only_computed(&self) -> bool {
        self.places.is_empty() && !self.is_joined && self.parts.is_empty()
    }
}

/// An unsupported operation with the affected sorts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Gap {
    pub(super) operation: String,
    pub(super) sorts: Vec<SortId>,
}

/// The sorts of a program.
#[derive(Default)]
pub(super) struct Sorts {
    of_node: Vec<Option<SortId>>,
    parents: Vec<SortId>,
    all: Vec<Sort>,
    pub(super) gaps: BTreeSet<Gap>,
}

/// A computation that depends on a world.
struct Computation {
    function: Function,
    args: Vec<Node>,
    result: Node,
}

impl Computation {
    /// Returns the index of the only world-dependent argument, and all combinations of the other
    /// arguments.
    ///
    /// Returns `None` if these are unknown or too many.
    fn constants(&self, flow: &Dataflow) -> Option<(usize, Vec<Vec<ValueId>>)> {
        let (mut options, mut at) = (Vec::new(), 0);
        for (number, arg) in self.args.iter().enumerate() {
            if flow.varies(*arg) {
                at = number;
                continue;
            }
            let reach = flow.at(*arg).filter(|reach| !reach.is_open)?;
            options.push(reach.constants.iter().copied().collect());
        }
        Some((at, combinations(&options)?))
    }
}

impl Sorts {
    /// Computes the sorts of a program with propagated constants.
    pub(super) fn new(flow: &Dataflow, values: &mut Values) -> Self {
        let mut sorts = Self { of_node: vec![None; flow.reach.len()], ..Self::default() };
        for (node, reach) in (0u32..).zip(&flow.reach) {
            if !reach.varies {
                continue;
            }
            let sort = sorts.sort(node);
            sorts.attach(sort, reach.constants.iter().copied());
            if reach.is_open {
                sorts.gap("values that the rules compute", &[sort]);
            }
        }
        for (input, column, node) in &flow.places {
            let sort = sorts.sort(*node);
            sorts.at(sort).places.insert((*input, *column));
        }
        let mut computations = Vec::new();
        for operation in &flow.operations {
            sorts.operation(flow, values, operation, &mut computations);
        }
        for (number, computation) in computations.iter().enumerate() {
            let result = sorts.sort(computation.result);
            sorts.at(result).sources.insert(number);
        }
        for computation in computations.iter().filter(|one| one.function.name() == "list:len") {
            sorts.length(values, computation);
        }
        sorts.close(values);
        sorts.resolve_all(flow, values, &computations);
        sorts.spread_gaps(&computations);
        sorts
    }

    pub(super) fn sort(&mut self, node: Node) -> SortId {
        if let Some(Some(known)) = self.of_node.get(node as usize) {
            return self.root(*known);
        }
        let sort = self.new_sort();
        if let Some(of_node) = self.of_node.get_mut(node as usize) {
            *of_node = Some(sort);
        }
        sort
    }

    fn new_sort(&mut self) -> SortId {
        let sort = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        self.all.push(Sort::default());
        self.parents.push(sort);
        sort
    }

    /// Returns the representative of a united sort.
    pub(super) fn root(&self, mut sort: SortId) -> SortId {
        while let Some(parent) = self.parents.get(sort as usize).filter(|parent| **parent != sort) {
            sort = *parent;
        }
        sort
    }

    pub(super) fn get(&self, sort: SortId) -> &Sort {
        &self.all[self.root(sort) as usize]
    }

    fn at(&mut self, sort: SortId) -> &mut Sort {
        let root = self.root(sort) as usize;
        &mut self.all[root]
    }

    fn attach(&mut self, sort: SortId, constants: impl IntoIterator<Item = ValueId>) {
        self.at(sort).constants.extend(constants);
    }

    fn gap(&mut self, operation: impl Into<String>, sorts: &[SortId]) {
        let mut sorts: Vec<SortId> = sorts.iter().map(|sort| self.root(*sort)).collect();
        sorts.sort_unstable();
        sorts.dedup();
        self.gaps.insert(Gap { operation: operation.into(), sorts });
    }

    /// Unites two sorts with all their parts.
    fn unite(&mut self, one: SortId, other: SortId) {
        let mut pending = vec![(one, other)];
        while let Some((one, other)) = pending.pop() {
            let (one, other) = (self.root(one), self.root(other));
            if one == other {
                continue;
            }
            let (kept, gone) = (one.min(other), one.max(other));
            let gone_sort = std::mem::take(self.at(gone));
            if let Some(parent) = self.parents.get_mut(gone as usize) {
                *parent = kept;
            }
            let kept = self.at(kept);
            kept.constants.extend(gone_sort.constants);
            kept.is_joined |= gone_sort.is_joined;
            kept.is_incomplete |= gone_sort.is_incomplete;
            kept.orders.extend(gone_sort.orders);
            kept.conditions.extend(gone_sort.conditions);
            kept.chains.extend(gone_sort.chains);
            kept.kinds.extend(gone_sort.kinds);
            kept.places.extend(gone_sort.places);
            kept.sources.extend(gone_sort.sources);
            for (part, sort) in gone_sort.parts {
                match kept.parts.get(&part) {
                    Some(known) => pending.push((*known, sort)),
                    None => _ = kept.parts.insert(part, sort),
                }
            }
        }
    }

    /// Returns the sort of a part.
    fn part(&mut self, sort: SortId, part: Part) -> SortId {
        if let Some(known) = self.at(sort).parts.get(&part) {
            return *known;
        }
        let new = self.new_sort();
        self.at(sort).parts.insert(part, new);
        new
    }

    /// Propagates elements from list tails, and properties from values to their parts.
    fn close(&mut self, values: &mut Values) {
        loop {
            let mut is_new = false;
            for sort in 0..u32::try_from(self.all.len()).unwrap_or(u32::MAX) {
                if self.root(sort) != sort {
                    continue;
                }
                if let Some(tail) = self.get(sort).parts.get(&Part::Tail).copied() {
                    let (one, other) = (self.part(sort, Part::Element), self.part(tail, Part::Element));
                    is_new |= self.root(one) != self.root(other);
                    self.unite(one, other);
                }
                let known = self.get(sort);
                let (is_joined, is_incomplete) = (known.is_joined, known.is_incomplete);
                let constants: Vec<ValueId> = known.constants.iter().copied().collect();
                for (part, part_sort) in known.parts.clone() {
                    let found: Vec<ValueId> =
                        constants.iter().filter_map(|value| part.extract(values, *value)).collect();
                    let inner = self.at(part_sort);
                    let before = (inner.constants.len(), inner.is_joined, inner.is_incomplete);
                    inner.constants.extend(found);
                    inner.is_joined |= is_joined;
                    inner.is_incomplete |= is_incomplete;
                    is_new |= before != (inner.constants.len(), inner.is_joined, inner.is_incomplete);
                }
            }
            if !is_new {
                return;
            }
        }
    }

    /// Returns a sort and the sorts of its parts.
    pub(super) fn with_parts(&self, sort: SortId) -> BTreeSet<SortId> {
        let mut found = BTreeSet::new();
        let mut pending = vec![self.root(sort)];
        while let Some(sort) = pending.pop() {
            if found.insert(sort) {
                pending.extend(self.get(sort).parts.values().map(|part| self.root(*part)));
            }
        }
        found
    }

    /// Returns the number of list tails that the rules reach. `None` if it is unbounded.
    pub(super) fn tails(&self, sort: SortId) -> Option<usize> {
        let (mut sort, mut count) = (self.root(sort), 0);
        let mut seen = BTreeSet::from([sort]);
        while let Some(tail) = self.get(sort).parts.get(&Part::Tail) {
            sort = self.root(*tail);
            count += 1;
            if !seen.insert(sort) || count > MAX_TAILS + 1 {
                return None;
            }
        }
        Some(count)
    }
}

/// Returns the integers among the values.
pub(super) fn numbers<'v>(values: &Values, all: impl IntoIterator<Item = &'v ValueId>) -> BTreeSet<i64> {
    let number = |value: &ValueId| match values.get(*value) {
        Datum::Number(number) => Some(*number),
        _ => None,
    };
    all.into_iter().filter_map(number).collect()
}

impl Sorts {
    /// Marks the sorts of unsupported operations, and the sorts that their values are computed
    /// from.
    fn spread_gaps(&mut self, computations: &[Computation]) {
        let mut gaps = std::mem::take(&mut self.gaps);
        // The functions in a cycle are better reasons than the cycle.
        let named: BTreeSet<SortId> = gaps
            .iter()
            .filter(|gap| gap.operation != CIRCLE)
            .flat_map(|gap| &gap.sorts)
            .map(|sort| self.root(*sort))
            .collect();
        gaps.retain(|gap| {
            gap.operation != CIRCLE || !gap.sorts.iter().all(|sort| named.contains(&self.root(*sort)))
        });
        let touched: BTreeSet<SortId> =
            gaps.iter().flat_map(|gap| &gap.sorts).map(|sort| self.root(*sort)).collect();
        for sort in touched {
            let sources = self.sources(sort, computations);
            for sort in sources {
                self.at(sort).is_incomplete = true;
            }
        }
        gaps = gaps
            .into_iter()
            .map(|gap| {
                let sorts: BTreeSet<SortId> =
                    gap.sorts.iter().flat_map(|sort| self.sources(*sort, computations)).collect();
                Gap { sorts: sorts.into_iter().collect(), ..gap }
            })
            .collect();
        self.gaps = gaps;
    }

    /// Returns a sort and the sorts that its values are computed from.
    fn sources(&mut self, sort: SortId, computations: &[Computation]) -> BTreeSet<SortId> {
        let mut found = BTreeSet::new();
        let mut pending = vec![self.root(sort)];
        while let Some(sort) = pending.pop() {
            if !found.insert(sort) {
                continue;
            }
            for number in self.get(sort).sources.clone() {
                let Some(computation) = computations.get(number) else { continue };
                for arg in &computation.args {
                    if self.of_node.get(*arg as usize).is_some_and(Option::is_some) {
                        pending.push(self.sort(*arg));
                    }
                }
            }
            let parts: Vec<SortId> = self.get(sort).parts.values().map(|part| self.root(*part)).collect();
            pending.extend(parts);
        }
        found
    }
}
