#![doc = include_str!("../README.md")]

mod argument;
mod class;
mod envelope;
mod examples;
mod expr;
mod fields;
pub mod lint;
mod matching;
mod pattern;
mod policy;
pub mod reading;
mod remaining;
mod selection;
pub mod target;
mod term;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod text;
mod update;
mod value;

pub use class::CharClass;
pub use envelope::{EnvelopeError, EnvelopeSet};
pub use expr::{Expr, Rule};
pub use policy::Policy;
pub use remaining::Remaining;
pub use update::{Omitted, Predicate};
pub use value::{Member, Value};
