//! Types: what type expressions mean, their lattice, and what can be inferred of a program.
//!
//! Takes the terms that stand in `bound […]`, in either notation (`.List<T>` or `fn:List(T)`), and
//! the clauses of a program; gives what is wrong with an expression ([`faults`]), type values
//! ([`Type`]), what each relation holds ([`ProgramTypes`]) and what does not fit in a clause
//! ([`ClauseTypes`]). Knows no wording and no findings.

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
