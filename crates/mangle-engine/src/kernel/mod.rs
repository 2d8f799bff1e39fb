//! Evaluation of programs, proofs of facts, and explanations of missing facts.
//!
//! - [`compile`] converts a `Program` to evaluation plans.
//! - [`run`] derives a [`Model`]: all facts within the limits.
//! - [`Values`] interns the values. Built-in functions, predicates and reducers reproduce the
//!   engine, including its bugs. A [`Failure`] describes an error that would stop the engine.
//!
//! The module reports no findings.

mod bindings;
mod builtin;
mod calendar;
mod chunked_vec;
mod dump;
pub mod facts;
mod failure;
mod fold;
mod function;
mod gaps;
mod interval;
mod maybe_shared;
mod other_derivations;
pub mod plan;
mod plan_replay;
mod proof;
mod question;
mod reducer;
mod rejection_text;
mod relation;
mod run;
mod settings;
mod sharded_table;
#[cfg(test)]
mod step_budget;
mod term;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod values;
mod why_not;
mod work;

pub use bindings::Binding;
pub use builtin::{Builtin, compare};
pub use dump::{Dump, TextBudget};
pub use failure::Failure;
pub use function::{Clock, Function};
pub use gaps::{Gap, GapEnd};
pub use interval::{Bound, Interval, TimeOperator};
pub use plan::{
    AFTER_BODY, ClauseFault, CompiledProgram, Fact, Reading, Rule, RuleId, compile, compile_sharing,
    compile_with_intended_files,
};
pub use proof::{Ground, Proof, ProofNode, ProofStep};
pub use question::Query;
pub use reducer::Reducer;
pub use rejection_text::unbound_variable_message;
pub use relation::{Relation, columns::Columns};
pub use run::{
    Derivation, Difference, Kernel, Limits, Model, RowError, STEPS_BETWEEN_CHECKS, Stop, StopReason, run,
};
pub use term::evaluate;
pub use values::{Datum, MAX_PRINTED, PRINTED_BYTES, TooDeep, ValueId, Values};
pub use why_not::{Miss, Obstacle, Restriction};
