//! Why a function, a built-in predicate or a reducer has no value, and the checks that say so.

use std::borrow::Cow;

use super::values::{Datum, TooDeep, ValueId, Values};

/// Why there is no value. The text completes "this stops the engine: …".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// What was asked for does not exist, in the engine as here.
    #[error("{0}")]
    Wrong(Cow<'static, str>),
    /// A limit of ours: the value would nest too deep.
    #[error(transparent)]
    TooDeep(#[from] TooDeep),
    /// A limit of ours: the text would be too long.
    #[error("a text would be longer than {limit} bytes")]
    TooLong {
        /// The number of bytes that are allowed.
        limit: usize,
    },
    /// A limit of ours: the list or map would be too large.
    #[error("a list or map would have more than {limit} elements")]
    TooMany {
        /// The number of elements that are allowed.
        limit: usize,
    },
}

/// The longest text that a function may build, in bytes.
const TEXT_LIMIT: usize = 1 << 22;

/// The most elements of a list that a function or a reducer may build.
const ELEMENT_LIMIT: usize = 1 << 20;

/// The most entries of a map that a reducer may build, which are sorted.
const ENTRY_LIMIT: usize = 1 << 16;

impl Failure {
    /// Two values that the engine compares and that differ.
    pub(super) fn cannot_unify(values: &Values, one: ValueId, other: ValueId) -> Self {
        Self::wrong(format!("cannot unify {} {}", values.display(one), values.display(other)))
    }

    /// Whether one of our limits was met, where the engine would have gone on.
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

    /// "it takes a number, and "x" is a string".
    pub(super) fn kind(values: &Values, id: ValueId, wanted: &str) -> Self {
        let (shown, kind) = (values.short(id, SHOWN), values.get(id).kind());
        Self::wrong(format!("it takes {wanted}, and {shown} is {kind}"))
    }
}

/// How many characters of a value a message shows.
pub(super) const SHOWN: usize = 40;

/// As many arguments as wanted.
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

/// A float, or an integer as one.
#[allow(clippy::cast_precision_loss)] // the engine loses it as well
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

/// A number of values, which is never near the bounds.
pub(super) fn count(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

/// Whether a text of this many bytes may be built.
pub(super) fn check_length(bytes: usize) -> Result<(), Failure> {
    if bytes > TEXT_LIMIT { Err(Failure::TooLong { limit: TEXT_LIMIT }) } else { Ok(()) }
}

/// Whether a list of so many elements may be built.
pub(super) fn check_elements(count: usize) -> Result<(), Failure> {
    if count > ELEMENT_LIMIT { Err(Failure::TooMany { limit: ELEMENT_LIMIT }) } else { Ok(()) }
}

/// Whether a map of so many entries may be built.
pub(super) fn check_entries(count: usize) -> Result<(), Failure> {
    if count > ENTRY_LIMIT { Err(Failure::TooMany { limit: ENTRY_LIMIT }) } else { Ok(()) }
}
