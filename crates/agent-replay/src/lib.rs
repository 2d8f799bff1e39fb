//! A captured session replayed against a constitution: what its replies would have made the kernel believe, and which of
//! its requests the policies permit, with a proof for each, or with what stood in the way.
//!
//! Takes records of a [`transcript`](piggyback::transcript) and a program ([`Constitution`]); gives for each reply a [`Turn`]
//! and findings ([`Event`]), in the order of the records. The order of things within a turn is the reference runtime's:
//! its filters, all accepted updates at once, evaluation, memory, self-correction, then one request after the other
//! through the gate; only that a policy may deny a reply as a whole is not in the runtime, but in its protocol. The time is that of the record. Opens no files, knows no editor.

mod awaited;
mod batch;
mod constitution;
mod coverage;
#[cfg(test)]
mod examples;
mod facts;
mod gate;
mod origins;
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
pub use prefill::{Filled, Prefill};
pub use reliance::Reliance;
pub use rules::{PolicyFinding, findings_of_program, needs_gate, policy_findings, rules};
pub use session::{Event, Options, Replay};
pub use state::{Change, Held, MOST_SHOWN};
pub use turn::{Correction, Effect, Operation, Origin, Rewritten, Turn, Unblocked};
pub use verdict::{Lock, Place, Verdict};
