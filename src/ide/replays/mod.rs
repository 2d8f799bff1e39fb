//! Replays of transcripts, the same for the editor and the command line: turns and findings as outputs show them, the kernel
//! after a turn, less what is silenced in the transcript.
//!
//! Takes the records of a transcript, a [`Constitution`](agent_replay::Constitution) and settings. A [`Session`] gives
//! [`TurnReport`](crate::report::replay::TurnReport)s as its records come; [`Replayed`] gives those of a transcript in memory, as
//! JSON, and facts; [`Verdicts`] are what an editor keeps of a replay, and [`hints`], [`hover`] and [`lenses`] show them.

mod display;
mod policies;
mod reasons;
mod report;
mod session;
mod silence;
#[cfg(test)]
mod tests;
mod verdicts;

pub use display::{ToClause, TurnLens, hints, hover, lenses, turn_at, turns};
pub use policies::{of_evaluated, of_policies};
pub use reasons::{By, Lacking, Reason};
pub use report::{Replayed, Shown, StateAfter};
pub use session::{Session, Setting, rule_place};
pub use silence::silence;
pub use verdicts::{InRecord, InRecords, Judged, JudgedTurn, MOST_BYTES, Verdicts};
