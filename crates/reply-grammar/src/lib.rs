#![doc = include_str!("../README.md")]

mod argument;
mod class;
mod envelope;
mod expr;
mod fields;
pub mod lint;
mod pattern;
mod policy;
pub mod reading;
pub mod target;
mod term;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod update;
mod value;

pub use class::CharClass;
pub use envelope::{EnvelopeError, EnvelopeSet, Remaining};
pub use expr::{Expr, Rule};
pub use policy::Policy;
pub use update::{Omitted, Predicate};
pub use value::{Member, Value};
