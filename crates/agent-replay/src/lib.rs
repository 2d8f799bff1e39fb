#![doc = include_str!("../README.md")]

mod batch;
mod constitution;
mod coverage;
mod facts;
mod gate;
mod origins;
mod pending;
mod prefill;
mod reliance;
mod reply_fact;
pub mod rules;
mod session;
mod session_origin;
mod state;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod time;
mod turn;
mod verdict;

pub use constitution::{Constitution, ConstitutionConfig};
pub use coverage::Coverage;
pub use prefill::{Prefill, TurnPrefill};
pub use rules::{PolicyFinding, findings_of_program, needs_gate, policy_findings, rules};
pub use session::{Event, Replay, ReplayOptions};
pub use session_origin::SessionOrigin;
pub use state::{MAX_SHOWN, StateChange, StateFact};
pub use time::instant;
pub use turn::{Correction, Effect, LiftedDenial, MemoryChange, SurfaceRewrite, Turn, safety_notice};
pub use verdict::{Authority, Reliance, RequestPlace, Verdict};
