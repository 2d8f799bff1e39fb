//! Sum, minimum and maximum over the rows of a group or the elements of a list.

use super::failure::{Failure, duration, float, number, time};
use super::values::{Datum, ValueId, Values};

/// The required kind of the values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OperandKind {
    Number,
    Float,
    Duration,
    Time,
}

/// The operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fold {
    Max(OperandKind),
    Min(OperandKind),
    Sum(OperandKind),
}

impl Fold {
    /// The result for `elements`. Without elements, the result is the same as in the engine: the
    /// smallest number for a maximum, for example. Fails at the first element of a wrong kind.
    pub(super) fn apply(
        self,
        values: &Values,
        elements: impl Iterator<Item = ValueId>,
    ) -> Result<Datum, Failure> {
        let (Self::Max(kind) | Self::Min(kind) | Self::Sum(kind)) = self;
        Ok(match kind {
            OperandKind::Number => Datum::Number(self.integers(values, elements, number)?),
            OperandKind::Duration => Datum::Duration(self.integers(values, elements, duration)?),
            OperandKind::Time => Datum::Time(self.integers(values, elements, time)?),
            OperandKind::Float => Datum::float(self.floats(values, elements)?),
        })
    }

    fn integers(
        self,
        values: &Values,
        elements: impl Iterator<Item = ValueId>,
        read: fn(&Values, ValueId) -> Result<i64, Failure>,
    ) -> Result<i64, Failure> {
        let (start, combine): (i64, fn(i64, i64) -> i64) = match self {
            Self::Max(_) => (i64::MIN, i64::max),
            Self::Min(_) => (i64::MAX, i64::min),
            Self::Sum(_) => (0, i64::wrapping_add),
        };
        let mut total = start;
        for element in elements {
            total = combine(total, read(values, element)?);
        }
        Ok(total)
    }

    fn floats(self, values: &Values, elements: impl Iterator<Item = ValueId>) -> Result<f64, Failure> {
        let (start, combine): (f64, fn(f64, f64) -> f64) = match self {
            Self::Max(_) => (-f64::MAX, greater),
            Self::Min(_) => (f64::MAX, |left, right| -greater(-left, -right)),
            Self::Sum(_) => (0.0, |left, right| left + right),
        };
        let mut total = start;
        for element in elements {
            total = combine(total, float(values, element)?);
        }
        Ok(total)
    }
}

/// The maximum. NaN propagates, and `0.0` is greater than `-0.0`.
fn greater(left: f64, right: f64) -> f64 {
    if left.is_nan() || right.is_nan() {
        f64::NAN
    } else if left.total_cmp(&right).is_lt() {
        right
    } else {
        left
    }
}
