//! Evaluates the built-in functions and ground terms.
//!
//! The arguments of a function are already computed. The result is the value that the engine
//! computes, or the failure that stops the engine.

mod data;
mod time;

pub(super) use data::{entry, tuple};

use std::fmt;

use super::failure::{Failure, duration, exactly, float, list, number, time};
use super::values::{Datum, ValueId, Values};
use mangle_syntax::syntax::ast::{Apply, ApplyForm, Term, TermKind};
use mangle_syntax::syntax::literal::{self, Piece};
use mangle_syntax::text::{TextRange, slice};

/// The current time of an evaluation. The engine reads its clock at each call. Here the time is
/// fixed, so that an evaluation can be repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    /// Nanoseconds since 1970 UTC.
    pub now_ns: i64,
}

type FunctionResult = Result<ValueId, Failure>;

/// A function with its name.
struct Entry {
    /// The name without `fn:`.
    name: &'static str,
    apply: fn(&mut Values, &[ValueId], &Clock) -> FunctionResult,
}

/// A built-in function. Functions that can only reduce the rows of a group, or that the engine
/// cannot compute, always fail.
#[derive(Clone, Copy)]
pub struct Function(&'static Entry);

impl Function {
    /// The function with this name, including `fn:`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.strip_prefix("fn:")?;
        let families = [data::NUMBER_FUNCTIONS, data::TEXT_FUNCTIONS, data::COLLECTION_FUNCTIONS];
        let times = [time::FUNCTIONS, time::DURATION_FUNCTIONS, OVER_A_LIST, WITHOUT_VALUE];
        families.into_iter().chain(times).flatten().find(|entry| entry.name == name).map(Self)
    }

    /// The name without `fn:`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// True if the value depends on the [`Clock`].
    #[must_use]
    pub fn reads_clock(self) -> bool {
        self.0.name == "time:now"
    }

    /// Applies the function to `args`.
    ///
    /// # Errors
    /// If the engine would stop, or a limit of this crate is exceeded.
    pub fn apply(self, values: &mut Values, args: &[ValueId], clock: &Clock) -> Result<ValueId, Failure> {
        (self.0.apply)(values, args, clock)
    }
}

impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for Function {}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "fn:{}", self.0.name)
    }
}

/// Table entries for reducers that are also functions of one list.
macro_rules! over_a_list {
    ($($name:literal $fold:expr;)*) => {
        &[$(Entry {
            name: $name,
            apply: |values, args, _| {
                let [elements] = exactly(args)?;
                let elements = list(values, elements)?.iter().copied();
                let total = $fold.apply(values, elements)?;
                Ok(values.intern(total)?)
            },
        }),*]
    };
}

/// Reducers that the engine also applies to a list.
const OVER_A_LIST: &[Entry] = over_a_list! {
    "max" Fold::Max(OperandKind::Number);
    "min" Fold::Min(OperandKind::Number);
    "sum" Fold::Sum(OperandKind::Number);
    "float:max" Fold::Max(OperandKind::Float);
    "float:min" Fold::Min(OperandKind::Float);
    "float:sum" Fold::Sum(OperandKind::Float);
    "duration:max" Fold::Max(OperandKind::Duration);
    "duration:min" Fold::Min(OperandKind::Duration);
    "duration:sum" Fold::Sum(OperandKind::Duration);
    "time:max" Fold::Max(OperandKind::Time);
    "time:min" Fold::Min(OperandKind::Time);
};

/// Table entries for functions that always fail.
macro_rules! without_value {
    ($($name:literal $reason:literal)*) => {
        &[$(Entry { name: $name, apply: |_, _, _| Err(Failure::wrong(concat!("`fn:", $name, "` ", $reason))) }),*]
    };
}

const WITHOUT_VALUE: &[Entry] = without_value! {
    "avg" "has no value outside an aggregation"
    "collect" "has no value outside an aggregation"
    "collect_distinct" "has no value outside an aggregation"
    "collect_to_map" "has no value outside an aggregation"
    "count" "has no value outside an aggregation"
    "count_distinct" "cannot be computed by the engine"
    "group_by" "has no value"
    "pick_any" "cannot be computed by the engine"
    "some" "cannot be computed by the engine"
};

type TermResult = Result<Option<ValueId>, (TextRange, Failure)>;

/// Evaluates `term`, whose ranges refer to `text`.
///
/// `Ok(None)` if the term contains variables or syntax errors, or calls an unknown function. Also
/// if it reads the clock and `clock` is `None` (before an evaluation).
///
/// # Errors
/// If a function in the term fails, which stops the engine: the failure and the range of the
/// application.
pub fn evaluate(term: &Term, text: &str, values: &mut Values, clock: Option<&Clock>) -> TermResult {
    let source = slice(text, term.range);
    Ok(match &term.kind {
        TermKind::Name(name) => Some(values.name(name.as_str())),
        TermKind::Number(number) => number.map(|number| values.number(number)),
        TermKind::Float(float) => Some(values.float(*float)),
        TermKind::String => literal::string_value(source).map(|text| values.string(&text)),
        TermKind::Bytes => match bytes_value(source) {
            Some(bytes) => values.intern(Datum::Bytes(bytes)).ok(),
            None => None,
        },
        TermKind::Apply(function) => return application(term.range, function, text, values, clock),
        TermKind::Variable(_) | TermKind::Wildcard | TermKind::Broken => None,
    })
}

fn application(
    range: TextRange,
    apply: &Apply,
    text: &str,
    values: &mut Values,
    clock: Option<&Clock>,
) -> TermResult {
    if matches!(apply.form, ApplyForm::DotType | ApplyForm::Optional) {
        return Ok(None);
    }
    let mut args = Vec::with_capacity(apply.args.len());
    for arg in &apply.args {
        match evaluate(arg, text, values, clock)? {
            Some(value) => args.push(value),
            None => return Ok(None),
        }
    }
    let Some(function) = Function::from_name(apply.function.as_str()) else { return Ok(None) };
    let clock = match clock {
        Some(clock) => clock,
        None if function.reads_clock() => return Ok(None),
        None => &Clock { now_ns: 0 },
    };
    function.apply(values, &args, clock).map(Some).map_err(|failure| (range, failure))
}

fn bytes_value(source: &str) -> Option<Box<[u8]>> {
    let content = literal::string_content(source.strip_prefix('b')?)?;
    let mut bytes = Vec::with_capacity(content.len());
    for (_, piece) in literal::pieces(content, true) {
        match piece {
            Piece::Plain(text) => bytes.extend_from_slice(text.as_bytes()),
            Piece::Char(char) => bytes.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
            Piece::Byte(byte) => bytes.push(byte),
            Piece::Bad(_) => return None,
        }
    }
    Some(bytes.into())
}

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

#[cfg(test)]
mod tests;
