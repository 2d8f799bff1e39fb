//! A fact that comes or goes.

use crate::kernel::ValueId;
use crate::kernel::plan::RuleId;
use crate::kernel::run::boxed;

/// A fact that comes or goes.
#[derive(Debug, Clone)]
pub(super) enum FactChange {
    Assert(Box<[ValueId]>, RuleId),
    Retract(Box<[ValueId]>),
    /// All facts that no clause gave.
    Forget,
}

impl FactChange {
    /// The clause that gives the fact.
    pub(super) fn rule(&self) -> Option<RuleId> {
        match self {
            Self::Assert(_, rule) => Some(*rule).filter(|rule| *rule != RuleId::ASSERTED),
            Self::Retract(_) | Self::Forget => None,
        }
    }

    /// How many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>()
            + match self {
                Self::Assert(tuple, _) | Self::Retract(tuple) => boxed(tuple.len()),
                Self::Forget => 0,
            }
    }
}
