//! Why a tuple is there.

use crate::kernel::plan::RuleId;

/// Why a tuple is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Derivation<'m> {
    /// The clause.
    pub rule: RuleId,
    /// The tuples that its positive premises found, in the order of its plan. Empty for a fact.
    pub support: &'m [u32],
}
