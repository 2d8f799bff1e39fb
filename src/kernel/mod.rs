//! Values and what the built-in functions make of them.
//!
//! Takes ground terms and the text that they are written in; gives interned [`Values`] or the
//! reason why the engine would stop ([`Failure`]). Knows no findings.

mod builtin;
mod civil;
mod failure;
mod fold;
mod function;
mod interval;
mod reducer;
mod term;
#[cfg(test)]
mod testing;
mod values;

pub use builtin::{Builtin, compare};
pub use failure::Failure;
pub use function::{Clock, Function};
pub use interval::{Bound, Interval, TimeOperator};
pub use reducer::Reducer;
pub use term::evaluate;
pub use values::{Datum, TooDeep, ValueId, Values};
