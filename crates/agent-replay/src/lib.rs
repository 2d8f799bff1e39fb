#![doc = include_str!("../README.md")]

mod constitution;
mod facts;
mod gate;
mod options;
mod origins;
mod reliance;
pub mod rules;
mod session;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod turn;

pub use constitution::{Constitution, ConstitutionConfig, Coverage};
pub use options::{Event, Prefill, ReplayOptions, TurnPrefill};
pub use origins::SessionOrigin;
pub use rules::{PolicyFinding, findings_of_program, needs_gate, policy_findings, rules};
pub use session::{Replay, instant};
pub use turn::{
    Authority, Correction, Effect, LiftedDenial, MAX_SHOWN, MemoryChange, Reliance, RequestPlace,
    StateChange, StateFact, SurfaceRewrite, Turn, Verdict, safety_notice,
};
