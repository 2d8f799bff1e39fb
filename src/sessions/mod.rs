//! Sessions of agents that are in memory, many at once: for programs that embed the checker, such as the Python package.
//!
//! [`Checker::load`] reads policies and settings once; after that nothing is read from disk. A [`Session`] is checked, read and replayed
//! as a transcript with a record for each turn is on the command line, and places count in the texts that were given.

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
