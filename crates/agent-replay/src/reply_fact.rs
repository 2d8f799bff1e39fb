//! Fact that a reply asserted, or made the kernel forget.

use crate::session_origin::SessionOrigin;
use mangle_engine::kernel::{Fact, Kernel};

/// A fact that a reply asserted, or made the kernel forget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReplyFact {
    pub(super) text: String,
    pub(super) origin: SessionOrigin,
    pub(super) fact: Fact,
}

impl ReplyFact {
    /// Reverts the effect of the reply in a kernel.
    pub(super) fn undo(&self, kernel: &mut Kernel) {
        match self.origin {
            SessionOrigin::Forgotten(_) => kernel.assert(&self.fact),
            _ => kernel.retract(self.fact.predicate, &self.fact.tuple),
        }
    }
}
