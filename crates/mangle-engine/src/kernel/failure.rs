//! Failures of functions, built-in predicates and reducers, and type checks that return them.

use std::borrow::Cow;

use super::values::{Datum, TooDeep, ValueId, Values};

/// An error in the computation of a value. The text completes "this stops the engine: …".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The value does not exist, neither in the engine nor in this crate.
    #[error("{0}")]
    Wrong(Cow<'static, str>),
    /// A limit of this crate: the value would nest too deep.
    #[error(transparent)]
    TooDeep(#[from] TooDeep),
    /// A limit of this crate: the text would be too long.
    #[error("a text would be longer than {limit} bytes")]
    TooLong {
        /// The maximum number of bytes.
        limit: usize,
    },
    /// A limit of this crate: the list or map would be too large.
    #[error("a list or map would have more than {limit} elements")]
    TooMany {
        /// The maximum number of elements.
        limit: usize,
    },
}

/// The maximum size of a text that a function can build, in bytes.
const TEXT_LIMIT: usize = 1 << 22;

/// The maximum number of elements of a list that a function or a reducer can build.
const ELEMENT_LIMIT: usize = 1 << 20;

/// The maximum number of entries of a map that a reducer can build. Entries are sorted.
const ENTRY_LIMIT: usize = 1 << 16;

impl Failure {
    /// The failure of the engine for two different values that must be equal.
    pub(super) fn cannot_unify(values: &Values, one: ValueId, other: ValueId) -> Self {
        Self::wrong(format!("cannot unify {} {}", values.display(one), values.display(other)))
    }

    /// True if a limit of this crate was exceeded, where the engine would continue.
    #[must_use]
    pub fn is_limit(&self) -> bool {
        !matches!(self, Self::Wrong(_))
    }

    pub(super) fn wrong(text: impl Into<Cow<'static, str>>) -> Self {
        Self::Wrong(text.into())
    }

    pub(super) fn division_by_zero() -> Self {
        Self::wrong("division by zero")
    }

    /// The failure "it takes a number, and "x" is a string".
    pub(super) fn kind(values: &Values, id: ValueId, wanted: &str) -> Self {
        let (shown, kind) = (values.short(id, SHOWN), values.get(id).kind());
        Self::wrong(format!("it takes {wanted}, and {shown} is {kind}"))
    }
}

/// The maximum number of characters of a value in a message.
pub(super) const SHOWN: usize = 40;

/// Converts the arguments to an array, or fails if their number is wrong.
pub(super) fn exactly<const N: usize>(args: &[ValueId]) -> Result<[ValueId; N], Failure> {
    <[ValueId; N]>::try_from(args).map_err(|_| {
        let plural = if N == 1 { "" } else { "s" };
        Failure::wrong(format!("it takes {N} argument{plural}, not {}", args.len()))
    })
}

pub(super) fn number(values: &Values, id: ValueId) -> Result<i64, Failure> {
    match values.get(id) {
        Datum::Number(number) => Ok(*number),
        _ => Err(Failure::kind(values, id, "a number")),
    }
}

/// A float, or an integer as a float.
#[allow(clippy::cast_precision_loss)] // as in the engine
pub(super) fn number_or_float(values: &Values, id: ValueId) -> Result<f64, Failure> {
    match values.get(id) {
        Datum::Float(bits) => Ok(f64::from_bits(*bits)),
        Datum::Number(number) => Ok(*number as f64),
        _ => Err(Failure::kind(values, id, "a number or float")),
    }
}

pub(super) fn float(values: &Values, id: ValueId) -> Result<f64, Failure> {
    match values.get(id) {
        Datum::Float(bits) => Ok(f64::from_bits(*bits)),
        _ => Err(Failure::kind(values, id, "a float")),
    }
}

pub(super) fn time(values: &Values, id: ValueId) -> Result<i64, Failure> {
    match values.get(id) {
        Datum::Time(nanos) => Ok(*nanos),
        _ => Err(Failure::kind(values, id, "a time")),
    }
}

pub(super) fn duration(values: &Values, id: ValueId) -> Result<i64, Failure> {
    match values.get(id) {
        Datum::Duration(nanos) => Ok(*nanos),
        _ => Err(Failure::kind(values, id, "a duration")),
    }
}

pub(super) fn string(values: &Values, id: ValueId) -> Result<&str, Failure> {
    match values.get(id) {
        Datum::String(text) => Ok(text),
        _ => Err(Failure::kind(values, id, "a string")),
    }
}

pub(super) fn name(values: &Values, id: ValueId) -> Result<&str, Failure> {
    match values.get(id) {
        Datum::Name(name) => Ok(name),
        _ => Err(Failure::kind(values, id, "a name")),
    }
}

pub(super) fn list(values: &Values, id: ValueId) -> Result<&[ValueId], Failure> {
    match values.get(id) {
        Datum::List(list) => Ok(list),
        _ => Err(Failure::kind(values, id, "a list")),
    }
}

/// Converts a length to an integer. Lengths never exceed the range.
pub(super) fn count(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

/// Fails if a text of this many bytes exceeds the limit.
pub(super) fn check_length(bytes: usize) -> Result<(), Failure> {
    if bytes > TEXT_LIMIT { Err(Failure::TooLong { limit: TEXT_LIMIT }) } else { Ok(()) }
}

/// Fails if a list of this many elements exceeds the limit.
pub(super) fn check_elements(count: usize) -> Result<(), Failure> {
    if count > ELEMENT_LIMIT { Err(Failure::TooMany { limit: ELEMENT_LIMIT }) } else { Ok(()) }
}

/// Fails if a map of this many entries exceeds the limit.
pub(super) fn check_entries(count: usize) -> Result<(), Failure> {
    if count > ENTRY_LIMIT { Err(Failure::TooMany { limit: ENTRY_LIMIT }) } else { Ok(()) }
}
