//! Reasons for an undecided question.

use crate::completeness::Reason;

/// The reason for an incomplete search.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Obstacle {
    /// The time ended.
    #[error("the time ended")]
    Time,
    /// The search was canceled.
    #[error("the search was cancelled")]
    Cancelled,
    /// A size limit of the search was reached.
    #[error("{0}")]
    Size(&'static str),
    /// The search for worlds that stop the evaluation was incomplete.
    #[error("whether the evaluation can abort is not known: {0}")]
    OfAborts(Box<Obstacle>),
    /// No world was found, but the tried values are incomplete.
    #[error("{}", listed(.reasons, *.has_solver))]
    Incomplete {
        /// The operations that may need more values.
        reasons: Vec<Reason>,
        /// True if a solver was used.
        has_solver: bool,
    },
    /// The runtime evaluates the program once per store, but a world does not assign facts to
    /// stores.
    #[error("`[runtime] stores` is set, and worlds are not divided into stores")]
    Stores,
    /// The program uses an unsupported feature.
    #[error("{0}")]
    Unsupported(String),
}

/// Formats the reasons in one line, with a hint if a solver could decide the question.
pub(crate) fn listed(reasons: &[Reason], has_solver: bool) -> String {
    let is_for_solver = reasons.iter().all(Reason::has_solver);
    let reasons: Vec<String> = reasons.iter().map(Reason::to_string).collect();
    let help = if has_solver || !is_for_solver { "" } else { "; a solver (z3 or cvc5) could decide it" };
    format!("not every value was tried: {}{help}", reasons.join("; "))
}
