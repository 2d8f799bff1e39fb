//! Replays of transcripts, shared by the language server and the command line: turns, findings, and
//! the kernel state after a turn. Findings silenced in the transcript are removed.
//!
//! The input consists of the records of a transcript, a
//! [`Constitution`](agent_replay::Constitution) and settings.
//! - [`ReplaySession`] streams [`TurnReport`](mangle_report::replay::TurnReport)s record by record.
//! - [`ReplayInput`] replays an in-memory transcript as JSON or facts.
//! - [`Verdicts`] are the results cached for editors; [`hints`], [`hover`] and [`lenses`] render
//!   them.

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
pub use policies::{evaluated_policy_findings, policy_diagnostics};
pub use reasons::{ProofLine, ReasonSource, RuleObstacle};
pub use report::{ReplayInput, StateAfter, TurnFilter};
pub use session::{ReplaySession, ReplaySetup, rule_place};
pub use silence::silence;
pub use verdicts::{
    MAX_BYTES, RecordVerdicts, RequestVerdict, RewrittenSurface, TranscriptVerdicts, TurnVerdicts, Verdicts,
    judged_turn,
};
