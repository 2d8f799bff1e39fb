//! Provenance tags of demanded and computed values.

use std::collections::BTreeMap;

use mangle_engine::kernel::ValueId;

use super::graph::Comparison;

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
    pub(super) fn from_comparison(meeting: Comparison) -> Self {
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
