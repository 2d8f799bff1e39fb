//! Solvers for SMT scripts, as the search uses them. The library starts no processes: programs that embed it bring the solvers.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use mangle_syntax::text::Cancel;

/// A solver that takes a script in SMT-LIB and returns its output.
pub trait Solver: Debug + Send + Sync {
    /// The name of the solver, for example `z3`.
    fn name(&self) -> &'static str;

    /// Runs a script. Ends when `limit` is over or `cancel` is raised.
    ///
    /// # Errors
    /// If the solver cannot be run, or ends without an answer.
    fn run(&self, script: &str, limit: Duration, cancel: &Cancel) -> Result<String, SolverError>;
}

/// Why a solver has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SolverError {
    /// The time ended.
    #[error("the time ended")]
    Time,
    /// The search was cancelled.
    #[error("the search was cancelled")]
    Cancelled,
    /// The solver does not work.
    #[error("{0}")]
    Failed(String),
}

/// The solvers of a search, tried one after the other.
#[derive(Debug, Clone, Default)]
pub struct Solvers {
    all: Vec<Arc<dyn Solver>>,
}

impl Solvers {
    /// These solvers, in this order.
    #[must_use]
    pub fn new(all: Vec<Arc<dyn Solver>>) -> Self {
        Self { all }
    }

    /// True if there is no solver. In WebAssembly there are no processes: the constant keeps what serves solvers out of the module.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        cfg!(target_family = "wasm") || self.all.is_empty()
    }

    /// The names of the solvers.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.all.iter().map(|solver| solver.name())
    }

    /// All solvers of some lists.
    #[cfg(test)]
    pub(crate) fn joined(lists: Vec<Self>) -> Self {
        Self { all: lists.into_iter().flat_map(|list| list.all).collect() }
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &Arc<dyn Solver>> {
        self.all.iter()
    }
}
