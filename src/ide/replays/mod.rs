//! Replays of transcripts, the same for the editor and the command line: turns and findings as outputs show them, the kernel
//! after a turn, less what is silenced in the transcript.
//!
//! Takes the records of a transcript, a [`Constitution`](agent_replay::Constitution) and settings. A [`ReplaySession`] gives
//! [`TurnReport`](crate::report::replay::TurnReport)s as its records come; [`ReplayInput`] gives those of a transcript in memory, as
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
pub use reasons::{ProofLine, ReasonSource, RuleObstacle};
pub use report::{ReplayInput, StateAfter, TurnFilter};
pub use session::{ReplaySession, ReplaySetup, rule_place};
pub use silence::silence;
pub use verdicts::{
    MOST_BYTES, RecordVerdicts, RequestVerdict, RewrittenSurface, TranscriptVerdicts, TurnVerdicts, Verdicts,
    judged_turn,
};
