//! Why a question is not decided.

use crate::completeness::Reason;

/// Why a search ended before it was complete.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Obstacle {
    /// The time ended.
    #[error("the time ended")]
    Time,
    /// The search was cancelled.
    #[error("the search was cancelled")]
    Cancelled,
    /// A limit on the size of the search was reached.
    #[error("{0}")]
    Size(&'static str),
    /// Whether the evaluation can stop with an error is not known.
    #[error("whether the evaluation can abort is not known: {0}")]
    OfAborts(Box<Obstacle>),
    /// No world was found, but the values that were tried are not complete.
    #[error("{}", listed(.reasons, *.has_solver))]
    Incomplete {
        /// The operations for which values may be missing.
        reasons: Vec<Reason>,
        /// True if a solver was used.
        has_solver: bool,
    },
    /// The runtime evaluates the program once per store. A world says nothing about the stores of its facts.
    #[error("`[runtime] stores` is set, and worlds are not divided into stores")]
    Stores,
    /// The program uses something that the search does not handle.
    #[error("{0}")]
    Unsupported(String),
}

/// The reasons in one line, with what could decide the question.
pub(crate) fn listed(reasons: &[Reason], has_solver: bool) -> String {
    let is_for_solver = reasons.iter().all(Reason::has_solver);
    let reasons: Vec<String> = reasons.iter().map(Reason::to_string).collect();
    let help = if has_solver || !is_for_solver { "" } else { "; a solver (z3 or cvc5) could decide it" };
    format!("not every value was tried: {}{help}", reasons.join("; "))
}
