//! Input predicates with the candidate values of their columns.

use mangle_engine::kernel::ValueId;
use mangle_engine::program::PredicateId;

/// An input predicate, or one alternative of its declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// The predicates that share the facts of the input: one, or one in each of two compared
    /// programs.
    pub predicates: Vec<PredicateId>,
    /// The possible values of each column, in order of preference.
    pub columns: Vec<Vec<ValueId>>,
    /// For each column, the numbers of its groups of exchangeable values.
    pub(crate) groups: Vec<Vec<usize>>,
}
