//! Evaluation of programs, proofs of facts, and explanations of missing facts.
//!
//! - [`compile`] converts a `Program` to evaluation plans.
//! - [`run`] derives a [`Model`]: all facts within the limits.
//! - [`Values`] interns the values. Built-in functions, predicates and reducers reproduce the
//!   engine, including its bugs. A [`Failure`] describes an error that would stop the engine.
//!
//! The module reports no findings.

mod builtin;
mod calendar;
mod collections;
mod engine_text;
pub mod facts;
mod failure;
mod function;
mod gaps;
mod interval;
mod other_derivations;
pub mod plan;
mod plan_replay;
mod proof;
mod question;
mod reducer;
mod relation;
mod run;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod values;
mod why_not;
mod work;

pub use builtin::{Builtin, compare};
pub use engine_text::{Dump, TextBudget, unbound_variable_message};
pub use failure::Failure;
pub use function::{Clock, Function, evaluate};
pub use gaps::{Gap, GapEnd};
pub use interval::{Bound, Interval, TimeOperator};
pub use plan::{
    AFTER_BODY, ClauseFault, CompiledProgram, Fact, Reading, Rule, RuleId, compile, compile_sharing,
    compile_with_intended_files,
};
pub use proof::{Ground, Proof, ProofNode, ProofStep};
pub use question::Query;
pub use reducer::Reducer;
pub use relation::{Columns, Relation};
pub use run::{
    Binding, Derivation, Difference, Kernel, Limits, Model, RowError, STEPS_BETWEEN_CHECKS, Stop, StopReason,
    run,
};
pub use values::{Datum, MAX_PRINTED, PRINTED_BYTES, TooDeep, ValueId, Values};
pub use why_not::{Miss, Obstacle, Restriction};
