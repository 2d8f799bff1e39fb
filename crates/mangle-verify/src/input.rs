//! Input predicates: what a world may hold facts of, and with which values.

use mangle_engine::kernel::ValueId;
use mangle_engine::program::PredicateId;

/// An input predicate, or one of the alternatives of its declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// The predicates that hold a fact of it: one, or one in each of two programs that are compared.
    pub predicates: Vec<PredicateId>,
    /// The values that each column can have, in the order in which they are preferred.
    pub columns: Vec<Vec<ValueId>>,
    /// For each column the numbers of the groups of exchangeable values in it.
    pub(crate) groups: Vec<Vec<usize>>,
}
