//! The table row of a modeled runtime, and the predicates that identify it.

use super::capabilities::RuntimeCapabilities;
use crate::versions::Published;

/// A modeled version of a runtime.
#[derive(Debug)]
pub struct RuntimeReference {
    /// The name, date and origin of the version.
    pub published: Published,
    /// The engine version that the runtime pins, or the nearest modeled version. `None` if the
    /// runtime has no engine.
    pub engine: Option<&'static str>,
    /// Predicates of a policy that identify this version, in addition to the facts of its host.
    pub(super) signs: &'static [Sign],
    /// The parts of its behavior that differ between versions.
    pub capabilities: RuntimeCapabilities,
}

/// Host facts that are older than their protection and therefore identify no version.
const OLDER_HOST_FACTS: [&str; 2] = ["build_state", "test_state"];

impl RuntimeReference {
    /// The predicates of a policy that identify this version or a newer one.
    pub fn signs(&self) -> impl Iterator<Item = Sign> {
        let is_sign = |name: &&str| {
            !OLDER_HOST_FACTS.contains(name) && !self.signs.iter().any(|sign| sign.name == *name)
        };
        let of_host = self.capabilities.host_witnesses.iter().copied().filter(is_sign);
        self.signs.iter().copied().chain(of_host.map(|name| Sign { name, arity: None }))
    }
}

/// A predicate that identifies a runtime if a policy declares or defines it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sign {
    /// The name of the predicate.
    pub name: &'static str,
    /// The arity. `None` matches any arity.
    pub arity: Option<u8>,
}

impl Sign {
    pub(super) const fn new(name: &'static str, arity: u8) -> Self {
        Self { name, arity: Some(arity) }
    }

    /// True if a predicate of this name with `arity` arguments is the sign. `None` if the arity is
    /// unknown.
    #[must_use]
    pub fn fits(self, arity: Option<usize>) -> bool {
        self.arity.is_none_or(|own| arity == Some(usize::from(own)))
    }
}
