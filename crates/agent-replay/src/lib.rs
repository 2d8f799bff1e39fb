#![doc = include_str!("../README.md")]

mod batch;
mod constitution;
mod coverage;
#[cfg(test)]
mod examples;
mod facts;
mod gate;
mod origins;
mod pending;
mod prefill;
mod reliance;
pub mod rules;
mod session;
mod state;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod time;
mod turn;
mod verdict;

pub use constitution::{Basis, Constitution};
pub use coverage::Coverage;
pub use prefill::{Prefill, TurnPrefill};
pub use reliance::Reliance;
pub use rules::{PolicyFinding, findings_of_program, needs_gate, policy_findings, rules};
pub use session::{Event, Replay, ReplayOptions};
pub use state::{MOST_SHOWN, StateChange, StateFact};
pub use turn::{Correction, Effect, LiftedDenial, MemoryChange, SessionOrigin, SurfaceRewrite, Turn};
pub use verdict::{Lock, RequestPlace, Verdict};
