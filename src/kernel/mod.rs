//! Values and what the built-in functions make of them.
//!
//! Takes ground terms and the text that they are written in; gives [`Value`]s or the reason why
//! the engine would stop ([`Failure`]). Knows no findings.

mod function;
mod term;
mod value;
mod values;

pub use function::{Failure, apply};
pub use term::evaluate;
pub use value::Value;
pub use values::{Datum, TooDeep, ValueId, Values};
