//! How a value of a node came to be wanted, or computed.

use std::collections::BTreeMap;

use mangle_engine::kernel::ValueId;

use super::graph::Meeting;

/// How many functions a value is followed through.
pub(super) const MOST_STEPS: u8 = 12;

/// How many of these a function counts for whose value can come to be its own argument.
const RECURSIVE_STEPS: u8 = 4;

/// How a value came to be wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Tag {
    /// How often it went from a place to another one by a function between them.
    pub(super) crossings: u8,
    /// How many functions it went through.
    pub(super) steps: u8,
    /// Whether it is met by `=` or `!=`, or in a relation.
    pub(super) is_met: bool,
    /// Whether it is met by `<` and its kin, so that its neighbours matter.
    pub(super) is_bound: bool,
    /// Whether it is only wanted as the neighbour of another value, or as what is made of one.
    pub(super) is_near: bool,
    /// Whether it is a value that the program does not mention, or made of such values.
    pub(super) is_fresh: bool,
}

impl Tag {
    /// Of a value that is compared in this manner.
    pub(super) fn of(meeting: Meeting) -> Self {
        let is_bound = meeting == Meeting::Order;
        Self { is_bound, is_met: !is_bound, ..Self::default() }
    }

    /// After one function more.
    pub(super) fn step(self, is_recursive: bool) -> Self {
        let steps = if is_recursive { RECURSIVE_STEPS } else { 1 };
        Self { steps: self.steps.saturating_add(steps), ..self }
    }

    /// The tag of a value that came to be wanted in two ways.
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

/// Adds a value to those with tags. Returns whether anything is new.
pub(super) fn add_tagged(all: &mut BTreeMap<ValueId, Tag>, value: ValueId, tag: Tag) -> bool {
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
