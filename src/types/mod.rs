//! Types: which type expressions are well formed, and what they say.
//!
//! Takes the terms that stand in `bound […]`, in either notation (`.List<T>` or `fn:List(T)`);
//! gives what is wrong with them. Knows no wording and no findings.

mod expression;
mod wellformed;

pub use expression::{CONSTRUCTORS, Constructor, visit_types};
pub use wellformed::{Fault, FaultKind, faults};
