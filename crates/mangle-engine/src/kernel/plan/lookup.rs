//! Lookups: the pattern of the tuples that a step finds, the match of a tuple, and the registers that
//! it fills.

use super::{RelationId, Slot};
use crate::kernel::relation::{Columns, Relation};
use crate::kernel::{Clock, Datum, Failure, ValueId, Values};

/// The instant of an unbounded start.
pub const BEGINNING: i64 = i64::MIN;

/// The instant of an unbounded end.
pub const END: i64 = i64::MAX;

/// The value for the `now` of a fact. Names of programs start with a slash, so it is unique.
pub(in crate::kernel) const NOW_NAME: &str = "now";

/// The value for the first instant as the start of an interval, in the engine's reading.
///
/// An unbounded start becomes this value after it passes through a variable. `_` then no longer
/// matches it. Names of programs start with a slash, so the value is unique.
pub(in crate::kernel) const UNBOUNDED_START_NAME: &str = "first";

/// The value for the last instant as the end of an interval, in the engine's reading.
pub(in crate::kernel) const UNBOUNDED_END_NAME: &str = "last";

/// A lookup in a relation.
#[derive(Debug, Clone, PartialEq)]
pub struct Lookup {
    /// The relation.
    pub relation: RelationId,
    /// The columns with a known value. The lookup uses the index over them.
    pub columns: Columns,
    /// The sources of the known values, in column order.
    pub key: Box<[ValueSource]>,
    /// The columns that fill a register.
    pub binds: Box<[(u16, Slot)]>,
    /// The pairs of columns that must be equal.
    pub same: Box<[(u16, u16)]>,
    /// The columns from 64 on, which no index covers, with their required values.
    pub far: Box<[(u16, ValueSource)]>,
    /// The condition on the interval in the last two columns of a temporal tuple.
    pub when: Option<Box<IntervalCondition>>,
    /// The registers for the ends of the interval.
    pub ends: (Option<Slot>, Option<Slot>),
    /// Replacements for ends that are not instants, each with the instant to store in a register.
    pub replaced_ends: Option<Box<[(ValueId, ValueId)]>>,
}

impl Lookup {
    /// True if the key covers all columns of the tuple.
    pub(in crate::kernel) fn is_whole(&self, relation: &Relation) -> bool {
        self.key.len() == relation.arity() && self.far.is_empty()
    }

    /// True if the index checks all conditions.
    pub(in crate::kernel) fn is_plain(&self) -> bool {
        self.same.is_empty() && self.far.is_empty() && self.when.is_none()
    }

    /// The source of the required value of a column, if the value is known.
    #[must_use]
    pub fn source(&self, column: u16) -> Option<ValueSource> {
        let Some(bit) = 1u64.checked_shl(column.into()) else {
            return self.far.iter().find(|(far, _)| *far == column).map(|(_, source)| *source);
        };
        let before = (self.columns & (bit - 1)).count_ones();
        (self.columns & bit != 0).then(|| self.key.get(before as usize).copied()).flatten()
    }

    /// True if a tuple satisfies the conditions that no index covers, except the interval.
    #[inline]
    pub(in crate::kernel) fn fits(&self, tuple: &[ValueId], row: &[ValueId]) -> bool {
        let at = |column: u16| tuple.get(usize::from(column));
        let same = self.same.iter().all(|(one, other)| at(*one) == at(*other));
        same && self.far.iter().all(|(column, source)| at(*column) == Some(&source.read(row)))
    }

    /// True if a tuple has different values in two open inputs of a call that are the same
    /// variable. The called rule has only one value for both.
    pub(in crate::kernel) fn differs_in_shared_input(&self, tuple: &[ValueId], open: Columns) -> bool {
        let is_open = |column: &u16| *column < 64 && open & (1 << column) != 0;
        let at = |column: &u16| tuple.get(usize::from(*column));
        let mut shared = self.same.iter().filter(|(one, other)| is_open(one) && is_open(other));
        shared.any(|(one, other)| at(one) != at(other))
    }

    /// The first two values that must be equal but differ: a known argument and a column, or two
    /// columns.
    pub(in crate::kernel) fn first_mismatch(
        &self,
        tuple: &[ValueId],
        row: &[ValueId],
    ) -> Option<(ValueId, ValueId)> {
        let known = (0u16..).zip(tuple).filter_map(|(at, value)| Some((self.source(at)?.read(row), *value)));
        let at = |column: u16| tuple.get(usize::from(column)).copied();
        let same = self.same.iter().filter_map(|(one, other)| Some((at(*one)?, at(*other)?)));
        known.chain(same).find(|(one, other)| one != other)
    }

    /// True if the interval of a tuple satisfies the condition of the lookup.
    #[must_use]
    pub fn interval_matches(
        &self,
        values: &Values,
        clock: &Clock,
        tuple: &[ValueId],
        row: &[ValueId],
    ) -> bool {
        let (Some(when), [.., start, end]) = (self.when.as_deref(), tuple) else { return true };
        let bounds = when.bounds();
        let asked = bounds.start.instant(values, clock, row).zip(bounds.end.instant(values, clock, row));
        let Some((from, to)) = asked else { return false };
        let (first, last) = (nanos(values, *start), nanos(values, *end));
        let overlaps = first <= last && first <= to && from <= last;
        // Only an unbounded end covers an unbounded bound. The `now` of a fact is unbounded here.
        let starts_in_time = match values.get(*start) {
            Datum::Time(BEGINNING) => true,
            Datum::Name(name) if &**name == NOW_NAME => true,
            _ => bounds.start != Bound::Instant(BEGINNING) && first <= from,
        };
        let ends_in_time = match values.get(*end) {
            Datum::Time(END) => true,
            Datum::Name(name) if &**name == NOW_NAME => true,
            _ => bounds.end != Bound::Instant(END) && to <= last,
        };
        match when {
            IntervalCondition::Covers(_) => overlaps && starts_in_time && ends_in_time,
            IntervalCondition::Contains(_) => starts_in_time && ends_in_time,
            IntervalCondition::Overlaps(_) => overlaps,
        }
    }

    /// Binds registers from a tuple.
    #[inline]
    pub(in crate::kernel) fn fill(&self, tuple: &[ValueId], row: &mut [ValueId]) {
        if let ((Some(_), _) | (_, Some(_)), [.., start, end]) = (self.ends, tuple) {
            let instant = |end: ValueId| {
                let mut replaced = self.replaced_ends.iter().flat_map(|all| all.iter());
                replaced.find(|(name, _)| *name == end).map_or(end, |(_, instant)| *instant)
            };
            self.ends.1.into_iter().for_each(|slot| write(row, slot, instant(*end)));
            self.ends.0.into_iter().for_each(|slot| write(row, slot, instant(*start)));
        }
        for (column, slot) in &self.binds {
            if let Some(value) = tuple.get(usize::from(*column)) {
                write(row, *slot, *value);
            }
        }
    }
}

/// The source of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueSource {
    /// A constant.
    Value(ValueId),
    /// A register.
    Slot(Slot),
}

impl ValueSource {
    /// Reads the value from a row of registers.
    pub fn read(self, row: &[ValueId]) -> ValueId {
        match self {
            Self::Value(value) => value,
            Self::Slot(slot) => row.get(usize::from(slot)).copied().unwrap_or(ValueId(0)),
        }
    }
}

pub(in crate::kernel) fn write(row: &mut [ValueId], slot: Slot, value: ValueId) {
    if let Some(register) = row.get_mut(usize::from(slot)) {
        *register = value;
    }
}

/// A condition on the interval of a tuple.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum IntervalCondition {
    /// The interval covers the bounds, as required by a premise with an interval. An interval that
    /// ends before it starts covers nothing.
    Covers(Bounds),
    /// The interval starts no later and ends no earlier than the bounds, as required by an operator
    /// on a whole window.
    Contains(Bounds),
    /// The interval shares an instant with the bounds.
    Overlaps(Bounds),
}

/// The two ends of the interval of a condition.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// The first instant.
    pub start: Bound,
    /// The last instant.
    pub end: Bound,
}

/// An end of an interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    /// An instant in nanoseconds since 1970.
    Instant(i64),
    /// Nanoseconds before the time of evaluation. Negative values are in the future.
    Ago(i64),
    /// A value that the rule computes: an instant or a number of nanoseconds.
    Value(ValueSource),
    /// Same as `Value`, for a head in the engine's reading. There, the first instant does not mean
    /// an unbounded start, and the last instant does not mean an unbounded end.
    Stored(ValueSource),
}

impl IntervalCondition {
    /// The bounds of the condition.
    #[must_use]
    pub fn bounds(self) -> Bounds {
        let (Self::Covers(bounds) | Self::Contains(bounds) | Self::Overlaps(bounds)) = self;
        bounds
    }

    /// The same condition with other bounds.
    #[must_use]
    pub fn with_bounds(self, bounds: Bounds) -> Self {
        match self {
            Self::Covers(_) => Self::Covers(bounds),
            Self::Contains(_) => Self::Contains(bounds),
            Self::Overlaps(_) => Self::Overlaps(bounds),
        }
    }
}

impl Bound {
    /// The instant of a bound, as a value.
    ///
    /// # Errors
    /// If the value in the register is not an instant.
    pub fn value(self, values: &mut Values, clock: &Clock, row: &[ValueId]) -> Result<ValueId, Failure> {
        let instant = self.instant(values, clock, row);
        let instant = instant.ok_or_else(|| Failure::wrong("a bound of the interval is no instant"))?;
        Ok(match (self, instant) {
            (Self::Stored(_), BEGINNING) => values.name(UNBOUNDED_START_NAME),
            (Self::Stored(_), END) => values.name(UNBOUNDED_END_NAME),
            _ => values.time(instant),
        })
    }

    /// The instant of a bound.
    fn instant(self, values: &Values, clock: &Clock, row: &[ValueId]) -> Option<i64> {
        match self {
            Self::Instant(instant) => Some(instant),
            Self::Ago(length) => Some(clock.now_ns.saturating_sub(length)),
            Self::Value(source) | Self::Stored(source) => match values.get(source.read(row)) {
                Datum::Time(instant) | Datum::Number(instant) => Some(*instant),
                _ => None,
            },
        }
    }
}

/// The instant of an end for interval overlap. The `now` of a fact is 1970, because the engine does
/// not resolve it.
pub(in crate::kernel) fn nanos(values: &Values, end: ValueId) -> i64 {
    match values.get(end) {
        Datum::Time(instant) => *instant,
        Datum::Name(name) if &**name == UNBOUNDED_START_NAME => BEGINNING,
        Datum::Name(name) if &**name == UNBOUNDED_END_NAME => END,
        _ => 0,
    }
}
