//! Type expressions, type values and type inference.
//!
//! - [`faults`] checks the type expressions of `bound […]`, in the notations `.List<T>` and
//!   `fn:List(T)`.
//! - [`Type`] is a type value.
//! - [`ProgramTypes`] has the column types of each relation of a program.
//! - [`ClauseTypes`] has the types and the type conflicts of one clause.
//!
//! The module has no message texts and no findings.

mod closed;
mod evidence;
mod expression;
mod infer;
mod lattice;
mod parse;
mod print;
mod program;
mod rows;
mod signature;
#[cfg(test)]
mod tests;
mod value;
mod wellformed;

pub use expression::{CONSTRUCTORS, Constructor, visit_types};
pub use infer::{ClauseTypes, Relation, TypeOrigin, TypeProblem, TypeProblemKind, TypeState};
pub use lattice::is_below;
pub use program::{ProgramTypes, TypeCache};
pub use rows::{Row, Rows};
pub use value::{Base, StructField, Type};
pub use wellformed::{Fault, FaultKind, faults};
