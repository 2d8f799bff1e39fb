//! Assertion or retraction of a fact.

use crate::kernel::ValueId;
use crate::kernel::plan::RuleId;
use crate::kernel::run::boxed;

/// An assertion or retraction of a fact.
#[derive(Debug, Clone)]
pub(super) enum FactChange {
    Assert(Box<[ValueId]>, RuleId),
    Retract(Box<[ValueId]>),
    /// Retracts all facts that have no clause.
    Forget,
}

impl FactChange {
    /// The clause of the fact.
    pub(super) fn rule(&self) -> Option<RuleId> {
        match self {
            Self::Assert(_, rule) => Some(*rule).filter(|rule| *rule != RuleId::ASSERTED),
            Self::Retract(_) | Self::Forget => None,
        }
    }

    /// The memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>()
            + match self {
                Self::Assert(tuple, _) | Self::Retract(tuple) => boxed(tuple.len()),
                Self::Forget => 0,
            }
    }
}
