//! Reference versions of the engine and the runtime.
//!
//! A table has one row for each version. A difference between two versions is a named capability of
//! the row, and code tests the capability. Only this module compares versions.

mod engine;
pub mod runtime;

pub use engine::{
    AggregationsWithOneHead, DelayedNegations, ENGINE_MODULES, ENGINES, EarlyInequality, EngineCapabilities,
    EngineReference, EngineVersion, ExternalInputs, RELEASES, RepeatedVariable, SameRoundJoins,
    UnboundNegation, engine, engine_names, first_engine,
};

/// The origin of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Published {
    /// The name in settings, options and output: the month of the revision. If several programs
    /// have versions, the name of the program comes first.
    pub name: &'static str,
    /// The day of the revision, `YYYY-MM-DD`.
    pub day: &'static str,
    /// The commit.
    pub revision: &'static str,
    /// The module or repository of the publication.
    pub module: &'static str,
}
