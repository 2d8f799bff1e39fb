//! Reasons for an undecided question, and the limits of a search: deadline, cancellation, and total
//! size of computed values.

use std::cell::Cell;
use std::fmt;
use std::time::Instant;

use mangle_engine::kernel::Values;
use mangle_syntax::text::Cancel;

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

/// The only operation that no solver decides.
pub(super) const MATCHES: &str = "matches of regular expressions";

/// An operation of the rules whose outcomes the tried values do not cover.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reason {
    /// The operation, for example `` `fn:plus` of several arguments ``.
    pub operation: String,
    /// The affected input predicates with their arity.
    pub inputs: Vec<String>,
    /// The number of tried values of the argument with the most values.
    pub tried: usize,
}

impl Reason {
    /// True if a solver can decide the operation.
    fn has_solver(&self) -> bool {
        self.operation != MATCHES
    }

    /// True if both reasons have the same operation and inputs.
    pub(crate) fn is_same_operation(&self, other: &Self) -> bool {
        self.operation == other.operation && self.inputs == other.inputs
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.operation)?;
        for (number, input) in self.inputs.iter().enumerate() {
            let separator = match number {
                0 => " on ",
                number if number + 1 == self.inputs.len() => " and ",
                _ => ", ",
            };
            write!(f, "{separator}`{input}`")?;
        }
        match self.tried {
            0 => Ok(()),
            1 => f.write_str(": 1 value tried"),
            tried => write!(f, ": {tried} values tried"),
        }
    }
}

/// The maximum total size in bytes of the values of a search.
const MAX_BYTES: usize = 128 << 20;

/// The number of checks between two reads of the clock.
const INTERVAL: u32 = 16;

/// The remaining time and memory of a search.
#[derive(Debug, Clone)]
pub(crate) struct Budget {
    end: Instant,
    cancel: Cancel,
    asked: Cell<u32>,
    is_late: Cell<bool>,
}

impl Budget {
    pub(crate) fn new(end: Instant, cancel: &Cancel) -> Self {
        Self { end, cancel: cancel.clone(), asked: Cell::new(0), is_late: Cell::new(false) }
    }

    /// True if the deadline has passed, the search was canceled, or the values are too large.
    pub(crate) fn is_over(&self, values: &Values) -> bool {
        self.is_late() || values.bytes() > MAX_BYTES
    }

    /// True if the deadline has passed or the search was canceled.
    pub(crate) fn is_late(&self) -> bool {
        let asked = self.asked.get();
        self.asked.set(asked.wrapping_add(1));
        if asked.is_multiple_of(INTERVAL) && Instant::now() >= self.end {
            self.is_late.set(true);
        }
        self.is_late.get() || self.cancel.is_cancelled()
    }

    /// Returns the reason for ending the search, if any.
    pub(crate) fn obstacle(&self, values: &Values) -> Option<Obstacle> {
        if self.cancel.is_cancelled() {
            Some(Obstacle::Cancelled)
        } else if Instant::now() >= self.end {
            Some(Obstacle::Time)
        } else if values.bytes() > MAX_BYTES {
            Some(Obstacle::Size("the values take too much memory"))
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Reason;

    #[test]
    fn reason_names_operation_inputs_and_values() {
        let reason = |inputs: &[&str]| Reason {
            operation: "sums of 2 arguments".to_owned(),
            inputs: inputs.iter().map(|input| (*input).to_owned()).collect(),
            tried: 14,
        };
        assert_eq!(reason(&["n/1"]).to_string(), "sums of 2 arguments on `n/1`: 14 values tried");
        let three = "sums of 2 arguments on `n/1`, `m/1` and `o/1`: 14 values tried";
        assert_eq!(reason(&["n/1", "m/1", "o/1"]).to_string(), three);
    }
}
