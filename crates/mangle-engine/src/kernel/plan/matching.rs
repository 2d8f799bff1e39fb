//! What a lookup asks of a tuple, and what it takes from it.

use super::{BEGINNING, Bound, END, IntervalCondition, Match, ValueSource, write};
use crate::kernel::relation::Relation;
use crate::kernel::{Clock, Datum, Failure, ValueId, Values};

impl Match {
    /// Whether the key is the whole tuple.
    pub(in crate::kernel) fn is_whole(&self, relation: &Relation) -> bool {
        self.key.len() == relation.arity() && self.far.is_empty()
    }

    /// Whether the index says all that there is to know.
    pub(in crate::kernel) fn is_plain(&self) -> bool {
        self.same.is_empty() && self.far.is_empty() && self.when.is_none()
    }

    /// Where the value comes from that a column must hold, if that is known.
    #[must_use]
    pub fn source(&self, column: u16) -> Option<ValueSource> {
        let Some(bit) = 1u64.checked_shl(column.into()) else {
            return self.far.iter().find(|(far, _)| *far == column).map(|(_, source)| *source);
        };
        let before = (self.columns & (bit - 1)).count_ones();
        (self.columns & bit != 0).then(|| self.key.get(before as usize).copied()).flatten()
    }

    /// Whether the parts of a tuple fit that no index knows about.
    #[inline]
    pub(in crate::kernel) fn fits(&self, tuple: &[ValueId], row: &[ValueId]) -> bool {
        let at = |column: u16| tuple.get(usize::from(column));
        let same = self.same.iter().all(|(one, other)| at(*one) == at(*other));
        same && self.far.iter().all(|(column, source)| at(*column) == Some(&source.read(row)))
    }

    /// Whether a tuple has the values that are known.
    pub(in crate::kernel) fn has_key(&self, tuple: &[ValueId], row: &[ValueId]) -> bool {
        (0u16..).zip(tuple).all(|(at, value)| self.source(at).is_none_or(|source| source.read(row) == *value))
    }

    /// Whether the interval of a tuple is as it must be.
    #[must_use]
    pub fn is_then(&self, values: &Values, clock: &Clock, tuple: &[ValueId], row: &[ValueId]) -> bool {
        let (Some(when), [.., start, end]) = (self.when.as_deref(), tuple) else { return true };
        // The `now` of a fact, which the engine does not resolve, is no limit to one question and 1970 to the other.
        let of = |value: ValueId, limitless: i64| match values.get(value) {
            Datum::Time(instant) => *instant,
            _ if matches!(when, IntervalCondition::Contains(_)) => limitless,
            _ => 0,
        };
        let (start, end) = (of(*start, BEGINNING), of(*end, END));
        let (IntervalCondition::Contains(bounds) | IntervalCondition::Overlaps(bounds)) = when;
        let asked = bounds.start.instant(values, clock, row).zip(bounds.end.instant(values, clock, row));
        let Some((from, to)) = asked else { return false };
        match when {
            IntervalCondition::Contains(_) => start <= from && to <= end,
            IntervalCondition::Overlaps(_) => start <= end && start <= to && from <= end,
        }
    }

    /// Fills the registers that get their values from a tuple.
    #[inline]
    pub(in crate::kernel) fn fill(&self, tuple: &[ValueId], row: &mut [ValueId]) {
        if let ((Some(_), _) | (_, Some(_)), [.., start, end]) = (self.ends, tuple) {
            self.ends.1.into_iter().for_each(|slot| write(row, slot, *end));
            self.ends.0.into_iter().for_each(|slot| write(row, slot, *start));
        }
        for (column, slot) in &self.binds {
            if let Some(value) = tuple.get(usize::from(*column)) {
                write(row, *slot, *value);
            }
        }
    }
}

impl Bound {
    /// The instant that a bound stands for, as a value.
    ///
    /// # Errors
    /// When a value that it is computed from is no instant.
    pub fn value(self, values: &mut Values, clock: &Clock, row: &[ValueId]) -> Result<ValueId, Failure> {
        let instant = self.instant(values, clock, row);
        let instant = instant.ok_or_else(|| Failure::wrong("a bound of the interval is no instant"))?;
        Ok(values.time(instant))
    }

    /// The instant that a bound stands for.
    fn instant(self, values: &Values, clock: &Clock, row: &[ValueId]) -> Option<i64> {
        match self {
            Self::Instant(instant) => Some(instant),
            Self::Ago(length) => Some(clock.now_ns.saturating_sub(length)),
            Self::Value(source) => match values.get(source.read(row)) {
                Datum::Time(instant) | Datum::Number(instant) => Some(*instant),
                _ => None,
            },
        }
    }
}
