//! Derivation of a tuple.

use crate::kernel::plan::RuleId;

/// The derivation of a tuple.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Derivation<'m> {
    /// The clause.
    pub rule: RuleId,
    /// The tuples that the positive premises matched, in the order of the plan. Empty for a fact.
    pub support: &'m [u32],
}
