//! Evaluates the built-in functions.
//!
//! The arguments are already computed. The result is the value that the engine computes, or the
//! failure that stops the engine. Each family of functions has its own file.

mod collection;
mod instant;
mod number;
mod span;
mod text;

pub(super) use collection::{entry, tuple};

use std::fmt;

use super::failure::{Failure, exactly, list};
use super::fold::{Fold, OperandKind};
use super::values::{ValueId, Values};

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
        let families = [number::FUNCTIONS, text::FUNCTIONS, collection::FUNCTIONS];
        let times = [instant::FUNCTIONS, span::FUNCTIONS, OVER_A_LIST, WITHOUT_VALUE];
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

#[cfg(test)]
mod tests;
