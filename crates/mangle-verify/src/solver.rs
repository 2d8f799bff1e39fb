//! The interface to SMT solvers. This library starts no processes, so the embedding program must
//! provide the solvers.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use mangle_syntax::text::Cancel;

/// A solver that runs an SMT-LIB script and returns its output.
pub trait Solver: Debug + Send + Sync {
    /// The name of the solver, for example `z3`.
    fn name(&self) -> &'static str;

    /// Runs a script. Ends after `limit` or on cancellation.
    ///
    /// # Errors
    /// Returns an error if the solver cannot be run, or ends without an answer.
    fn run(&self, script: &str, limit: Duration, cancel: &Cancel) -> Result<String, SolverError>;
}

/// The reason for a missing answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SolverError {
    /// The time ended.
    #[error("the time ended")]
    Time,
    /// The search was canceled.
    #[error("the search was cancelled")]
    Cancelled,
    /// The solver failed.
    #[error("{0}")]
    Failed(String),
}

/// The solvers of a search, tried in order.
#[derive(Debug, Clone, Default)]
pub struct Solvers {
    all: Vec<Arc<dyn Solver>>,
}

impl Solvers {
    /// Creates a list of solvers, in order.
    #[must_use]
    pub fn new(all: Vec<Arc<dyn Solver>>) -> Self {
        Self { all }
    }

    /// True if no solver is available.
    ///
    /// WebAssembly has no processes. The constant condition removes the solver code from the
    /// module.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        cfg!(target_family = "wasm") || self.all.is_empty()
    }

    /// Returns the names of the solvers.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.all.iter().map(|solver| solver.name())
    }

    /// Concatenates lists of solvers.
    #[cfg(test)]
    pub(crate) fn joined(lists: Vec<Self>) -> Self {
        Self { all: lists.into_iter().flat_map(|list| list.all).collect() }
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &Arc<dyn Solver>> {
        self.all.iter()
    }
}
