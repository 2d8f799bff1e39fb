//! Checking of many agent sessions in memory, for programs that embed the checker, such as the
//! Python package.
//!
//! [`Checker::load`] reads policies and settings once, and nothing is read from disk afterwards. A
//! [`Session`] is checked, parsed and replayed like a transcript with one record per turn.
//! Positions are relative to the given texts.

mod checker;
mod figures;
mod findings;
mod lines;
mod program;
mod replies;
mod report;
mod session;
#[cfg(test)]
mod tests;
mod verdicts;

pub use checker::{Checker, LINE_CONTAINERS, LoadError};
pub use figures::{COLUMNS, Figure};
pub use findings::SessionFinding;
pub use program::{PolicyAnswer, PolicyProgram};
pub use replies::SessionReply;
pub use session::{Session, SessionTurn, TurnLabels, TurnTime};
pub use verdicts::SessionVerdict;
